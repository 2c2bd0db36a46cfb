"""Products of X and vectors by the loops of kernels: half of scipy's time on wide sparse data, no threads."""

from __future__ import annotations

import numpy as np

from ..numerics.jit import kernel
from ..numerics.matrix_lines import Lines
from ..regularizers import L2

PLAIN = L2(1.0)  # shrinks nothing


@kernel
def _dots(X: Lines, w: np.ndarray, plain: L2, out: np.ndarray) -> None:
    for i in range(np.uint64(out.size)):
        out[i] = X.dot(i, w, plain)


@kernel
def _sum_of_lines(X: Lines, c: np.ndarray, out: np.ndarray) -> None:
    for i in range(np.uint64(c.size)):
        if c[i] != 0.0:
            X.add(i, c[i], out)


def times(X: Lines, lines: int, w: np.ndarray) -> np.ndarray:
    """X w (lines,)."""
    out = np.zeros(lines)
    if w.any():  # at the start of most runs it is 0
        _dots(X, w, PLAIN, out)
    return out


def transposed_times(X: Lines, length: int, c: np.ndarray) -> np.ndarray:
    """X'c (length,)."""
    out = np.zeros(length)
    _sum_of_lines(X, c, out)
    return out
