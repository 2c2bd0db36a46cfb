"""Coordinate descent on a model with l1 > 0, by whatever knows H along a coordinate: columns of X, or a Gram matrix.

Columns     for many features; diag(h) X p/n is maintained. Sweeps go over the active coordinates, those with
            w_j + p_j != 0 and those that a whole sweep moved, until the largest pull left is a share `accuracy` of the
            first one; then over all. The pull of coordinate j is H_jj |its step|. Cost: half a pass for the diagonal; a
            coordinate that is looked at reads its column, one that moves visits it
Gram        for few; sweeps as in sweeps.py with the leaps of leaping.py, until what is left costs the duality gap a
            share of what it is. With the squared loss the model is P, and one will do: the share is tiny then. Cost:
            the Gram matrix as in gram.py; d visits for each coordinate that moves, d k for a leap over k of them
Reference   Friedman, Hastie & Tibshirani, Regularization paths for generalized linear models via coordinate descent
            (2010); Lee, Sun & Saunders, Proximal Newton-type methods for minimizing composite functions (2014)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...losses import hess_lipschitz
from ...numerics.jit import kernel, scalar, struct
from ...numerics.matrix_lines import Lines, Place
from ...problems.problem import Problem
from ...regularizers import L2
from . import leaping
from .gram import Gram
from .model import PLAIN, Inner, Model, Step
from .sweeps import OnMatrix, Sweeps

MAX_SWEEPS = 1000  # with what they leave, the next model begins
MAX_ROUNDS = 200  # of sweeps and a leap
GAP_SHARE, QUADRATIC_GAP_SHARE = 0.1, 1e-9  # of the gap at w, which a model may leave; that of one that is P
ROUNDING = 1e-15  # of P, below which sweeps change nothing


@scalar
def shrunk(x: float, t: float) -> float:
    """The soft threshold of x."""
    return x - min(max(x, -t), t)


@kernel
def sweep(
    on: Any,
    g: np.ndarray,
    w: np.ndarray,
    p: np.ndarray,
    diagonal: np.ndarray,
    l1: np.ndarray,
    coordinates: np.ndarray,
    pulls: np.ndarray,
    moves: np.ndarray,
) -> float:
    """Minimise the model along each of these coordinates; the largest pull. `pulls`, `moves` (d,): each one's."""
    most = 0.0
    for k in range(coordinates.size):
        j = coordinates[k]
        here = w[j] + p[j]
        slope = g[j] + on.along(j, p)
        step = shrunk(here - slope / diagonal[j], l1[j] / diagonal[j]) - here
        pulls[j] = abs(step) * diagonal[j]
        if step != 0:
            p[j] += step
            on.move(j, step)
            moves[j] += 1
        most = max(most, pulls[j])
    return most


def minimise(on: Any, model: Model, diagonal: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The minimiser p of a model, and how often each coordinate was moved and was looked at, (d,) each.

    Parameters
    ----------
    on : struct
        H: `along` a coordinate, and `move`, which keeps up with p.
    model : Model
        The model.
    diagonal : (d,) array
        Of H.
    """
    d = model.g.size
    p, pulls, moves, looks = (np.zeros(d) for _ in range(4))
    diagonal = np.where(diagonal > 0, diagonal, 1.0)  # of a coordinate that the model knows nothing about: g_j = 0
    everything = np.arange(d, dtype=np.uint64)
    coordinates, enough = everything, -1.0
    for _ in range(MAX_SWEEPS):
        most = sweep(on, model.g, model.w, p, diagonal, model.l1, coordinates, pulls, moves)
        looks[coordinates] += 1
        if enough < 0:
            enough = model.accuracy * most
        if most > enough:
            if coordinates is everything:
                coordinates = np.flatnonzero((model.w + p != 0) | (pulls > 0)).astype(np.uint64)
        elif coordinates is everything:
            break
        else:
            coordinates = everything
    return p, moves, looks


@struct
class OnColumns(NamedTuple):
    """X by columns, and diag(h) X p/n."""

    X: Lines
    weights: np.ndarray  # (n,) h/n
    u: np.ndarray  # (n,) weights * X p
    ridge: np.ndarray  # (d,)
    plain: L2

    def along(self, j: Place, p: np.ndarray) -> float:
        """The change of the slope along coordinate j that p makes."""
        return self.X.dot(j, self.u, self.plain) + self.ridge[j] * p[j]

    def move(self, j: Place, step: float) -> None:
        """Move coordinate j by a step: what it changes of u."""
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
        p, moves, looks = minimise(on, model, diagonal)
        return Step(p, P.nnz / 2 + float(P.column_profile.counts @ (moves + looks / 2)))

    def warm(self, P: Problem) -> None:
        nothing, none = np.empty(0), np.empty(0, np.uint64)
        add_column_squares(P.by_columns.X, nothing, nothing)
        on = OnColumns(P.by_columns.X, nothing, nothing, nothing, PLAIN)
        sweep(on, nothing, nothing, nothing, nothing, nothing, none, nothing, nothing)


class GramDescent(Inner):
    """Coordinate descent on H as a matrix."""

    def __init__(self, P: Problem) -> None:
        self.gram = Gram(P)

    def step(self, P: Problem, model: Model) -> Step:
        visits = self.gram.update(P, model.h)
        H = self.gram.G + self.gram.G.T  # of which G has the lower triangle
        H[np.diag_indices(P.d)] /= 2
        if not np.isfinite(H.diagonal().max()):
            raise OverflowError("the Gram matrix overflows")
        diagonal = H.diagonal() + model.ridge
        diagonal[diagonal <= 0] = 1.0  # of a coordinate that the model knows nothing about: g_j = 0
        free_size = float(np.abs(model.z).mean()) if P.intercept else 0.0
        order, counts, x = np.empty(P.d, np.int64), np.zeros((2, P.d)), model.w.copy()
        sweeps = Sweeps(diagonal, model.l1, P.l2, free_size, order, counts[0], counts[1])
        on = OnMatrix(H, model.g.copy(), model.ridge)
        leaps = leaping.minimise(leaping.new_factor(P.d), on, x, sweeps, _allowed(P, model), MAX_ROUNDS)
        return Step(x - model.w, visits + P.d * float(counts[0].sum()) + leaps)

    def warm(self, P: Problem) -> None:
        self.gram.warm(P)
        leaping.warm(leaping.new_factor(0), np.empty((0, 0)))


def _allowed(P: Problem, model: Model) -> float:
    """What the rest of a model may cost the duality gap."""
    share = GAP_SHARE * model.accuracy if hess_lipschitz(P.loss) > 0 else QUADRATIC_GAP_SHARE
    primal = P.primal(model.w, z=model.z)
    gap = primal - P.dual(model.alpha, v=P.l2 * P.reg.penalised * model.w - model.g)
    return max(share * min(gap, primal), ROUNDING * abs(primal))  # far from w* a small l2 makes gaps of any size
