"""The spectral band: where the rate of exact steps under independent draws lies, from one eigenvalue.

With P = diag(p) and lambda = lambda_min(P^(1/2) G P^(1/2)), the radius of one step is in

    [ (1 - lambda)^2,  1 - 2 lambda/(1 + lambda/p_min) ],

which leaves half a pass of passes per factor e undecided, whatever the data. Lower end: E[ee'] >= E[e] E[e]' and
E[e+] = (I - PG) e. Upper end: M = p_min P^-1 + G has L_1(M) - M = -2 p_min G + G (p_min I - P) G <= -2 p_min G <= -r M,
r = 2 lambda/(1 + lambda/p_min), since conjugating by P^(1/2) leaves P^(1/2) G P^(1/2) alone to be diagonalised.

The eigenvalue is the smallest of A x = lambda diag(A_ii/p_i) x. A = E + F F' with a diagonal E and F of as many columns
as the other side has coordinates; where either is small, Lanczos' method runs on the inverse, which that makes cheap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg
from scipy.sparse.linalg import LinearOperator

from ..problems.problem import Problem
from .quadratics import Optimum, dense

MAX_DENSE = 2000  # rows of a matrix that is factorised
MAX_PRODUCTS = 20_000  # of Lanczos' method without the inverse
TOLERANCE = 1e-8  # of the eigenvalue, where there is no inverse

Product = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False)
class Curvature:
    """A = diag(E) + F F' of the coordinates that move."""

    E: np.ndarray  # (N,)
    F: Any  # (N, r), an array or sparse

    @property
    def diagonal(self) -> np.ndarray:
        """A_ii (N,)."""
        squares = self.F.multiply(self.F).sum(axis=1) if sp.issparse(self.F) else np.einsum("ij,ij->i", self.F, self.F)
        return self.E + np.asarray(squares).ravel()

    def inverse(self) -> Product | None:
        """x -> A^-1 x, by a factor of A or of the small matrix of Woodbury's formula; None if both are large."""
        N, r = self.F.shape
        if N <= MAX_DENSE:
            factor = scipy.linalg.cho_factor(np.diag(self.E) + dense(self.F @ self.F.T))
            return lambda x: scipy.linalg.cho_solve(factor, x)
        if r > MAX_DENSE:
            return None
        scaled = sp.diags_array(1 / self.E) @ self.F if sp.issparse(self.F) else self.F / self.E[:, None]
        small = scipy.linalg.cho_factor(np.eye(r) + dense(self.F.T @ scaled))
        return lambda x: x / self.E - scaled @ scipy.linalg.cho_solve(small, scaled.T @ x)


def curvature(problem: Problem, optimum: Optimum, side: str) -> tuple[Curvature, np.ndarray]:
    """A of the dual or the primal side, and the coordinates (N,) that it is about."""
    h = optimum.h
    if side == "dual":
        lines = np.flatnonzero((h > 0) & (problem.row_profile.counts > 0))
        return Curvature(1 / h[lines], problem.X[lines] / np.sqrt(problem.l2 * problem.n)), lines
    lines = np.flatnonzero(problem.column_profile.counts > 0)
    root = np.sqrt(h / problem.n)
    X = problem.X[:, lines]
    weighted = (sp.diags_array(root) @ X).T.tocsr() if sp.issparse(X) else (root[:, None] * X).T
    return Curvature(np.full(lines.size, problem.l2), weighted), lines


def spectral_lambda(A: Curvature, p: np.ndarray) -> tuple[float, float]:
    """lambda, between two numbers: a Ritz value, and that less its residual.

    Raises
    ------
    ValueError
        If Lanczos' method does not converge.
    """
    b = np.sqrt(p / A.diagonal)  # P^(1/2) G P^(1/2) = diag(b) A diag(b)

    def product(x: np.ndarray) -> np.ndarray:
        return b * (A.E * (b * x) + A.F @ (A.F.T @ (b * x)))

    inverse = A.inverse()
    start = b / np.linalg.norm(b)
    N = b.size
    if N == 1:
        return float(p[0]), float(p[0])
    try:
        if inverse is not None:
            operator = LinearOperator((N, N), matvec=lambda x: inverse(x.ravel() / b) / b, dtype=float)
            _, vectors = scipy.sparse.linalg.eigsh(operator, k=1, which="LA", v0=start)
        else:
            operator = LinearOperator((N, N), matvec=lambda x: product(x.ravel()), dtype=float)
            _, vectors = scipy.sparse.linalg.eigsh(
                operator, k=1, which="SA", v0=start, tol=TOLERANCE, maxiter=MAX_PRODUCTS // 20
            )
    except scipy.sparse.linalg.ArpackNoConvergence:
        raise ValueError(
            "the smallest eigenvalue of this problem was not found: its exact rate is known for at most 200 "
            "coordinates, or with a larger l2"
        ) from None
    x = vectors[:, 0] / np.linalg.norm(vectors[:, 0])
    image = product(x)
    ritz = float(x @ image)
    return max(ritz - float(np.linalg.norm(image - ritz * x)), 0.0), ritz


def band(lam: tuple[float, float], p_min: float) -> tuple[float, float]:
    """The ends of the radius of one step, for lambda between two numbers."""
    low, high = lam
    return (1 - high) ** 2, 1 - 2 * low / (1 + low / p_min)
