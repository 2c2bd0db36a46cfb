"""Algorithm 2 of APPA with exact proximal steps on least squares, as printed and as it has to be.

Printed is x <- P(x), with P the proximal step: the recursion for x then never sees y or v, and is plain APPA. The
analysis needs x <- P(y).
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

PLACES = ("x", "y")


def accelerated(X: np.ndarray, y: np.ndarray, mu: float, weight: float, stages: int, at: str) -> np.ndarray:
    """The iterates x_0 = 0, ..., x_stages of Algorithm 2, (stages + 1, d).

    Parameters
    ----------
    X : (n, d) array
        Of full rank.
    y : (n,) array
        P(w) = ||X w - y||^2/(2 n).
    mu : float > 0
        Strong convexity of P.
    weight : float > 0
        lambda, at least 2 mu for the guarantee.
    stages : int
        How many.
    at : {"x", "y"}
        Where the proximal step is taken: "x" as printed, "y" corrected.
    """
    n, d = X.shape
    solver = scipy.linalg.cho_factor(X.T @ X / n + weight * np.eye(d))
    r, zeta = ((mu + 2 * weight) / mu) ** -0.5, 2 / mu + 1 / weight
    x = v = np.zeros(d)
    path = [x]
    for _ in range(stages):
        middle = (x + r * v) / (1 + r)
        x = scipy.linalg.cho_solve(solver, X.T @ y / n + weight * (x if at == "x" else middle))
        g = weight * (middle - x)
        v = (1 - r) * v + r * (middle - zeta * g)
        path.append(x)
    return np.array(path)


def plain(X: np.ndarray, y: np.ndarray, weight: float, stages: int) -> np.ndarray:
    """The iterates of APPA, Algorithm 1, with exact steps; parameters and shape as of `accelerated`."""
    n, d = X.shape
    solver = scipy.linalg.cho_factor(X.T @ X / n + weight * np.eye(d))
    path = [np.zeros(d)]
    for _ in range(stages):
        path.append(scipy.linalg.cho_solve(solver, X.T @ y / n + weight * path[-1]))
    return np.array(path)
