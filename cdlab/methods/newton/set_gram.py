"""The Gram matrix X'diag(h)X/n of the working set: lines are added as features enter; for a new h it is formed anew.

Of a sparse X the rows are kept that its columns in the working set make: a new column meets those before it on them.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from ...numerics.jit import kernel
from ...numerics.matrix_lines import Lines
from .gram import COUNTED_EXAMPLES, share_rows


class Rows(NamedTuple):
    """The rows of a sparse X over the working set, each in the order in which features entered."""

    starts: np.ndarray  # (n,) int64: where a row begins
    counts: np.ndarray  # (n,) int64: how much of it there is
    places: np.ndarray  # (nnz,) int32, in the working set
    values: np.ndarray  # (nnz,)


def empty_rows(counts: np.ndarray) -> Rows:
    """Room for rows with so many entries, (n,)."""
    starts, total = np.concatenate([[0], np.cumsum(counts)[:-1]]), int(counts.sum())
    return Rows(starts, np.zeros_like(starts), np.empty(total, np.int32), np.empty(total))


@kernel
def enter_rows(columns: Lines, R: Rows, features: np.ndarray, first: int) -> None:
    """Append the columns features[first:] to the rows."""
    for k in range(first, features.size):
        j = features[k]
        for e in columns.line(j):
            i = columns.index(j, e)
            q = R.starts[i] + R.counts[i]
            R.places[q], R.values[q] = k, columns.value(j, e)
            R.counts[i] += 1


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
            for q in range(R.starts[i], R.starts[i] + R.counts[i]):
                m = R.places[q]
                if m > k:
                    break
                G[k, m] += c * R.values[q]
        for m in range(k):
            G[m, k] = G[k, m]
    return visits


@kernel
def form_lines(R: Rows, h: np.ndarray, first: int, end: int, G: np.ndarray) -> None:
    """The rows first to end of the lower triangle of G, for this h."""
    for k in range(first, end):
        for m in range(k + 1):
            G[k, m] = 0.0
    for i in range(h.size):
        if h[i] == 0.0:
            continue
        begin = R.starts[i]
        for a in range(begin, begin + R.counts[i]):
            c, k = h[i] * R.values[a] / h.size, R.places[a]
            if k < first:
                continue
            if k >= end:
                break
            for b in range(begin, a + 1):
                G[k, R.places[b]] += c * R.values[b]


@kernel
def mirror(size: int, G: np.ndarray) -> None:
    """Copy the lower triangle of G to the upper one."""
    for k in range(size):
        for m in range(k):
            G[m, k] = G[k, m]


@kernel
def count_visits(R: Rows, h: np.ndarray, step: int, out: np.ndarray) -> None:
    """Count what every step-th example adds to each row of G, in nonzeros visited."""
    for i in range(0, h.size, step):
        if h[i] != 0.0:
            for a in range(R.counts[i]):
                out[R.places[R.starts[i] + a]] += a + 1


def form_gram(R: Rows, h: np.ndarray, size: int, n_jobs: int, G: np.ndarray) -> float:
    """G for this h; nonzeros visited."""
    counts = R.counts[h != 0].astype(float)
    visits = float(counts @ counts) / 2

    def form(first: int, end: int) -> None:
        form_lines(R, h, first, end, G)

    share_rows(size, visits, n_jobs, partial(count_visits, R, h, max(1, h.size // COUNTED_EXAMPLES)), form)
    mirror(size, G)
    return visits


def warm(R: Rows, n_jobs: int, G: np.ndarray) -> None:
    """Compile or load what `form_gram` needs."""
    nothing = np.empty(0)
    form_lines(R, nothing, 0, 0, G)
    mirror(0, G)
    if n_jobs > 1:
        count_visits(R, nothing, 1, nothing)


@kernel
def set_diagonal(columns: Lines, h: np.ndarray, features: np.ndarray, out: np.ndarray) -> None:
    """sum_i h_i X_ij^2/n of the features."""
    for k in range(features.size):
        j, total = features[k], 0.0
        for e in columns.line(j):
            total += h[columns.index(j, e)] * columns.value(j, e) ** 2
        out[k] = total / h.size
