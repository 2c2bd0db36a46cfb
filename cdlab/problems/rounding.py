"""What P(w), D(alpha) and their gap may be off because numbers are rounded.

Their errors are those of the sums, a few units in the last place of P(0), P(w) and D(alpha) (P(0), because where P* is
far below it, P(w) is made of differences of numbers as large as its own), and those of the products z = X w and
v = X'alpha/n, whose errors dz and dv are at most `rounding_of_terms` times ||x_i|| ||w|| and sum_i |alpha_i| ||x_i||/n
(or, by columns, times sum_j |X_ij| |w_j| and ||X_:j|| ||alpha||/n). So

    P(w)      is off by at most mean_i |dz_i| s_i, s_i the largest |phi'| within |dz_i| of z_i: near a kink, or for a w
              far from alpha, that is not |alpha_i|
    D(alpha)  with l2 > 0 by at most w'dv + ||dv||^2/(2 l2), w = grad g*(v), because grad g* is (1/l2)-Lipschitz
    D(alpha)  with l2 = 0 is that of t alpha, where t = l1/max |v_j| is off by a share delta, at most max |dv_j|/l1; on
              the ray D is concave, so it is off by at most delta (D(t alpha) - D(0)), and by D(t alpha) - D(s alpha)
              with s = l1/max (|v_j| + |dv_j|), a multiple that is feasible for certain.
"""

from __future__ import annotations

import math

import numpy as np

from ..losses import Loss
from ..numerics.jit import kernel, reduction, scalar

EPS = float(np.finfo(np.float64).eps)
OUTWARD = 1 + 2.0**-30  # times a sum of squares or sizes of some million terms is at least what it would be unrounded
SUM_ROUNDING_UNITS = 2.0  # in the last place: what a sum in pairs, or a product of a few terms, may be off
HALVES_OF_PRODUCTS = 4  # units that a term is off by its product, the sum of blocks and the division by n
MAX_SUMS_OF_PART = 20  # that a term goes through in its part of a sum: lines one by one, or 128 on eight lanes or more
MIN_SAFE_SQUARE = 1e-280  # beside which what underflows is nothing
STALLED_UNITS = 100.0  # of its rounding: where a gap may stop to fall, as a search along a line sees no fall of P
LARGEST_ROUNDING = 1e-6  # relative gap, or share of P(0), up to which what rounding ends is solved
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
    return float(max(0.0, primal - dual) + rounding)


def is_within_rounding(gap: float, rounding: float, units: float = 1.0) -> bool:
    """Tell whether P(w) - D(alpha) is at most its rounding, or so many times that: no gap is that much smaller."""
    return gap <= (1 + units) * rounding < math.inf


def rounding_of_sums(at_zero: float, *values: float) -> float:
    """Bound of what the sums P(w) and D(alpha) are off: a few units in the last place of each and of the largest."""
    sizes = [abs(value) for value in values]
    return SUM_ROUNDING_UNITS * EPS * (sum(sizes) + max(abs(at_zero), *sizes))


def rounding_of_terms(terms: int) -> float:
    """Bound of what a product of so many terms is off, relative to the sum of their absolute values."""
    return EPS / 2 * (HALVES_OF_PRODUCTS + min(terms, MAX_SUMS_OF_PART))


def steepest_slope(loss: Loss, excess: float, reach: float) -> float:
    """Bound of the root mean square of phi' within `reach` of the z_i, where P(w) is above D(0) by `excess`."""
    if not (loss.gamma > 0 and excess < math.inf):
        return loss.lipschitz
    # phi'^2 <= 2 (phi - min phi)/gamma
    return min(loss.lipschitz, math.sqrt(2 * max(0.0, excess) / loss.gamma) + reach / loss.gamma)


def row_norms(x: np.ndarray) -> np.ndarray:
    """The absolute value of each coordinate of x (m,), or the norm of each row of x (m, K)."""
    return np.abs(x) if x.ndim == 1 else np.sqrt(np.einsum("ik,ik->i", x, x))


def norm(x: np.ndarray) -> float:
    """||x||, also where its square leaves the range of float64."""
    return _norm(x if x.ndim == 1 else x.ravel())


@kernel
def _norm(x: np.ndarray) -> float:
    square = sum_of_squares(x)
    return square**0.5 if MIN_SAFE_SQUARE < square < np.inf else scaled_norm(x)


@reduction
def sum_of_squares(x: np.ndarray) -> float:
    """||x||^2, in any order."""
    total = 0.0
    for i in range(x.size):
        total += x[i] * x[i]
    return total


@scalar
def scaled_norm(x: np.ndarray) -> float:
    """||x|| without squares beyond the range of float64."""
    largest, squares = 0.0, 0.0
    for i in range(x.size):
        largest = max(abs(x[i]), largest)
    if 0 < largest < np.inf:
        for i in range(x.size):
            squares += (x[i] / largest) ** 2
    return largest * squares**0.5 if squares != 0 else largest
