"""The duality gap of two values."""

from __future__ import annotations

import math

ROUNDING = 1e-9  # relative; sums of a billion terms are within 1e-12


def gap_between(primal: float, dual: float) -> float:
    """max(0, P(w) - D(alpha)) of these two values; inf where they certify nothing.

    That is where one of them is not finite, or where D exceeds P by more than rounding: then one of them is wrong.
    """
    if not (math.isfinite(primal) and math.isfinite(dual)) or dual - primal > ROUNDING * (abs(primal) + abs(dual)):
        return math.inf
    return max(0.0, primal - dual)
