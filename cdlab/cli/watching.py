"""Shared by verbs while they run: progress on stderr, Ctrl-C, the exit code."""

from __future__ import annotations

import signal
from collections.abc import Iterable

from ..runs.progress_line import STARTING, Line, reached
from ..runs.records import Record
from ..runs.statuses import Status


class Progress(Line):
    """The line, of verbs that run methods."""

    _run = ""

    def starting(self, what: str) -> None:
        """Show that a run starts; its kernels may have to be compiled."""
        self.show(f"{what}: {STARTING}")

    def record(self, label: str, seed: int, record: Record) -> None:
        """Show a run's latest record, unless the last line is too recent."""
        run = f"{label}, seed {seed}"
        if run != self._run:
            self._run, self._at_zero = run, record.primal
        if self.due:
            self.show(f"{run}: {reached(record, self._at_zero)}")

    def __enter__(self) -> Progress:
        return self


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
