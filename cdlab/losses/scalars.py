"""Small formulas that several losses share."""

import math

from ..jit import scalar

INFINITY = math.inf
ROUNDING = 1e-12  # a dual variable this far outside its domain got there by rounding


@scalar
def clip(x, low, high):
    return min(max(x, low), high)


@scalar
def sigmoid(t):
    e = math.exp(-abs(t))
    return 1.0 / (1.0 + e) if t >= 0 else e / (1.0 + e)


@scalar
def entropy(b):  # b ln b, 0 at 0
    return b * math.log(b) if b > 0 else 0.0
