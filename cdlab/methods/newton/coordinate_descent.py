"""Coordinate descent on a model with l1 > 0, by whatever knows H along a coordinate: columns of X, or a Gram matrix.

Sweeps go over the active coordinates, those with w_j + p_j != 0 and those that a whole sweep moved, until the largest
pull left is a share `accuracy` of the first one; then over all. The pull of coordinate j is H_jj |its step|.

Columns     for many features; diag(h) X p/n is maintained. Cost: half a pass for the diagonal; a coordinate that is
            looked at reads its column, one that moves visits it
Gram        for few; with leaps where sweeps are slow. A leap goes to the minimiser over the active coordinates with
            their signs, by Cholesky, or to where the first of them is 0: where coordinates are nearly dependent, sweeps
            alone would not get there. It never makes the model larger. Cost: the Gram matrix as in gram.py; d visits
            for each coordinate that moves, k^3/6 + d^2 for a leap of k of them
Reference   Friedman, Hastie & Tibshirani, Regularization paths for generalized linear models via coordinate descent
            (2010); Lee, Sun & Saunders, Proximal Newton-type methods for minimizing composite functions (2014)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...numerics.jit import kernel, scalar, struct
from ...numerics.matrix_lines import Lines, Place
from ...problems.problem import Problem
from ...regularizers import L2
from .gram import Gram, cholesky
from .model import PLAIN, Inner, Model, Step

MAX_SWEEPS = 1000  # with what they leave, the next model begins
LEAP_SWEEPS = 10  # over active coordinates, after which `leap` helps


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


def minimise(
    on: Any, model: Model, diagonal: np.ndarray, leap: Callable[[np.ndarray], None] | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The minimiser p of a model, and how often each coordinate was moved and was looked at, (d,) each.

    Parameters
    ----------
    on : struct
        H: `along` a coordinate, and `move`, which keeps up with p.
    model : Model
        The model.
    diagonal : (d,) array
        Of H.
    leap : callable, optional
        Changes p where sweeps over the active coordinates have not come to an end after `LEAP_SWEEPS` of them.
    """
    d = model.g.size
    p, pulls, moves, looks = (np.zeros(d) for _ in range(4))
    diagonal = np.where(diagonal > 0, diagonal, 1.0)  # of a coordinate that the model knows nothing about: g_j = 0
    everything = np.arange(d, dtype=np.uint64)
    coordinates, enough, since = everything, -1.0, 0
    for _ in range(MAX_SWEEPS):
        most = sweep(on, model.g, model.w, p, diagonal, model.l1, coordinates, pulls, moves)
        looks[coordinates] += 1
        if enough < 0:
            enough = model.accuracy * most
        if most > enough:
            if coordinates is everything:
                coordinates = np.flatnonzero((model.w + p != 0) | (pulls > 0)).astype(np.uint64)
            since += 1
            if leap is not None and since == LEAP_SWEEPS:
                leap(p)
                since = 0
        elif coordinates is everything:
            break
        else:
            coordinates = everything
    return p, moves, looks


def warm_sweep(on: Any) -> None:
    """Compile or load the kernel for this kind of H."""
    nothing, none = np.empty(0), np.empty(0, np.uint64)
    sweep(on, nothing, nothing, nothing, nothing, nothing, none, nothing, nothing)


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
        p, moves, looks = minimise(on, model, diagonal)
        return Step(p, P.nnz / 2 + float(P.column_profile.counts @ (moves + looks / 2)))

    def warm(self, P: Problem) -> None:
        nothing = np.empty(0)
        add_column_squares(P.by_columns.X, nothing, nothing)
        warm_sweep(OnColumns(P.by_columns.X, nothing, nothing, nothing, PLAIN))


@struct
class OnGram(NamedTuple):
    """H as a matrix, and H p."""

    H: np.ndarray  # (d, d)
    Hp: np.ndarray  # (d,)

    def along(self, j: Place, p: np.ndarray) -> float:
        """(H p)_j."""
        return self.Hp[j]

    def move(self, j: Place, step: float) -> None:
        """Keep up with p_j += step."""
        H, Hp = self.H, self.Hp
        for k in range(Hp.size):
            Hp[k] += step * H[j, k]


class GramDescent(Inner):
    """Coordinate descent on H as a matrix."""

    def __init__(self, P: Problem) -> None:
        self.gram = Gram(P)

    def step(self, P: Problem, model: Model) -> Step:
        visits = self.gram.update(P, model.h)
        H = np.tril(self.gram.G)
        H += np.tril(H, -1).T
        H[np.diag_indices(P.d)] += model.ridge
        on, leapt = OnGram(H, np.zeros(P.d)), []
        p, moves, _ = minimise(on, model, H.diagonal().copy(), lambda p: leapt.append(leap(on, model, p)))
        return Step(p, visits + P.d * float(moves.sum()) + sum(leapt))

    def warm(self, P: Problem) -> None:
        self.gram.warm(P)
        warm_sweep(OnGram(np.empty((0, 0)), np.empty(0)))


def leap(on: OnGram, model: Model, p: np.ndarray) -> float:
    """Move p to the minimiser over the active coordinates with their signs, or to the first loss of one; visits."""
    from scipy.linalg import lapack

    x = model.w + p
    active = np.flatnonzero(x)
    if active.size == 0:
        return 0.0
    x, l1 = x[active], model.l1[active]
    slope = model.g[active] + on.Hp[active] + l1 * np.sign(x)
    step, _ = lapack.dpotrs(cholesky(on.H[np.ix_(active, active)], np.zeros(active.size)), -slope)
    over = np.flatnonzero((x * (x + step) < 0) & (l1 > 0))
    if over.size:
        first = over[np.argmin(np.abs(x[over] / step[over]))]
        step *= abs(x[first] / step[first])
    p[active] += step
    if over.size:
        p[active[first]] = -model.w[active[first]]
    on.Hp[:] = on.H @ p
    return active.size**3 / 6 + p.size**2
