"""Sums that are rounded once: whatever is summed in whatever parts, each is what `math.fsum` makes of all its terms.

A sum is kept as several numbers that add up to it exactly (Shewchuk 1997, Adaptive precision floating-point
arithmetic): a term is added to the first, what that rounds away to the second, and so on, as many as are needed.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..datasets.parts import Matrix
from ..numerics.jit import kernel

ENTRIES_AT_ONCE = 1 << 17  # of a matrix whose terms are made at a time, about


@kernel
def _add_exactly(sums: np.ndarray, places: np.ndarray, terms: np.ndarray, begin: int) -> tuple[int, int, float]:
    """Add terms to sums (levels, m); where the levels do not suffice, return where to go on, the place and the rest."""
    for k in range(begin, terms.size):
        j, x = places[k], terms[k]
        for level in range(sums.shape[0]):
            if x == 0.0:
                break
            old = sums[level, j]
            total = old + x
            added = total - old
            x = (old - (total - added)) + (x - added)
            sums[level, j] = total
        if x != 0.0:
            return k + 1, j, x
    return terms.size, 0, 0.0


class ExactSums:
    """So many sums (m of them), all 0 at first."""

    def __init__(self, m: int = 1) -> None:
        self._levels = np.zeros((2, m))

    def add(self, terms: np.ndarray, places: np.ndarray | None = None) -> None:
        """Add terms (k,) to the sums at these places (k,), or to the first one."""
        places = np.zeros(terms.size, np.int32) if places is None else places
        done = 0
        while done < terms.size:
            done, j, rest = _add_exactly(self._levels, places, terms, done)
            if rest != 0.0:
                self._levels = np.vstack([self._levels, np.zeros((1, self._levels.shape[1]))])
                self._levels[-1, j] = rest

    def add_columns(self, X: Matrix, c: np.ndarray | None = None) -> None:
        """Add X_ij^2, or c_i X_ij, to sum j, for all i and j."""
        (n, d), is_dense = X.shape, isinstance(X, np.ndarray)
        step = max(1, ENTRIES_AT_ONCE * n // max(1, X.size))  # of a sparse X the size is its nonzeros
        for begin in range(0, n, step):
            part: Any = X[begin : begin + step]
            values = part.ravel() if is_dense else part.data
            places = np.tile(np.arange(d, dtype=np.int32), len(part)) if is_dense else part.indices
            counts = d if is_dense else np.diff(part.indptr)
            self.add(values**2 if c is None else np.repeat(c[begin : begin + step], counts) * values, places)

    def join(self, other: ExactSums) -> ExactSums:
        """Add as many other sums to these, and return these."""
        places = np.arange(self._levels.shape[1], dtype=np.int32)
        for level in other._levels:
            self.add(level, places)
        return self

    def values(self) -> np.ndarray:
        """Each sum, rounded once; a ValueError if one exceeds what float64 can hold."""
        self._check()
        return np.array([math.fsum(levels) for levels in self._levels.T.tolist()])

    def total(self) -> float:
        """The sum of all, as `values`."""
        self._check()
        return math.fsum(self._levels.ravel().tolist())

    def _check(self) -> None:
        if not np.isfinite(self._levels).all():
            raise ValueError("squared norms add up to more than float64 holds; divide X by 1e150")
