"""What a measurement certifies: how far P(w) can be above the optimum.

With l2 > 0, or l1 > 0, it is the duality gap. Without any regulariser the dual is finite only where X'alpha = 0; then a
mu-strongly convex P gives P(w) - P* <= ||grad P(w)||^2/(2 mu), and without mu there is only the gradient's size.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from .losses import Squared
from .methods import Points
from .problem import Problem

LARGEST_GRAM = 5000  # features up to which mu is computed


class Certificate(NamedTuple):
    primal: float
    dual: float  # a lower bound of P*; -inf if there is none
    gradient: float  # ||grad P(w)|| where that is what is known; NaN elsewhere

    @property
    def gap(self) -> float:
        return max(0.0, self.primal - self.dual)


def certificate(problem: Problem, points: Points, mu: float | None) -> Certificate:
    """P(w) and a lower bound of P*, from what a method has at hand."""
    z = problem.X @ points.w if points.z is None else points.z
    primal = problem.primal(points.w, z=z)
    if problem.l2 > 0 or problem.l1 > 0:
        return Certificate(primal, problem.dual(points.alpha, v=points.v), np.nan)
    if problem.loss.gamma == 0:
        return Certificate(primal, -np.inf, np.nan)
    gradient = float(np.linalg.norm(problem.gradient(points.w, z=z)))
    return Certificate(primal, primal - gradient**2 / (2 * mu) if mu else -np.inf, gradient)


def strong_convexity(problem: Problem, mu: float | str | None) -> float | None:
    """The modulus of strong convexity to certify with: a number, "compute", or None.

    "compute" is exact for the squared loss, 2c lambda_min(X'X)/n, and refused for others, whose curvature vanishes.

    Raises
    ------
    ValueError
        If mu is given where the duality gap certifies, is not positive, or cannot be computed.
    """
    if mu is None:
        return None
    if problem.l2 > 0 or problem.l1 > 0:
        raise ValueError("mu is for problems with l2 = l1 = 0; here the duality gap certifies: leave mu out")
    if mu != "compute":
        if isinstance(mu, str) or not 0 < float(mu) < np.inf:
            raise ValueError(f'mu must be a number > 0 or "compute", not {mu!r}')
        return float(mu)
    if not isinstance(problem.loss, Squared):
        raise ValueError(
            f"mu can be computed for the squared loss only, and this is {problem.loss.name}: pass a number"
        )
    if problem.d > min(problem.n, LARGEST_GRAM):
        why = "X has more columns than rows" if problem.d > problem.n else f"X has more than {LARGEST_GRAM} columns"
        raise ValueError(f"mu cannot be computed: {why}; pass a number")
    gram = problem.X.T @ problem.X
    eigenvalues = np.linalg.eigvalsh(gram.toarray() if sp.issparse(gram) else gram)
    if eigenvalues[0] <= eigenvalues[-1] * problem.d * np.finfo(float).eps:
        raise ValueError("mu = 0: the columns of X are linearly dependent, so P is not strongly convex; set l2 > 0")
    return float(2 * problem.loss.c * eigenvalues[0] / problem.n)
