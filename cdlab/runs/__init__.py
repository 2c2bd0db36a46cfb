"""Methods at work: one run, its trace, a certified solution, and races of several runs."""

from .racing import Race, race
from .running import Run, iterate
from .solving import Solution, load_solution, solve
from .trace import Record, Trace

__all__ = ["Race", "Record", "Run", "Solution", "Trace", "iterate", "load_solution", "race", "solve"]
