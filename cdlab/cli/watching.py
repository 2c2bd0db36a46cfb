"""What solve and race share while they run: progress on stderr, Ctrl-C, the exit code."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from collections.abc import Iterable

from ..runs.records import Record, relative_gap
from ..runs.statuses import Status

TERMINAL_EVERY, FILE_EVERY = 0.1, 5.0  # seconds between two lines of progress


class Progress:
    """On a terminal one line, rewritten, and gone after `with`; elsewhere a line now and then; nothing when quiet."""

    def __init__(self, quiet: bool):
        self._stream = None if quiet else sys.stderr
        self._live = not quiet and sys.stderr.isatty()
        self._due = 0.0
        self._run = ""

    def say(self, text: str) -> None:
        """A line that stays."""
        self._write(f"\r\x1b[K{text}\n" if self._live else f"{text}\n")

    def show(self, text: str) -> None:
        """A line that the next one may replace."""
        self._due = time.monotonic() + (TERMINAL_EVERY if self._live else FILE_EVERY)
        self._write(f"\r{text[: shutil.get_terminal_size().columns - 1]}\x1b[K" if self._live else f"{text}\n")

    def starting(self, what: str) -> None:
        """The first run may have to compile its kernels."""
        self.show(f"{what}: starting (kernels are compiled on their first use)")

    def record(self, label: str, seed: int, record: Record) -> None:
        """A run has come this far; most records pass unseen."""
        run = f"{label}, seed {seed}"
        if run != self._run:
            self._run, self._at_zero = run, record.primal
        if time.monotonic() >= self._due:
            gap = relative_gap(record, self._at_zero)
            self.show(f"{run}: {record.passes:.1f} passes, {record.seconds:.2f} s, relative gap {gap:.2e}")

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_) -> None:
        if self._live:
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        if self._stream is not None:
            try:
                self._stream.write(text)
                self._stream.flush()
            except BrokenPipeError:  # nobody is listening any more: go on in silence
                self._stream = None
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


class Interruption:
    """Inside `with`, the first Ctrl-C only asks: `asked` turns True and the run stops at its next record, with all that
    it reached. The second one ends the program."""

    def __enter__(self) -> Interruption:
        self.asked = False
        self._before = signal.signal(signal.SIGINT, self._ask)
        return self

    def __exit__(self, *_) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _ask(self, *_) -> None:
        self.asked = True
        signal.signal(signal.SIGINT, signal.default_int_handler)


def exit_code(statuses: Iterable[str], tol: float) -> int:
    """0 if every run reached what it was to reach; with tol = 0 that is its limit. Only Ctrl-C stops a run."""
    statuses = set(statuses)
    good = {Status.TOLERANCE, Status.GRADIENT_SMALL} | ({Status.PASS_LIMIT, Status.TIME_LIMIT} if tol == 0 else set())
    if Status.STOPPED in statuses:
        return 130
    return 0 if statuses <= good else 1
