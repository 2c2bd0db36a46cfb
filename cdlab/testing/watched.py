"""A matrix that writes down what kernels ask of it: passes are what a method says, and this is what it does."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..numerics.jit import kernel, struct
from ..numerics.matrices import Sparse
from ..numerics.matrix_lines import Place
from ..problems.problem import Problem

READ, WRITTEN, LOOPED = 1, 2, 3  # by dot or slope; by add; by a loop over its entries, which may do either
NO_LINE, WHOLE = -1, -2  # in place of a line: none yet; a product with all of X
MAX_QUESTIONS = 300_000  # questions that a log holds; the first entry of a log is how many were asked


@kernel
def log_question(log: np.ndarray, i: int, entries: int, how: int) -> None:
    """Write a question down: the line, its entries, and what is done with them."""
    asked = log[0, 0] + 1
    log[0, 0] = asked
    if asked < log.shape[0]:
        log[asked, 0], log[asked, 1], log[asked, 2] = i, entries, how


@struct
class WatchedLines(NamedTuple):
    """`Lines` of a sparse matrix, with a log of the questions that are asked of them."""

    lines: Sparse
    log: np.ndarray  # (ROOM + 1, 3) int64: how many questions; then line, entries and READ, WRITTEN or LOOPED of each
    ahead: int = 0  # nothing is loaded early

    @property
    def indices(self) -> np.ndarray:
        """Indices of the matrix."""
        return self.lines.indices

    @property
    def indptr(self) -> np.ndarray:
        """Row pointers of the matrix."""
        return self.lines.indptr

    def line(self, i: Place) -> range:
        entries = self.lines.line(i)
        log_question(self.log, i, len(entries), LOOPED)
        return entries

    def index(self, i: Place, p: Place) -> Place:  # type: ignore[override]  # of tuple
        return self.lines.index(i, p)

    def value(self, i: Place, p: Place) -> float:
        return self.lines.value(i, p)

    def dot(self, i: Place, v: np.ndarray, reg: Any) -> float:
        log_question(self.log, i, len(self.lines.line(i)), READ)
        return self.lines.dot(i, v, reg)

    def dot_on_lanes(self, i: Place, v: np.ndarray) -> float:
        log_question(self.log, i, len(self.lines.line(i)), READ)
        return self.lines.dot_on_lanes(i, v)

    def dot_in_blocks(self, i: Place, v: np.ndarray) -> float:
        log_question(self.log, i, len(self.lines.line(i)), READ)
        return self.lines.dot_in_blocks(i, v)

    def add_lines(self, order: np.ndarray, c: np.ndarray, out: np.ndarray, room: np.ndarray) -> None:
        for i in order:
            if c[i] != 0.0:
                log_question(self.log, i, len(self.lines.line(i)), WRITTEN)
        self.lines.add_lines(order, c, out, room)

    def add_range(self, begin: int, end: int, c: np.ndarray, out: np.ndarray, room: np.ndarray, folds: Any) -> None:
        for i in range(np.uint64(begin), np.uint64(end)):
            if c[i] != 0.0:
                log_question(self.log, i, len(self.lines.line(i)), WRITTEN)
        self.lines.add_range(begin, end, c, out, room, folds)

    def slope(self, i: Place, z: np.ndarray, y: np.ndarray, loss: Any) -> float:
        log_question(self.log, i, len(self.lines.line(i)), READ)
        return self.lines.slope(i, z, y, loss)

    def add(self, i: Place, c: float, v: np.ndarray) -> None:
        log_question(self.log, i, len(self.lines.line(i)), WRITTEN)
        self.lines.add(i, c, v)

    def add_shrunk(self, i: Place, c: float, v: np.ndarray, reg: Any, e: np.ndarray) -> None:
        log_question(self.log, i, len(self.lines.line(i)), WRITTEN)
        self.lines.add_shrunk(i, c, v, reg, e)

    def dot2(self, i: Place, pairs: np.ndarray, c: float, reg: Any) -> float:
        log_question(self.log, i, len(self.lines.line(i)), READ)
        return self.lines.dot2(i, pairs, c, reg)

    def slope2(self, i: Place, pairs: np.ndarray, c: float, y: np.ndarray, loss: Any) -> float:
        log_question(self.log, i, len(self.lines.line(i)), READ)
        return self.lines.slope2(i, pairs, c, y, loss)

    def add2(self, i: Place, a: float, b: float, pairs: np.ndarray) -> None:
        log_question(self.log, i, len(self.lines.line(i)), WRITTEN)
        self.lines.add2(i, a, b, pairs)

    def pick(self, order: np.ndarray, k: int, arrays: tuple[np.ndarray, ...]) -> Any:
        return order[k]


class WatchedProducts(sp.csr_matrix):
    """X in CSR, whose products with vectors are in the log, too: each reads all lines once."""

    log: np.ndarray

    def __matmul__(self, other: Any) -> Any:
        log_question(self.log, WHOLE, self.nnz, READ)
        return super().__matmul__(other)

    def __rmatmul__(self, other: Any) -> Any:
        log_question(self.log, WHOLE, self.nnz, READ)
        return super().__rmatmul__(other)

    def __mul__(self, other: Any) -> Any:  # of sparse matrices, a product unless it is with a number
        return super().__mul__(other) if np.isscalar(other) else self @ other


class Visits(NamedTuple):
    """Nonzeros that were visited, as far as the questions tell.

    A line that is read and written is visited once, and one that is only read, or only written, half. Its turn ends
    where another line is asked for, or where it is read after it was written.
    """

    least: float  # a loop over a line only reads it, and a line that is read twice in a row is read once
    most: float  # a loop over a line reads and writes it, and so does a second reading at once: its step may be 0
    if_unmoved: float  # as `most`, and every line that is read would have been written, had its step not been 0
    updates: int  # turns in which a line is written, or was read again
    turns: int
    loops: bool  # whether a line was asked for by its entries


def watch_lines(P: Problem) -> np.ndarray:
    """Let a problem write down what is asked of its rows and columns; the log, which is empty."""
    log = np.zeros((MAX_QUESTIONS + 1, 3), np.int64)
    for side in ("rows", "columns"):
        vars(P)[side] = WatchedLines(getattr(P, side), log)
    P.X = WatchedProducts(P.X)
    P.X.log = log
    return log


def read_visits(log: np.ndarray) -> Visits:
    """Return what was visited since the log was last emptied, and empty it."""
    asked, log[0, 0] = int(log[0, 0]), 0
    if asked > MAX_QUESTIONS:
        raise AssertionError(f"an epoch asks X for {asked} lines, more than the {MAX_QUESTIONS} that are written down")
    least = most = if_unmoved = 0.0
    line, read, written, looped, paid, updates, turns, loops = NO_LINE, False, False, False, False, 0, 0, 0
    for i, entries, how in log[1 : asked + 1].tolist():
        again = how == READ and (line == NO_LINE or (i == line and (read or written)))  # or in the epoch before
        if i != line or (how == READ and written):
            turns += 1
            line, read, written, looped, paid = i, False, False, False, False
        if how == WRITTEN:
            if not written:
                least, updates = least + entries / 2, updates + (not paid)
                most += 0 if paid else entries / 2
                if_unmoved += 0 if read else entries / 2
            written = True
            continue
        least += 0 if read or looped else entries / 2
        paid = again or how == LOOPED
        updates += again
        most += entries if paid else entries / 2
        if_unmoved += entries
        read, looped, loops = read or how == READ, looped or how == LOOPED, loops + (how == LOOPED)
    return Visits(least, most, if_unmoved, updates, turns, loops > 0)
