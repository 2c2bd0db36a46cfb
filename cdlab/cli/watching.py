"""Shared by solve and race while they run: progress on stderr, Ctrl-C, the exit code."""

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
    """Progress on stderr: on a terminal one line that is rewritten and goes after `with`, elsewhere lines now and then.

    Parameters
    ----------
    quiet : bool
        True: no progress at all.
    """

    def __init__(self, quiet: bool):
        self._stream = None if quiet else sys.stderr
        self._live = not quiet and sys.stderr.isatty()
        self._due = 0.0
        self._run = ""

    def say(self, text: str) -> None:
        """Print a line that stays."""
        self._write(f"\r\x1b[K{text}\n" if self._live else f"{text}\n")

    def show(self, text: str) -> None:
        """Print a line that the next one may replace."""
        self._due = time.monotonic() + (TERMINAL_EVERY if self._live else FILE_EVERY)
        self._write(f"\r{text[: shutil.get_terminal_size().columns - 1]}\x1b[K" if self._live else f"{text}\n")

    def now_and_then(self, text: str) -> None:
        """Show a line, unless the last one is too recent."""
        if time.monotonic() >= self._due:
            self.show(text)

    def starting(self, what: str) -> None:
        """Show that a run starts; its kernels may have to be compiled."""
        self.show(f"{what}: starting (kernels are compiled on their first use)")

    def record(self, label: str, seed: int, record: Record) -> None:
        """Show a run's latest record, unless the last line is too recent."""
        run = f"{label}, seed {seed}"
        if run != self._run:
            self._run, self._at_zero = run, record.primal
        if time.monotonic() >= self._due:
            gap = relative_gap(record, self._at_zero)
            self.show(f"{run}: {record.passes:.1f} passes, {record.seconds:.2f} s, relative gap {gap:.2e}")

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
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
    """Ctrl-C that lets a run stop in order.

    Inside `with`, the first Ctrl-C only sets `asked` to True, so that the run stops at its next record and its results
    are kept. The second one ends the program.
    """

    def __enter__(self) -> Interruption:
        self.asked = False
        self._before = signal.signal(signal.SIGINT, self._ask)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _ask(self, *_: object) -> None:
        self.asked = True
        signal.signal(signal.SIGINT, signal.default_int_handler)


def exit_code(statuses: Iterable[str], tol: float) -> int:
    """The exit code of some runs.

    0 if each reached its tolerance, or with tol = 0 its limit; 130 if Ctrl-C stopped one; else 1.
    """
    statuses = set(statuses)
    good = {Status.TOLERANCE, Status.GRADIENT_SMALL} | ({Status.PASS_LIMIT, Status.TIME_LIMIT} if tol == 0 else set())
    if Status.STOPPED in statuses:
        return 130
    return 0 if statuses <= good else 1
