"""The Gram matrix X'diag(h)X/n of the working set: lines are added as features enter; for a new h it is formed anew.

Of a sparse X the rows are kept that its columns in the working set make: a new column meets those before it on them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...numerics.jit import kernel, struct
from ...numerics.matrix_lines import Lines, Place
from .gram import share_outer_products
from .model import examples_with


@struct
class Rows(NamedTuple):
    """The rows of a sparse X over the working set, each in the order in which features entered."""

    starts: np.ndarray  # (n,) uint64: where a row begins
    counts: np.ndarray  # (n,) uint64: how much of it there is
    indices: np.ndarray  # (nnz,) uint32, places in the working set
    data: np.ndarray  # (nnz,)

    def line(self, i: Place) -> range:
        """The places of row i in `indices` and `data`."""
        return range(self.starts[i], self.starts[i] + self.counts[i])


def empty_rows(counts: np.ndarray) -> Rows:
    """Make room for rows with so many entries, (n,)."""
    starts, total = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.uint64), int(counts.sum())
    return Rows(starts, np.zeros_like(starts), np.empty(total, np.uint32), np.empty(total))


@kernel
def enter_rows(columns: Lines, R: Rows, features: np.ndarray, first: int) -> None:
    """Append the columns features[first:] to the rows."""
    for k in range(first, features.size):
        j = features[k]
        for e in columns.line(j):
            i = columns.index(j, e)
            q = R.starts[i] + R.counts[i]
            R.indices[q], R.data[q] = k, columns.value(j, e)
            R.counts[i] += np.uint64(1)


@kernel
def add_gram_lines(columns: Lines, R: Rows, h: np.ndarray, features: np.ndarray, first: int, G: np.ndarray) -> float:
    """The rows and columns of G that belong to features[first:]; nonzeros visited."""
    visits = 0.0
    for k in range(first, features.size):
        for m in range(k + 1):
            G[k, m] = 0.0
        j = features[k]
        for e in columns.line(j):
            i = columns.index(j, e)
            c = h[i] * columns.value(j, e) / h.size
            if c == 0.0:
                continue
            visits += R.counts[i]
            for q in R.line(i):
                m = R.indices[q]
                if m > k:
                    break
                G[k, m] += c * R.data[q]
        for m in range(k):
            G[m, k] = G[k, m]
    return visits


@kernel
def mirror(size: int, G: np.ndarray) -> None:
    """Copy the lower triangle of G to the upper one."""
    for k in range(size):
        for m in range(k):
            G[m, k] = G[k, m]


def form_gram(R: Rows, h: np.ndarray, size: int, n_jobs: int, G: np.ndarray) -> float:
    """Form G for this h; return the nonzeros visited."""
    examples = examples_with(h)
    counts = R.counts[examples].astype(float)
    visits = float(counts @ counts) / 2
    G[:size, :size] = 0.0
    share_outer_products(R, examples, h / h.size, visits, n_jobs, G, size)
    mirror(size, G)
    return visits


@kernel
def set_diagonal(columns: Lines, h: np.ndarray, features: np.ndarray, out: np.ndarray) -> None:
    """sum_i h_i X_ij^2/n of the features."""
    for k in range(features.size):
        j, total = features[k], 0.0
        for e in columns.line(j):
            total += h[columns.index(j, e)] * columns.value(j, e) ** 2
        out[k] = total / h.size
