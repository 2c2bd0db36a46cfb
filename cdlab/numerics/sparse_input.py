"""Sparse matrices from users: nothing of theirs reaches compiled code before their members agree with each other.

scipy looks at lengths only, and only when a matrix is made. An index out of range, or members that changed since, let
its own conversions, and kernels, write outside their arrays.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp

from . import checks
from .jit import kernel

INT32_MAX = 2**31 - 1  # lines of X, and its entries: kernels count in 32 bits


def to_csr(X: Any) -> sp.csr_matrix:
    """A two-dimensional sparse matrix in CSR, float64, its rows sorted, without duplicates, in indices of 32 bits.

    The members of what has that form already are shared. The matrix is read once, as little as a check of its order
    needs: where the indices of a row rise, its first and its last one say whether all are in range.

    Raises
    ------
    ValueError
        If the members of the matrix contradict each other, or are too many.
    """
    n, d = X.shape
    for count, lines in ((n, "rows"), (d, "columns")):
        if count > INT32_MAX:
            raise ValueError(f"X has {count} {lines}; at most 2^31 - 1 are supported")
    if X.format in ("csr", "csc", "bsr"):
        _check_compressed(X)
    elif X.format in ("dia", "lil"):
        _check_lists(X)
    if X.format not in ("lil", "dok"):  # before a conversion, which knows no other numbers
        checks.check_real_dtype("X", np.asarray(X.data))
    if X.format != "csr":
        X = _convert(X)
    size = int(X.indptr[-1])
    if size > INT32_MAX:
        raise ValueError(f"X stores {size} entries; at most 2^31 - 1 are supported: split the data")
    indices = X.indices[:size]
    if indices.dtype != np.int32:  # before they could wrap around
        _check_range(X, indices, d)
    data = checks.to_float64("X", checks.check_real_dtype("X", X.data[:size]))
    out = sp.csr_matrix((data, _to_int32(indices), _to_int32(X.indptr)), shape=(n, d))
    ends = np.zeros(2, np.int32)
    out.has_canonical_format = rising = _find_order(out.indices, out.indptr, ends)  # the user's own flag may be stale
    _check_range(X, ends if rising else out.indices, d)
    if not rising:
        out = out.copy()
        out.sum_duplicates()
    return out


@kernel
def _find_order(indices: np.ndarray, indptr: np.ndarray, ends: np.ndarray) -> bool:
    """Tell whether the indices of every row rise; `ends` become the least first one and the largest last one."""
    rising, one = True, np.uint64(1)
    for i in range(np.uint64(indptr.size - 1)):
        begin, end = np.uint64(indptr[i]), np.uint64(indptr[i + one])
        if begin < end:
            ends[0], ends[1] = min(ends[0], indices[begin]), max(ends[1], indices[end - one])
            for p in range(begin + one, end):
                rising &= indices[p - one] < indices[p]
    return rising


def _convert(X: Any) -> sp.csr_matrix:
    """CSR of another format, whose members agree as far as its conversion to triples reads them."""
    if X.format in ("csc", "bsr"):
        return X.tocsr()
    try:
        X = X.tocoo(copy=False)
    except (ValueError, TypeError, IndexError, OverflowError, AttributeError):
        _refuse(X, "its entries cannot be listed")
    _check_triples(X)
    return X.tocsr()


def _to_int32(index: np.ndarray) -> np.ndarray:
    return index.astype(np.int32, copy=False)  # in range, as was checked


def _check_compressed(X: Any) -> None:
    """CSR, CSC, BSR: where lines begin, and the numbers of their entries."""
    block = (1, 1)
    if X.format == "bsr":  # a block is as large as its data say
        _require(isinstance(X.data, np.ndarray) and X.data.ndim == 3 and 0 not in X.data.shape[1:], X, "data")
        block = X.blocksize
    lines, length = (size // step for size, step in zip(X.shape, block, strict=True))
    if X.format == "csc":
        lines, length = length, lines
    data, indices, indptr = X.data, _index_array(X, "indices"), _index_array(X, "indptr")
    _require(isinstance(data, np.ndarray) and data.shape[1:] == (block if X.format == "bsr" else ()), X, "data")
    if indptr.size != lines + 1:
        _refuse(X, f"indptr has {indptr.size} entries for {lines} lines; it needs {lines + 1}")
    if indptr[0] != 0 or (indptr[1:] < indptr[:-1]).any():
        _refuse(X, "indptr does not rise from 0")
    size = int(indptr[-1])
    if size > min(indices.size, len(data)):
        _refuse(X, f"indptr ends at {size}, and there are {indices.size} indices and {len(data)} values")
    if X.format != "csr":  # of CSR, once its order is known
        _check_range(X, indices[:size], length)


def _check_lists(X: Any) -> None:
    """DIA and LIL, whose members are turned into triples by compiled code."""
    if X.format == "dia":
        offsets, data = _index_array(X, "offsets"), X.data
        _require(isinstance(data, np.ndarray) and data.ndim == 2 and len(data) == offsets.size, X, "data")
        if np.unique(offsets).size < offsets.size:
            _refuse(X, "a diagonal occurs twice")
        if offsets.size and not (-X.shape[0] <= int(offsets.min()) and int(offsets.max()) <= X.shape[1]):
            _refuse(X, f"its diagonals run from {offsets.min()} to {offsets.max()} in a matrix of shape {X.shape}")
        return
    for name in ("rows", "data"):
        member = getattr(X, name)
        _require(isinstance(member, np.ndarray) and member.shape == X.shape[:1] and member.dtype == object, X, name)
        _require(all(isinstance(row, list) for row in member), X, name)
    if any(len(a) != len(b) for a, b in zip(X.rows, X.data, strict=True)):
        _refuse(X, "a row has not as many values as indices")
    if not all(isinstance(j, int | np.integer) and 0 <= j < X.shape[1] for row in X.rows for j in row):
        _refuse(X, f"its rows hold something else than numbers of its {X.shape[1]} columns")


def _check_triples(X: sp.coo_matrix) -> None:
    rows, columns, data = _index_array(X, "row"), _index_array(X, "col"), X.data
    _require(isinstance(data, np.ndarray) and data.ndim == 1, X, "data")
    if not rows.size == columns.size == data.size:
        _refuse(X, f"there are {rows.size} rows, {columns.size} columns and {data.size} values")
    for member, length in ((rows, X.shape[0]), (columns, X.shape[1])):
        _check_range(X, member, length)


def _check_range(X: Any, indices: np.ndarray, length: int) -> None:
    if indices.size == 0:
        return
    low, high = int(indices.min()), int(indices.max())
    if low < 0 or high >= length:
        _refuse(X, f"its indices run from {low} to {high} along an axis of length {length}")


def _index_array(X: Any, name: str) -> np.ndarray:
    member = getattr(X, name)
    _require(isinstance(member, np.ndarray) and member.ndim == 1 and member.dtype.kind in "iu", X, name)
    return member


def _require(holds: bool, X: Any, name: str) -> None:
    if not holds:
        _refuse(X, f"its {name} is not the kind of array that this format has")


def _refuse(X: Any, reason: str) -> NoReturn:
    raise ValueError(f"X is an inconsistent sparse matrix (format {X.format}): {reason}; build it again")
