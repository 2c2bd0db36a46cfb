"""Small formulas that several losses share."""

import math

from ..numerics.jit import scalar

INFINITY = math.inf
ROUNDING = 1e-12  # a dual variable this far outside its domain got there by rounding


@scalar
def clip(
    x: float, low: float, high: float
) -> float:  # x stands first: min and max of Python and numba keep a NaN there, and lose it elsewhere
    """x, or the end of [low, high] that it lies beyond."""
    return min(max(x, low), high)


@scalar
def sigmoid(t: float) -> float:
    """1/(1 + exp(-t)), without overflow."""
    e = math.exp(-abs(t))
    return 1.0 / (1.0 + e) if t >= 0 else e / (1.0 + e)


@scalar
def entropy(b: float) -> float:
    """b ln b, and 0 at 0."""
    return 0.0 if b <= 0 else b * math.log(b)  # NaN stays NaN
