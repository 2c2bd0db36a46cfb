"""Methods at work: one run, its trace, a certified solution, and the result of a race."""

from .limits import Status
from .paths import Path, path
from .race_result import Race
from .references import Reference, reference
from .running import Run
from .solution import Solution, load_solution
from .solving import iterate, solve
from .trace import Record, Trace

__all__ = [
    "Path", "Race", "Record", "Reference", "Run", "Solution", "Status", "Trace",
    "iterate", "load_solution", "path", "reference", "solve",
]  # fmt: skip
