"""An intercept b: x_i'w + b in place of x_i'w, where the regulariser leaves b alone.

Inside, X has a column of ones as its last, and a point is (w, b) with b last: (d + 1,) in place of (d,). The dual is
finite only where v_b = (1/n) sum_i alpha_i = 0, because b is free.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ..losses import Loss, is_vector
from ..losses.over_examples import mean_conjugate


def with_ones(X: np.ndarray | sp.csr_matrix) -> np.ndarray | sp.csr_matrix:
    """A copy of X with a column of ones as its last."""
    ones = np.ones((X.shape[0], 1))
    return np.hstack([X, ones]) if isinstance(X, np.ndarray) else sp.csr_matrix(sp.hstack([X, ones], format="csr"))


def joined(w: np.ndarray, b: float) -> np.ndarray:
    """The point (w, b) as (d + 1,)."""
    return np.append(w, b)


def parted(point: np.ndarray) -> tuple[np.ndarray, float]:
    """w (d,) and b of a point (d + 1,)."""
    return point[:-1], float(point[-1])


def intercept_fits(loss: Loss, y: np.ndarray) -> None:
    """Refuse what `balanced` is not for.

    Raises
    ------
    ValueError
        For losses of several predictions, and for those whose dual is not finite at alpha = 0.
    """
    if is_vector(loss):
        raise ValueError(
            f"{loss.name} takes no intercept, which is for losses of one prediction: append a column of ones to X, "
            "which is then penalised like the others"
        )
    if not np.isfinite(mean_conjugate(loss, np.zeros(y.size), y)):
        raise ValueError(f"the {loss.name} loss takes no intercept: it has no lower bound")


def balanced(alpha: np.ndarray) -> np.ndarray:
    """A dual point near alpha (n,) with sum 0: of its positive and its negative part the larger is scaled down.

    It stays in the domain of the dual, which is convex and contains 0 (`intercept_fits`).
    At the optimum the sum is 0, and nearby it differs from 0 as b does from its best value: so what is lost is of
    second order, as is P(w, b) - P*.
    """
    positive, negative = np.maximum(alpha, 0.0), np.maximum(-alpha, 0.0)
    up, down = positive.sum(), negative.sum()
    return positive * (down / up) - negative if up > down else positive - negative * (up / down if down > 0 else 1.0)
