"""Curvature of P: its smoothness, of which steps are made, and its strong convexity, which certifies without l2."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ..losses import Squared, unweighted
from ..numerics import checks
from ..numerics.eigenvalues import largest_eigenvalue
from .problem import Problem
from .weights import rooted

MAX_GRAM_FEATURES = 5000  # features up to which the strong convexity is computed


def smoothness(problem: Problem, tol: float = 1e-3) -> tuple[float, int]:
    """L_f = ||X||_2^2/(n gamma), from above, of the mean loss f as a function of w, and the passes it took to find.

    With sample weights X has the rows sqrt(s_i/max s) x_i. 1 where X = 0: f is constant there, and every step is right.
    """
    norm2, products = largest_eigenvalue(rooted(problem.X, problem.sample_weight), tol)
    return norm2 * problem.beta / problem.n or 1.0, products


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
    if problem.is_certified:
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
            raise ValueError(f'strong_convexity must be a number > 0 or "compute", not {checks.short_repr(mu)}')
        return _compute_strong_convexity(problem)
    if not checks.is_number(mu) or not 0 < mu < np.inf:
        raise ValueError(f'strong_convexity must be a number > 0 or "compute", not {checks.short_repr(mu)}')
    _check_no_flat_direction(problem)
    above, _ = smoothness(problem)
    if mu > above:
        raise ValueError(
            f"strong_convexity = {mu:.3g} cannot be true: P is only {above:.3g}-smooth, and strong convexity is at "
            "most smoothness; pass a smaller number"
        )
    return float(mu)


def _check_no_flat_direction(problem: Problem) -> None:
    """Refuse a P that is constant along some w, X w = 0: it is strongly convex for no modulus."""
    why, s = None, problem.sample_weight
    if s is not None and problem.d > np.count_nonzero(s):
        why = "X has more columns than rows with a positive weight"
    elif problem.d > problem.n:
        why = "X has more columns than rows"
    elif not problem.column_profile.counts.all():
        why = "X has an empty column"
    if why is not None:
        raise ValueError(f"P is not strongly convex: {why}; leave strong_convexity out, or set l2 > 0")


def _compute_strong_convexity(problem: Problem) -> float:
    if not isinstance(unweighted(problem.loss), Squared):
        raise ValueError(
            f"strong_convexity can be computed for the squared loss only, and this is {problem.loss.name}: "
            "pass a number"
        )
    _check_no_flat_direction(problem)
    if problem.d > MAX_GRAM_FEATURES:
        raise ValueError(
            f"strong_convexity cannot be computed: X has more than {MAX_GRAM_FEATURES} columns; pass a number"
        )
    X = rooted(problem.X, problem.sample_weight)
    gram = X.T @ X
    eigenvalues = np.linalg.eigvalsh(gram.toarray() if sp.issparse(gram) else gram)
    if not eigenvalues[0] > eigenvalues[-1] * problem.d * np.finfo(float).eps:
        raise ValueError(
            "strong_convexity = 0: the columns of X are linearly dependent, so P is not strongly convex; set l2 > 0"
        )
    return float(problem.beta * eigenvalues[0] / problem.n)
