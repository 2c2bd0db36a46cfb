"""A store to read: the traces of finished runs in a folder, as tables. What writes it is a `session`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..numerics import checks
from ..numerics.files import atomic_write
from ..regularizers import parse_weight
from ..runs.race_result import Race
from ..runs.trace import Trace, merge_traces
from .keys import canonical_json
from .result_store import ResultStore
from .stored_runs import COLUMNS, FAILED, FINISHED, read_rows, read_trace, row_of

if TYPE_CHECKING:
    import pandas

PROBLEM = ("loss", "l2", "l1", "intercept")  # These settings make, with the data, a problem.
WEIGHTS = ("l2", "l1")
EXPORT_SUFFIXES = (".csv", ".parquet")


class Store:
    """The runs of a folder that `sweep` filled, or some of them.

    Iterating gives the traces of finished runs, one at a time; runs that failed are rows of `to_frame` only.

    Parameters
    ----------
    path : str or path
        The folder.
    keys : sequence of str, optional
        The runs, in their order; default all that are in the folder, in the order in which they finished.

    Raises
    ------
    FileNotFoundError
        If there is no such folder.
    ValueError
        If its file is no store that this version can read.

    Examples
    --------
    >>> import cdlab, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> grid = {"data": "mushrooms", "l2": "1/n", "method": ["sdca", "rcd"], "max_passes": 2}
    >>> store = cdlab.sweep(grid, store=folder)
    >>> len(store), cdlab.Store(folder).where(method="rcd").to_frame()["status"].tolist()
    (2, ['pass limit'])
    """

    def __init__(self, path: str | os.PathLike[str], keys: Sequence[str] | None = None) -> None:
        try:
            self.path = Path(path)
            found = self.path.is_dir()
        except (TypeError, OSError):  # no path, or one that is too long for the system
            found = False
        if not found:
            raise FileNotFoundError(
                f"there is no store at {checks.short_repr(path)}: a store is the folder that a sweep or a race "
                "has written "
                "into"
            )
        self._keys = None if keys is None else tuple(keys)
        self._results = ResultStore(self.path)

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r}: {len(self)} finished run{'' if len(self) == 1 else 's'})"

    @property
    def keys(self) -> list[str]:
        """The keys of the finished runs."""
        index = self._results.index(FINISHED)
        return list(index) if self._keys is None else [key for key in self._keys if key in index]

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[Trace]:
        keys = self.keys
        with ResultStore(self.path) as results:
            for key in keys:
                if (trace := read_trace(results, key)) is not None:
                    yield trace

    def __getitem__(self, key: str) -> Trace:
        """The trace of a finished run, by its key; a KeyError where there is none."""
        if (trace := read_trace(self._results, key)) is None:
            raise KeyError(f"{key} is no finished run of {self.path}")
        return trace

    def traces(self) -> list[Trace]:
        """The traces of all finished runs."""
        return list(self)

    def where(self, **values: Any) -> Store:
        """The finished runs with these values in `to_frame`.

        Parameters
        ----------
        **values
            Columns: each a value, or a list of which it is one: ``where(method="sdca", seed=[0, 1])``. Weights also as
            texts, for the n of each run's data: ``where(l2="0.1/n")``.

        Returns
        -------
        Store

        Raises
        ------
        ValueError
            If there is no such column, or a weight is no number.
        """
        if strange := [name for name in values if name not in COLUMNS]:
            hint = checks.did_you_mean(strange[0], COLUMNS)
            raise ValueError(f"a store has no column {strange[0]!r}{hint} (columns: {', '.join(COLUMNS)})")
        wanted = {name: value if isinstance(value, list | tuple | range) else [value] for name, value in values.items()}
        if any(isinstance(each, str) and "@" in each for each in wanted.get("method", ())):
            raise ValueError("method and sampling are two columns: where(method='sdca', sampling='importance')")
        rows = self._rows(FINISHED)
        return Store(self.path, [row["key"] for row in rows if all(_is_one_of(row, *each) for each in wanted.items())])

    def to_frame(self) -> pandas.DataFrame:
        """A pandas DataFrame, one row for each run: settings, how it ended, and its last record.

        Runs that failed have the status "failed", NaN for numbers, and in `failure` what went wrong.
        """
        import pandas as pd

        rows = self._rows(FINISHED, FAILED) if self._keys else [*self._rows(FINISHED), *self._rows(FAILED)]
        return pd.DataFrame(rows, columns=list(COLUMNS))

    def records(self) -> pandas.DataFrame:
        """A pandas DataFrame of all records of the finished runs, with key, data and l2 in front.

        Raises
        ------
        ValueError
            If there is no finished run.
        """
        traces = self.traces()
        if not traces:
            raise ValueError(f"there is no finished run in {self.path}")
        frame = merge_traces(traces)
        for name in ("l2", "data", "key"):
            frame.insert(0, name, [row_of(trace)[name] for trace in traces for _ in trace.records])
        return frame

    def forget(self) -> None:
        """Delete these runs from the folder, also those that failed: a sweep computes them anew.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        self._results.delete(list(self._results.index()) if self._keys is None else self._keys)

    def race(self) -> Race:
        """The runs on one problem as a race, with its winner, its summary and its pictures.

        So a race can be kept, broken off and gone on with: sweep its entries and seeds, and ask the store.

        Returns
        -------
        Race
            Of the seeds with which every entry has run; the other runs are in `incomplete`.

        Raises
        ------
        ValueError
            If there is no finished run, or they are on several problems.

        Examples
        --------
        >>> import cdlab, tempfile
        >>> grid = {"data": "mushrooms", "l2": "1/n", "method": ["sdca", "rcd"], "seed": range(3), "tol": 1e-5}
        >>> cdlab.sweep(grid, store=tempfile.mkdtemp()).race().winner(1e-4)
        'sdca, uniform'
        """
        entries: dict[str, dict[int, Trace]] = {}
        problems = set()
        for trace in self:
            settings = trace.meta["settings"]
            problems.add(canonical_json([trace.meta["data"], *(settings[name] for name in PROBLEM)]))
            entries.setdefault(canonical_json(settings), {})[trace.meta["seed"]] = trace
        if len(problems) != 1:
            several = (
                f"the runs are on {len(problems)} problems: choose one, as in store.where(data='mushrooms', l2=0.1)"
            )
            none = "there is no finished run" if self._keys is None else "there is none of the runs asked for"
            raise ValueError(several if problems else f"{none} in {self.path}")
        race = Race.of_runs(entries.values())
        if not race.seeds:
            raise ValueError("no seed has been run by all entries: a race compares runs with the same seeds")
        return race

    def export(self, path: str | os.PathLike[str]) -> None:
        """Write `to_frame` as CSV or Parquet, by the name's ending.

        Parameters
        ----------
        path : str or path
            ``x.csv`` or ``x.parquet``; the second needs pyarrow or fastparquet.

        Raises
        ------
        ValueError
            For another ending.
        ImportError
            If there is no library for Parquet.
        OSError
            If it cannot be written.
        """
        path = checks.file_name("path", path)
        suffix = path.suffix
        if suffix not in EXPORT_SUFFIXES:
            raise ValueError(
                f"a store is exported to a file that ends in {checks.join_with_or(EXPORT_SUFFIXES)}, not {str(path)!r}"
            )
        frame = self.to_frame()
        if suffix == ".csv":
            with atomic_write(path) as file:
                frame.to_csv(file, index=False, mode="wb")
            return
        try:
            with atomic_write(path) as file:
                frame.to_parquet(file, index=False)
        except ImportError:
            raise ImportError("Parquet needs a library of its own: pip install pyarrow, or export to .csv") from None

    def _rows(self, *kinds: str) -> list[dict[str, Any]]:
        """The rows of the runs of these kinds, in the order of the keys that were given."""
        rows = read_rows(self._results, *kinds)
        return list(rows.values()) if self._keys is None else [rows[key] for key in self._keys if key in rows]


def _is_one_of(row: dict[str, Any], name: str, values: Sequence[Any]) -> bool:
    """Tell whether the value of a row is one of these; weights also as texts, for the n of its data."""
    if name in WEIGHTS:
        values = [parse_weight(each)(row["n"]) if isinstance(each, str) else each for each in values]
    return row[name] in values
