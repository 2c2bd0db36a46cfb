"""The task that a package is given, and P(w) in plain numpy, by which the answers of all are compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np


class Kind(StrEnum):
    """What a task asks for."""

    WEIGHT = "weight"  # one point, for one pair of weights
    PATH = "path"  # a point for each of several l1
    CV = "cv"  # the l1 that cross-validation chooses, and its point


LOSSES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "logistic": lambda z, y: np.logaddexp(0.0, -y * z),
    "squared_hinge": lambda z, y: 0.5 * np.maximum(0.0, 1.0 - y * z) ** 2,
    "squared": lambda z, y: 0.5 * (z - y) ** 2,
}
SLOPES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "logistic": lambda z, y: -y / (1.0 + np.exp(np.minimum(y * z, 700.0))),
    "squared_hinge": lambda z, y: -y * np.maximum(0.0, 1.0 - y * z),
    "squared": lambda z, y: z - y,
}
CURVATURES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "logistic": lambda z, y: 0.25 / np.cosh(np.clip(z / 2, -300, 300)) ** 2,
    "squared_hinge": lambda z, y: (y * z < 1.0).astype(np.float64),
    "squared": lambda z, y: np.ones_like(z),
}


def primal(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, w: np.ndarray, b: float = 0.0) -> float:
    """P(w, b) = mean phi(x_i'w + b; y_i) + (l2/2)||w||^2 + l1 ||w||_1.

    Examples
    --------
    >>> primal(np.eye(2), np.array([1.0, -1.0]), "squared", 0.5, 0.25, np.array([1.0, 0.0]))
    0.75
    """
    return float(np.mean(LOSSES[loss](X @ w + b, y)) + 0.5 * l2 * (w @ w) + l1 * np.abs(w).sum())


def largest_l1(X: Any, y: np.ndarray, loss: str) -> float:
    """The smallest l1 with w* = 0: max_j |sum_i phi'(0; y_i) x_ij|/n."""
    n = X.shape[0]
    return float(np.abs(X.T @ SLOPES[loss](np.zeros(n), y)).max() / n)


@dataclass(frozen=True, eq=False)
class Task:
    """Minimise P(w) = mean phi(x_i'w; y_i) + (l2/2)||w||^2 + l1 ||w||_1.

    Attributes
    ----------
    X : (n, d) csr_matrix or row-major array of float64
    y : (n,) array of float64; classes are -1 and +1
    loss : str
        A name of `objective.LOSSES`; the squared losses carry a factor 1/2.
    l2, l1 : float
        The weights, >= 0.
    """

    X: Any
    y: np.ndarray
    loss: str
    l2: float
    l1: float

    kind = Kind.WEIGHT

    @property
    def arguments(self) -> tuple[Any, ...]:
        """What a peer's `fit` is given before its budget."""
        return self.X, self.y, self.loss, self.l2, self.l1

    @property
    def n(self) -> int:
        """Examples."""
        return int(self.X.shape[0])

    @property
    def d(self) -> int:
        """Features."""
        return int(self.X.shape[1])

    @property
    def penalty(self) -> str:
        """Which of "l2", "l1" and "l1+l2" is not 0."""
        return "+".join(name for name, weight in (("l1", self.l1), ("l2", self.l2)) if weight)

    def primal(self, w: np.ndarray) -> float:
        """P(w)."""
        return primal(self.X, self.y, self.loss, self.l2, self.l1, w)

    def suboptimality(self, w: np.ndarray, best: float) -> float:
        """(P(w) - P*)/(P(0) - P*); infinity for a w that is no point of R^d."""
        w = np.asarray(w, dtype=np.float64).ravel()
        if w.shape != (self.d,) or not np.isfinite(w).all():
            return float("inf")
        return (self.primal(w) - best) / (self.primal(np.zeros(self.d)) - best)
