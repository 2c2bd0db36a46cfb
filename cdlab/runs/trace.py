"""What a run leaves behind: one record per measurement, and what is needed to repeat the run."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..numerics import checks
from ..numerics.json_numbers import in_words, is_in_words

if TYPE_CHECKING:
    import pandas


class Record(NamedTuple):
    """One measurement of a run. The clock stands still while it is taken."""

    iteration: int  # coordinate updates so far
    passes: float  # nonzeros visited / nnz, counted alike for every method
    seconds: float  # solver time: drawing and updating, neither measuring nor compiling
    primal: float  # P(w)
    dual: float  # D(alpha)
    gap: float  # max(0, P(w) - D(alpha)); inf where either is not finite
    test_error: float  # NaN without test data
    ideal_passes: float = math.nan  # greedy: the updates alone, without the search for the coordinate; NaN elsewhere
    test_loss: float = math.nan  # mean loss on test data; NaN without
    examples: float = math.nan  # examples processed, see `Method.examples`; NaN in traces saved before it was counted


OPTIONAL = ("test_error", "ideal_passes", "test_loss", "examples")  # columns that a trace may lack


MOST_DIGITS = 400  # of a whole number: more than float64 holds
RISING = ("iteration", "passes", "seconds")


@dataclass
class Trace:
    """The records of one run, in order, with its metadata.

    Attributes
    ----------
    records : list of Record
    meta : dict
        method and its side, sampling, seed, the problem in words and a digest of its data, the versions used: what it
        takes to repeat the run.

    Examples
    --------
    >>> t = Trace([Record(0, 0.0, 0.0, 1.0, 0.0, 1.0, float("nan")), Record(9, 1.0, 0.1, 0.6, 0.5, 0.1, float("nan"))])
    >>> t.column("gap")
    array([1. , 0.1])
    >>> t.reached(0.1, by="passes", column="gap")
    1.0
    """

    records: list[Record] = field(default_factory=list)
    meta: dict[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The columns that were measured: test_error, test_loss and ideal_passes are not in every trace."""
        return [n for n in Record._fields if n not in OPTIONAL or not np.isnan(self.column(n)).all()]

    @property
    def label(self) -> str:
        """Method and sampling in one line: a legend's entry."""
        return str(self.meta.get("label", "run"))

    @property
    def at_zero(self) -> float:
        """P(0), which relative gaps and suboptimalities refer to: the first primal value unless a start was given."""
        return self.meta.get("P0", self.records[0].primal)

    def column(self, name: str) -> np.ndarray:
        """One column as an array; "relative_gap" and every field of Record."""
        if name == "relative_gap":
            return np.array([relative_gap(r, self.at_zero) for r in self.records])
        if name not in Record._fields:
            raise ValueError(f"a trace has no column {name!r}; it has {', '.join(Record._fields)} and relative_gap")
        return np.array([getattr(r, name) for r in self.records])

    def reached(self, level: float, by: str = "passes", column: str = "relative_gap", shift: float = 0.0) -> float:
        """Passes (or seconds, iteration, examples) at the first record whose column - shift is <= level, or inf."""
        hit = np.flatnonzero(self.column(column) - shift <= level)
        return float(self.column(by)[hit[0]]) if hit.size else math.inf

    def to_frame(self) -> pandas.DataFrame:
        """The records as a pandas DataFrame, one row each, with the columns that were measured."""
        import pandas as pd

        return pd.DataFrame(self.records, columns=list(Record._fields))[self.names]

    def to_plain(self) -> dict[str, Any]:
        """The trace as dicts, lists, numbers and strings: ready for JSON, which has neither inf nor nan."""
        columns = {name: [in_words(value) for value in self.column(name).tolist()] for name in self.names}
        return {"meta": self.meta, "columns": columns}

    @classmethod
    def from_plain(cls, content: Any) -> Trace:
        """The inverse of `to_plain`, for what comes from a file, which may come from anywhere.

        Raises
        ------
        ValueError
            If it is no such thing.
        """
        if not (isinstance(content, dict) and {"meta", "columns"} <= content.keys()):
            raise ValueError("it has no meta and columns")
        _check_meta(content["meta"])
        return cls(records_of(content["columns"]), content["meta"])

    def save(self, path: str | os.PathLike) -> None:
        """Write the trace as JSON.

        Raises
        ------
        ValueError
            If `meta` holds something that JSON does not know.
        """
        try:
            text = json.dumps(self.to_plain(), allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise ValueError(f"the meta of this trace cannot be written as JSON: {error}") from None
        Path(path).write_text(text, encoding="utf-8")

    @classmethod
    def load(cls, path: str | os.PathLike) -> Trace:
        """Read what `save` wrote.

        Raises
        ------
        ValueError
            For anything else, with what is wrong.
        """
        try:
            text = Path(path).read_text(encoding="utf-8")
            content = json.loads(text, parse_constant=_refuse_constant, parse_int=_whole)
            return cls.from_plain(content)
        except RecursionError:
            raise ValueError(f"{path} is not a trace saved by cdlab: its brackets are nested too deeply") from None
        except ValueError as error:
            raise ValueError(f"{path} is not a trace saved by cdlab: {checks.sentence(error)}") from None


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
        raise ValueError(f"a run has no column {checks.shown(strange[0])}")
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


def column_of(name: str, values: Any) -> np.ndarray:
    """One column of a run that comes from a file.

    Raises
    ------
    ValueError
    """
    if not (isinstance(values, list) and all(map(is_in_words, values))):
        raise ValueError(f"the column {name} of a run holds something else than numbers")
    return np.array(values, dtype=float)


def _check_meta(meta: Any) -> None:
    """Refuse what no run writes: the labels of plots and tables come from here."""
    if not isinstance(meta, dict):
        raise ValueError("its meta is no object")
    for name in ("label", "method", "side", "sampling", "problem", "data", "machine", "status"):
        if not isinstance(meta.get(name, ""), str):
            raise ValueError(f"the {name} in its meta is no text")
    versions = meta.get("versions", {})
    if not (isinstance(versions, dict) and all(isinstance(each, str) for each in versions.values())):
        raise ValueError("the versions in its meta are no texts")
    for name, kinds in (("seed", (int, str)), ("every", (int,)), ("P0", (int, float))):
        if name in meta and type(meta[name]) not in kinds:
            raise ValueError(f"the {name} in its meta is no number")
    if "P0" in meta and not abs(meta["P0"]) <= checks.LARGEST:
        raise ValueError("the P0 in its meta is beyond float64")


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS:  # Python itself would speak of its settings
        raise ValueError(f"a whole number of {len(digits)} digits is none that a run writes")
    return int(digits)


def relative_gap(record: Record, at_zero: float) -> float:
    """gap / max(P(0) - D(alpha), 1e-6 P(0)), 0 when both are 0; inf unless all of it is finite.

    Parameters
    ----------
    record : Record
    at_zero : float
        P(0): the primal value of the first record of a run that starts at w = 0, else `Trace.at_zero`.
    """
    if not all(map(math.isfinite, (record.primal, record.dual, record.gap, at_zero))):
        return math.inf
    scale = max(at_zero - record.dual, 1e-6 * at_zero)
    if record.gap == 0:
        return 0.0
    return record.gap / scale if 0 < scale < math.inf else math.inf


def merged(traces: Iterable[Trace]) -> pandas.DataFrame:
    """All records of several traces in one DataFrame, with the columns label, method, sampling and seed in front."""
    import pandas as pd

    frames = []
    for trace in traces:
        frame = trace.to_frame()
        for position, key in enumerate(("label", "method", "sampling", "seed")):
            frame.insert(position, key, trace.meta.get(key))
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)
