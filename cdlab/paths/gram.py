"""The Gram matrix X'diag(h)X/n of the working set: columns are added as features enter, and it is formed anew for a new h."""

from __future__ import annotations

import numpy as np

from ..numerics.jit import kernel
from .state import Data, State


@kernel
def add_gram_lines(data: Data, S: State, features: np.ndarray, first: int, G: np.ndarray) -> float:
    """The rows and columns of G that belong to features[first:], for a sparse X; nonzeros visited.

    The rows on which a new column has entries meet its place with those of all others.
    """
    n, visits = S.z.size, 0.0
    for k in range(first, features.size):
        for m in range(k + 1):
            G[k, m] = 0.0
        j = features[k]
        for e in data.columns.line(j):
            i = data.columns.index(j, e)
            c = S.h[i] * data.columns.value(j, e) / n
            if c == 0.0:
                continue
            line = data.rows.line(i)
            visits += len(line)
            for q in line:
                m = S.place[data.rows.index(i, q)]
                if 0 <= m <= k:
                    G[k, m] += c * data.rows.value(i, q)
        for m in range(k):
            G[m, k] = G[k, m]
    return visits


@kernel
def form_gram(data: Data, S: State, size: int, places: np.ndarray, values: np.ndarray, G: np.ndarray) -> float:
    """G for the h of now, for a sparse X; nonzeros visited. `places` and `values` hold a row at a time."""
    n, visits = S.z.size, 0.0
    for k in range(size):
        for m in range(size):
            G[k, m] = 0.0
    for i in range(np.uint64(n)):
        if S.h[i] == 0.0:
            continue
        count = 0
        for q in data.rows.line(i):
            m = S.place[data.rows.index(i, q)]
            if m >= 0:
                places[count], values[count] = m, data.rows.value(i, q)
                count += 1
        visits += count * count / 2 + len(data.rows.line(i)) / 2
        for a in range(count):
            c, k = S.h[i] * values[a] / n, places[a]
            for b in range(a + 1):
                G[k, places[b]] += c * values[b]
    for k in range(size):
        for m in range(k):
            total = G[k, m] + G[m, k]  # rows meet places in any order
            G[k, m], G[m, k] = total, total
    return visits


@kernel
def set_diagonal(data: Data, S: State, features: np.ndarray, out: np.ndarray) -> None:
    """sum_i h_i X_ij^2/n of the features."""
    for k in range(features.size):
        j, total = features[k], 0.0
        for e in data.columns.line(j):
            total += S.h[data.columns.index(j, e)] * data.columns.value(j, e) ** 2
        out[k] = total / S.z.size
