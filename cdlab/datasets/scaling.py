"""Row norms, and dividing by them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..numerics import checks
from ..numerics.profiles import validated_matrix

SCALES = ("none", "unit", "mean")
_BLOCK = 1 << 20  # entries worked on at a time: temporaries stay far below the matrix


def _blocks(X: np.ndarray | sp.csr_matrix) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
    """Rows in blocks: (rows, their entries as a view, entries per row). A dense row is a sparse row of length d."""
    n, d = X.shape
    if isinstance(X, np.ndarray):
        values, ends = X.reshape(-1), np.arange(n + 1, dtype=np.int64) * d
    else:
        values, ends = X.data, X.indptr.astype(np.int64)
    first = 0
    while first < n:
        last = max(first + 1, int(np.searchsorted(ends, ends[first] + _BLOCK, side="right")) - 1)
        yield slice(first, last), values[ends[first] : ends[last]], np.diff(ends[first : last + 1])
        first = last


def row_norms(X: np.ndarray | sp.csr_matrix) -> np.ndarray:
    """Euclidean norm of every row, right also where the squares would overflow or underflow.

    Raises
    ------
    ValueError
        If a norm is itself too large for float64.
    """
    norms = np.zeros(X.shape[0])
    for rows, entries, counts in _blocks(X):
        filled = counts > 0
        starts = np.concatenate(([0], np.cumsum(counts[filled])[:-1]))
        if not filled.any():
            continue
        size = np.abs(entries)
        largest = np.maximum.reduceat(size, starts)
        largest[largest == 0] = 1.0
        size /= np.repeat(largest, counts[filled])
        size *= size
        with np.errstate(over="ignore"):  # looked at below
            norms[rows][filled] = largest * np.sqrt(np.add.reduceat(size, starts))
    if not np.isfinite(norms).all():
        raise ValueError("a row norm exceeds the largest double, so X cannot be scaled by it; divide X by 1e150 first")
    return norms


def check_scale(scale: Any) -> None:
    """Refuse any other word than none, unit and mean.

    Raises
    ------
    ValueError
    """
    if not checks.is_one_of(scale, SCALES):
        raise ValueError(f"scale must be none, unit or mean, not {checks.short_repr(scale)}")


def scaled(X: np.ndarray | sp.csr_matrix, scale: str = "mean") -> np.ndarray | sp.csr_matrix:
    """A copy of X with its rows scaled, as `load` scales the train part of a file.

    Parameters
    ----------
    X : (n, d) array or scipy sparse matrix
        Rows are examples. It is not written to.
    scale : {"mean", "unit", "none"}
        "mean": X divided by its mean row norm, which is then 1; "unit": each nonzero row divided by its own norm.

    Returns
    -------
    (n, d) row-major array or csr_matrix, float64

    Raises
    ------
    ValueError
        For another word, or data that are not a matrix of finite numbers.

    Examples
    --------
    >>> scaled(np.array([[3.0, 4.0], [0.0, 15.0]]))
    array([[0.3, 0.4],
           [0. , 1.5]])
    """
    check_scale(scale)
    X = validated_matrix(X).copy()
    if scale == "unit":
        to_unit_rows(X)
    elif scale == "mean":
        norms = row_norms(X)
        mean = np.sum(norms / norms.size)  # a sum of parts cannot overflow
        if mean > 0:
            divide_rows(X, np.full(norms.size, mean))
    return X


def to_unit_rows(X: np.ndarray | sp.csr_matrix) -> None:
    """Divide each nonzero row by its norm, in place."""
    norms = row_norms(X)
    divide_rows(X, np.where(norms > 0, norms, 1.0))


def divide_rows(X: np.ndarray | sp.csr_matrix, divisors: np.ndarray) -> None:
    """Divide row i by divisors[i], in place."""
    for rows, entries, counts in _blocks(X):
        entries /= np.repeat(divisors[rows], counts)
