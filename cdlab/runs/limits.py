"""The limit that nobody passed, and the warning where it came before the tolerance."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

from .endings import beyond_rounding
from .solution import Solution
from .statuses import Status


class Unasked(float):
    """A limit that is a function's default: a number like any other, but a run that ends at it has missed its aim."""

    def __repr__(self) -> str:
        return f"{self:g}"

    __str__ = __repr__


MAX_PASSES = Unasked(1000)


def nobody_asked(tol: float, max_passes: float | None, max_seconds: float | None, stop: Any) -> bool:
    """Whether a run that ends at its limit has missed a tolerance: no limit was passed, and tol is not 0."""
    return isinstance(max_passes, Unasked) and max_seconds is None and stop is None and tol > 0


def warn_of_missed(found: Sequence[Solution], tol: float, max_passes: float | None, stacklevel: int) -> None:
    """Warn, once, of solutions that ended at the limit of passes with a gap above the tolerance.

    Parameters
    ----------
    found : sequence of Solution
        One, or those of a path.
    tol, max_passes : float
        As of `solve`.
    stacklevel : int
        Of `warnings.warn`, as seen by who calls this function.
    """
    missed = [s for s in found if s.status == Status.PASS_LIMIT]
    if not missed:
        return
    from sklearn.exceptions import ConvergenceWarning  # which the estimators warn with; nobody else waits for it

    worst = max(missed, key=lambda s: s.relative_gap)
    if len(found) == 1:
        who, at = f"{worst.trace.meta['method']} ended", _reached(worst)
    else:
        who, at = f"{len(missed)} of {len(found)} solutions ended", f"the worst {_reached(worst)}"
    warnings.warn(
        f"{who} at {max_passes} passes, the default limit, {at} where tol = {tol:g}: {_cure(worst, tol)}",
        ConvergenceWarning,
        stacklevel=stacklevel + 1,
    )


def _reached(s: Solution) -> str:
    gap = s.relative_gap
    return f"with a relative gap of {gap:.2g}" if math.isfinite(gap) else "without a gap that certifies anything"


def _cure(s: Solution, tol: float) -> str:
    """What to do about it; a reason that more passes cannot mend comes first."""
    if not math.isfinite(s.relative_gap):
        return "raise max_passes, or set l2 > 0, without which little can be certified"
    if rounded := beyond_rounding(s.trace.records[-1], s.trace.at_zero, tol):
        return f"{rounded}: raise tol"
    if s.trace.meta["method"] == "auto":
        return "raise max_passes or tol, or scale the features"
    return 'raise max_passes or tol, scale the features, or let method="auto" choose'
