"""Matrices as kernels see them: dense and sparse ones answer the same questions (`Lines`), for kernels written once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .jit import kernel, prefetch, prefetch_rows, reduction, scalar, struct
from .matrix_lines import Place

LOOK_AHEAD_BYTES = 3400  # how far before its use a line is asked for; on sparse rows 1.7 to 8 kB measured alike
CACHE_BYTES = 1 << 20  # smaller matrices live in the cache, where asking early only costs time
DOUBLES_PER_CACHE_LINE = 8  # a cache line of 64 bytes
LANES = np.uint64(4)  # sums at once, none of which waits for the others
BLOCK = 128  # terms that are added on lanes; what the sum of such sums loses is added, too
GROUP = 16  # terms on each of four lanes
TERMS_OF_PART = 20  # nonzeros of a column that are added one by one before what sums lose is
FOURS_OF_PART = 15  # sums of four lines, and three lines more: with two sums within each a term goes through 20


@scalar
def added(total: float, lost: float, x: float) -> tuple[float, float]:
    """total + x, and with what the sums lost so far what this one loses (Knuth)."""
    s = total + x
    rest = s - total
    return s, lost + ((total - (s - rest)) + (x - rest))


@scalar
def joined(total: float, lost: float) -> float:
    """The sum with what it lost; of a sum beyond float64 the sum alone."""
    return total + lost if lost - lost == 0.0 else total


@scalar
def join_parts(total: np.ndarray, room: np.ndarray) -> None:
    """Add to each sum its last part and what it lost, in place; `room` (2, d), which holds both, is 0 then."""
    for j in range(total.size):
        total[j] = joined(*added(total[j], room[0, j], room[1, j]))
        room[0, j], room[1, j] = 0.0, 0.0


@scalar
def _add_part(part: np.ndarray, total: np.ndarray, lost: np.ndarray) -> None:
    """Add `part` to the sums, and make it 0."""
    for j in range(np.uint64(total.size)):
        total[j], lost[j] = added(total[j], lost[j], part[j])
        part[j] = 0.0


@reduction
def _dense_dot(a: np.ndarray, i: Place, v: np.ndarray, reg: Any) -> float:
    total = 0.0
    for j in range(v.size):
        total += a[i, j] * reg.shrink_at(j, v[j])
    return total


@reduction
def _dense_line(a: np.ndarray, i: Place, v: np.ndarray) -> float:
    total = 0.0
    for j in range(v.size):
        total += a[i, j] * v[j]
    return total


@reduction
def _dense_block(a: np.ndarray, i: Place, v: np.ndarray, begin: Place, end: Place) -> float:
    total = 0.0
    for j in range(begin, end):
        total += a[i, j] * v[j]
    return total


@scalar
def _add_four(a: np.ndarray, c: np.ndarray, p: Place, q: Place, r: Place, s: Place, out: np.ndarray) -> None:
    """Add c_i times the lines i = p, q, r and s to `out`, which is loaded and stored once."""
    of_p, of_q, of_r, of_s = c[p], c[q], c[r], c[s]
    for j in range(np.uint64(out.size)):
        out[j] += (of_p * a[p, j] + of_q * a[q, j]) + (of_r * a[r, j] + of_s * a[s, j])


@scalar
def _add_dense_lines(a: np.ndarray, lines: Any, c: np.ndarray, out: np.ndarray, room: np.ndarray) -> None:
    """Add c_i times line i of a to the sums `out`, for i in a range or an array, four at a time."""
    lost, part = room[0], room[1]
    held, fours, p, q, r = 0, 0, np.uint64(0), np.uint64(0), np.uint64(0)  # lines that wait for a fourth
    for line in lines:
        i = np.uint64(line)
        if c[i] == 0.0:
            continue
        if held < 3:
            held, p, q, r = held + 1, q, r, i
            continue
        _add_four(a, c, p, q, r, i, part)
        held, fours = 0, fours + 1
        if fours == FOURS_OF_PART:
            _add_part(part, out, lost)
            fours = 0
    for k in range(held):
        i = r if k == 0 else q if k == 1 else p
        for j in range(np.uint64(part.size)):
            part[j] += c[i] * a[i, j]
    _add_part(part, out, lost)


@reduction
def _dense_slope(a: np.ndarray, i: Place, z: np.ndarray, y: np.ndarray, loss: Any) -> float:
    total = 0.0
    for j in range(z.size):
        total += a[i, j] * loss.grad_phi(z[j], y[j])
    return total


@struct
class Folds(NamedTuple):
    """Places where sums over the rows of a sparse X add up what they lose: after `TERMS_OF_PART` terms of a column."""

    indptr: np.ndarray  # (n + 1,) uint32: the folds of row i, which come after it, begin at indptr[i]
    columns: np.ndarray  # uint32


NO_FOLDS = Folds(np.zeros(0, np.uint32), np.zeros(0, np.uint32))


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

    def dot_on_lanes(self, i: Place, v: np.ndarray) -> float:
        return _dense_line(self.a, i, v)

    def dot_in_blocks(self, i: Place, v: np.ndarray) -> float:
        size, total, lost = np.uint64(v.size), 0.0, 0.0
        full = size - size % np.uint64(BLOCK)
        for begin in range(np.uint64(0), full, np.uint64(BLOCK)):
            total, lost = added(total, lost, _dense_block(self.a, i, v, begin, begin + np.uint64(BLOCK)))
        last = _dense_block(self.a, i, v, full, size)
        return joined(*added(total, lost, last)) if full > np.uint64(0) else last

    def add_lines(self, order: np.ndarray, c: np.ndarray, out: np.ndarray, room: np.ndarray) -> None:
        _add_dense_lines(self.a, order, c, out, room)

    def add_range(self, begin: int, end: int, c: np.ndarray, out: np.ndarray, room: np.ndarray, folds: Folds) -> None:
        _add_dense_lines(self.a, range(begin, end), c, out, room)

    def slope(self, i: Place, z: np.ndarray, y: np.ndarray, loss: Any) -> float:
        return _dense_slope(self.a, i, z, y, loss)

    def add(self, i: Place, c: float, v: np.ndarray) -> None:
        a = self.a
        for j in range(v.size):
            v[j] += c * a[i, j]

    def add_shrunk(self, i: Place, c: float, v: np.ndarray, reg: Any, e: np.ndarray) -> None:
        for j in range(v.size):
            e[j] += c * reg.shrink_at(j, v[j])

    def dot2(self, i: Place, pairs: np.ndarray, c: float, reg: Any) -> float:
        a, total = self.a, 0.0
        for j in range(pairs.shape[0]):
            total += a[i, j] * reg.shrink_at(j, pairs[j, 0] + c * pairs[j, 1])
        return total

    def slope2(self, i: Place, pairs: np.ndarray, c: float, y: np.ndarray, loss: Any) -> float:
        a, total = self.a, 0.0
        for j in range(pairs.shape[0]):
            total += a[i, j] * loss.grad_phi(pairs[j, 0] + c * pairs[j, 1], y[j])
        return total

    def add2(self, i: Place, a: float, b: float, pairs: np.ndarray) -> None:
        entries = self.a
        for j in range(pairs.shape[0]):
            pairs[j, 0] += a * entries[i, j]
            pairs[j, 1] += b * entries[i, j]

    def pick(self, order: np.ndarray, k: int, arrays: tuple[np.ndarray, ...]) -> Any:
        if self.ahead > 0 and k + self.ahead < order.size:
            i = order[k + self.ahead]
            prefetch_rows(arrays, i)
            width = np.uint64(self.a.shape[1])
            for p in range(i * width, (i + np.uint64(1)) * width, DOUBLES_PER_CACHE_LINE):
                prefetch(self.a, p)
        return order[k]


@scalar
def _dot_on_lanes(data: np.ndarray, indices: np.ndarray, v: np.ndarray, p: Place, end: Place) -> float:
    """The sum over data_p v_j from p to end."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    while p + LANES <= end:
        q, r, s = p + np.uint64(1), p + np.uint64(2), p + np.uint64(3)
        a += data[p] * v[indices[p]]
        b += data[q] * v[indices[q]]
        c += data[r] * v[indices[r]]
        d += data[s] * v[indices[s]]
        p += LANES
    while p < end:
        a += data[p] * v[indices[p]]
        p += np.uint64(1)
    return (a + b) + (c + d)


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
            j = indices[p]
            total += data[p] * reg.shrink_at(j, v[j])
        return total

    def dot_on_lanes(self, i: Place, v: np.ndarray) -> float:
        begin, end = np.uint64(self.indptr[i]), np.uint64(self.indptr[np.uint64(i) + np.uint64(1)])
        return _dot_on_lanes(self.data, self.indices, v, begin, end)

    def dot_in_blocks(self, i: Place, v: np.ndarray) -> float:
        begin, end = np.uint64(self.indptr[i]), np.uint64(self.indptr[np.uint64(i) + np.uint64(1)])
        total, lost = 0.0, 0.0
        while begin < end:
            until = min(begin + np.uint64(GROUP) * LANES, end)
            total, lost = added(total, lost, _dot_on_lanes(self.data, self.indices, v, begin, until))
            begin = until
        return joined(total, lost)

    def add_lines(self, order: np.ndarray, c: np.ndarray, out: np.ndarray, room: np.ndarray) -> None:
        data, indices, lost = self.data, self.indices, room[0]
        for i in order:
            if c[i] != 0.0:
                for p in self.line(i):
                    j = indices[p]
                    out[j], lost[j] = added(out[j], lost[j], c[i] * data[p])

    def add_range(self, begin: int, end: int, c: np.ndarray, out: np.ndarray, room: np.ndarray, folds: Folds) -> None:
        lost, part = room[0], room[1]
        for i in range(np.uint64(begin), np.uint64(end)):
            if c[i] != 0.0:
                self.add(i, c[i], part)
            for p in range(np.uint64(folds.indptr[i]), np.uint64(folds.indptr[i + np.uint64(1)])):
                j = folds.columns[p]
                out[j], lost[j] = added(out[j], lost[j], part[j])
                part[j] = 0.0

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
            j = indices[p]
            e[j] += c * reg.shrink_at(j, v[j])

    def dot2(self, i: Place, pairs: np.ndarray, c: float, reg: Any) -> float:
        data, indices, total = self.data, self.indices, 0.0
        for p in self.line(i):
            j = indices[p]
            total += data[p] * reg.shrink_at(j, pairs[j, 0] + c * pairs[j, 1])
        return total

    def slope2(self, i: Place, pairs: np.ndarray, c: float, y: np.ndarray, loss: Any) -> float:
        data, indices, total = self.data, self.indices, 0.0
        for p in self.line(i):
            j = indices[p]
            total += data[p] * loss.grad_phi(pairs[j, 0] + c * pairs[j, 1], y[j])
        return total

    def add2(self, i: Place, a: float, b: float, pairs: np.ndarray) -> None:
        data, indices = self.data, self.indices
        for p in self.line(i):
            j = indices[p]
            pairs[j, 0] += a * data[p]
            pairs[j, 1] += b * data[p]

    def pick(self, order: np.ndarray, k: int, arrays: tuple[np.ndarray, ...]) -> Any:
        if self.ahead > 0 and k + self.ahead < order.size:
            i = order[k + self.ahead]
            prefetch_rows(arrays, i)
            data, indices = self.data, self.indices
            for p in range(np.uint64(self.indptr[i]), np.uint64(self.indptr[i + np.uint64(1)]), DOUBLES_PER_CACHE_LINE):
                prefetch(data, p)
                prefetch(indices, p)
        return order[k]


@kernel
def _set_folds(indices: np.ndarray, indptr: np.ndarray, counts: np.ndarray, folds: Folds) -> None:
    """Set the folds of a sparse matrix of rows, given `counts` (d,) of zeros."""
    found = 0
    for i in range(indptr.size - 1):
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            counts[j] += 1
            if counts[j] % TERMS_OF_PART == 0:
                folds.columns[found] = j
                found += 1
        folds.indptr[i + 1] = found


def folds_of(X: Dense | Sparse, d: int) -> Folds:
    """The folds of rows of length d; none of dense ones."""
    if isinstance(X, Dense):
        return NO_FOLDS
    folds = Folds(np.zeros(X.indptr.size, np.uint32), np.zeros(X.indices.size // TERMS_OF_PART, np.uint32))
    _set_folds(X.indices, X.indptr, np.zeros(d, np.uint32), folds)
    return folds


@scalar
def scale_second(pairs: np.ndarray, r: float) -> None:
    """Multiply the second of each pair by r, before r gets too small for float64."""
    for k in range(pairs.shape[0]):
        pairs[k, 1] *= r


def rows(X: np.ndarray | sp.csr_matrix) -> Dense | Sparse:
    """The rows of a validated matrix, without a copy."""
    return _as_lines(X)


def columns(X: np.ndarray | sp.csr_matrix) -> Dense | Sparse:
    """The columns of a validated matrix; one transposed copy."""
    return _as_lines(np.ascontiguousarray(X.T) if isinstance(X, np.ndarray) else X.tocsc())


def _as_lines(X: np.ndarray | sp.csr_matrix) -> Dense | Sparse:
    if not isinstance(X, np.ndarray):
        bytes_, lines = 12 * X.nnz, X.indptr.size - 1
        indices, indptr = (a.astype(np.int32, copy=False).view(np.uint32) for a in (X.indices, X.indptr))
        return Sparse(X.data, indices, indptr, _lookahead_lines(bytes_, lines))
    return Dense(X, _lookahead_lines(X.nbytes, X.shape[0]))


def _lookahead_lines(bytes_: int, lines: int) -> int:
    if bytes_ < CACHE_BYTES:
        return 0
    return max(1, round(LOOK_AHEAD_BYTES * lines / bytes_))
