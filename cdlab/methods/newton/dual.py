"""The model's minimiser through X X', n x n (the Woodbury identity); for few examples.

With A = diag(h)^(1/2) X, p = -H^-1 g = -(g - A'(n l2 I + A A')^-1 A g)/l2; X X' is formed once.

An intercept b has no l2, so A leaves it out, and b is eliminated by its Schur complement r_b + l2 s'q, r_b its ridge:
with s = sqrt(h) and q = (n l2 I + A A')^-1 s, p_b = (s'(n l2 I + A A')^-1 A g - g_b)/(r_b + l2 s'q), and g becomes
g + p_b A's/n.

Cost        X X' once, sum over features of c_j^2/2; then m^3/6 for the m examples with curvature, and X g, A'u: a pass
"""

from __future__ import annotations

import numpy as np

from ...problems.problem import Problem
from .gram import add_outer_products, cholesky
from .model import Inner, Model, Step


class Dual(Inner):
    """X X', made by the first step."""

    def __init__(self, P: Problem) -> None:
        self.K: np.ndarray | None = None

    def step(self, P: Problem, model: Model) -> Step:
        from scipy.linalg import lapack

        visits = float(P.nnz)
        if self.K is None:
            self.K = products(P)
            self.K -= float(P.intercept)  # what its column of ones adds
            visits += products_visits(P)
        curved = np.flatnonzero(model.h)
        root = np.sqrt(model.h[curved])
        inside = root[:, None] * self.K[np.ix_(curved, curved)] * root
        factor = cholesky(inside, np.full(curved.size, P.n * P.l2)) if curved.size else inside

        def solved(right: np.ndarray) -> np.ndarray:
            return lapack.dpotrs(factor, right)[0] if curved.size else right

        b = model.g[-1] if P.intercept else 0.0
        u, rest = solved(root * (P.predict(model.g)[curved] - b)), np.zeros(P.n)
        if P.intercept:
            q = solved(root)
            b = (root @ u - b) / (model.ridge[-1] + P.l2 * (root @ q))
            u -= P.l2 * b * q
        rest[curved] = root * u
        p = (P.X.T @ rest - model.g) / P.l2
        if P.intercept:
            p[-1] = b
        return Step(p, visits + curved.size**3 / 6)

    def warm(self, P: Problem) -> None:
        from scipy.linalg import lapack

        assert lapack
        if not isinstance(P.X, np.ndarray):
            add_outer_products(P.by_columns.X, np.empty(0, np.uint64), np.empty(0), np.empty((0, 0)))


def products(P: Problem) -> np.ndarray:
    """X X', of which the lower triangle is read; that of a sparse X is a sum over features, as their lines come."""
    if isinstance(P.X, np.ndarray):
        return P.X @ P.X.T
    K = np.zeros((P.n, P.n))
    add_outer_products(P.by_columns.X, np.arange(P.d, dtype=np.uint64), np.ones(P.d), K)
    return K


def products_visits(P: Problem) -> float:
    """Nonzeros visited to form X X': on a column each meets those before it."""
    counts = P.column_profile.counts.astype(float)
    return float(counts @ counts) / 2
