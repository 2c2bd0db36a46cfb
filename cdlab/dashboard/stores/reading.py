"""Reading a store a piece at a time: each file once for all visitors, however large the store is."""

from __future__ import annotations

import time
from collections import deque
from functools import cache
from pathlib import Path
from threading import Lock

from ...runs.trace import Trace
from ...sweeps import files
from .held import Held, HeldStore

PIECE = 0.2  # seconds of work, after which others have their turn
File = tuple[str, str]  # key and ending


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
        self._known: dict[File, tuple[int, Trace]] = {}  # with the time at which the file was written
        self._left: deque[tuple[File, int]] = deque()
        self._notes: dict[File, str] = {}

    def begin(self) -> int:
        """Look what has been written, or is gone, since; how many files are to be read.

        Raises
        ------
        ValueError
            If the folder is gone.
        """
        with self._lock:
            if not self.path.is_dir():
                raise ValueError(f"the folder of the store {self.path.name} is gone")
            there = self._there()
            self._known = {file: known for file, known in self._known.items() if there.get(file) == known[0]}
            self._left = deque((file, at) for file, at in there.items() if file not in self._known)
            gone = (file for file in self._notes if file not in there)  # what is still there is read again
            self._notes = {file: self._notes[file] for file in gone if self._aside(file)}
            return len(self._left)

    def step(self) -> int:
        """Read on for a moment; how many files are left."""
        with self._lock:
            ends = time.monotonic() + PIECE
            while self._left:
                file, at = self._left.popleft()
                trace, why = self._read(file)
                if trace is not None:
                    self._known[file] = at, trace
                if why:
                    self._notes[file] = why
                if time.monotonic() > ends:
                    break
            return len(self._left)

    def store(self) -> HeldStore:
        """What has been read until now."""
        with self._lock:
            runs, failed = (
                {key: trace for (key, ending), (_, trace) in self._known.items() if ending == suffix}
                for suffix in (files.RUN, files.FAILED)
            )
            return HeldStore(self.path, runs, failed, list(self._notes.values()))

    def _there(self) -> dict[File, int]:
        """The files of runs with the times at which they were written."""
        there = {}
        for suffix in (files.RUN, files.FAILED):
            for key in files.keys_of(self.path, suffix):
                try:
                    there[key, suffix] = files.path_of(self.path, key, suffix).stat().st_mtime_ns
                except FileNotFoundError:  # a failure that has just been put right
                    continue
        return there

    def _read(self, file: File) -> tuple[Trace | None, str]:
        """The trace, or why there is none: "" where the file is gone."""
        path = files.path_of(self.path, *file)
        try:
            trace, why = files.read_or_why(self.path, *file)
            if trace is None:
                return None, why.replace(str(path), path.name)  # where it lies is the host's
            if bool(trace.records) == (file[1] == files.RUN):
                return (Held(trace) if trace.records else trace), ""
        except OSError as error:
            return None, f"{path.name} cannot be read: {error.strerror}"
        return None, f"{path.name} is a trace that no sweep wrote: it is left out"

    def _aside(self, file: File) -> bool:
        path = files.path_of(self.path, *file)
        return path.with_name(path.name + files.BAD).exists()


@cache
def reading_of(path: Path) -> Reading:
    """The reading of this folder, one for all visitors."""
    return Reading(path)
