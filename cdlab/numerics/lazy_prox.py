"""Many proximal gradient steps at once, for a coordinate that rests: u stays constant while other coordinates move.

One step is  F(x) = prox(x - tau u) = soft(x - tau u, tau l1)/(1 + tau l2).  Methods that touch a few coordinates per
iteration (SPDC, SAGA, prox-SVRG) would pay O(d) for it; with F^k in closed form they pay when a coordinate is read.

With c = 1/(1 + tau l2), S_k = tau (c + c^2 + ... + c^k) = (1 - c^k)/l2 and no l1,  F^k(x) = c^k x - S_k u.  With l1, F
is the same affine map with u + l1 in place of u while x > 0, and with u - l1 while x < 0; it passes through 0 at most
once. Both terms are kept apart: (x + u/l2) c^k - u/l2 loses all digits when l2 is small.

``step_factors`` needs two exponentials; a ``StepTable`` for fixed tau and l2 needs two products instead.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .jit import kernel, scalar, struct

LEVEL_BITS = 10  # two levels of 2^10 entries serve k < 2^20; beyond it, exponentials
LEVEL_SIZE = 1 << LEVEL_BITS
LOW_BITS_MASK = np.uint64(LEVEL_SIZE - 1)
HIGH_BITS_SHIFT = np.uint64(LEVEL_BITS)
MIN_SHRINK_RATE = 1e-290  # tau l2 below it is 0 for any k that can be counted, and would lose digits


@scalar
def step_factors(k: int, tau: float, l2: float) -> tuple[float, float]:
    """c^k and S_k of the module's docstring, for k >= 0 steps of length tau."""
    if tau * l2 < MIN_SHRINK_RATE:
        return 1.0, k * tau
    log = -k * math.log1p(tau * l2)
    return math.exp(log), -math.expm1(log) / l2


@scalar
def soft_steps(k: int, c: float, s: float, x: float, u: float, tau: float, l2: float, l1: float) -> float:
    """F^k(x), given c = c^k and s = S_k.

    F is odd in (x, u): let u >= 0. Then x never rises through 0.
    x <= 0: each step is min(0, affine map with u - l1); the map is monotone, so is F^k.
    x > 0:  the affine map with u + l1 decreases; while its k-th value is positive, so are all before it, and it is F^k.
            If u <= l1, 0 is a fixed point: absorbed. Otherwise x crosses 0 at step
                j = the first with c^j x <= S_j (u + l1),  that is c^-j >= 1 + l2 x/(u + l1).
            Step j itself starts positive and ends at min(0, affine map with u - l1); the k - j others are below 0.
    F is continuous: a j that rounding moves by one changes the result by rounding only.
    """
    sign = -1.0 if u < 0 else 1.0
    x, u = sign * x, sign * u
    if x <= 0:
        return sign * min(c * x - s * (u - l1), 0.0)
    r = c * x - s * (u + l1)
    if r > 0:
        return sign * r
    if u <= l1:
        return 0.0
    if tau * l2 < MIN_SHRINK_RATE:
        j = math.ceil(x / (tau * (u + l1)))
    else:
        j = math.ceil(math.log1p(l2 * x / (u + l1)) / math.log1p(tau * l2))
    j = min(max(j, 1), k)
    c, s = step_factors(j - 1, tau, l2)
    before = c * x - s * (u + l1)
    after = min((before - tau * (u - l1)) / (1 + tau * l2), 0.0)
    c, s = step_factors(k - j, tau, l2)
    return sign * (c * after - s * (u - l1))


# ---------------------------------------------------------------- tabulated
@struct
class StepTable(NamedTuple):
    """F^k for fixed tau and l2, from tables.

    With k = 2^10 a + b and A = 2^10 a,  c^(A+b) = c^A c^b,  S_(A+b) = S_b c^A + S_A, where every term is positive: no
    digits are lost.
    """

    tau: float
    l2: float
    high: np.ndarray  # (2^10, 2) c^A and S_A
    low: np.ndarray  # (2^10, 2) c^b and S_b

    def steps(self, k: int, x: float, u: float, reg: Any) -> float:
        """F^k(x) for the regulariser `reg`, whose l2 must be the table's; k >= 0, whole (a float will do)."""
        high, low = self.high, self.low
        i = np.uint64(k)
        a, b = i >> HIGH_BITS_SHIFT, i & LOW_BITS_MASK
        if a < LEVEL_SIZE:
            c = high[a, 0] * low[b, 0]
            s = low[b, 1] * high[a, 0] + high[a, 1]
        else:
            c, s = step_factors(k, self.tau, self.l2)
        return reg.prox_steps(k, c, s, x, u, self.tau)


def step_table(tau: float, l2: float) -> StepTable:
    """The table for steps of length tau > 0 and a regulariser with this l2 >= 0."""
    table = StepTable(float(tau), float(l2), np.empty((LEVEL_SIZE, 2)), np.empty((LEVEL_SIZE, 2)))
    _fill_step_table(table)
    return table


@kernel
def _fill_step_table(table: StepTable) -> None:
    for i in range(LEVEL_SIZE):
        table.high[i, 0], table.high[i, 1] = step_factors(float(LEVEL_SIZE * i), table.tau, table.l2)
        table.low[i, 0], table.low[i, 1] = step_factors(float(i), table.tau, table.l2)
