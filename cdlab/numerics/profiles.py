"""Matrices from users, validated, and what bounds and samplings read of their rows and columns."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from . import checks, matrices, sparse_input, tables
from .jit import kernel, reduction
from .matrix_lines import Lines, Place


@kernel
def count_nonzeros(counts: np.ndarray, order: np.ndarray) -> int:
    """The nonzeros of the lines of an order, a line as often as it stands there."""
    total = 0
    for k in range(order.size):
        total += counts[order[k]]
    return total


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


@reduction
def _norm2_and_count(X: Lines, i: Place) -> tuple[float, int]:
    """The squared norm and the nonzeros of line i."""
    norm2, count = 0.0, 0
    for p in X.line(i):
        x = X.value(i, p)
        norm2 += x * x
        count += x != 0
    return norm2, count


@kernel
def _measure_lines(X: Lines, norms2: np.ndarray, counts: np.ndarray) -> tuple[float, int]:
    """Fill in the profile of the lines; return the sums of its two parts."""
    total, nnz = 0.0, 0
    for i in range(norms2.size):
        norms2[i], counts[i] = _norm2_and_count(X, i)
        total += norms2[i]
        nnz += counts[i]
    return total, nnz


@kernel
def _measure_across(X: Lines, lines: int, norms2: np.ndarray, counts: np.ndarray) -> float:
    """Add up the profile of the lines that cross these; return the sum of their squared norms."""
    total = 0.0
    for i in range(lines):
        for p in X.line(i):
            j, x = X.index(i, p), X.value(i, p)
            norms2[j] += x * x
            counts[j] += x != 0
    for j in range(norms2.size):
        total += norms2[j]
    return total


def line_profile(X: np.ndarray | sp.csr_matrix, axis: str) -> Profile:
    """Squared norms and nonzero counts of a validated matrix's "rows" or "columns", from one reading of it.

    Raises
    ------
    ValueError
        If a squared norm exceeds what float64 can hold.
    """
    if axis == "rows":
        return _check_norms(*_measure_rows(X)[:2], X, axis)
    n, d = X.shape
    profile = Profile(np.zeros(d), np.zeros(d, np.int64))
    return _check_norms(profile, _measure_across(matrices.rows(X), n, *profile), X, axis)


def validated_matrix(X: Any) -> np.ndarray | sp.csr_matrix:
    """X as C-ordered float64 array or canonical float64 CSR with 32-bit indices and no stored zeros.

    What already has that form is used without a copy; the caller's array is never written to.

    Raises
    ------
    ValueError
        If X is not a non-empty two-dimensional matrix of finite real numbers, or its sparse structure is inconsistent.
    """
    return _validate(X)[0]


def validated_with_profile(X: Any) -> tuple[np.ndarray | sp.csr_matrix, Profile, int]:
    """X as of `validated_matrix`, the `line_profile` of its rows, and its nonzeros, from the same reading."""
    x, profile, total, nnz = _validate(X)
    return x, _check_norms(profile, total, x, "rows", X), nnz


def _validate(X: Any) -> tuple[np.ndarray | sp.csr_matrix, Profile, float, int]:
    """The matrix, the profile of its rows, and the sums of its squared norms and of its counts."""
    given = X
    is_sparse = sp.issparse(X)
    X = X if is_sparse else tables.array_of(X)
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions (examples, features); it has shape {X.shape}")
    if min(X.shape) == 0:
        raise ValueError(f"X must have at least one example and one feature; its shape is {X.shape}")
    X = sparse_input.to_csr(X) if is_sparse else np.ascontiguousarray(checks.real_array("X", X))
    profile, total, nnz = _measure_rows(X)
    if not (math.isfinite(total) or np.isfinite(_entries(X)).all()):  # a finite sum is of finite entries
        tables.refuse_infinite(given, X)
    if is_sparse and nnz < X.nnz:
        X = X.copy()
        X.eliminate_zeros()
    return X, profile, total, nnz


def _measure_rows(X: np.ndarray | sp.csr_matrix) -> tuple[Profile, float, int]:
    """The profile of the rows, and the sums of its parts."""
    profile = Profile(np.empty(X.shape[0]), np.empty(X.shape[0], np.int64))
    return profile, *_measure_lines(matrices.rows(X), *profile)


def _check_norms(
    profile: Profile, total: float, X: np.ndarray | sp.csr_matrix, axis: str, given: Any = None
) -> Profile:
    """The profile itself, where float64 holds what is made of its norms, whose sum is `total`."""
    if not math.isfinite(total * max(X.shape)):
        largest = abs(X).max(axis=0)
        largest = largest.toarray().ravel() if sp.issparse(X) else largest
        column = int(largest.argmax())
        raise ValueError(
            f"X is too large for float64: the squared norms of its {axis} overflow, and its largest entry, "
            f"{largest[column]:.3g}, is in {tables.named_columns(given, [column])}: divide that column, and others as "
            f"large, by {largest[column]:.1e}"
        )
    return profile


def _entries(X: np.ndarray | sp.csr_matrix) -> np.ndarray:
    return X if isinstance(X, np.ndarray) else X.data
