"""With l1 > 0 and many features: coordinate descent on the columns of X, with diag(h) X p/n maintained.

Cost        half a pass for the diagonal; a coordinate that is looked at reads its column, one that moves visits it
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...numerics.jit import kernel, struct
from ...numerics.matrix_lines import Lines, Place
from ...problems.problem import Problem
from ...regularizers import L2
from . import descent
from .model import PLAIN, Inner, Model, Step


@struct
class OnColumns(NamedTuple):
    """X by columns, and diag(h) X p/n."""

    X: Lines
    weights: np.ndarray  # (n,) h/n
    u: np.ndarray  # (n,) weights * X p
    ridge: np.ndarray  # (d,)
    plain: L2

    def along(self, j: Place, p: np.ndarray) -> float:
        return self.X.dot(j, self.u, self.plain) + self.ridge[j] * p[j]

    def move(self, j: Place, step: float) -> None:
        u, weights = self.u, self.weights
        for e in self.X.line(j):
            i = self.X.index(j, e)
            u[i] += step * weights[i] * self.X.value(j, e)


@kernel
def add_column_squares(X: Lines, weights: np.ndarray, out: np.ndarray) -> None:
    """`out` (d,) += sum of weights_i X_ij^2."""
    for j in range(np.uint64(out.size)):
        for e in X.line(j):
            out[j] += weights[X.index(j, e)] * X.value(j, e) ** 2


class ColumnDescent(Inner):
    """Coordinate descent on the columns of X; nothing is kept."""

    def __init__(self, P: Problem) -> None:
        pass

    def step(self, P: Problem, model: Model) -> Step:
        columns, weights, diagonal = P.by_columns.X, model.h / P.n, np.zeros(P.d)
        add_column_squares(columns, weights, diagonal)
        diagonal += model.ridge
        on = OnColumns(columns, weights, np.zeros(P.n), model.ridge, PLAIN)
        p, moves, looks = descent.minimise(on, model, diagonal)
        return Step(p, P.nnz / 2 + float(P.column_profile.counts @ (moves + looks / 2)))

    def warm(self, P: Problem) -> None:
        nothing = np.empty(0)
        add_column_squares(P.by_columns.X, nothing, nothing)
        descent.warm(OnColumns(P.by_columns.X, nothing, nothing, nothing, PLAIN))
