"""A matrix that counts the nonzeros that kernels touch: passes are what a method says, and this is what it does."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .jit import struct
from .matrix_lines import Lines, Place


@struct
class Touched(NamedTuple):
    """`Lines` of a sparse matrix, with a count of the entries that were asked for."""

    lines: Lines
    total: np.ndarray  # (1,) int64
    ahead: int = 0  # nothing is loaded early

    def line(self, i: Place) -> range:
        entries = self.lines.line(i)
        self.total[0] += len(entries)
        return entries

    def index(self, i: Place, p: Place) -> Place:  # type: ignore[override]  # of tuple
        return self.lines.index(i, p)

    def value(self, i: Place, p: Place) -> float:
        return self.lines.value(i, p)

    def dot(self, i: Place, v: np.ndarray, reg: Any) -> float:
        self.total[0] += len(self.lines.line(i))
        return self.lines.dot(i, v, reg)

    def slope(self, i: Place, z: np.ndarray, y: np.ndarray, loss: Any) -> float:
        self.total[0] += len(self.lines.line(i))
        return self.lines.slope(i, z, y, loss)

    def add(self, i: Place, c: float, v: np.ndarray) -> None:
        self.total[0] += len(self.lines.line(i))
        self.lines.add(i, c, v)

    def add_shrunk(self, i: Place, c: float, v: np.ndarray, reg: Any, e: np.ndarray) -> None:
        self.total[0] += len(self.lines.line(i))
        self.lines.add_shrunk(i, c, v, reg, e)

    def look_ahead(self, order: np.ndarray, k: int, x: np.ndarray, y: np.ndarray, z: np.ndarray) -> None:
        pass
