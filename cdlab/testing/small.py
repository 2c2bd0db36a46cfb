"""Small problems to try things on, their optima by solvers that are none of cdlab's, and hard ones.

On the hard ones descent is as slow as theory fears, so that a bound that promises too much fails on some of them. The
lines of X are nearly parallel, so a step along one undoes the others', and start and labels lie along directions in
which P and D hardly curve. There the contraction of coordinate descent is within about 2 of its theorem's.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize

from ..losses import SmoothHinge
from ..problems.problem import Problem

SMALL_PROBLEMS = (  # loss, l2, l1
    ("logistic", 0.1, 0.0),
    ("squared", 0.1, 0.02),
    ("hinge", 0.1, 0.0),
    ("squared", 0.0, 0.0),
)
PARALLEL_NOISE = 0.1  # how far from parallel the lines are


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


@cache
def hard_problems() -> tuple[Problem, ...]:
    """Tiny l2; two heavy rows and columns; the same with d > n; a loss of large curvature (gamma < 1); labels; X = I.

    With X = I no step helps another's coordinate, so that a rate that promises to be done before all had their turn,
    as one without its factor d does, promises too much, whatever the size of blocks.
    """
    return (
        _regression(n=12, d=6, l2=0.02),
        _regression(n=16, d=10, l2=0.05, heavy=5),
        _regression(n=6, d=10, l2=0.05, heavy=3),
        _margins(n=12, d=6, l2=1.0),
        Problem(_parallel(12, 6), _alternating(12), loss="logistic", l2=0.01),
        Problem(np.eye(8), np.ones(8), loss="squared", l2=1.0),
    )


def _regression(n: int, d: int, l2: float, heavy: float = 1) -> Problem:
    """Squared loss. The heavy lines are two rows and two columns, and then only these are hard to tell apart."""
    X, w, residual = _parallel(n, d, heavy), _alternating(d), _alternating(n)
    if heavy > 1:
        w[2:], residual[2:] = 0, 0
    return Problem(X, X @ w / PARALLEL_NOISE + residual, loss="squared", l2=l2)


def _margins(n: int, d: int, l2: float) -> Problem:
    """A smooth hinge at whose optimum all margins are in its curved part: there its curvature is 1/gamma = 10."""
    y = _alternating(n)
    return Problem(_parallel(n, d, noise=PARALLEL_NOISE / 2) * y[:, None], y, loss=SmoothHinge(0.1), l2=l2)


def _parallel(n: int, d: int, heavy: float = 1, noise: float = PARALLEL_NOISE) -> np.ndarray:
    X = 1 + noise * np.random.default_rng(0).standard_normal((n, d))
    X[2:] /= heavy
    X[:, 2:] /= heavy
    return X / np.sqrt((X**2).sum(axis=0).max() / n)


def _alternating(m: int) -> np.ndarray:
    return np.where(np.arange(m) % 2, 1.0, -1.0)
