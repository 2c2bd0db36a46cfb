"""Traces: the records of a run, and what is needed to repeat it; saved, and checked when they come from a file."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..numerics import checks, files
from ..numerics.json_numbers import is_json_number, parse_json, to_json_number
from ..problems.rounding import MAX_DUAL_EXCESS, gap_between, rounding_of_sums

if TYPE_CHECKING:
    import pandas

OPTIONAL_COLUMNS = (  # a trace may lack them
    "test_error", "ideal_passes", "test_loss", "examples", "active", "test_sign_error", "rounding", "lower", "upper",
    "rounds", "bytes", "computing", "waiting",
)  # fmt: skip
FILE_KIND, FILE_VERSION = "cdlab trace", 2
FIRST_FILE_VERSION = 1  # wrote neither, and gaps without their rounding
DECIMALS_RTOL = 1e-12  # relative: the decimals of a file are those of the numbers, to the last place
RISING_COLUMNS = ("iteration", "passes", "seconds")
DERIVED_COLUMNS = ("relative_gap", "best_gap", "relative_best_gap")  # computed from the records, and in no file


class Record(NamedTuple):
    """One measurement of a run. The clock stands still while it is taken."""

    iteration: int  # coordinate updates so far
    passes: float  # nonzeros visited / nnz, counted alike for every method
    seconds: float  # solver time: drawing and updating, neither measuring nor compiling
    primal: float  # P(w)
    dual: float  # D(alpha)
    gap: float  # max(0, P(w) - D(alpha)) + rounding; inf where one of them is not finite
    test_error: float  # NaN without test data
    ideal_passes: float = math.nan  # the updates alone, without greedy's search or svrg's snapshots; NaN elsewhere
    test_loss: float = math.nan  # mean loss on test data; NaN without
    examples: float = math.nan  # examples processed, see `Method.counted`; NaN in traces saved before it was counted
    active: float = math.nan  # with screening: the coordinates that epochs still visited; NaN without
    test_sign_error: float = math.nan  # wrong signs on test data -1 and 1 by a regression loss; NaN elsewhere
    rounding: float = math.nan  # what P(w) and D(alpha) may be off; NaN in traces saved before it was in the gap
    lower: float = math.nan  # bounds of P* with their rounding, from all points here; NaN: none but w and alpha
    upper: float = math.nan  # where a race knows more, it is of the pair that the method's theorems are about
    rounds: float = math.nan  # of a run in parts; NaN elsewhere, as the next three
    bytes: float = math.nan  # sent to parts and by them, where each is in a process of its own
    computing: float = math.nan  # seconds of CPU time of a part, on average
    waiting: float = math.nan  # the rest of the seconds: for other parts, and for numbers on their way


def best_gaps(records: Sequence[Record], lowest: float = -math.inf) -> np.ndarray:
    """The best certified gap so far: min P(w_s) - max D(alpha_s) over s <= t, with its rounding; it never rises.

    The pairs of a method's theorems count, too, where a race has recorded them. P* lies between the two, so one of the
    points so far is at most this far above it. inf without a lower bound, and from the record on where a lower bound
    exceeds a value of P by more than rounding: one of them is then wrong.

    Parameters
    ----------
    records : sequence of Record
        Of one run. Values that are not finite are passed over.
    lowest : float
        A lower bound of P* from the start: D(0), with a regulariser.

    Examples
    --------
    >>> values = [(1.0, -3.0, 4.0), (0.5, 0.25, 0.25), (0.75, 0.0, 0.75)]
    >>> best_gaps([Record(k, k, 0.0, *each, math.nan) for k, each in enumerate(values)], lowest=0.0).tolist()
    [1.0, 0.25, 0.25]
    """
    names = ("primal", "dual", "gap", "rounding", "lower", "upper")
    primal, dual, gap, rounding, *more = (np.array([getattr(r, name) for r in records], dtype=float) for name in names)
    rounding = np.where(np.isfinite(rounding), rounding, 0.0)
    lower = np.fmax(more[0], np.where(np.isfinite(dual), dual - rounding, -math.inf))
    upper = np.minimum.accumulate(np.fmin(more[1], np.where(np.isfinite(primal), primal + rounding, math.inf)))
    lower = np.maximum(lowest, np.maximum.accumulate(lower))
    known = np.isfinite(upper) & np.isfinite(lower)
    excess = np.subtract(lower, upper, out=np.full(upper.shape, -math.inf), where=known)
    size = np.add(np.abs(lower), np.abs(upper), out=np.zeros(upper.shape), where=known)
    refuted = np.logical_or.accumulate(excess > MAX_DUAL_EXCESS * size)
    # the gap of one record counts its rounding once
    return np.where(refuted, math.inf, np.minimum(np.minimum.accumulate(gap), np.maximum(-excess, 0.0)))


def relative_gap(record: Record, at_zero: float) -> float:
    """gap / max(P(0) - D(alpha), 1e-6 P(0)), 0 when both are 0; inf unless all of it is finite.

    Parameters
    ----------
    record : Record
        One measurement of a run.
    at_zero : float
        P(0): `Problem.at_zero`, with an intercept that of the best constant model.
    """
    return share_of_gap(record.gap, record.dual, at_zero) if math.isfinite(record.primal) else math.inf


def share_of_gap(gap: float, dual: float, at_zero: float) -> float:
    """A gap above this dual value, as a share of what there is to gain from P(0)."""
    if not (math.isfinite(gap) and math.isfinite(dual) and math.isfinite(at_zero)):
        return math.inf
    scale = max(at_zero - dual, 1e-6 * at_zero)
    if gap == 0:
        return 0.0
    return gap / scale if 0 < scale < math.inf else math.inf


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

    @classmethod
    def with_later_meta(cls, make_meta: Callable[[], dict[str, Any]]) -> Trace:
        """A trace whose `meta`, with its digest of the data, is made when it is first read."""
        trace = cls()
        del trace.meta
        trace.__dict__["_later"] = make_meta, {}
        return trace

    def __getattr__(self, name: str) -> Any:
        if name != "meta" or "_later" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        make_meta, noted = self.__dict__.pop("_later")
        self.meta = {**make_meta(), **noted}
        return self.meta

    def __getstate__(self) -> dict[str, Any]:
        return {"records": self.records, "meta": self.meta}

    def note(self, **facts: Any) -> None:
        """Add to `meta`."""
        (self.__dict__["_later"][1] if "_later" in self.__dict__ else self.meta).update(facts)

    def __repr__(self) -> str:
        told = {"seed": "seed {}", "status": "{}"}
        known = [words.format(self.meta[name]) for name, words in told.items() if name in self.meta]
        ending = "" if len(self.records) == 1 else "s"
        return f"Trace({', '.join([self.label, *known, f'{len(self.records)} record{ending}'])})"

    @property
    def names(self) -> list[str]:
        """The columns that were measured: test_error, test_loss and ideal_passes are not in every trace."""
        return [n for n in Record._fields if n not in OPTIONAL_COLUMNS or not np.isnan(self.column(n)).all()]

    @property
    def label(self) -> str:
        """Method and sampling in one line: a legend's entry."""
        return str(self.meta.get("label", "run"))

    @property
    def at_zero(self) -> float:
        """P(0), which relative gaps and suboptimalities refer to: `Problem.at_zero`, or else the first primal value."""
        return self.meta.get("P0", self.records[0].primal)

    @property
    def dual_at_zero(self) -> float:
        """D(0), a lower bound of P* with a regulariser; -inf without one, and in traces of versions that kept none."""
        return self.meta.get("D0", -math.inf)

    def column(self, name: str) -> np.ndarray:
        """One column as an array, (records,): a field of Record, or one that is computed from them.

        Parameters
        ----------
        name : str
            Also "relative_gap", see `relative_gap`; "best_gap", see `best_gaps`; and "relative_best_gap", the relative
            gap of the best points so far: with the largest D(alpha), and so at most 1 and only falling.

        Raises
        ------
        ValueError
            If there is no such column.
        """
        if not checks.is_one_of(name, (*Record._fields, *DERIVED_COLUMNS)):
            known = ", ".join((*Record._fields, *DERIVED_COLUMNS))
            raise ValueError(f"a trace has no column {checks.short_repr(name)}; it has {known}")
        if name == "relative_gap":
            return np.array([relative_gap(r, self.at_zero) for r in self.records])
        if name == "best_gap":
            return best_gaps(self.records, self.dual_at_zero)
        if name == "relative_best_gap":
            return self._relative_best_gaps()
        return np.array([getattr(r, name) for r in self.records])

    def best_primal(self) -> np.ndarray:
        """P(w) of each record, (records,), or the smaller P at the pair that its method's theorems are about."""
        return np.fmin(self.column("primal"), self.column("upper"))

    def best_dual(self) -> np.ndarray:
        """D(alpha) of each record, (records,), or the larger lower bound of P* from that pair."""
        return np.fmax(self.column("dual"), self.column("lower"))

    def _relative_best_gaps(self) -> np.ndarray:
        best, duals = self.column("best_gap"), self.best_dual()
        lows = np.maximum.accumulate(np.where(np.isnan(duals), -math.inf, np.maximum(duals, self.dual_at_zero)))
        return np.array([share_of_gap(*each, self.at_zero) for each in zip(best.tolist(), lows.tolist(), strict=True)])

    def reached(self, level: float, by: str = "passes", column: str = "relative_gap", shift: float = 0.0) -> float:
        """The passes at the first record that reached a level, by default of the gap that `tol` is on.

        Parameters
        ----------
        level : float
            Reached where ``column - shift <= level``.
        by : str, default "passes"
            The column that is returned: also "seconds", "iteration" or "examples".
        column : str, default "relative_gap"
            The quantity that must fall: "gap" and "relative_gap" are of the point of the record, "best_gap" and
            "relative_best_gap" of the best points until then, "primal" is P(w). `Race.reached` interpolates.
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
        """The records as a pandas DataFrame, one row each, with the columns that were measured, and `best_gap`."""
        import pandas as pd

        frame = pd.DataFrame(self.records, columns=list(Record._fields))[self.names]
        frame.insert(list(frame).index("gap") + 1, "best_gap", self.column("best_gap"))
        return frame

    def to_plain(self) -> dict[str, Any]:
        """The trace as dicts, lists, numbers and strings: ready for JSON, which has neither inf nor nan.

        With "file" and "version", which say what it is and how it is to be read.
        """
        columns = {name: [to_json_number(value) for value in self.column(name).tolist()] for name in self.names}
        return {"file": FILE_KIND, "version": FILE_VERSION, "meta": self.meta, "columns": columns}

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
        records = parse_records(content["columns"])
        check_gaps(records, version)
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
        files.check_is_file(path, "a trace")
        try:
            return cls.from_plain(parse_json(path.read_text(encoding="utf-8")))
        except ValueError as error:
            raise ValueError(f"{path} is not a trace saved by cdlab: {checks.error_message(error)}") from None


def merge_traces(traces: Iterable[Trace]) -> pandas.DataFrame:
    """All records of several traces in one DataFrame, with the columns label, method, sampling and seed in front."""
    import pandas as pd

    frames = []
    for trace in traces:
        frame = trace.to_frame()
        for position, key in enumerate(("label", "method", "sampling", "seed")):
            frame.insert(position, key, trace.meta.get(key))
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def parse_records(columns: Any) -> list[Record]:
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
    if missing := [name for name in Record._fields if name not in (*columns, *OPTIONAL_COLUMNS)]:
        raise ValueError(f"the column {missing[0]} of a run is missing")
    values = {name: parse_column(name, columns[name]) for name in Record._fields if name in columns}
    if len({len(each) for each in values.values()}) > 1:
        raise ValueError("the columns of a run are not equally long")
    if values["iteration"].size == 0:
        return []
    for name in RISING_COLUMNS:
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
    version = content.get("version", FIRST_FILE_VERSION)
    if content.get("file", FILE_KIND) != FILE_KIND:
        raise ValueError(f"it is a {checks.short_repr(content['file'])}")
    if type(version) is not int or not FIRST_FILE_VERSION <= version <= FILE_VERSION:
        known = f"{FIRST_FILE_VERSION} to {FILE_VERSION}"
        raise ValueError(f"it has version {checks.short_repr(version)}, and this cdlab reads {known}")
    return version


def check_gaps(records: list[Record], version: int) -> None:
    """Refuse records whose gap is not that of their P(w) and D(alpha), with its rounding.

    Raises
    ------
    ValueError
        Which one, and what its gap should be.
    """
    for k, record in enumerate(records):
        has_rounding = version > FIRST_FILE_VERSION and not math.isnan(record.rounding)  # else of one's own, or old
        rounding = record.rounding if has_rounding else 0.0
        least = rounding_of_sums(record.primal, record.dual) if has_rounding else 0.0
        if math.isfinite(record.gap) and not rounding >= least:
            raise ValueError(f"the rounding of record {k} is {rounding:.3g}, below that of its sums, {least:.3g}")
        gap = gap_between(record.primal, record.dual, rounding)
        if not (record.gap == gap or abs(record.gap - gap) <= DECIMALS_RTOL * min(gap, checks.LARGEST_FLOAT)):
            raise ValueError(f"the gap of record {k} is {record.gap:.6g}, and P(w) - D(alpha) makes it {gap:.6g}")


def parse_column(name: str, values: Any) -> np.ndarray:
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
    for name, kinds in (("seed", (int, str)), ("every", (int, type(None))), ("P0", (int, float)), ("D0", (int, float))):
        if name in meta and type(meta[name]) not in kinds:
            raise ValueError(f"the {name} in its meta is not a number")
    for name in ("P0", "D0"):
        if name in meta and not abs(meta[name]) <= checks.LARGEST_FLOAT:
            raise ValueError(f"the {name} in its meta is beyond float64")
