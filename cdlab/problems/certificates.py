"""Certificates: how far P(w) can be above the optimum.

With l2 > 0, or l1 > 0, it is the duality gap. Without any regulariser the dual is finite only where X'alpha = 0; then a
mu-strongly convex P gives P(w) - P* <= ||grad P(w)||^2/(2 mu), and without mu there is only the gradient's size.
What is not a finite number certifies nothing: then the gap is inf.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from ..losses import Squared, unweighted
from ..numerics import checks
from ..problems.smoothness import smoothness
from .gaps import gap_between, rounding_of_products, rounding_of_sums
from .points import Points
from .problem import Problem
from .weights import rooted

LARGEST_GRAM = 5000  # features up to which the strong convexity is computed


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


def completed(problem: Problem, points: Points) -> Points:
    """The points with both of their products."""
    z = problem.predict(points.w) if points.z is None else points.z
    v = problem.v(points.alpha) if points.v is None else points.v
    return Points(points.w, points.alpha, z=z, v=v)


def strong_convexity(problem: Problem, mu: float | str | None) -> float | None:
    """The modulus of strong convexity to certify with: a number, "compute", or None.

    "compute" is exact for the squared loss, 2c lambda_min(X'X)/n, and refused for others, whose curvature vanishes.
    A number is believed as far as it can be true: not above L_f, the smoothness of P, and not where P is constant
    along some direction.

    Raises
    ------
    ValueError
        If it is given where the duality gap certifies, is not positive, cannot be true, or cannot be computed.
    """
    if mu is None:
        return None
    if problem.l2 > 0 or problem.l1 > 0:
        raise ValueError(
            "strong_convexity is for problems with l2 = l1 = 0; here the duality gap certifies: "
            "leave strong_convexity out"
        )
    if problem.loss.gamma == 0:
        raise ValueError(
            f"strong_convexity certifies smooth losses only, by their gradient, and {problem.loss.name} is not smooth: "
            "set l2 > 0, for which the duality gap certifies"
        )
    if isinstance(mu, str):
        if mu != "compute":
            raise ValueError(f'strong_convexity must be a number > 0 or "compute", not {mu!r}')
        return _computed(problem)
    if not checks.is_number(mu) or not 0 < mu < np.inf:
        raise ValueError(f'strong_convexity must be a number > 0 or "compute", not {mu!r}')
    _refuse_flat(problem)
    above, _ = smoothness(problem)
    if mu > above:
        raise ValueError(
            f"strong_convexity = {mu:.3g} cannot be true: P is only {above:.3g}-smooth, and strong convexity is at "
            "most smoothness; pass a smaller number"
        )
    return float(mu)


def _refuse_flat(problem: Problem) -> None:
    """P is constant along every w with X w = 0, so with such a w it is strongly convex for no modulus."""
    why, s = None, problem.sample_weight
    if s is not None and problem.d > np.count_nonzero(s):
        why = "X has more columns than rows with a positive weight"
    elif problem.d > problem.n:
        why = "X has more columns than rows"
    elif not problem.column_profile.counts.all():
        why = "X has an empty column"
    if why is not None:
        raise ValueError(f"P is not strongly convex: {why}; leave strong_convexity out, or set l2 > 0")


def _computed(problem: Problem) -> float:
    if not isinstance(unweighted(problem.loss), Squared):
        raise ValueError(
            f"strong_convexity can be computed for the squared loss only, and this is {problem.loss.name}: "
            "pass a number"
        )
    _refuse_flat(problem)
    if problem.d > LARGEST_GRAM:
        raise ValueError(f"strong_convexity cannot be computed: X has more than {LARGEST_GRAM} columns; pass a number")
    X = rooted(problem.X, problem.sample_weight)
    gram = X.T @ X
    eigenvalues = np.linalg.eigvalsh(gram.toarray() if sp.issparse(gram) else gram)
    if not eigenvalues[0] > eigenvalues[-1] * problem.d * np.finfo(float).eps:
        raise ValueError(
            "strong_convexity = 0: the columns of X are linearly dependent, so P is not strongly convex; set l2 > 0"
        )
    return float(problem.beta * eigenvalues[0] / problem.n)
