"""The end of a run: limits, the reasons why it ends, and the loop that goes on until there is one."""

from __future__ import annotations

import enum
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..numerics import checks
from ..problems.rounding import LARGEST_ROUNDING, ROUNDING_FALL, STALLED_UNITS, is_within_rounding
from .interrupts import DeferInterrupt
from .measuring import Measured
from .running import Run
from .trace import Record


class Status(enum.StrEnum):
    """The reason why a run ended: a string enum that prints as its text."""

    TOLERANCE = "tolerance reached"
    PASS_LIMIT = "pass limit"
    ROUND_LIMIT = "round limit"
    TIME_LIMIT = "time limit"
    STOPPED = "stopped"
    DIVERGED = "diverged"
    GRADIENT_SMALL = "gradient small"
    ROUNDING_LIMIT = "rounding limit"

    __repr__ = str.__repr__  # tables, examples and messages show it as the text that it is


STATUSES = tuple(Status)
# A run that ends so is solved as well as was asked for, or as float64 can.
SOLVED = (Status.TOLERANCE, Status.GRADIENT_SMALL, Status.ROUNDING_LIMIT)
# A gap is stalled after so many times the passes until it last fell, and so many passes more.
STALLED_GROWTH, STALLED_PASSES = 2, 10


class DefaultLimit(float):
    """A limit that is a function's default: a run that ends at it has missed its aim, see `Limits.passes_of`."""

    def __repr__(self) -> str:
        return f"{self:g}"

    __str__ = __repr__


MAX_PASSES = DefaultLimit(1000)
LEAST_EPOCHS = 300  # MAX_PASSES ends no run before so many epochs: one of Newton's method may be hundreds of passes.
LEAST_VISITS, MOST_PASSES = 1e8, 10_000  # On small data it is so many nonzeros, less than a second, or so many passes.


@dataclass(frozen=True)
class Limits:
    """The tolerance and the limits of a run, as of `cdlab.solve`; `max_passes` and `max_seconds` count from its start.

    Raises
    ------
    ValueError
        For limits that are not numbers >= 0 (of divergence >= 1), or none at all.
    """

    tol: float = 1e-6
    max_passes: float | None = 1000
    max_seconds: float | None = None
    divergence_tol: float | None = None
    max_rounds: int | None = None  # of a run in parts

    def __post_init__(self) -> None:
        for name, value in (("tol", self.tol), ("max_passes", self.max_passes), ("max_seconds", self.max_seconds)):
            if value is None and name != "tol":
                continue
            if not checks.is_number(value) or not value >= 0:  # type: ignore[operator]
                raise ValueError(
                    f"{name} must be a number >= 0{'' if name == 'tol' else ' or None'}, not {checks.short_repr(value)}"
                )
            if math.inf > value > sys.float_info.max:  # type: ignore[operator]
                raise ValueError(f"{name} must be below 1.8e308, what float64 holds, not {checks.short_repr(value)}")
        if self.max_passes is None and self.max_seconds is None and self.max_rounds is None:
            raise ValueError(
                "give max_passes or max_seconds: without a limit a run whose gap does not reach tol never ends"
            )
        if self.divergence_tol is not None:
            wanted = "a number >= 1 or None: it is P(w)/P(0), which is 1 at w = 0"
            checks.number("divergence_tol", self.divergence_tol, wanted, low=1.0, ends="[)")

    @property
    def are_defaults(self) -> bool:
        """Tell whether only a function's own limit ends a run before its tolerance, which is worth a warning."""
        return isinstance(self.max_passes, DefaultLimit) and self.max_seconds is None and self.tol > 0

    def passes_of(self, run: Run) -> float | None:
        """The passes at which this run ends; None: at none, yet. The default counts those of the method that runs."""
        if not isinstance(self.max_passes, DefaultLimit):
            return self.max_passes
        epochs, passes = run.begun
        most = max(self.max_passes, min(LEAST_VISITS / max(1, run.problem.nnz), MOST_PASSES))
        return None if run.counts.epochs - epochs < LEAST_EPOCHS else passes + most


def reason_to_end(seen: Measured, run: Run, limits: Limits) -> Status | None:
    """The reason for a run to end by what it has measured; None if it goes on."""
    record, tol = seen.record, limits.tol
    if not math.isfinite(record.primal):
        return Status.DIVERGED
    if limits.divergence_tol is not None and record.primal > limits.divergence_tol * run.at_zero:
        return Status.DIVERGED
    if tol > 0:
        if seen.relative_gap <= tol:
            return Status.TOLERANCE
        if seen.gradient_ratio <= tol and not math.isfinite(record.dual):
            return Status.GRADIENT_SMALL
        gap = min(seen.relative_gap, record.gap / run.at_zero if run.at_zero > 0 else math.inf)
        if gap <= LARGEST_ROUNDING and is_at_rounding_limit(record, run):
            return Status.ROUNDING_LIMIT
    most = limits.passes_of(run)
    if most is not None and record.passes >= most:
        return Status.PASS_LIMIT
    if limits.max_seconds is not None and record.seconds >= limits.max_seconds:
        return Status.TIME_LIMIT
    return Status.ROUND_LIMIT if limits.max_rounds is not None and record.rounds >= limits.max_rounds else None


def is_at_rounding_limit(record: Record, run: Run) -> bool:
    """Tell whether the least gap of a run is within its rounding and, by its last record, no longer falls.

    Where P(w) - D(alpha) is at most the rounding, one record tells, and at w = 0, where rounding is least, the first;
    where it is a few times as large, as many passes as led there, and a few more, must not have lowered it.
    """
    least = run.best.last_fall
    if least is None:
        return run.start is None and is_within_rounding(record.gap, record.rounding)
    if record.gap < ROUNDING_FALL * least.gap:
        return False
    if any(is_within_rounding(each.gap, each.rounding) for each in (record, least)):
        return True
    stalled = record.passes >= STALLED_GROWTH * least.passes + STALLED_PASSES
    return stalled and is_within_rounding(least.gap, least.rounding, STALLED_UNITS)


def drive(
    run: Run,
    limits: Limits,
    *readers: Callable[[Record], Any],
    stop: Callable[[Record], bool] | None = None,
    measure_now: Callable[[], bool] | None = None,
) -> Status:
    """Go on to the tolerance or a limit; the reason is in `run.status` and in the trace's ``meta["status"]``.

    Parameters
    ----------
    run : Run
        A run, which goes on from its last record, or what advances as one does.
    limits : Limits
        The limits at which it ends.
    *readers : callable
        Each is called with each Record, the last one included.
    stop : callable, optional
        Called with each Record after which the run would go on; it is "stopped" where that returns True.
    measure_now : callable, optional
        Asked after each epoch: if it returns True, the run measures at once.
    """
    with DeferInterrupt() as interrupts:
        seen = run.seen or run.advance()
        while True:
            status = reason_to_end(seen, run, limits)
            if status in SOLVED and not seen.is_fresh:  # only products computed afresh can show that
                seen = run.certify()
                status = reason_to_end(seen, run, limits)
            for reader in readers:
                interrupts.call_interruptible(reader, seen.record)
            if status is None and stop is not None and interrupts.call_interruptible(stop, seen.record):
                status = Status.STOPPED
            if status is not None:
                break
            seen = run.advance(limits.passes_of(run), limits.max_seconds, limits.tol, measure_now)
    run.status = status
    run.trace.note(status=status.value)
    return status
