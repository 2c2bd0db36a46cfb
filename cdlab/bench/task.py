"""What a package is given: the data and the weights, and the measure of its answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .objective import primal


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
