"""Certificates: how far P(w) can be above the optimum.

With l2 > 0, or l1 > 0, it is the duality gap. Without any regulariser the dual is finite only where X'alpha = 0; then a
mu-strongly convex P gives P(w) - P* <= ||grad P(w)||^2/(2 mu), and without mu there is only the gradient's size.
What is not a finite number certifies nothing: then the gap is inf.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .points import Points
from .problem import Problem
from .rounding import gap_between, rounding_of_sums


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
    products = problem.rounding_of_products(points.w, alpha, primal - dual)
    return Certificate(primal, dual, gradient, rounding_of_sums(problem.at_zero, primal, dual) + products)


def complete_points(problem: Problem, points: Points) -> Points:
    """The points with both of their products."""
    z = problem.predict(points.w) if points.z is None else points.z
    v = problem.v(points.alpha) if points.v is None else points.v
    return Points(points.w, points.alpha, z=z, v=v)
