"""Driving a run until its duality gap is small or a limit is reached."""

from __future__ import annotations

import math
from collections.abc import Callable

from .endings import check_limits, reason_to_end
from .interrupts import held
from .pacing import Pause
from .records import Record, relative_gap
from .running import Run
from .statuses import Status


def drive(
    run: Run,
    *,
    tol: float = 1e-6,
    max_passes: float | None = 1000,
    max_seconds: float | None = None,
    divergence_tol: float | None = None,
    stop: Callable[[Record], bool] | None = None,
    cut: Callable[[], bool] | None = None,
) -> None:
    """Go on to the tolerance or a limit; the trace's last record is then where, and its `meta` says why.

    Parameters are those of `cdlab.solve`; ``cut`` is asked after each epoch, and True brings the next measurement on.

    Raises
    ------
    ValueError
        For limits that are not numbers >= 0, or none at all.
    """
    check_limits(tol, max_passes, max_seconds, divergence_tol)
    record = run.trace.records[-1] if run.trace.records else next(run)
    pause = Pause(1, False)
    with held() as hold:
        while True:
            status = reason_to_end(record, run, tol, max_passes, max_seconds, divergence_tol)
            reached = status in (Status.TOLERANCE, Status.GRADIENT_SMALL)
            if reached and not pause.enough:  # believe it only from vectors computed afresh
                record = run.certify()
                status = reason_to_end(record, run, tol, max_passes, max_seconds, divergence_tol)
            if status is None and stop is not None and hold.released(stop, record):
                status = Status.STOPPED
            if status is not None:
                break
            hold.between()
            if run.every is None:
                gap = relative_gap(record, run.trace.at_zero)
                level = gap if math.isfinite(gap) else run.gradient_ratio
                pause = run.pace.pause(tol, run.epochs, level, run.measuring_share)
                record = run.advance(max_passes, max_seconds, pause.epochs, afresh=pause.enough, cut=cut)
            else:
                record = run.advance(max_passes, max_seconds, cut=cut)
    run.trace.meta["status"] = status.value
