"""Progress on stderr: on a terminal one line that is rewritten, elsewhere lines now and then."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from typing import Any, Self

from ..numerics import checks
from .limits import Limits, drive
from .running import Run
from .trace import Record, relative_gap

TERMINAL_SECONDS, FILE_SECONDS = 0.1, 5.0  # seconds between two lines of progress
STARTING_TEXT = "starting (kernels are compiled on their first use)"


class ProgressLine:
    """The line; after `with` it is gone from a terminal.

    Parameters
    ----------
    quiet : bool
        True: no progress at all.
    """

    def __init__(self, quiet: bool = False):
        self._stream = None if quiet else sys.stderr
        self._live = not quiet and sys.stderr.isatty()
        self._due = 0.0

    def say(self, text: str) -> None:
        """Print a line that stays."""
        self._write(f"\r\x1b[K{text}\n" if self._live else f"{text}\n")

    def show(self, text: str) -> None:
        """Print a line that the next one may replace."""
        self._due = time.monotonic() + (TERMINAL_SECONDS if self._live else FILE_SECONDS)
        self._write(f"\r{text[: shutil.get_terminal_size().columns - 1]}\x1b[K" if self._live else f"{text}\n")

    @property
    def due(self) -> bool:
        """Tell whether the last line is not too recent."""
        return time.monotonic() >= self._due

    def now_and_then(self, text: str) -> None:
        """Show a line, unless the last one is too recent."""
        if self.due:
            self.show(text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        if self._stream is not None:
            try:
                self._stream.write(checks.shorten_long_words(text))
                self._stream.flush()
            except BrokenPipeError:  # nobody is listening any more: go on in silence
                self._stream = None
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def check_progress(progress: Any, called_with: str) -> None:
    """Refuse a `progress` that is neither True or False, nor None or a function.

    Raises
    ------
    TypeError
    """
    if not isinstance(progress, bool) and not (progress is None or callable(progress)):
        raise TypeError(
            f"progress must be True, for a line on stderr, or a function of {called_with}, not "
            f"{checks.short_repr(progress)}"
        )


def drive_with_progress(
    run: Run, limits: Limits, progress: bool | Callable[[Record], Any], stop: Callable[[Record], bool] | None
) -> None:
    """Drive a run that is read by a line on stderr, or by `progress` if that is a function, and by `stop`."""
    told = progress if callable(progress) else None
    with ProgressLine(quiet=told is not None) as line:
        name = run.trace.label
        line.show(f"{name}: {STARTING_TEXT}")

        def tell(record: Record) -> None:
            if told is not None:
                told(record)
            elif line.due:
                line.show(f"{name}: {progress_text(record, run.at_zero)}")

        status = drive(run, limits, tell, stop=stop)
        if told is None:
            line.say(f"{name}: {status} after {progress_text(run.trace.records[-1], run.at_zero)}")


def progress_text(record: Record, at_zero: float) -> str:
    """Words for how far a run has come by a record; `at_zero` is P(0)."""
    gap = relative_gap(record, at_zero)
    return f"{record.passes:.1f} passes, {record.seconds:.2f} s, relative gap {gap:.2e}"
