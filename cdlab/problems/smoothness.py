"""The smoothness of the mean loss, of which methods that see all examples at once make their steps."""

from __future__ import annotations

from ..numerics.eigenvalues import largest_eigenvalue
from .problem import Problem
from .weights import rooted


def smoothness(problem: Problem, tol: float = 1e-3) -> tuple[float, int]:
    """L_f = ||X||_2^2/(n gamma), from above, of the mean loss f as a function of w, and the passes it took to find.

    With sample weights X has the rows sqrt(s_i/max s) x_i. 1 where X = 0: f is constant there, and every step is right.
    """
    norm2, products = largest_eigenvalue(rooted(problem.X, problem.sample_weight), tol)
    return norm2 * problem.beta / problem.n or 1.0, products
