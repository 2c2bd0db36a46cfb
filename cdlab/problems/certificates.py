"""Certificates: how far P(w) can be above the optimum.

With l2 > 0, or l1 > 0, it is the duality gap. Without any regulariser the dual is finite only where X'alpha = 0; then a
mu-strongly convex P gives P(w) - P* <= ||grad P(w)||^2/(2 mu), and without mu there is only the gradient's size.
What is not a finite number certifies nothing: then the gap is inf.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..numerics.jit import kernel
from ..regularizers import power_of_two_root
from .points import Points
from .problem import COARSE_BOUND_SHARE, Problem
from .rounding import gap_between, rounding_of_sums, rounding_of_terms


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
    if _is_joint(problem):
        return _gap_certificate(problem, complete_points(problem, points))
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
    products = problem.rounding_of_products(points.w, alpha, primal - dual)
    return Certificate(primal, dual, gradient, rounding_of_sums(problem.at_zero, primal, dual) + products)


class Objectives(NamedTuple):
    """P and D of `Problem` at points with their products, from one call of a kernel."""

    primal: float
    dual: float
    norm: float  # ||w||
    weighted: float  # sum_i |alpha_i| ||x_i||


def objectives(problem: Problem, points: Points) -> tuple[float, float]:
    """P(w) and D(alpha), of points with their products."""
    if _is_joint(problem):
        return _objectives(problem, points)[:2]
    return problem.primal(points.w, z=points.z), problem.dual(points.alpha, v=points.v)


def _is_joint(problem: Problem) -> bool:
    """Whether alpha is feasible as it is, so that one kernel can do."""
    return problem.l2 > 0 and not problem.outputs and not problem.intercept


def _objectives(problem: Problem, points: Points) -> Objectives:
    n, d = problem.n, problem.d
    terms, c = np.empty(2 * n + 3 * d), power_of_two_root(problem.l2)
    at = points.w, points.alpha, points.z, points.v
    norm, weighted = _terms(problem.loss, problem.reg, problem.loss_y, *at, problem.row_norms, c, terms)
    with np.errstate(over="ignore", invalid="ignore"):  # what float64 cannot hold is infinite, and so the gap
        losses, conjugates = np.add.reduce(terms[: 2 * n].reshape(2, n), axis=1).tolist()  # numpy adds in pairs
        squares, shrunk, sizes = np.add.reduce(terms[2 * n :].reshape(3, d), axis=1).tolist()
    scale, (primal_shift, dual_shift) = problem.l2 / c / c, problem.shifts(points.w)
    primal = losses / n + (0.5 * scale * squares + (problem.l1 * sizes if problem.l1 > 0 else 0.0)) + primal_shift
    return Objectives(primal, -conjugates / n - shrunk / (2 * scale) + dual_shift, norm, weighted)


def _gap_certificate(problem: Problem, points: Points) -> Certificate:
    """The certificate from `_objectives`."""
    primal, dual, norm, weighted = _objectives(problem, points)
    if not np.isfinite(primal) or dual == -np.inf:
        return Certificate(primal, dual, np.nan, np.inf)
    products = rounding_of_terms(max(problem.n, problem.d)) * norm * weighted / problem.n
    if not products <= COARSE_BOUND_SHARE * (primal - dual):
        products = problem.rounding_of_products(points.w, points.alpha, primal - dual)
    return Certificate(primal, dual, np.nan, rounding_of_sums(problem.at_zero, primal, dual) + products)


@kernel
def _terms(
    loss: Any, reg: Any, y: np.ndarray, w: np.ndarray, alpha: np.ndarray, z: np.ndarray, v: np.ndarray,
    row_norms: np.ndarray, c: float, out: np.ndarray,
) -> tuple[float, float]:  # fmt: skip
    """What P(w) and D(alpha) are sums of, with w and v times and over c; ||w||, and sum_i |alpha_i| ||x_i||."""
    n, d, weighted, largest, squares = y.size, w.size, 0.0, 0.0, 0.0
    for i in range(n):
        out[i], out[n + i] = loss.phi(z[i], y[i]), loss.phi_conj(alpha[i], y[i])
        weighted += abs(alpha[i]) * row_norms[i]
    for j in range(d):
        scaled, shrunk = c * w[j], reg.shrink(v[j]) / c
        out[2 * n + j], out[2 * n + d + j], out[2 * n + 2 * d + j] = scaled * scaled, shrunk * shrunk, abs(w[j])
        largest = max(abs(w[j]), largest)
    if 0 < largest < np.inf:
        for j in range(d):
            squares += (w[j] / largest) ** 2
    return largest * squares**0.5 if squares > 0 else largest, weighted


def complete_points(problem: Problem, points: Points) -> Points:
    """The points with both of their products."""
    z = problem.predict(points.w) if points.z is None else points.z
    v = problem.v(points.alpha) if points.v is None else points.v
    return Points(points.w, points.alpha, z=z, v=v)
