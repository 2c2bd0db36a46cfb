"""What a run leaves behind: one record per measurement, and what is needed to repeat the run."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

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


@dataclass
class Trace:
    """The records of one run, in order, with its metadata.

    Attributes
    ----------
    records : list of Record
    meta : dict
        method, sampling, seed, the problem in words and a digest of its data, the versions used: what it takes to
        repeat the run.

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
        columns = {name: [_plain(value) for value in self.column(name).tolist()] for name in self.names}
        return {"meta": self.meta, "columns": columns}

    @classmethod
    def from_plain(cls, content: Any) -> Trace:
        """The inverse of `to_plain`.

        Raises
        ------
        ValueError, TypeError, KeyError
            If it is no such thing.
        """
        names, columns = zip(*content["columns"].items(), strict=True)
        rows = [map(_number, values) for values in zip(*columns, strict=True)]
        records = [Record(**{"test_error": math.nan, **dict(zip(names, row, strict=True))}) for row in rows]
        return cls(records, content["meta"])

    def save(self, path: str | os.PathLike) -> None:
        """Write the trace as JSON."""
        Path(path).write_text(json.dumps(self.to_plain(), allow_nan=False))

    @classmethod
    def load(cls, path: str | os.PathLike) -> Trace:
        """Read what `save` wrote."""
        try:
            return cls.from_plain(json.loads(Path(path).read_text()))
        except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} is not a trace saved by cdlab: {error}") from None


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


def _plain(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)  # JSON has neither inf nor nan


def _number(value: float | str) -> float:
    return float(value) if isinstance(value, str) else value


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
