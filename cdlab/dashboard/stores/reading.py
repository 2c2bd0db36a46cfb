"""Reading a store a piece at a time: each run once for all visitors, however large the store is."""

from __future__ import annotations

import time
from collections import deque
from functools import cache
from pathlib import Path
from threading import Lock

from ...runs.trace import Trace
from ...sweeps.outcomes import FAILED, FINISHED, read_trace_or_why
from ...sweeps.result_store import ResultStore
from .held import Held, HeldStore

PIECE = 0.2  # seconds of work, after which others have their turn
Run = tuple[str, str]  # key and kind


class Reading:
    """What has been read of a folder.

    `begin` looks what is there, `step` reads on; both are quick, may be called from several threads, and go on from
    what others have read.

    Parameters
    ----------
    path : Path
        The folder of a store.
    """

    def __init__(self, path: Path):
        self.path = path
        self._lock = Lock()
        self._known: dict[Run, tuple[float, Trace]] = {}  # with the time at which it finished
        self._left: deque[tuple[Run, float]] = deque()
        self._notes: dict[Run, str] = {}

    def begin(self) -> int:
        """Look what has been written, or is gone, since; how many runs are to be read.

        Raises
        ------
        ValueError
            If the folder is gone, or the store cannot be read.
        """
        with self._lock:
            if not self.path.is_dir():
                raise ValueError(f"the folder of the store {self.path.name} is gone")
            try:
                index = ResultStore(self.path).index(FINISHED, FAILED)
            except (OSError, ValueError) as error:
                raise ValueError(self._for_visitors(error)) from None
            there = {(key, entry.kind): entry.finished for key, entry in index.items()}
            self._known = {run: known for run, known in self._known.items() if there.get(run) == known[0]}
            self._left = deque((run, at) for run, at in there.items() if run not in self._known)
            self._notes = {run: note for run, note in self._notes.items() if run not in there}  # others are read again
            return len(self._left)

    def step(self) -> int:
        """Read on for a moment; how many runs are left."""
        with self._lock, ResultStore(self.path) as results:
            ends = time.monotonic() + PIECE
            while self._left:
                run, at = self._left.popleft()
                trace, why = self._read(results, run)
                if trace is not None:
                    self._known[run] = at, trace
                if why:
                    self._notes[run] = why
                if time.monotonic() > ends:
                    break
            return len(self._left)

    def store(self) -> HeldStore:
        """What has been read until now."""
        with self._lock:
            runs, failed = (
                {key: trace for (key, kind), (_, trace) in self._known.items() if kind == wanted}
                for wanted in (FINISHED, FAILED)
            )
            return HeldStore(self.path, runs, failed, list(self._notes.values()))

    def _read(self, results: ResultStore, run: Run) -> tuple[Trace | None, str]:
        """The trace, or why there is none: "" where the run is gone."""
        try:
            trace, why = read_trace_or_why(results, *run)
        except (OSError, ValueError) as error:
            return None, self._for_visitors(error)
        if trace is None:
            return None, why.replace(str(self.path), self.path.name)
        return (Held(trace) if trace.records else trace), ""

    def _for_visitors(self, error: Exception) -> str:
        """The sentence without the path of the store, which is the host's."""
        words = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else str(error)
        return words.replace(str(self.path), self.path.name)


@cache
def reading_of(path: Path) -> Reading:
    """The reading of this folder, one for all visitors."""
    return Reading(path)
