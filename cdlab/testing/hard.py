"""Small problems on which descent is as slow as theory fears: a bound that promises too much fails on some of them.

The lines of X are nearly parallel, so a step along one undoes the others', and start and labels lie along directions
in which P and D hardly curve. There the contraction of coordinate descent is within about 2 of its theorem's.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ..losses import SmoothHinge
from ..problems.problem import Problem

NOISE = 0.1  # how far from parallel the lines are


@cache
def hard() -> tuple[Problem, ...]:
    """Tiny l2; two heavy rows and columns; the same with d > n; a loss of large curvature (gamma < 1); labels; X = I.

    With X = I no step helps another's coordinate, so that whoever promises to be done before all have had their turn,
    as a rate without its factor d does, promises too much, whatever the size of blocks.
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
    return Problem(X, X @ w / NOISE + residual, loss="squared", l2=l2)


def _margins(n: int, d: int, l2: float) -> Problem:
    """A smooth hinge at whose optimum all margins are in its curved part: there its curvature is 1/gamma = 10."""
    y = _alternating(n)
    return Problem(_parallel(n, d, noise=NOISE / 2) * y[:, None], y, loss=SmoothHinge(0.1), l2=l2)


def _parallel(n: int, d: int, heavy: float = 1, noise: float = NOISE) -> np.ndarray:
    X = 1 + noise * np.random.default_rng(0).standard_normal((n, d))
    X[2:] /= heavy
    X[:, 2:] /= heavy
    return X / np.sqrt((X**2).sum(axis=0).max() / n)


def _alternating(m: int) -> np.ndarray:
    return np.where(np.arange(m) % 2, 1.0, -1.0)
