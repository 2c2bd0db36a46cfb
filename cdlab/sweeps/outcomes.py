"""What a run leaves in a store, its row and its trace, and how they are read again: they may come from anywhere."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Mapping
from types import NoneType
from typing import Any, NamedTuple

from ..numerics import checks
from ..numerics.json_numbers import is_json_number, to_json_number
from ..runs.trace import Trace
from ..runs.trace_reading import parse_json
from .result_store import ResultStore

FINISHED, FAILED = "run", "failed run"  # kinds of results
FAILURE = "failed"  # the status in the meta of a run that failed
LAST_RECORD = (
    "iteration",
    "passes",
    "seconds",
    "primal",
    "dual",
    "gap",
    "relative_gap",
    "test_error",
    "test_loss",
    "examples",
)
COLUMNS = (
    *("key", "data", "digest", "n", "d", "nnz", "loss", "l2", "l1", "method", "sampling", "label", "seed", "tol"),
    *("max_passes", "status", *LAST_RECORD, "failure", "versions"),
)
# What must be in the meta of a run, and in its settings
META = {
    "key": str,
    "data": str,
    "source": str,
    "status": str,
    "seed": int,
    "versions": dict,
    "shape": dict,
    "settings": dict,
}
SETTINGS = {
    "loss": dict,
    "method": dict,
    "sampling": (dict, NoneType),
    "l2": float,
    "l1": float,
    "tol": float,
    "max_passes": float,
    "intercept": bool,
}


class Outcome(NamedTuple):
    """What a run left.

    Attributes
    ----------
    kind : {FINISHED, FAILED}
    row : dict
        Of the table, with infinity and NaN as words.
    trace : str
        As JSON; of a run that failed without records, and its meta says why.
    """

    kind: str
    row: dict[str, Any]
    trace: str


def outcome_of(trace: Trace) -> Outcome:
    """The outcome of a run, from its trace."""
    row = row_of(trace)
    plain_row = row | {name: to_json_number(row[name]) for name in LAST_RECORD}
    kind = FAILED if trace.meta["status"] == FAILURE else FINISHED
    return Outcome(kind, plain_row, json.dumps(trace.to_plain(), allow_nan=False))


def row_of(trace: Trace) -> dict[str, Any]:
    """The row of a run in `Store.to_frame`."""
    meta = trace.meta
    settings = meta["settings"]
    sampling = settings["sampling"]
    last = {name: float(trace.column(name)[-1]) if trace.records else math.nan for name in LAST_RECORD}
    return {
        "key": meta["key"],
        "data": meta["source"],
        "digest": meta["data"],
        **meta["shape"],
        "loss": settings["loss"]["name"],
        "l2": settings["l2"],
        "l1": settings["l1"],
        "method": settings["method"]["name"],
        "sampling": "none" if sampling is None else sampling["name"],
        "label": trace.label,
        "seed": meta["seed"],
        "tol": settings["tol"],
        "max_passes": settings["max_passes"],
        "status": meta["status"],
        **last,
        "failure": meta.get("failure", {}).get("message", ""),
        "versions": ", ".join(f"{name} {version}" for name, version in meta["versions"].items()),
    }


def read_trace(results: ResultStore, key: str, kind: str = FINISHED) -> Trace | None:
    """The trace of a run, or None.

    What is no trace, or not of a run, is set aside with a warning, and the run can be computed anew.
    """
    trace, why = read_trace_or_why(results, key, kind)
    if why:
        warnings.warn(why, stacklevel=2)
    return trace


def read_trace_or_why(results: ResultStore, key: str, kind: str = FINISHED) -> tuple[Trace | None, str]:
    """As `read_trace`, without the warning: the trace or None, and the sentence about what was set aside, else ""."""
    found = results.get(key, kind)
    if found is None:
        return None, ""
    try:
        trace = Trace.from_plain(parse_json(found.trace or ""))
        check_meta(trace.meta, key)
        if bool(trace.records) != (kind == FINISHED):
            raise ValueError("its records do not go with its kind")
        return trace, ""
    except ValueError as error:
        return None, results.set_aside(key, checks.error_message(error))


def read_rows(results: ResultStore, *kinds: str) -> dict[str, dict[str, Any]]:
    """The rows of all runs of these kinds, by key; those that cannot be read are set aside with a warning."""
    rows = {}
    for key, text in results.rows(*kinds):
        try:
            rows[key] = _parse_row(text)
        except ValueError as error:
            warnings.warn(results.set_aside(key, checks.error_message(error)), stacklevel=3)
    return rows


def _parse_row(text: str) -> dict[str, Any]:
    row = parse_json(text)
    if not isinstance(row, dict):
        raise ValueError("its row is not an object")
    numbers = {name: row.get(name, "nan") for name in LAST_RECORD}
    if not all(map(is_json_number, numbers.values())):
        raise ValueError("its row holds something else than numbers")
    return row | {name: float(value) for name, value in numbers.items()}


def check_meta(meta: dict[str, Any], key: str) -> None:
    """Refuse what no sweep writes into the meta of a run: rows and races are made of it.

    Raises
    ------
    ValueError
    """
    _check_fields("its meta", meta, META)
    if meta["key"] != key:
        raise ValueError(f"its key is {checks.short_repr(meta['key'])}")
    _check_fields("its shape", meta["shape"], dict.fromkeys(("n", "d", "nnz"), int))
    settings = meta["settings"]
    _check_fields("its settings", settings, SETTINGS)
    for name in ("loss", "method", "sampling"):
        if settings[name] is not None:
            _check_fields(f"its {name}", settings[name], {"name": str})
    if "failure" in meta:
        _check_fields("its meta", meta, {"failure": dict})
        _check_fields("its failure", meta["failure"], {"kind": str, "message": str})


def _check_fields(what: str, content: dict[str, Any], needed: Mapping[str, Any]) -> None:
    for name, kinds in needed.items():
        if name not in content:
            raise ValueError(f"{what} has no {name}")
        value = content[name]
        good = checks.is_number(value) if kinds is float else isinstance(value, kinds)
        if not good or (isinstance(value, int | float) and not abs(value) <= checks.LARGEST_FLOAT):
            raise ValueError(f"the {name} in {what} cannot be {checks.short_repr(value)}")
