"""Small problems to try things on, and their optima by solvers that are none of cdlab's."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize

from ..problems.problem import Problem

SETTINGS = (  # loss, l2, l1
    ("logistic", 0.1, 0.0),
    ("squared", 0.1, 0.02),
    ("hinge", 0.1, 0.0),
    ("squared", 0.0, 0.0),
)


def small_data(n: int = 30, d: int = 8, seed: int = 0, density: float = 0.6) -> tuple[np.ndarray, np.ndarray]:
    """Sparse-ish X (n, d) and labels -1, +1 (n,): a planted, noisy separator, uneven row and column norms."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < density)
    X *= np.exp(0.5 * rng.standard_normal((n, 1))) * np.exp(0.5 * rng.standard_normal(d))
    y = np.where(X @ rng.standard_normal(d) + 0.5 * rng.standard_normal(n) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X, y


def small_problem(loss: str, l2: float, l1: float = 0.0, *, sparse: bool = False) -> Problem:
    """The small problem with this loss and these weights. With l2 = l1 = 0 its linear system has a solution."""
    X, y = small_data()
    if l2 == l1 == 0:
        y = X @ np.linspace(-1, 1, X.shape[1])
    return Problem(sp.csr_matrix(X) if sparse else X, y, loss=loss, l2=l2, l1=l1)


def problem_text(P: Problem) -> str:
    """The problem in a message: its loss and its weights."""
    return f"{P.loss.name} with l2 = {P.l2:g}, l1 = {P.l1:g}"


def scipy_optimum(P: Problem) -> np.ndarray:
    """w* by scipy: least squares, a box-constrained dual for the hinge, else L-BFGS-B on the positive parts of w."""
    if P.loss.name == "squared" and P.l2 == P.l1 == 0:
        return np.linalg.lstsq(P.X, P.y, rcond=None)[0]
    tight = {"ftol": 1e-17, "gtol": 1e-11, "maxiter": 20_000, "maxfun": 100_000, "maxcor": 30}
    if P.loss.gamma > 0:

        def value(parts: np.ndarray) -> tuple[float, np.ndarray]:
            w = parts[: P.d] - parts[P.d :]
            slope = P.gradient(w)
            return P.primal(w) + P.l1 * (parts.sum() - np.abs(w).sum()), np.r_[slope + P.l1, -slope + P.l1]

        parts = minimize(value, np.zeros(2 * P.d), jac=True, bounds=[(0, None)] * (2 * P.d), options=tight).x
        return parts[: P.d] - parts[P.d :]

    def dual(b: np.ndarray) -> tuple[float, np.ndarray]:  # of the hinge: alpha = y b, b in [0, 1]
        return -P.dual(P.y * b), (P.y * P.predict(P.w(P.y * b)) - 1) / P.n

    b = minimize(dual, np.full(P.n, 0.5), jac=True, bounds=[(0, 1)] * P.n, options=tight).x
    return P.w(P.y * b)
