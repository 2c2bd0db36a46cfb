"""Row norms, and dividing by them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ..numerics import checks
from ..numerics.profiles import validated_matrix
from .parts import Matrix

SCALES = ("none", "unit", "mean")
BLOCK_ENTRIES = 1 << 20  # Entries that are worked on at a time: temporaries stay far below the matrix.


def _blocks(X: Matrix) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
    """Rows in blocks: (rows, their entries as a view, entries per row). A dense row is a sparse row of length d."""
    n, d = X.shape
    if isinstance(X, np.ndarray):
        values, ends = X.reshape(-1), np.arange(n + 1, dtype=np.int64) * d
    else:
        values, ends = X.data, X.indptr.astype(np.int64)
    first = 0
    while first < n:
        last = max(first + 1, int(np.searchsorted(ends, ends[first] + BLOCK_ENTRIES, side="right")) - 1)
        yield slice(first, last), values[ends[first] : ends[last]], np.diff(ends[first : last + 1])
        first = last


def row_norms(X: Matrix) -> np.ndarray:
    """Euclidean norm of every row, right also where the squares would overflow or underflow."""
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
    """Refuse any other word than none, unit and mean."""
    if not checks.is_one_of(scale, SCALES):
        raise ValueError(f"scale must be none, unit or mean, not {checks.short_repr(scale)}")


def scaled(X: Matrix, scale: str = "mean") -> Matrix:
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
        divide_by_mean([X], row_norms(X))
    return X


def unit_divisors(X: Matrix) -> np.ndarray:
    """What each row is divided by to have norm 1: its norm, or 1 where it is empty."""
    norms = row_norms(X)
    return np.where(norms > 0, norms, 1.0)


def to_unit_rows(X: Matrix) -> None:
    """Divide each nonzero row by its norm, in place."""
    divide_rows(X, unit_divisors(X))


def divide_by_mean(matrices: Iterable[Matrix], norms: np.ndarray) -> None:
    """Divide matrices by the mean of these norms of rows, in place; if it is 0, they stay as they are."""
    mean = mean_norm(norms)
    if mean > 0:
        for X in matrices:
            divide_rows(X, np.full(X.shape[0], mean))


def mean_norm(norms: np.ndarray) -> float:
    """The mean, as a sum of parts: it cannot overflow."""
    return float(np.sum(norms / norms.size))


def divide_rows(X: Matrix, divisors: np.ndarray) -> None:
    """Divide row i by divisors[i], in place."""
    for rows, entries, counts in _blocks(X):
        entries /= np.repeat(divisors[rows], counts)
