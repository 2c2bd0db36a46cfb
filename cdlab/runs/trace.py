"""The trace of a run: one record per measurement, and what is needed to repeat the run."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..numerics import checks, files
from ..numerics.json_numbers import to_json_number
from .records import OPTIONAL, Record, relative_gap
from .trace_reading import KIND, VERSION, check_gaps, check_meta, check_version, parse_json, records_of

if TYPE_CHECKING:
    import pandas


@dataclass(repr=False)
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

    def __repr__(self) -> str:
        told = {"seed": "seed {}", "status": "{}"}
        known = [words.format(self.meta[name]) for name, words in told.items() if name in self.meta]
        ending = "" if len(self.records) == 1 else "s"
        return f"Trace({', '.join([self.label, *known, f'{len(self.records)} record{ending}'])})"

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
        """One column as an array, (records,): "relative_gap" or a field of Record.

        Raises
        ------
        ValueError
            If there is no such column.
        """
        if not checks.is_one_of(name, (*Record._fields, "relative_gap")):
            raise ValueError(
                f"a trace has no column {checks.short_repr(name)}; it has {', '.join(Record._fields)} and relative_gap"
            )
        if name == "relative_gap":
            return np.array([relative_gap(r, self.at_zero) for r in self.records])
        return np.array([getattr(r, name) for r in self.records])

    def reached(self, level: float, by: str = "passes", column: str = "relative_gap", shift: float = 0.0) -> float:
        """The passes at the first record that reached a level.

        Parameters
        ----------
        level : float
            Reached where ``column - shift <= level``.
        by : str, default "passes"
            The column that is returned: also "seconds", "iteration" or "examples".
        column : str, default "relative_gap"
            The column that must fall.
        shift : float, default 0
            What is subtracted: P* for ``column="primal"``.

        Returns
        -------
        float
            inf where no record reached it.

        Raises
        ------
        TypeError, ValueError
            If level or shift is not a number, or there is no such column.
        """
        for what, value in (("level", level), ("shift", shift)):
            if not checks.is_number(value):
                raise TypeError(f"{what} must be a number, not {checks.short_repr(value)}")
        returned, hit = self.column(by), np.flatnonzero(self.column(column) - shift <= level)
        return float(returned[hit[0]]) if hit.size else math.inf

    def to_frame(self) -> pandas.DataFrame:
        """The records as a pandas DataFrame, one row each, with the columns that were measured."""
        import pandas as pd

        return pd.DataFrame(self.records, columns=list(Record._fields))[self.names]

    def to_plain(self) -> dict[str, Any]:
        """The trace as dicts, lists, numbers and strings: ready for JSON, which has neither inf nor nan.

        With "file" and "version", which say what it is and how it is to be read.
        """
        columns = {name: [to_json_number(value) for value in self.column(name).tolist()] for name in self.names}
        return {"file": KIND, "version": VERSION, "meta": self.meta, "columns": columns}

    @classmethod
    def from_plain(cls, content: Any) -> Trace:
        """The inverse of `to_plain`, for what comes from a file, which may come from anywhere.

        Raises
        ------
        ValueError
            If it is not such a file.
        """
        if not (isinstance(content, dict) and {"meta", "columns"} <= content.keys()):
            raise ValueError("it has no meta and columns")
        version = check_version(content)
        check_meta(content["meta"])
        records = records_of(content["columns"])
        check_gaps(records, content["meta"].get("P0", records[0].primal if records else 0.0), version)
        return cls(records, content["meta"])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the trace as JSON; whole, or not at all.

        Raises
        ------
        TypeError, ValueError
            If `path` is no name of a file, or `meta` holds something that JSON does not know.
        OSError
            If the file cannot be written.
        """
        path = checks.file_name("path", path)
        try:
            text = json.dumps(self.to_plain(), allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise ValueError(f"the meta of this trace cannot be written as JSON: {error}") from None
        with files.atomic_write(path) as file:
            file.write(text.encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Trace:
        """Read what `save` wrote.

        Raises
        ------
        TypeError
            If `path` is no name of a file.
        ValueError
            For anything else, with what is wrong.
        OSError
            If the file cannot be read.
        """
        path = checks.file_name("path", path)
        if path.is_dir():
            raise ValueError(f"{path} is a folder, and a trace is a file")
        try:
            return cls.from_plain(parse_json(path.read_text(encoding="utf-8")))
        except ValueError as error:
            raise ValueError(f"{path} is not a trace saved by cdlab: {checks.error_message(error)}") from None


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
