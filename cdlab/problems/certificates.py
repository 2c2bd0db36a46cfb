"""Certificates: how far P(w) can be above the optimum.

With l2 > 0, or l1 > 0, it is the duality gap. Without any regulariser the dual is finite only where X'alpha = 0; then a
mu-strongly convex P gives P(w) - P* <= ||grad P(w)||^2/(2 mu), and without mu there is only the gradient's size.
What is not a finite number certifies nothing: then the gap is inf.

P(w) and D(alpha) are computed with errors: those of the sums, a few units in the last place of P(0), P(w) and D(alpha)
(P(0), because where P* is far below it, P(w) is made of differences of numbers as large as its own), and those of the
products z = X w and v = X'alpha/n. With errors dz and dv, P(w) is off by mean_i phi'(z_i) dz_i and D(alpha) by w'dv,
where near the optimum phi'(z_i) = -alpha_i and w = grad g*(v). Either is about eps sqrt(k) times
(1/n) sum_ij |alpha_i X_ij w_j|, k the terms of a product, and that sum is at most sum_i |alpha_i| ||x_i|| ||w||/n, and
at most sum_j |w_j| ||X_:j|| ||alpha||/n.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .intercept import balance, balance_classes
from .points import Points

if TYPE_CHECKING:
    from .problem import Problem

EPS = float(np.finfo(np.float64).eps)
SUM_ROUNDING_UNITS = 2.0  # in the last place: what a sum in pairs, or a product of a few terms, may be off
UNITS_PER_ROOT_OF_TERMS = 0.125  # products are summed up one by one, on several lanes
COARSE_BOUND_SHARE = 1e-3  # of P(w) - D(alpha): a coarser bound of the rounding does, too
MAX_DUAL_EXCESS = 1e-9  # relative: where D exceeds P by more, one of them is wrong


class Certificate(NamedTuple):
    """A value of P and a lower bound of P*, which together bound P(w) - P*."""

    primal: float  # P(w)
    dual: float  # a lower bound of P*; -inf if there is none
    gradient: float  # ||grad P(w)|| where that is what is known; NaN elsewhere
    rounding: float  # what primal and dual together may be off

    @property
    def gap(self) -> float:
        """max(0, primal - dual) + rounding, at least P(w) - P*; inf where any of them is not finite."""
        return gap_between(self.primal, self.dual, self.rounding)


def certificate(problem: Problem, points: Points, mu: float | None) -> Certificate:
    """P(w) and a lower bound of P*, from what a method has at hand.

    Parameters
    ----------
    problem : Problem
        Data, loss and regulariser.
    points : Points
        w (d,) and alpha (n,); z and v are computed where they are None.
    mu : float or None
        Strong convexity of P, as `strong_convexity` returns it. Read only where l2 = l1 = 0.
    """
    z = problem.predict(points.w) if points.z is None else points.z
    primal, dual, gradient, alpha = problem.primal(points.w, z=z), -np.inf, np.nan, points.alpha
    if problem.l2 > 0 or problem.l1 > 0:
        dual = problem.dual(alpha, v=points.v)
    elif problem.loss.gamma > 0:
        alpha = problem.alpha(points.w, z=z)
        gradient = float(np.linalg.norm(problem.gradient(points.w, z=z)))
        dual = primal - gradient**2 / (2 * mu) if mu else -np.inf
    if not np.isfinite(primal) or dual == -np.inf:
        return Certificate(primal, dual, gradient, np.inf)
    products = rounding_of_products(problem, points.w, alpha, primal - dual)
    return Certificate(primal, dual, gradient, rounding_of_sums(problem.at_zero, primal, dual) + products)


def complete_points(problem: Problem, points: Points) -> Points:
    """The points with both of their products."""
    z = problem.predict(points.w) if points.z is None else points.z
    v = problem.v(points.alpha) if points.v is None else points.v
    return Points(points.w, points.alpha, z=z, v=v)


# ------------------------------------------------------------ rounding
def gap_between(primal: float, dual: float, rounding: float) -> float:
    """max(0, P(w) - D(alpha)) + rounding of these two values; inf where they certify nothing.

    That is where one of them is not finite, or where D exceeds P by more than rounding: then one of them is wrong.
    """
    if not (math.isfinite(primal) and math.isfinite(dual) and math.isfinite(rounding)):
        return math.inf
    if dual - primal > MAX_DUAL_EXCESS * (abs(primal) + abs(dual)) + rounding:
        return math.inf
    return max(0.0, primal - dual) + rounding


def rounding_of_sums(*values: float) -> float:
    """What the sums P(0), P(w) and D(alpha) together may be off: a few units in the last place of each."""
    return SUM_ROUNDING_UNITS * EPS * sum(map(abs, values))


def rounding_of_products(problem: Problem, w: np.ndarray, alpha: np.ndarray, difference: float) -> float:
    """What P(w) and D(alpha) together may be off because X w and X'alpha/n are rounded.

    Parameters
    ----------
    problem : Problem
        Its data.
    w : (d,) array; (d, K) with softmax
        The primal point.
    alpha : (n,) array; (n, K) with softmax
        The dual point.
    difference : float
        P(w) - D(alpha). Of what is small beside it the norms of rows tell enough; those of columns cost a pass.
    """
    unit = EPS * (SUM_ROUNDING_UNITS + UNITS_PER_ROOT_OF_TERMS * math.sqrt(max(problem.n, problem.d)))
    by_rows = unit * _norm(w) * float(_row_norms(alpha) @ np.sqrt(problem.row_profile.norms2)) / problem.n
    if by_rows <= COARSE_BOUND_SHARE * difference:
        return by_rows
    by_columns = unit * float(_row_norms(w) @ np.sqrt(problem.column_profile.norms2)) * _norm(alpha) / problem.n
    return min(by_rows, by_columns)


def _row_norms(x: np.ndarray) -> np.ndarray:
    """The absolute value of each coordinate of x (m,), or the norm of each row of x (m, K)."""
    return np.abs(x) if x.ndim == 1 else np.sqrt(np.einsum("ik,ik->i", x, x))


def _norm(x: np.ndarray) -> float:
    """||x||, also where its square leaves the range of float64."""
    largest = float(np.abs(x).max())
    if not 0 < largest < math.inf:
        return largest
    scaled = (x / largest).ravel()
    return largest * math.sqrt(float(np.einsum("i,i", scaled, scaled)))


# ------------------------------------------------------------ the dual's domain
def feasible_point(problem: Problem, alpha: np.ndarray, v: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """A point in the domain of g* near alpha, and its v; alpha itself where it is inside. NaN where none is known.

    Parameters
    ----------
    problem : Problem
        With an intercept, sum_i alpha_i = 0 is needed, and `balance` or `balance_classes` sees to it; with l2 = 0
        ||v||_inf <= l1, and alpha is scaled.
    alpha : (n,) array; (n, K) with softmax
        In the domain of the losses' conjugates, which is convex and contains 0.
    v : (d,) array or None
        X'alpha/n; not read with an intercept.
    """
    if problem.intercept:
        alpha = balance_classes(alpha, problem.y, problem.sample_weight) if problem.outputs else balance(alpha)
    v = problem.v(alpha) if v is None or problem.intercept else v
    if problem.l2 > 0 or not v.any():
        return alpha, v
    largest = float(np.abs(v).max())
    share = problem.l1 / max(largest, problem.l1) if problem.l1 > 0 and np.isfinite(largest) else np.nan
    return share * alpha, share * v
