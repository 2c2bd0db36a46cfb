"""An intercept b: x_i'w + b in place of x_i'w, where the regulariser leaves b alone.

Inside, X has a column of ones as its last, and a point is (w, b) with b last: (d + 1,) in place of (d,), with softmax
(d + 1, K). The dual is finite only where v_b = (1/n) sum_i alpha_i = 0, because b is free.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
import scipy.sparse as sp

from ..losses import Loss, Softmax, Squared, is_vector, unweighted
from ..losses.per_example import mean_conjugate

CENTRED_TO = 1e-6  # of a column's root mean square: a mean below it is rounding
LEAST_EXAMPLES = 20  # whose mean is worth a warning


def append_ones(X: np.ndarray | sp.csr_matrix) -> np.ndarray | sp.csr_matrix:
    """A copy of X with a column of ones as its last."""
    ones = np.ones((X.shape[0], 1))
    return np.hstack([X, ones]) if isinstance(X, np.ndarray) else sp.csr_matrix(sp.hstack([X, ones], format="csr"))


def join_intercept(w: np.ndarray, b: float | np.ndarray) -> np.ndarray:
    """The point (w, b) as (d + 1,), or of w (d, K) and b (K,) as (d + 1, K)."""
    return np.concatenate([w, np.broadcast_to(b, (1, *w.shape[1:]))])


def split_intercept(point: np.ndarray) -> tuple[np.ndarray, float | np.ndarray]:
    """w (d,) and b of a point (d + 1,), or w (d, K) and b (K,) of a point (d + 1, K)."""
    return point[:-1], float(point[-1]) if point.ndim == 1 else point[-1]


def check_intercept(loss: Loss, y: np.ndarray) -> None:
    """Refuse what `balance` is not for.

    Raises
    ------
    ValueError
        For losses of several predictions other than softmax, and for those whose dual is not finite at alpha = 0.
    """
    if is_vector(loss):
        if isinstance(unweighted(loss), Softmax):
            return
        raise ValueError(
            f"{loss.name} takes no intercept, which is for softmax and losses of one prediction: append a column of "
            "ones to X, which is then penalised like the others"
        )
    if not np.isfinite(mean_conjugate(loss, np.zeros(y.size), y)):
        raise ValueError(f"the {loss.name} loss takes no intercept: it has no lower bound")


def warn_of_missing_intercept(X: np.ndarray | sp.csr_matrix, y: np.ndarray, loss: Loss, stacklevel: int) -> None:
    """Warn where no w predicts as well as the mean of y alone: on centred columns the mean of X w is 0 for every w.

    Then the mean squared error is at least mean(y)^2, which is more than the variance of y, the error of its mean.
    """
    if not isinstance(loss, Squared) or y.size < LEAST_EXAMPLES:
        return
    mean = float(np.add.reduce(y)) / y.size
    if not 2 * mean * mean > float(y @ y) / y.size or sp.issparse(X):  # |mean| > deviation, whose square is the rest
        return
    first = X[:, 0]  # which mostly tells
    centred_to = CENTRED_TO * math.sqrt(first.size * float(np.vdot(first, first)))
    if abs(float(np.add.reduce(first))) <= centred_to and X.any() and _are_centred(X):
        warnings.warn(
            f"the columns of X have mean 0 and y has mean {mean:.4g} (standard deviation {y.std():.4g}): without an "
            "intercept every w predicts worse than that mean alone; pass intercept=True, or centre y",
            stacklevel=stacklevel + 1,
        )


def _are_centred(X: np.ndarray) -> bool:
    """Tell whether the mean of each column is 0."""
    scales = math.sqrt(len(X)) * np.sqrt(np.einsum("ij,ij->j", X, X))
    return bool((np.abs(X.sum(axis=0)) <= CENTRED_TO * scales).all())


def masses_of(alpha: np.ndarray, y: np.ndarray, s: np.ndarray | None) -> np.ndarray:
    """The two sums, of all examples, by which alpha (n,) or (n, K) is balanced: arguments as of `balance_classes`."""
    if alpha.ndim == 1:
        return np.array([np.maximum(alpha, 0.0).sum(), np.maximum(-alpha, 0.0).sum()])
    labels = _labels(alpha, y, s)
    return np.array([labels.sum(axis=0), np.maximum(labels - alpha, 0.0).sum(axis=0)])


def balance(alpha: np.ndarray, masses: np.ndarray | None = None) -> np.ndarray:
    """A dual point near alpha (n,) with sum 0: of its positive and its negative part the larger is scaled down.

    The masses are those of alpha, or of the whole of which it is a part.
    It stays in the domain of the dual, which is convex and contains 0 (`check_intercept`).
    At the optimum the sum is 0, and nearby it differs from 0 as b does from its best value: so what is lost is of
    second order, as is P(w, b) - P*.
    """
    positive, negative = np.maximum(alpha, 0.0), np.maximum(-alpha, 0.0)
    up, down = (positive.sum(), negative.sum()) if masses is None else masses
    return positive * (down / up) - negative if up > down else positive - negative * (up / down if down > 0 else 1.0)


def balance_classes(
    alpha: np.ndarray, y: np.ndarray, s: np.ndarray | None, masses: np.ndarray | None = None
) -> np.ndarray:
    """A dual point near alpha (n, K) of softmax whose columns sum to 0, in the domain of the dual where alpha is.

    With s_i e_y - alpha_i = s_i pi_i the pi_i are probability vectors, and columns sum to 0 where the classes' masses
    sum_i s_i pi_ik are those of the labels. Classes with too much are scaled down to theirs, and what the examples then
    lack they are given in the classes' proportions: the rounding to a transport plan of Altschuler, Weed & Rigollet,
    Near-linear time approximation algorithms for optimal transport (2017), Algorithm 2.

    Parameters
    ----------
    alpha : (n, K) array
        In the domain of the dual.
    y : (n,) array
        Indices of the classes.
    s : (n,) array or None
        Sample weights of mean 1. None: all are 1.
    masses : (2, K) array, optional
        Those of the whole of which this is a part, see `masses_of`.
    """
    labels = _labels(alpha, y, s)
    plan = np.maximum(labels - alpha, 0.0)
    wanted, found = (labels.sum(axis=0), plan.sum(axis=0)) if masses is None else masses
    plan *= np.divide(wanted, found, out=np.ones_like(found), where=found > wanted)
    lacking = np.maximum(labels.sum(axis=1) - plan.sum(axis=1), 0.0)
    short = np.maximum(wanted - found, 0.0)
    if short.any():
        plan += np.outer(lacking, short / short.sum())
    return labels - plan


def _labels(alpha: np.ndarray, y: np.ndarray, s: np.ndarray | None) -> np.ndarray:
    """The (n, K) of zeros, but for s_i at the class of example i."""
    labels = np.zeros_like(alpha)
    labels[np.arange(y.size), y.astype(np.intp)] = 1.0 if s is None else s
    return labels
