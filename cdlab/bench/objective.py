"""P(w) in plain numpy: the outside view, by which every package is measured alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

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


def primal(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, w: np.ndarray) -> float:
    """P(w) = mean phi(x_i'w; y_i) + (l2/2)||w||^2 + l1 ||w||_1.

    Examples
    --------
    >>> primal(np.eye(2), np.array([1.0, -1.0]), "squared", 0.5, 0.25, np.array([1.0, 0.0]))
    0.75
    """
    return float(np.mean(LOSSES[loss](X @ w, y)) + 0.5 * l2 * (w @ w) + l1 * np.abs(w).sum())


def largest_l1(X: Any, y: np.ndarray, loss: str) -> float:
    """The smallest l1 with w* = 0: max_j |sum_i phi'(0; y_i) x_ij|/n."""
    n = X.shape[0]
    return float(np.abs(X.T @ SLOPES[loss](np.zeros(n), y)).max() / n)
