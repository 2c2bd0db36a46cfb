"""The spectral band: where the rate of exact steps under independent draws lies, from one eigenvalue.

With P = diag(p) and lambda = lambda_min(P^(1/2) G P^(1/2)), the radius of one step is in

    [ (1 - lambda)^2,  1 - 2 lambda/(1 + lambda/p_min) ],

which leaves half a pass of passes per factor e undecided, whatever the data. Lower end: E[ee'] >= E[e] E[e]' and
E[e+] = (I - PG) e. Upper end: M = p_min P^-1 + G has L_1(M) - M = -2 p_min G + G (p_min I - P) G <= -2 p_min G <= -r M,
r = 2 lambda/(1 + lambda/p_min), since conjugating by P^(1/2) leaves P^(1/2) G P^(1/2) alone to be diagonalised.

The eigenvalue is the smallest of A x = lambda diag(A_ii/p_i) x. A = E + F F' with a diagonal E and F of as many columns
as the other side has coordinates; where that is small, Lanczos' method runs on the inverse, which is then cheap.
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
MAX_RESTARTS = 300  # of Lanczos' method
TOLERANCE = 1e-6  # of the residual, relative; the eigenvalue's is about its square

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
        """x -> A^-1 x by Woodbury's formula; None if F has many columns."""
        r = self.F.shape[1]
        if r > MAX_DENSE:
            return None
        scaled = sp.diags_array(1 / self.E) @ self.F if sp.issparse(self.F) else self.F / self.E[:, None]
        small = scipy.linalg.cho_factor(np.eye(r) + dense(self.F.T @ scaled))
        return lambda x: x / self.E - scaled @ scipy.linalg.cho_solve(small, scaled.T @ x)


def curvature(problem: Problem, optimum: Optimum, side: str) -> Curvature:
    """A of the dual or the primal side, of the coordinates that move."""
    h = optimum.h
    if side == "dual":
        lines = np.flatnonzero((h > 0) & (problem.row_profile.counts > 0))
        return Curvature(1 / h[lines], problem.X[lines] / np.sqrt(problem.l2 * problem.n))
    lines = np.flatnonzero(problem.column_profile.counts > 0)
    root = np.sqrt(h / problem.n)
    X = problem.X[:, lines]
    weighted = (sp.diags_array(root) @ X).T.tocsr() if sp.issparse(X) else (root[:, None] * X).T
    E = np.full(lines.size, problem.l2)
    if problem.intercept:
        E[-1] = np.finfo(float).tiny  # the free coordinate, whose line is the last and not empty
    return Curvature(E, weighted)


def spectral_lambda(A: Curvature, p: np.ndarray) -> tuple[float, float]:
    """lambda, between two numbers.

    Of few coordinates it is computed, else found by Lanczos' method, whose residual bounds how far it is off.

    Raises
    ------
    ValueError
        If Lanczos' method does not converge.
    """
    b = np.sqrt(p / A.diagonal)  # P^(1/2) G P^(1/2) = diag(b) A diag(b)
    if b.size <= MAX_DENSE:
        S = b[:, None] * (np.diag(A.E) + dense(A.F @ A.F.T)) * b
        lam = float(scipy.linalg.eigh(S, eigvals_only=True, subset_by_index=[0, 0])[0])
        return lam, lam
    inverse = A.inverse()
    if inverse is not None:
        mu, residual = _end_of_spectrum(lambda x: inverse(x / b) / b, b, "LA")
        return 1 / (mu + residual), 1 / mu
    lam, residual = _end_of_spectrum(lambda x: b * (A.E * (b * x) + A.F @ (A.F.T @ (b * x))), b, "SA")
    return max(lam - residual, 0.0), lam


def _end_of_spectrum(product: Product, start: np.ndarray, end: str) -> tuple[float, float]:
    """The Rayleigh quotient of the vector that Lanczos' method finds for this end, and its residual."""
    operator = LinearOperator((start.size,) * 2, matvec=lambda x: product(x.ravel()), dtype=np.float64)
    try:
        _, vectors = scipy.sparse.linalg.eigsh(operator, k=1, which=end, v0=start, tol=TOLERANCE, maxiter=MAX_RESTARTS)
    except scipy.sparse.linalg.ArpackNoConvergence:
        raise ValueError(
            "the smallest eigenvalue of this problem was not found: its exact rate is known for at most 500 "
            "coordinates, and within a band of more with a larger l2"
        ) from None
    x = vectors[:, 0] / np.linalg.norm(vectors[:, 0])
    image = product(x)
    quotient = float(x @ image)
    return quotient, float(np.linalg.norm(image - quotient * x))


def band(lam: tuple[float, float], p_min: float) -> tuple[float, float]:
    """The ends of the radius of one step, for lambda between two numbers."""
    low, high = lam
    return (1 - high) ** 2, 1 - 2 * low / (1 + low / p_min)
