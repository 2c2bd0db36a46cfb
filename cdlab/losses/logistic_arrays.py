"""The logistic loss of many examples at once, by numpy's exp and log: a kernel calls those of C, one by one.

Where numpy has them vectorised (AVX-512) they take a fifth of that; elsewhere as long. Values differ from those of the
scalar formulas by rounding. Blocks stay in the cache; below `MIN_EXAMPLES` a kernel is called sooner than numpy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .scalar import ROUNDING, Logistic
from .weighted import LABEL_WITH_WEIGHT, Offset, unweighted

MIN_EXAMPLES = 2000
BLOCK = 8192  # examples
SMALLEST = np.finfo(float).tiny
LARGEST_MARGIN = 709.0  # whose exponential is finite; beyond, slopes stay where they are there, at 1e-308


def fits(loss: Any, n: int) -> bool:
    """Tell whether so many examples of this loss are evaluated here."""
    return n >= MIN_EXAMPLES and type(unweighted(loss)) is Logistic and not isinstance(loss, Offset)


def evaluate(
    z: np.ndarray,
    y: np.ndarray,
    *,
    losses: np.ndarray | None = None,
    slopes: np.ndarray | None = None,
    curvatures: np.ndarray | None = None,
) -> None:
    """Write phi, phi' and phi'' of every example into the arrays that are given.

    Parameters
    ----------
    z : (n,) array
        Predictions.
    y : (n,) array
        Labels of -1 and 1, or labels with weights, as kernels take them.
    losses, slopes, curvatures : (n,) arrays, optional
        Where values go.
    """
    for part, label, weight in _blocks(y):
        m = label * z[part]
        if losses is not None or curvatures is not None:
            e = np.abs(m)
            np.exp(np.negative(e, out=e), out=e)
        if losses is not None:
            np.subtract(np.log1p(e), np.minimum(m, 0.0), out=losses[part])
        if curvatures is not None:
            whole = e + 1.0
            np.divide(e, np.multiply(whole, whole, out=whole), out=curvatures[part])
        if slopes is not None:
            np.exp(np.minimum(m, LARGEST_MARGIN, out=m), out=m)
            np.divide(label, np.subtract(-1.0, m, out=m), out=slopes[part])
        if weight is not None:
            for out in (losses, slopes, curvatures):
                if out is not None:
                    out[part] *= weight


def conjugates(alpha: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    """Write phi*(-alpha_i) into `out`; inf outside of its domain.

    Parameters
    ----------
    alpha, y : (n,) arrays
        Dual variables, and labels as of `evaluate`.
    out : (n,) array
        Where values go.
    """
    for part, label, weight in _blocks(y):
        b = label * alpha[part]
        if weight is not None:
            np.divide(b, weight, out=b, where=weight > 0)
            b[weight == 0] = 0.0
        rest = 1.0 - b
        is_outside = np.minimum(b, rest) < -ROUNDING
        np.multiply(b, np.log(np.maximum(b, SMALLEST)), out=b)
        np.multiply(rest, np.log(np.maximum(rest, SMALLEST)), out=rest)
        np.add(b, rest, out=out[part])
        if weight is not None:
            out[part] *= weight
            is_outside |= (weight == 0) & (np.abs(alpha[part]) > ROUNDING)
        out[part][is_outside] = np.inf


def _blocks(y: np.ndarray) -> Iterator[tuple[slice, np.ndarray, np.ndarray | None]]:
    """Blocks of examples: where they are, their labels, and their weights where they have any."""
    has_weights = y.dtype == LABEL_WITH_WEIGHT
    for first in range(0, y.size, BLOCK):
        part = slice(first, first + BLOCK)
        yield (part, y["label"][part], y["weight"][part]) if has_weights else (part, y[part], None)
