"""The duality gap of two values, with what float64 may have lost of them.

P(w) and D(alpha) are computed with errors: those of the sums, a few units in the last place of P(0), P(w) and D(alpha)
(P(0), because where P* is far below it, P(w) is made of differences of numbers as large as its own), and those of the
products z = X w and v = X'alpha/n. With errors dz and dv, P(w) is off by mean_i phi'(z_i) dz_i and D(alpha) by w'dv,
where near the optimum phi'(z_i) = -alpha_i and w = grad g*(v). Either is about eps sqrt(k) times
(1/n) sum_ij |alpha_i X_ij w_j|, k the terms of a product, and that sum is at most sum_i |alpha_i| ||x_i|| ||w||/n, and
at most sum_j |w_j| ||X_:j|| ||alpha||/n.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .problem import Problem

EPS = float(np.finfo(np.float64).eps)
UNITS = 2.0  # in the last place: what a sum in pairs, or a product of a few terms, may be off
PER_ROOT = 0.125  # of these units, times sqrt(terms): products are summed up one by one, on several lanes
SMALL = 1e-3  # of P(w) - D(alpha): a coarser bound of the rounding does, too
APART = 1e-9  # relative: where D exceeds P by more, one of them is wrong


def gap_between(primal: float, dual: float, rounding: float) -> float:
    """max(0, P(w) - D(alpha)) + rounding of these two values; inf where they certify nothing.

    That is where one of them is not finite, or where D exceeds P by more than rounding: then one of them is wrong.
    """
    if not (math.isfinite(primal) and math.isfinite(dual) and math.isfinite(rounding)):
        return math.inf
    if dual - primal > APART * (abs(primal) + abs(dual)) + rounding:
        return math.inf
    return max(0.0, primal - dual) + rounding


def rounding_of_sums(*values: float) -> float:
    """What the sums P(0), P(w) and D(alpha) together may be off: a few units in the last place of each."""
    return UNITS * EPS * sum(map(abs, values))


def rounding_of_products(problem: Problem, w: np.ndarray, alpha: np.ndarray, apart: float) -> float:
    """What P(w) and D(alpha) together may be off because X w and X'alpha/n are rounded.

    Parameters
    ----------
    problem : Problem
        Its data.
    w : (d,) array; (d, K) with softmax
        The primal point.
    alpha : (n,) array; (n, K) with softmax
        The dual point.
    apart : float
        P(w) - D(alpha). Of what is small beside it the norms of rows tell enough; those of columns cost a pass.
    """
    unit = EPS * (UNITS + PER_ROOT * math.sqrt(max(problem.n, problem.d)))
    by_rows = unit * _norm(w) * float(_sizes(alpha) @ np.sqrt(problem.row_profile.norms2)) / problem.n
    if by_rows <= SMALL * apart:
        return by_rows
    by_columns = unit * float(_sizes(w) @ np.sqrt(problem.column_profile.norms2)) * _norm(alpha) / problem.n
    return min(by_rows, by_columns)


def _sizes(x: np.ndarray) -> np.ndarray:
    """The absolute value of each coordinate of x (m,), or the norm of each row of x (m, K)."""
    return np.abs(x) if x.ndim == 1 else np.sqrt(np.einsum("ik,ik->i", x, x))


def _norm(x: np.ndarray) -> float:
    """||x||, also where its square leaves the range of float64."""
    largest = float(np.abs(x).max())
    if not 0 < largest < math.inf:
        return largest
    scaled = (x / largest).ravel()
    return largest * math.sqrt(float(np.einsum("i,i", scaled, scaled)))
