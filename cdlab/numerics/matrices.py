"""Matrices as kernels see them: dense and sparse ones answer the same questions (`Lines`), for kernels written once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from . import checks, compressed
from .jit import prefetch, reduction, struct
from .matrix_lines import Place

LOOK_AHEAD_BYTES = 1700  # how far before its use a line is asked for; 1.3 to 3 kB measured alike
CACHE_BYTES = 1 << 20  # smaller matrices live in the cache, where asking early only costs time
DOUBLES_PER_LINE = 8  # a cache line of 64 bytes


@reduction
def _dense_dot(a: np.ndarray, i: Place, v: np.ndarray, reg: Any) -> float:
    total = 0.0
    for j in range(v.size):
        total += a[i, j] * reg.shrink(v[j])
    return total


@reduction
def _dense_slope(a: np.ndarray, i: Place, z: np.ndarray, y: np.ndarray, loss: Any) -> float:
    total = 0.0
    for j in range(z.size):
        total += a[i, j] * loss.grad_phi(z[j], y[j])
    return total


@struct
class Dense(NamedTuple):
    """`Lines` as the rows of a C-ordered array."""

    a: np.ndarray  # (lines, length)
    ahead: int  # how many lines early to load; 0: never

    def line(self, i: Place) -> range:
        return range(np.uint64(self.a.shape[1]))

    def index(self, i: Place, p: Place) -> Place:  # type: ignore[override]  # of tuple
        return p

    def value(self, i: Place, p: Place) -> float:
        return self.a[i, p]

    def dot(self, i: Place, v: np.ndarray, reg: Any) -> float:
        return _dense_dot(self.a, i, v, reg)

    def slope(self, i: Place, z: np.ndarray, y: np.ndarray, loss: Any) -> float:
        return _dense_slope(self.a, i, z, y, loss)

    def add(self, i: Place, c: float, v: np.ndarray) -> None:
        a = self.a
        for j in range(v.size):
            v[j] += c * a[i, j]

    def add_shrunk(self, i: Place, c: float, v: np.ndarray, reg: Any, e: np.ndarray) -> None:
        for j in range(v.size):
            e[j] += c * reg.shrink(v[j])

    def look_ahead(self, order: np.ndarray, k: int, x: np.ndarray, y: np.ndarray, z: np.ndarray) -> None:
        if self.ahead > 0 and k + self.ahead < order.size:
            i = order[k + self.ahead]
            prefetch(x, i)
            prefetch(y, i)
            prefetch(z, i)
            width = np.uint64(self.a.shape[1])
            for p in range(i * width, (i + np.uint64(1)) * width, DOUBLES_PER_LINE):
                prefetch(self.a, p)


@struct
class Sparse(NamedTuple):
    """`Lines` in compressed form: CSR for rows, CSC for columns.

    Indices are unsigned: signed ones are 2 to 3 times slower.
    """

    data: np.ndarray  # (nnz,) float64
    indices: np.ndarray  # (nnz,) uint32
    indptr: np.ndarray  # (lines + 1,) uint32
    ahead: int  # how many lines early to load; 0: never

    def line(self, i: Place) -> range:
        return range(np.uint64(self.indptr[i]), np.uint64(self.indptr[np.uint64(i) + np.uint64(1)]))

    def index(self, i: Place, p: Place) -> Place:  # type: ignore[override]  # of tuple
        return self.indices[p]

    def value(self, i: Place, p: Place) -> float:
        return self.data[p]

    def dot(self, i: Place, v: np.ndarray, reg: Any) -> float:
        data, indices = self.data, self.indices
        total = 0.0
        for p in self.line(i):
            total += data[p] * reg.shrink(v[indices[p]])
        return total

    def slope(self, i: Place, z: np.ndarray, y: np.ndarray, loss: Any) -> float:
        data, indices = self.data, self.indices
        total = 0.0
        for p in self.line(i):
            total += data[p] * loss.grad_phi(z[indices[p]], y[indices[p]])
        return total

    def add(self, i: Place, c: float, v: np.ndarray) -> None:
        data, indices = self.data, self.indices
        for p in self.line(i):
            v[indices[p]] += c * data[p]

    def add_shrunk(self, i: Place, c: float, v: np.ndarray, reg: Any, e: np.ndarray) -> None:
        indices = self.indices
        for p in self.line(i):
            e[indices[p]] += c * reg.shrink(v[indices[p]])

    def look_ahead(self, order: np.ndarray, k: int, x: np.ndarray, y: np.ndarray, z: np.ndarray) -> None:
        if self.ahead > 0 and k + self.ahead < order.size:
            i = order[k + self.ahead]
            prefetch(x, i)
            prefetch(y, i)
            prefetch(z, i)
            data, indices = self.data, self.indices
            for p in range(np.uint64(self.indptr[i]), np.uint64(self.indptr[i + np.uint64(1)]), DOUBLES_PER_LINE):
                prefetch(data, p)
                prefetch(indices, p)


# ---------------------------------------------------------------- from what users hold
def validated(X: Any) -> np.ndarray | sp.csr_matrix:
    """X as C-ordered float64 array or canonical float64 CSR with 32-bit indices and no stored zeros.

    What already has that form is used without a copy; the caller's array is never written to.

    Raises
    ------
    ValueError
        If X is not a non-empty two-dimensional matrix of finite real numbers, or its sparse structure is inconsistent.
    """
    X = X if sp.issparse(X) else checks.array("X", X)
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions (examples, features); it has shape {X.shape}")
    if min(X.shape) == 0:
        raise ValueError(f"X must have at least one example and one feature; its shape is {X.shape}")
    if sp.issparse(X):
        out = compressed.to_csr(X)
        values = out.data
    else:
        out = values = np.ascontiguousarray(checks.reals("X", X))
    if not np.isfinite(values).all():
        count = int(values.size - np.isfinite(values).sum())
        raise ValueError(f"X contains NaN or infinity ({count} of {values.size} entries); fill or remove them first")
    return _without_zeros(out) if sp.issparse(out) else out


def _without_zeros(X: sp.csr_matrix) -> sp.csr_matrix:
    if (X.data == 0).any():
        X = X.copy()
        X.eliminate_zeros()
    return X


def rows(X: np.ndarray | sp.csr_matrix) -> Dense | Sparse:
    """The rows of a validated matrix, without a copy."""
    return _lines(X)


def columns(X: np.ndarray | sp.csr_matrix) -> Dense | Sparse:
    """The columns of a validated matrix; one transposed copy."""
    return _lines(np.ascontiguousarray(X.T) if isinstance(X, np.ndarray) else X.tocsc())


def _lines(X: np.ndarray | sp.csr_matrix) -> Dense | Sparse:
    if not isinstance(X, np.ndarray):
        bytes_, lines = 12 * X.nnz, X.indptr.size - 1
        indices, indptr = (a.astype(np.int32, copy=False).view(np.uint32) for a in (X.indices, X.indptr))
        return Sparse(X.data, indices, indptr, _ahead(bytes_, lines))
    return Dense(X, _ahead(X.nbytes, X.shape[0]))


def _ahead(bytes_: int, lines: int) -> int:
    if bytes_ < CACHE_BYTES:
        return 0
    return max(1, round(LOOK_AHEAD_BYTES * lines / bytes_))


class Profile(NamedTuple):
    """Squared norms and nonzeros of the rows (or columns) of X, as bounds and samplings read them."""

    norms2: np.ndarray  # squared Euclidean norms
    counts: np.ndarray  # nonzeros, int64

    @property
    def C(self) -> float:
        """sum of count times squared norm: C_D of rows, C_P of columns (Csiba & Richtarik 2016, eq. 16)."""
        return float(self.counts @ self.norms2)

    def accelerated_total(self, b: float) -> float:
        """sum_k c_k sqrt(1 + b ||.||^2): T of accelerated coordinate descent with p ~ sqrt(L), its best sampling.

        With b = beta/(l2 n) it needs about max_k (sqrt(L_k)/p_k)/sqrt(l2) iterations (Allen-Zhu, Qu, Richtarik & Yuan
        2016), which by the lemma behind Theorem 2 of Csiba & Richtarik (2016) makes p ~ sqrt(L_k) the best
        serial sampling for the visited nonzeros, too.
        """
        return float(self.counts @ np.sqrt(1 + b * self.norms2))


def profile(X: np.ndarray | sp.csr_matrix, axis: str) -> Profile:
    """Squared norms and nonzero counts of a validated matrix's "rows" or "columns".

    Raises
    ------
    ValueError
        If a squared norm exceeds what float64 can hold.
    """
    over = 1 if axis == "rows" else 0
    with np.errstate(over="ignore"):
        if not isinstance(X, np.ndarray):
            n, d = X.shape
            if axis == "rows":
                lines, m = np.repeat(np.arange(n), np.diff(X.indptr)), n
            else:
                lines, m = X.indices, d
            norms2 = np.bincount(lines, weights=X.data**2, minlength=m)
            counts = np.bincount(lines, minlength=m)
        else:
            norms2 = np.einsum("ij,ij->i" if over else "ij,ij->j", X, X)
            counts = np.count_nonzero(X, axis=over)
        total = norms2.sum() * max(X.shape)
    if not np.isfinite(total):
        largest = np.abs(X if isinstance(X, np.ndarray) else X.data).max()
        raise ValueError(
            f"X is too large for float64: its largest entry is {largest:.3g} and the squared norms of its {axis} "
            f"overflow; divide X by {largest:.1e}"
        )
    return Profile(norms2, counts.astype(np.int64))
