"""The model's minimiser through X X', n x n (the Woodbury identity); for few examples.

With A = diag(h)^(1/2) X and l2 the ridge, p = -H^-1 g = -(g - A'(n l2 I + A A')^-1 A g)/l2; X X' is formed once.

Cost        X X' once, sum over features of c_j^2/2; then m^3/6 for the m examples with curvature, and X g, A'u: a pass
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ...problems.problem import Problem
from .gram import cholesky
from .model import Inner, Model, Step


class Dual(Inner):
    """X X', made by the first step."""

    def __init__(self, P: Problem) -> None:
        self.K: np.ndarray | None = None

    def step(self, P: Problem, model: Model) -> Step:
        from scipy.linalg import lapack

        visits = float(P.nnz)
        if self.K is None:
            K = P.X @ P.X.T
            self.K = K.toarray() if sp.issparse(K) else K
            visits += products_visits(P)
        curved = np.flatnonzero(model.h)
        root = np.sqrt(model.h[curved])
        inside = root[:, None] * self.K[np.ix_(curved, curved)] * root
        rest = np.zeros(P.n)
        if curved.size:
            factor = cholesky(inside, P.n * model.ridge)
            u, _ = lapack.dpotrs(factor, root * P.predict(model.g)[curved])
            rest[curved] = root * u
        p = (P.X.T @ rest - model.g) / model.ridge
        return Step(p, visits + curved.size**3 / 6)

    def warm(self, P: Problem) -> None:
        from scipy.linalg import lapack

        assert lapack


def products_visits(P: Problem) -> float:
    """Nonzeros visited to form X X': on a column each meets those before it."""
    counts = P.column_profile.counts.astype(float)
    return float(counts @ counts) / 2
