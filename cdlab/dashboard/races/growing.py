"""A trace that is looked at again and again while its run goes on."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock

import numpy as np

from ...runs.trace import DERIVED_COLUMNS, Trace


@dataclass
class Growing(Trace):
    """The records of a trace, shared with it, whose columns are read once: each look reads what has been added.

    A column of 100,000 records read anew would take 50 ms, ten times a second for each curve.
    """

    _columns: dict[str, np.ndarray] = field(default_factory=dict, init=False, repr=False, compare=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False, compare=False)

    def column(self, name: str) -> np.ndarray:
        """As `Trace.column`, read only."""
        if name in DERIVED_COLUMNS and name != "relative_gap":  # made of whole columns
            return super().column(name)
        with self._lock:
            records, known = self.records, self._columns.get(name, np.empty(0))
            size = len(records)
            start = max(0, min(size, known.size) - 1)  # the last record may have been measured again since
            fresh = Trace(records[:1] + records[start:size]).column(name)[1:]
            whole = np.concatenate([known[:start], fresh])
            whole.flags.writeable = False
            if size >= known.size:
                self._columns[name] = whole
            return whole

    def now(self) -> Growing:
        """The trace as it is now, which does not grow: its columns are all equally long. They are still read once."""
        still = Growing(self.records[:], self.meta)
        still._columns, still._lock = self._columns, self._lock
        return still
