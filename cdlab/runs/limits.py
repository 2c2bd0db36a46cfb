"""The end of a run: limits, the reasons why it ends, and the loop that goes on until there is one."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable
from typing import Any

from ..numerics import checks
from ..problems.rounding import LARGEST_ROUNDING, ROUNDING_FALL, STALLED_UNITS, is_within_rounding
from .interrupts import DeferInterrupt
from .running import Run
from .schedule import Pause
from .trace import Record, relative_gap


class Status(enum.StrEnum):
    """The reason why a run ended: a string enum that prints as its text."""

    TOLERANCE = "tolerance reached"
    PASS_LIMIT = "pass limit"
    TIME_LIMIT = "time limit"
    STOPPED = "stopped"
    DIVERGED = "diverged"
    GRADIENT_SMALL = "gradient small"
    ROUNDING_LIMIT = "rounding limit"

    __repr__ = str.__repr__  # tables, examples and messages show it as the text that it is


STATUSES = tuple(Status)
SOLVED = (Status.TOLERANCE, Status.GRADIENT_SMALL, Status.ROUNDING_LIMIT)  # as well as was asked for, or as float64 can
STALLED_GROWTH, STALLED_PASSES = 2, 10  # of the passes until the gap last fell, and added to them


class DefaultLimit(float):
    """A limit that is a function's default: a run that ends at it has missed its aim, and has done `LEAST_EPOCHS`."""

    def __repr__(self) -> str:
        return f"{self:g}"

    __str__ = __repr__


MAX_PASSES = DefaultLimit(1000)
LEAST_EPOCHS = 300  # before which that is no limit: an iteration of Newton's method may be hundreds of passes


def check_limits(
    tol: float, max_passes: float | None, max_seconds: float | None, divergence_tol: float | None = None
) -> None:
    """Refuse limits that are not numbers >= 0 (of divergence >= 1), and a run without any.

    Raises
    ------
    ValueError
    """
    limits: dict[str, Any] = {"tol": tol, "max_passes": max_passes, "max_seconds": max_seconds}
    for name, value in limits.items():
        if value is None and name != "tol":
            continue
        if not checks.is_number(value) or not value >= 0:
            raise ValueError(
                f"{name} must be a number >= 0{'' if name == 'tol' else ' or None'}, not {checks.short_repr(value)}"
            )
    if max_passes is None and max_seconds is None:
        raise ValueError(
            "give max_passes or max_seconds: without a limit a run whose gap does not reach tol never ends"
        )
    if divergence_tol is not None:
        wanted = "a number >= 1 or None: it is P(w)/P(0), which is 1 at w = 0"
        checks.number("divergence_tol", divergence_tol, wanted, low=1.0, ends="[)")


def reason_to_end(
    record: Record,
    gap: float,
    run: Run,
    tol: float,
    max_passes: float | None,
    max_seconds: float | None,
    divergence_tol: float | None = None,
) -> Status | None:
    """The reason for a run to end after this record, of this relative gap; None if it goes on.

    Limits are those of `cdlab.solve`.
    """
    if not math.isfinite(record.primal):
        return Status.DIVERGED
    if divergence_tol is not None and record.primal > divergence_tol * run.at_zero:
        return Status.DIVERGED
    if tol > 0 and gap <= tol:
        return Status.TOLERANCE
    if tol > 0 and run.gradient_ratio <= tol and not math.isfinite(record.dual):
        return Status.GRADIENT_SMALL
    if tol > 0 and gap <= LARGEST_ROUNDING and is_at_rounding_limit(record, run):
        return Status.ROUNDING_LIMIT
    least = LEAST_EPOCHS if isinstance(max_passes, DefaultLimit) else 0
    if max_passes is not None and record.passes >= max_passes and run.epochs >= least:
        return Status.PASS_LIMIT
    if max_seconds is not None and record.seconds >= max_seconds:
        return Status.TIME_LIMIT
    return None


def is_at_rounding_limit(record: Record, run: Run) -> bool:
    """Whether the least gap of a run is within its rounding and, by its last record, no longer falls.

    Where P(w) - D(alpha) is at most the rounding, one record tells, and at w = 0, where rounding is least, the first;
    where it is a few times as large, as many passes as led there, and a few more, must not have lowered it.
    """
    least = run.last_fall
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
    *,
    tol: float = 1e-6,
    max_passes: float | None = 1000,
    max_seconds: float | None = None,
    divergence_tol: float | None = None,
    stop: Callable[[Record], bool] | None = None,
    measure_now: Callable[[], bool] | None = None,
) -> None:
    """Go on to the tolerance or a limit: the trace's last record is where the run ended, its ``meta["status"]`` why.

    Parameters are those of `cdlab.solve`; ``measure_now`` is asked after each epoch: if it returns True, the run
    measures at once.

    Raises
    ------
    ValueError
        For limits that are not numbers >= 0, or none at all.
    """
    check_limits(tol, max_passes, max_seconds, divergence_tol)
    pause = Pause(1, False)
    with DeferInterrupt() as interrupts:
        record = run.trace.records[-1] if run.trace.records else next(run)
        while True:
            gap = relative_gap(record, run.at_zero)
            status = reason_to_end(record, gap, run, tol, max_passes, max_seconds, divergence_tol)
            reached = status in SOLVED
            # believe it only from products computed afresh; a pause that reaches tol already measured after a refresh
            if reached and not (pause.reaches_tol or run.is_measured_afresh):
                record = run.certify()
                gap = relative_gap(record, run.at_zero)
                status = reason_to_end(record, gap, run, tol, max_passes, max_seconds, divergence_tol)
            if status is None and stop is not None and interrupts.call_interruptible(stop, record):
                status = Status.STOPPED
            if status is not None:
                break
            interrupts.deliver_pending()
            if run.every is None and run.moments is None:
                level = gap if math.isfinite(gap) else run.gradient_ratio
                pause = run.schedule.next_pause(tol, run.epochs, level, run.measuring_share, run.measuring_overhead)
                record = run.advance(
                    max_passes, max_seconds, pause.epochs, afresh=pause.reaches_tol, measure_now=measure_now
                )
            else:
                record = run.advance(max_passes, max_seconds, measure_now=measure_now)
    run.status = status
    run.trace.note(status=status.value)
