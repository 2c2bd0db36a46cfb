"""A matrix that counts what kernels ask of it: passes are what a method says, and this is what it does."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .jit import kernel, struct
from .matrix_lines import Lines, Place

READ, WRITTEN, NO_LINE = 1, 2, -1


@kernel
def touch(seen: np.ndarray, i: int, entries: int, how: int) -> None:
    """Count a line that is asked for, where it was not just read, or written, already."""
    if seen[1] != i:
        seen[1], seen[2] = i, 0
    if not seen[2] & how:
        seen[0] += entries
        seen[2] |= how


@struct
class Touched(NamedTuple):
    """`Lines` of a sparse matrix, with a count of the entries that are read and of those that are written.

    A line counts once for all that is read of it until another line's turn, and once for all that is written: half a
    visit each. So one that is looked at, and one that is written after others of its block were looked at, count alike,
    and a line that changes three vectors counts as one that changes one.
    """

    lines: Lines
    seen: np.ndarray  # (3,) int64: entries read and written; the line whose turn it is; what was done with it
    ahead: int = 0  # nothing is loaded early

    def line(self, i: Place) -> range:
        entries = self.lines.line(i)
        touch(self.seen, i, len(entries), READ)
        return entries

    def index(self, i: Place, p: Place) -> Place:  # type: ignore[override]  # of tuple
        return self.lines.index(i, p)

    def value(self, i: Place, p: Place) -> float:
        return self.lines.value(i, p)

    def dot(self, i: Place, v: np.ndarray, reg: Any) -> float:
        touch(self.seen, i, len(self.lines.line(i)), READ)
        return self.lines.dot(i, v, reg)

    def slope(self, i: Place, z: np.ndarray, y: np.ndarray, loss: Any) -> float:
        touch(self.seen, i, len(self.lines.line(i)), READ)
        return self.lines.slope(i, z, y, loss)

    def add(self, i: Place, c: float, v: np.ndarray) -> None:
        touch(self.seen, i, len(self.lines.line(i)), WRITTEN)
        self.lines.add(i, c, v)

    def add_shrunk(self, i: Place, c: float, v: np.ndarray, reg: Any, e: np.ndarray) -> None:
        touch(self.seen, i, len(self.lines.line(i)), WRITTEN)
        self.lines.add_shrunk(i, c, v, reg, e)

    def look_ahead(self, order: np.ndarray, k: int, x: np.ndarray, y: np.ndarray, z: np.ndarray) -> None:
        pass


def untouched() -> np.ndarray:
    """The `seen` of a matrix that nobody has asked for anything yet."""
    return np.array([0, NO_LINE, 0], np.int64)
