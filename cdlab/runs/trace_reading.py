"""Traces from files, which may come from anywhere: checked before they are believed."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..numerics import checks
from ..numerics.json_numbers import is_json_number
from ..problems.certificates import gap_between, rounding_of_sums
from .records import OPTIONAL, Record

KIND, VERSION = "cdlab trace", 2
FIRST = 1  # wrote neither, and gaps without their rounding
AGREE = 1e-12  # relative: the decimals of a file are those of the numbers, to the last place
MAX_DIGITS = 400  # of a whole number: more than float64 holds
RISING = ("iteration", "passes", "seconds")


def records_of(columns: Any) -> list[Record]:
    """The records of columns that come from a file, which may come from anywhere.

    Raises
    ------
    ValueError
        What is wrong with them, in one sentence without a full stop.
    """
    if not isinstance(columns, Mapping):
        raise ValueError("the columns of a run are not named")
    if strange := [name for name in columns if name not in Record._fields]:
        raise ValueError(f"a run has no column {checks.short_repr(strange[0])}")
    if missing := [name for name in Record._fields if name not in (*columns, *OPTIONAL)]:
        raise ValueError(f"the column {missing[0]} of a run is missing")
    values = {name: column_of(name, columns[name]) for name in Record._fields if name in columns}
    if len({len(each) for each in values.values()}) > 1:
        raise ValueError("the columns of a run are not equally long")
    if values["iteration"].size == 0:
        return []
    for name in RISING:
        if not (np.isfinite(values[name]).all() and (np.diff(values[name]) >= 0).all()):
            raise ValueError(f"the {name} of a run fall")
    if not np.isfinite(values["primal"][0]):
        raise ValueError("the first value of a run is not a number")
    if values["iteration"][-1] >= 2**53:
        raise ValueError("the iterations of a run are too many")
    values["iteration"] = values["iteration"].astype(int)
    rows = zip(*(each.tolist() for each in values.values()), strict=True)
    return [Record(**{"test_error": math.nan, **dict(zip(values, row, strict=True))}) for row in rows]


def check_version(content: Mapping[str, Any]) -> int:
    """The version of a trace that comes from a file.

    Raises
    ------
    ValueError
        If it is something else, or of a later cdlab.
    """
    version = content.get("version", FIRST)
    if content.get("file", KIND) != KIND:
        raise ValueError(f"it is a {checks.short_repr(content['file'])}")
    if type(version) is not int or not FIRST <= version <= VERSION:
        raise ValueError(f"it has version {checks.short_repr(version)}, and this cdlab reads {FIRST} to {VERSION}")
    return version


def check_gaps(records: list[Record], at_zero: float, version: int) -> None:
    """Refuse records whose gap is not that of their P(w) and D(alpha), with its rounding.

    Raises
    ------
    ValueError
        Which one, and what its gap should be.
    """
    for k, record in enumerate(records):
        told = version > FIRST and not math.isnan(record.rounding)  # else a record of one's own, or of an old file
        rounding = record.rounding if told else 0.0
        least = rounding_of_sums(at_zero, record.primal, record.dual) if told else 0.0
        if math.isfinite(record.gap) and not rounding >= least:
            raise ValueError(f"the rounding of record {k} is {rounding:.3g}, below that of its sums, {least:.3g}")
        gap = gap_between(record.primal, record.dual, rounding)
        if not (record.gap == gap or abs(record.gap - gap) <= AGREE * min(gap, checks.LARGEST_FLOAT)):
            raise ValueError(f"the gap of record {k} is {record.gap:.6g}, and P(w) - D(alpha) makes it {gap:.6g}")


def column_of(name: str, values: Any) -> np.ndarray:
    """One column of a run that comes from a file.

    Raises
    ------
    ValueError
    """
    if not (isinstance(values, list) and all(map(is_json_number, values))):
        raise ValueError(f"the column {name} of a run holds something else than numbers")
    return np.array(values, dtype=float)


def check_meta(meta: Any) -> None:
    """Refuse a meta that no run writes, with a ValueError: the labels of plots and tables come from here."""
    if not isinstance(meta, dict):
        raise ValueError("its meta is not an object")
    for name in ("label", "method", "side", "sampling", "problem", "data", "machine", "status"):
        if not isinstance(meta.get(name, ""), str):
            raise ValueError(f"the {name} in its meta is not a string")
    versions = meta.get("versions", {})
    if not (isinstance(versions, dict) and all(isinstance(each, str) for each in versions.values())):
        raise ValueError("the versions in its meta are not strings")
    for name, kinds in (("seed", (int, str)), ("every", (int, type(None))), ("P0", (int, float))):
        if name in meta and type(meta[name]) not in kinds:
            raise ValueError(f"the {name} in its meta is not a number")
    if "P0" in meta and not abs(meta["P0"]) <= checks.LARGEST_FLOAT:
        raise ValueError("the P0 in its meta is beyond float64")


def parse_json(text: str) -> Any:
    """What a text says that may come from anywhere, as `json.loads`.

    Raises
    ------
    ValueError
        If it is not JSON; also for NaN and Infinity, which `json` would read though JSON has no such numbers.
    """
    try:
        return json.loads(text, parse_constant=_refuse_constant, parse_int=_parse_integer)
    except RecursionError:
        raise ValueError("its brackets are nested too deeply") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _parse_integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:  # Python itself would speak of its settings
        raise ValueError(f"a whole number of {len(digits)} digits is none that a run writes")
    return int(digits)
