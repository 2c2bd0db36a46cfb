"""Products with all of X by the loops of kernels: half of scipy's time on wide sparse data.

Threads share the rows of X w, and change no bit of it. `rounding_of_terms` bounds errors: sums are made in blocks.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

import numpy as np

from ..numerics.jit import kernel
from ..numerics.matrices import Dense, Folds, Sparse, folds_of, join_parts
from ..numerics.matrix_lines import Lines
from ..numerics.threads import cuts, run_at_once, threads_for
from ..regularizers import L2

NO_SHRINKING = L2(1.0)
LINES_AT_ONCE = 512  # lines that stay in the cache for all outputs
NONZEROS_PER_THREAD = 2.5e5  # at least; they take a third of a millisecond
NONZEROS_OF_CURVATURE = 5e5  # at least, for H s, whose two halves are two loops on threads


@kernel
def _dots(X: Lines, w: np.ndarray, out: np.ndarray) -> None:
    for i in range(np.uint64(out.size)):
        out[i] = X.dot_in_blocks(i, w)


@kernel
def _dots_of_outputs(X: Lines, w: np.ndarray, out: np.ndarray) -> None:
    """`out` (n, K) = X w, given w' (K, d)."""
    for i in range(np.uint64(out.shape[0])):
        for k in range(out.shape[1]):
            out[i, k] = X.dot_in_blocks(i, w[k])


@kernel
def _sums_of_lines(X: Lines, folds: Folds, c: np.ndarray, sums: np.ndarray) -> None:
    """`sums` (K, 0, d) = sum of c_ki X_i:, given `sums` (K, 3, d) of zeros; the others are scratch."""
    K, n = c.shape
    for begin in range(0, n, LINES_AT_ONCE):
        for k in range(K):
            X.add_range(begin, min(begin + LINES_AT_ONCE, n), c[k], sums[k, 0], sums[k, 1:], folds)
    for k in range(K):
        join_parts(sums[k, 0], sums[k, 1:])


@kernel
def predict_into(X: Lines, w: np.ndarray, z: np.ndarray) -> None:
    """z = X w, for kernels."""
    _dots(X, w, z)


@kernel
def _add_lines(X: Lines, c: np.ndarray, out: np.ndarray) -> None:
    for i in range(np.uint64(c.size)):
        if c[i] != 0.0:
            X.add(i, c[i], out)


@kernel
def transposed_into(X: Lines, c: np.ndarray, out: np.ndarray) -> None:
    """out = X'c, for kernels."""
    out[:] = 0.0
    _add_lines(X, c, out)


@kernel
def add_curvature(
    X: Lines, examples: np.ndarray, weights: np.ndarray, s: np.ndarray, plain: L2, out: np.ndarray
) -> None:
    """`out` (d,) += sum of weights_i (x_i's) x_i over these examples."""
    for e in range(examples.size):
        i = examples[e]
        X.add(i, weights[i] * X.dot(i, s, plain), out)


@kernel
def _weighted_dots(
    X: Lines, examples: np.ndarray, weights: np.ndarray, s: np.ndarray, plain: L2, out: np.ndarray
) -> None:
    for e in range(examples.size):
        i = examples[e]
        out[i] = weights[i] * X.dot(i, s, plain)


def times(X: Lines, n: int, w: np.ndarray) -> np.ndarray:
    """X w (n,) on one thread, X by its rows."""
    out = np.zeros(n)
    if np.count_nonzero(w):  # at the start of most runs it is 0
        _dots(X, w, out)
    return out


class Products:
    """Products with X.

    Parameters
    ----------
    X : Dense or Sparse
        The rows.
    shape : (n, d)
    nnz : int
    n_jobs : int
        Threads at most: as many as have enough to do.
    """

    def __init__(self, X: Any, shape: tuple[int, int], nnz: int, n_jobs: int) -> None:
        self.X, (self.n, self.d) = X, shape
        self.threads: int = threads_for(nnz, NONZEROS_PER_THREAD, n_jobs)
        self.curvature_threads: int = threads_for(nnz, NONZEROS_OF_CURVATURE, n_jobs)

    def times(self, w: np.ndarray) -> np.ndarray:
        """X w: (n,), or (n, K) if w is (d, K)."""
        if w.ndim == 1 and (self.threads == 1 or not np.count_nonzero(w)):
            return times(self.X, self.n, w)
        out, dots = np.empty((self.n, *w.shape[1:])), _dots if w.ndim == 1 else _dots_of_outputs
        w = np.ascontiguousarray(w.T)
        run_at_once([partial(dots, lines, w, out[rows]) for rows, lines in self._rows])
        return out

    def transposed_times(self, c: np.ndarray) -> np.ndarray:
        """X'c on one thread: (d,), or (d, K) if c is (n, K)."""  # to share features gains nothing
        c_of_outputs = c.reshape(1, -1) if c.ndim == 1 else np.ascontiguousarray(c.T)
        sums = np.zeros((len(c_of_outputs), 3, self.d))
        _sums_of_lines(self.X, self._folds, c_of_outputs, sums)
        return sums[0, 0] if c.ndim == 1 else np.ascontiguousarray(sums[:, 0].T)

    def add_curvature(self, examples: np.ndarray, weights: np.ndarray, s: np.ndarray, out: np.ndarray) -> None:
        """`out` (d,) += sum of weights_i (x_i's) x_i over these examples: (k,) of uint64, and (n,) weights."""
        if self.curvature_threads == 1 or isinstance(self.X, Dense):  # a dense X is read once this way
            add_curvature(self.X, examples, weights, s, NO_SHRINKING, out)
            return
        c, parts = np.zeros(self.n), cuts(np.ones(examples.size), self.curvature_threads)
        run_at_once([partial(_weighted_dots, self.X, examples[k], weights, s, NO_SHRINKING, c) for k in parts])
        _add_lines(self.X, c, out)

    @cached_property
    def _folds(self) -> Folds:
        return folds_of(self.X, self.d)

    @cached_property
    def _rows(self) -> list[tuple[slice, Lines]]:
        """The rows of each thread, of about as many nonzeros each."""
        X = self.X
        if isinstance(X, Sparse):
            parts = cuts(np.diff(X.indptr.astype(np.int64)), self.threads)
            return [(k, X._replace(indptr=X.indptr[k.start : k.stop + 1])) for k in parts]
        return [(k, X._replace(a=X.a[k])) for k in cuts(np.ones(self.n), self.threads)]

    def warm(self, outputs: tuple[int, ...] = ()) -> None:
        """Compile or load what products need, which are not made for w = 0."""
        (_dots_of_outputs if outputs else _dots)(self.X, np.zeros((*outputs, self.d)), np.empty((0, *outputs)))
        _sums_of_lines(self.X, self._folds, np.zeros((1, 0)), np.zeros((1, 3, self.d)))

    def warm_curvature(self) -> None:
        """Compile or load what `add_curvature` needs."""
        none, nothing, s = np.empty(0, np.uint64), np.empty(0), np.zeros(self.d)
        add_curvature(self.X, none, nothing, s, NO_SHRINKING, s.copy())
        if self.curvature_threads > 1:
            _weighted_dots(self.X, none, nothing, s, NO_SHRINKING, nothing)
