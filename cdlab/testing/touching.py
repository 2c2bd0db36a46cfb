"""A matrix that counts the nonzeros that kernels touch: passes are what a method says, and this is what it does."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..numerics.jit import struct
from ..numerics.matrices import Sparse
from ..problems.problem import View


@struct
class Touched(NamedTuple):
    """Lines of a sparse matrix as `matrices.Sparse`, with a count of the entries that were asked for."""

    lines: Sparse
    total: np.ndarray  # (1,) int64
    ahead: int = 0  # nothing is loaded early

    def line(self, i):
        entries = self.lines.line(i)
        self.total[0] += len(entries)
        return entries

    def index(self, i, p):
        return self.lines.index(i, p)

    def value(self, i, p):
        return self.lines.value(i, p)

    def dot(self, i, v, reg):
        self.total[0] += len(self.lines.line(i))
        return self.lines.dot(i, v, reg)

    def slope(self, i, z, y, loss):
        self.total[0] += len(self.lines.line(i))
        return self.lines.slope(i, z, y, loss)

    def add(self, i, c, v):
        self.total[0] += len(self.lines.line(i))
        self.lines.add(i, c, v)

    def add_shrunk(self, i, c, v, reg, e):
        self.total[0] += len(self.lines.line(i))
        self.lines.add_shrunk(i, c, v, reg, e)

    def look_ahead(self, order, k, x, y, z):
        pass


def watched(view: View) -> View:
    """The view with a matrix that counts; ``view.X.total[0]`` is the count."""
    return view._replace(X=Touched(view.X, np.zeros(1, np.int64)))
