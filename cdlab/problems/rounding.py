"""What P(w), D(alpha) and their gap may be off because numbers are rounded.

Their errors are those of the sums, a few units in the last place of P(0), P(w) and D(alpha) (P(0), because where P* is
far below it, P(w) is made of differences of numbers as large as its own), and those of the products z = X w and
v = X'alpha/n. With errors dz and dv, P(w) is off by mean_i phi'(z_i) dz_i and D(alpha) by w'dv, where near the optimum
phi'(z_i) = -alpha_i and w = grad g*(v). Either is about eps sqrt(k) times (1/n) sum_ij |alpha_i X_ij w_j|, k the terms
of a product, and that sum is at most sum_i |alpha_i| ||x_i|| ||w||/n, and at most sum_j |w_j| ||X_:j|| ||alpha||/n.
"""

import math

import numpy as np

EPS = float(np.finfo(np.float64).eps)
SUM_ROUNDING_UNITS = 2.0  # in the last place: what a sum in pairs, or a product of a few terms, may be off
UNITS_PER_ROOT_OF_TERMS = 0.125  # products are summed up one by one, on several lanes
MIN_SAFE_SQUARE = 1e-280  # beside which what underflows is nothing
STALLED_UNITS = 100.0  # of its rounding: where a gap may stop to fall, as a search along a line sees no fall of P
ROUNDING_FALL = 0.9  # of a gap: one that is larger has not fallen, but for rounding
MAX_DUAL_EXCESS = 1e-9  # relative: where D exceeds P by more, one of them is wrong


def gap_between(primal: float, dual: float, rounding: float) -> float:
    """max(0, P(w) - D(alpha)) + rounding of these two values; inf where they certify nothing.

    That is where one of them is not finite, or where D exceeds P by more than rounding: then one of them is wrong.
    """
    if not (math.isfinite(primal) and math.isfinite(dual) and math.isfinite(rounding)):
        return math.inf
    if dual - primal > MAX_DUAL_EXCESS * (abs(primal) + abs(dual)) + rounding:
        return math.inf
    return max(0.0, primal - dual) + rounding


def is_within_rounding(gap: float, rounding: float, units: float = 1.0) -> bool:
    """Whether P(w) - D(alpha) is at most its rounding, or so many times that: no point's gap is that much smaller."""
    return gap <= (1 + units) * rounding < math.inf


def rounding_of_sums(*values: float) -> float:
    """What the sums P(0), P(w) and D(alpha) together may be off: a few units in the last place of each."""
    return SUM_ROUNDING_UNITS * EPS * sum(map(abs, values))


def rounding_of_terms(terms: int) -> float:
    """What a product of so many terms may be off, relative to the sum of their absolute values."""
    return EPS * (SUM_ROUNDING_UNITS + UNITS_PER_ROOT_OF_TERMS * math.sqrt(terms))


def row_norms(x: np.ndarray) -> np.ndarray:
    """The absolute value of each coordinate of x (m,), or the norm of each row of x (m, K)."""
    return np.abs(x) if x.ndim == 1 else np.sqrt(np.einsum("ik,ik->i", x, x))


def norm(x: np.ndarray) -> float:
    """||x||, also where its square leaves the range of float64."""
    x = np.ravel(x)
    square = float(np.einsum("i,i", x, x))
    if MIN_SAFE_SQUARE < square < math.inf:
        return math.sqrt(square)
    largest = float(np.abs(x).max())
    if not 0 < largest < math.inf:
        return largest
    scaled = x / largest
    return largest * math.sqrt(float(np.einsum("i,i", scaled, scaled)))
