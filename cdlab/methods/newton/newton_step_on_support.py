"""Newton steps to the minimiser of the model over the support, with its signs, by a Cholesky factor that is updated.

Where columns are correlated, sweeps approach it slowly. Along the way the first coordinate that would change its sign
is put to 0 and leaves the support, and the step goes on without it. The factor L L' of H over the support is kept from
step to step: a coordinate that joins appends a row (one substitution), one that leaves takes its row out (Givens
rotations), k^2 each for k of them, in place of k^3/6 for a factor made anew.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from ...numerics.jit import kernel, reduction, scalar
from .sweeps import MatrixModel, SweepState, descend, warm_descend

SMALLEST_PIVOT = 1e-11  # Relative to the diagonal; below it a coordinate depends on the others.
SWEEPS_BEFORE_STEP = 5  # Sweeps before each Newton step.
STEPS_WITHOUT_JOINS = 3  # Newton steps before coordinates may join.


class Factor(NamedTuple):
    """Cholesky factor L of H over the coordinates `chosen`, in the order in which they joined."""

    L: np.ndarray  # (capacity, capacity) lower triangle
    chosen: np.ndarray  # (capacity,) int64
    members: np.ndarray  # (1,) int64, the number of coordinates in use
    pull: np.ndarray  # (capacity,) scratch, as are the next three
    step: np.ndarray  # (capacity,)
    mark: np.ndarray  # (capacity,)
    turns: np.ndarray  # (capacity, 2)


def new_factor(capacity: int) -> Factor:
    """Return an empty factor."""
    L, chosen, members = np.zeros((capacity, capacity)), np.zeros(capacity, np.int64), np.zeros(1, np.int64)
    pull, step, mark = (np.zeros(capacity) for _ in range(3))
    return Factor(L, chosen, members, pull, step, mark, np.zeros((capacity, 2)))


def larger_factor(F: Factor, capacity: int) -> Factor:
    """Return the same factor with room for more."""
    larger, count = new_factor(capacity), int(F.members[0])
    larger.L[:count, :count], larger.chosen[:count], larger.members[0] = F.L[:count, :count], F.chosen[:count], count
    return larger


@reduction
def _dot(a: np.ndarray, i: int, x: np.ndarray, size: int) -> float:
    total = 0.0
    for m in range(size):
        total += a[i, m] * x[m]
    return total


@reduction
def _dot_rows(a: np.ndarray, i: int, k: int, size: int) -> float:
    total = 0.0
    for m in range(size):
        total += a[i, m] * a[k, m]
    return total


@reduction
def _subtract(c: float, a: np.ndarray, i: int, x: np.ndarray, size: int) -> None:
    for m in range(size):
        x[m] -= c * a[i, m]


@scalar
def _join(F: Factor, H: np.ndarray, ridge: np.ndarray, k: int) -> bool:
    """Append coordinate k; return False and change nothing where it depends on the others."""
    L, count = F.L, F.members[0]
    for i in range(count):
        L[count, i] = (H[k, F.chosen[i]] - _dot_rows(L, i, count, i)) / L[i, i]
    whole = H[k, k] + ridge[k]
    pivot = whole - _dot_rows(L, count, count, count)
    if not pivot > SMALLEST_PIVOT * whole:
        return False
    L[count, count] = sqrt(pivot)
    F.chosen[count] = k
    F.members[0] = count + 1
    return True


@scalar
def _leave(F: Factor, place: int) -> None:
    """Take the coordinate at this place out."""
    L, last, turns = F.L, F.members[0] - 1, F.turns
    for r in range(place, last):
        F.chosen[r] = F.chosen[r + 1]
        for m in range(place):
            L[r, m] = L[r + 1, m]
        below = L[r + 1, place]
        for m in range(place, r):  # the rotations of the rows before
            after = L[r + 1, m + 1]
            L[r, m] = turns[m, 0] * below + turns[m, 1] * after
            below = turns[m, 0] * after - turns[m, 1] * below
        after = L[r + 1, r + 1]
        size = sqrt(below * below + after * after)
        turns[r, 0], turns[r, 1] = below / size, after / size
        L[r, r] = size
    F.members[0] = last


@scalar
def _follow_support(F: Factor, H: np.ndarray, ridge: np.ndarray, x: np.ndarray) -> None:
    """Bring the factor to the support of x; coordinates that depend on others stay outside."""
    place = 0
    while place < F.members[0]:
        if x[F.chosen[place]] == 0.0:
            _leave(F, place)
        else:
            place += 1
    for k in range(x.size):
        F.mark[k] = 0.0
    for p in range(F.members[0]):
        F.mark[F.chosen[p]] = 1.0
    for k in range(x.size):
        if x[k] != 0.0 and F.mark[k] == 0.0:
            _join(F, H, ridge, k)


@scalar
def _go(F: Factor, x: np.ndarray, l1: np.ndarray) -> None:
    """Go to the point where the chosen coordinates have slope 0, without those that would change their sign."""
    L, step, pull = F.L, F.step, F.pull
    while F.members[0] > 0:
        count = F.members[0]
        for i in range(count):
            step[i] = (-pull[i] - _dot(L, i, step, i)) / L[i, i]
        for i in range(count - 1, -1, -1):
            step[i] /= L[i, i]
            _subtract(step[i], L, i, step, i)
        share, first = 1.0, -1
        for p in range(count):
            k = F.chosen[p]
            if l1[k] > 0.0 and x[k] * (x[k] + step[p]) < 0.0 and -x[k] / step[p] < share:
                share, first = -x[k] / step[p], p
        for p in range(count):
            x[F.chosen[p]] += share * step[p]
            pull[p] *= 1 - share
        if first < 0:
            return
        x[F.chosen[first]] = 0.0
        for p in range(first, count - 1):
            pull[p] = pull[p + 1]
        _leave(F, first)


@kernel
def newton_step_on_support(
    F: Factor, H: np.ndarray, ridge: np.ndarray, x: np.ndarray, s: np.ndarray, l1: np.ndarray, joins: int, least: float
) -> None:
    """Move x to the minimiser over its support, and the slopes s with it.

    Up to `joins` times the coordinate joins whose slope exceeds l1 most, by more than `least`: where columns are nearly
    dependent, sweeps alone would not find the support.
    """
    _follow_support(F, H, ridge, x)
    joined = -1
    for _ in range(joins + 1):
        for k in range(x.size):
            F.mark[k] = x[k]
        for p in range(F.members[0]):
            k = F.chosen[p]
            positive = x[k] > 0.0 if k != joined else s[k] < 0.0
            F.pull[p] = s[k] + (l1[k] if positive else -l1[k])
        _go(F, x, l1)
        for k in range(x.size):
            c = x[k] - F.mark[k]
            if c != 0.0:
                _subtract(-c, H, k, s, x.size)
                s[k] += c * ridge[k]
        worst, joined = least, -1
        for k in range(x.size):
            if x[k] == 0.0 and l1[k] > 0.0 and abs(s[k]) - l1[k] > worst:
                worst, joined = abs(s[k]) - l1[k], k
        if joined < 0 or not _join(F, H, ridge, joined):
            return


def minimise_by_matrix(
    F: Factor, model: MatrixModel, x: np.ndarray, state: SweepState, allowed: float, rounds: int
) -> float:
    """Move x by sweeps and Newton steps until the rest costs the gap `allowed`; return the products in these steps.

    Parameters
    ----------
    F : Factor
        Factor over the support so far, or a new one.
    model : MatrixModel
        The model.
    x : (size,) array
        Start, overwritten by the result.
    state : SweepState
        State of the sweeps.
    allowed : float
        See `sweeps.py`.
    rounds : int
        Rounds of sweeps and a Newton step, at most.
    """
    products = 0.0
    for round_ in range(rounds):
        if descend(model, x, state, True, allowed, SWEEPS_BEFORE_STEP):
            break
        joins = 0 if round_ < STEPS_WITHOUT_JOINS else x.size
        least = allowed / max(float(np.abs(x).sum()), 1e-300)
        newton_step_on_support(F, model.H, model.ridge, x, model.s, state.l1, joins, least)
        products += x.size * float(F.members[0])
    return products


def warm_matrix_kernels(F: Factor, H: np.ndarray) -> None:
    """Compile or load the kernels of `minimise_by_matrix`."""
    nothing = np.empty(0)
    warm_descend(MatrixModel(H, nothing, nothing))
    newton_step_on_support(F, H, nothing, nothing, nothing, nothing, 0, 1.0)
