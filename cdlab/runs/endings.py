"""The end of a run: whether its last record has reached the tolerance or a limit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..numerics import checks
from .records import Record, relative_gap
from .running import Run
from .statuses import Status


def reason_to_end(
    record: Record,
    run: Run,
    tol: float,
    max_passes: float | None,
    max_seconds: float | None,
    divergence_tol: float | None = None,
) -> Status | None:
    """The reason for a run to end after this record; None if it goes on. Limits are those of `cdlab.solve`."""
    if not np.isfinite(record.primal):
        return Status.DIVERGED
    if divergence_tol is not None and record.primal > divergence_tol * run.trace.at_zero:
        return Status.DIVERGED
    if tol > 0 and relative_gap(record, run.trace.at_zero) <= tol:
        return Status.TOLERANCE
    if tol > 0 and run.gradient_ratio <= tol and not np.isfinite(record.dual):
        return Status.GRADIENT_SMALL
    if max_passes is not None and record.passes >= max_passes:
        return Status.PASS_LIMIT
    if max_seconds is not None and record.seconds >= max_seconds:
        return Status.TIME_LIMIT
    return None


def beyond_rounding(record: Record, at_zero: float, tol: float) -> str:
    """A sentence that says that no run can reach this tolerance, where rounding alone exceeds it; else "".

    Parameters
    ----------
    record : Record
        The last of a run.
    at_zero : float
        P(0).
    tol : float
        On the relative gap; 0: none was asked for.
    """
    least = relative_gap(record._replace(gap=record.rounding), at_zero)
    if not (tol > 0 and math.isfinite(least) and least > tol):
        return ""
    return f"tol = {tol:.3g} is below the rounding of float64, which alone makes a relative gap of {least:.2g} here"


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
