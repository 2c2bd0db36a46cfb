"""The columns of X in a working set: copies, made from rows as features enter, unless X has been copied by columns.

A copy of all columns takes as long as ten sweeps over them, and a working set needs a part of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...numerics.jit import kernel
from ...numerics.matrices import Dense, Sparse
from ...numerics.matrix_lines import Lines
from ...problems.problem import Problem

FIRST_CAPACITY = 64  # Features for which there is room at first.
MAX_COPIED_SHARE = 0.6  # Where more of the nonzeros enter at once, all columns are copied.


@kernel
def copy_columns(
    rows: Sparse, place: np.ndarray, first: int, heads: np.ndarray, indices: np.ndarray, data: np.ndarray
) -> None:
    """Copy the entries of the columns with place >= first to where `heads` (k,) says, from row to row."""
    for i in range(np.uint64(rows.indptr.size - 1)):
        for p in rows.line(i):
            k = place[rows.index(i, p)] - first
            if k >= 0:
                q = heads[k]
                indices[q], data[q] = i, rows.value(i, p)
                heads[k] = q + 1


@kernel
def add_columns(columns: Lines, places: np.ndarray, x: np.ndarray, out: np.ndarray) -> None:
    """out += sum of x_k X_k over the lines ``places[k]``."""
    for k in range(places.size):
        if x[k] != 0.0:
            columns.add(places[k], x[k], out)


def enlarge(a: np.ndarray, capacity: int) -> np.ndarray:
    """A copy with room for so many lines."""
    larger = np.zeros((capacity, *a.shape[1:]), a.dtype)
    larger[: a.shape[0]] = a
    return larger


class SetColumns:
    """The columns of a working set as kernels see them: feature k of the set is line ``places[k]`` of `lines`."""

    def __init__(self, P: Problem) -> None:
        self.P = P
        self.whole = P.__dict__.get("columns")  # if they have been made
        self.array = np.zeros((0, P.n))  # (capacity, n) of a dense X
        nothing = np.empty(0), np.empty(0, np.uint32), np.zeros(1, np.uint32)
        self.copies = Sparse(*nothing, 0)  # of a sparse X
        self.lines: Any = Dense(self.array, 0) if P.is_full else self.copies if self.whole is None else self.whole
        self.places = np.empty(0, np.uint64)

    def enter(self, features: np.ndarray, first: int, place: np.ndarray) -> float:
        """Take in features[first:]; nonzeros visited.

        Parameters
        ----------
        features : (size,) array
            Those of the set.
        first : int
            How many of them are here.
        place : (d,) array
            Of each feature, in the set; -1 outside.
        """
        P, new = self.P, features[first:]
        if (full := P.full_X) is not None:
            if features.size > self.array.shape[0]:
                self.array = enlarge(self.array, min(P.d, max(FIRST_CAPACITY, features.size, 2 * first)))
                self.lines = Dense(self.array, 0)
            self.array[first : features.size] = full[:, new].T if self.whole is None else self.whole.a[new]
        elif self.whole is None:
            if P.column_profile.counts[new].sum() <= MAX_COPIED_SHARE * P.nnz:
                return self._copy(new, first, place)
            self.lines = self.whole = P.columns
        self.places = np.arange(features.size, dtype=np.uint64) if P.is_full else features
        return 0.0

    def _copy(self, new: np.ndarray, first: int, place: np.ndarray) -> float:
        before, rows = self.copies, self.P.rows
        ends = before.data.size + np.cumsum(self.P.column_profile.counts[new])
        indptr = np.concatenate([before.indptr, ends]).astype(np.uint32)
        indices, data = np.empty(indptr[-1], np.uint32), np.empty(indptr[-1])
        indices[: before.data.size], data[: before.data.size] = before.indices, before.data
        copy_columns(rows, place, first, indptr[first:-1].copy(), indices, data)
        self.lines = self.copies = Sparse(data, indices, indptr, 0)
        self.places = np.arange(indptr.size - 1, dtype=np.uint64)
        return self.P.nnz / 2

    def times(self, x: np.ndarray) -> np.ndarray:
        """X p (n,) of the p that is x (size,) over the set and 0 outside."""
        out = np.zeros(self.P.n)
        add_columns(self.lines, self.places, x, out)
        return out

    def warm(self) -> None:
        """Compile or load the kernels of the rest."""
        add_columns(self.lines, np.empty(0, np.uint64), np.empty(0), np.empty(0))
        if not self.P.is_full:
            none, heads = np.empty(0, np.uint32), np.zeros(1, np.uint32)
            copy_columns(Sparse(np.empty(0), none, heads, 0), np.empty(0, np.int64), 0, none, none, np.empty(0))
