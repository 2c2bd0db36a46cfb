"""What a verb shows: numbers and tables for people, JSON for programs, progress on stderr, files, the exit code."""

from __future__ import annotations

import json
import math
import platform
import signal
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .._version import __version__
from ..numerics.checks import shorten_long_words
from ..numerics.json_numbers import null_non_finite
from ..runs.limits import SOLVED, Status
from ..runs.progress_line import STARTING_TEXT, ProgressLine, progress_text
from ..runs.trace import Record

CELL_WIDTH = 100  # characters of a word in a table


def number(value: Any) -> str:
    """A number with six significant digits; "-" for None, NaN and infinity."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "-"
    return (
        f"{value + 0.0:.6g}" if isinstance(value, float) else shorten_long_words(str(value), CELL_WIDTH)
    )  # -0.0 + 0.0 is 0.0


def table(names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """A table as text: the columns `names` of `rows` under their names, words to the left, numbers to the right."""
    rows = list(rows)
    columns = []
    for name in names:
        cells = [name, *(number(row[name]) for row in rows)]
        width = max(map(len, cells))
        words = any(isinstance(row[name], str) for row in rows)
        columns.append([cell.ljust(width) if words else cell.rjust(width) for cell in cells])
    return "\n".join("  ".join(line).rstrip() for line in zip(*columns, strict=True))


def to_json(value: Any) -> str:
    """A value as JSON text. JSON has neither NaN nor infinity: they are null."""
    return json.dumps(null_non_finite(value), allow_nan=False)


def versions() -> dict[str, str]:
    """Versions that computed a result, for JSON."""
    return {"cdlab": __version__, "numpy": np.__version__, "python": platform.python_version()}


# ---------------------------------------------------------------- while a verb runs
class VerbProgress(ProgressLine):
    """The line of progress of verbs that run methods."""

    _run = ""

    def starting(self, what: str) -> None:
        """Show that a run starts; its kernels may have to be compiled."""
        self.show(f"{what}: {STARTING_TEXT}")

    def record(self, label: str, seed: int, record: Record) -> None:
        """Show a run's latest record, unless the last line is too recent."""
        run = f"{label}, seed {seed}"
        if run != self._run:
            self._run, self._at_zero = run, record.primal
        if self.due:
            self.show(f"{run}: {progress_text(record, self._at_zero)}")


class Interruption:
    """Ctrl-C that lets a run stop in order.

    Inside `with`, the first Ctrl-C only sets `requested` to True, so that the run stops at its next record and its
    results are kept. The second one ends the program.
    """

    def __enter__(self) -> Interruption:
        self.requested = False
        self._before = signal.signal(signal.SIGINT, self._request)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _request(self, *_: object) -> None:
        self.requested = True
        signal.signal(signal.SIGINT, signal.default_int_handler)


def exit_code(statuses: Iterable[str], tol: float) -> int:
    """The exit code of some runs.

    0 if each reached its tolerance or the rounding limit, or with tol = 0 its own; 130 if Ctrl-C stopped one; else 1.
    """
    statuses = set(statuses)
    good = {*SOLVED} | ({Status.PASS_LIMIT, Status.ROUND_LIMIT, Status.TIME_LIMIT} if tol == 0 else set())
    if Status.STOPPED in statuses:
        return 130
    return 0 if statuses <= good else 1


def try_to_save(path: Any, write: Callable[[Any], Any]) -> bool:
    """Tell whether `path` could be written; if not, stderr says so, and the result is still printed."""
    try:
        if path is not None:
            write(path)
    except OSError as error:
        print(f"cdlab: {path} was not saved: {error.strerror or error}", file=sys.stderr)
        return False
    return True
