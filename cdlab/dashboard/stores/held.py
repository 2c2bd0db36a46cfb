"""A store in memory: of each run what statistics ask for, so that no question reads the store again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...runs.trace import Trace
from ...sweeps.outcomes import COLUMNS, LAST_RECORD, row_of
from ...sweeps.statistics import problem_of
from ...sweeps.store import Store

WHOLE = ("passes", "seconds", "primal", "dual")  # of other columns the last value is kept


class Held(Trace):
    """A trace without its records but the first: a tenth of the memory, and columns need not be collected."""

    def __init__(self, trace: Trace):
        super().__init__(trace.records[:1], trace.meta)
        self._columns = {name: trace.column(name) for name in WHOLE}
        self._columns |= {name: trace.column(name)[-1:] for name in LAST_RECORD if name not in WHOLE}

    def column(self, name: str) -> np.ndarray:
        return self._columns[name]


class HeldStore(Store):
    """The runs of a folder at one time.

    Parameters
    ----------
    path : Path
        The folder.
    runs : mapping
        By key the traces.
    failed : mapping
        By key the traces of runs that failed, which have no records.
    notes : sequence of str
        Sentences about runs that were left out.
    """

    def __init__(self, path: Path, runs: Mapping[str, Trace], failed: Mapping[str, Trace], notes: list[str]):
        super().__init__(path)
        self._runs, self._failed, self.notes = dict(runs), dict(failed), notes

    @property
    def keys(self) -> list[str]:
        return list(self._runs)

    def __iter__(self) -> Iterator[Trace]:
        return iter(self._runs.values())

    def __getitem__(self, key: str) -> Trace:
        return self._runs[key]

    @property
    def failed(self) -> int:
        """How many runs failed."""
        return len(self._failed)

    def to_frame(self) -> Any:
        """As `Store.to_frame`."""
        import pandas as pd

        return pd.DataFrame([row_of(trace) for trace in self._all()], columns=list(COLUMNS))

    def by_problem(self) -> Any:
        """The same with the name of each run's problem in front."""
        frame = self.to_frame()
        frame.insert(0, "problem", [problem_of(trace) for trace in self._all()])
        return frame

    def _all(self) -> list[Trace]:
        return [*self._runs.values(), *self._failed.values()]
