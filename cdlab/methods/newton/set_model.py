"""One model of P over a working set, along its columns: some sweeps of coordinate descent, and where they lead.

The diagonal of H is kept from model to model until phi'' has changed by more than a share `DRIFT` at some example: the
step along a coordinate is then off by no more than that share, and sweeps still lead to the model's minimiser.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...numerics.jit import kernel
from ...problems.problem import Problem
from .extrapolated import Memory, descend_by_share, new_memory
from .sweeps import OnLines, Sweeps
from .working_set import WorkingSet

DRIFT = 0.25


class SetModel(NamedTuple):
    """What the models over a set read and write, as the kernel sees it."""

    on: OnLines  # s, weights and u are set from model to model
    sweeps: Sweeps
    l2: np.ndarray  # (size,) of each coordinate
    memory: Memory
    x: np.ndarray  # (size,) where a model was left
    direction: np.ndarray  # (n,) X (x - start)
    known: np.ndarray  # (n,) the phi'' that the diagonal is of; NaN before the first


class Descent(NamedTuple):
    """What sweeps on a model did."""

    left: float  # what the violations of the last cost the gap
    promised: float  # the change of P from `start` to x, to first order
    visits: float  # nonzeros


def set_model(P: Problem, K: WorkingSet, x: np.ndarray, ridge: np.ndarray, free_size: float) -> SetModel:
    """Models of P over the set, the first from x (size,), whose array it takes.

    `ridge` is what a model has beside X'diag(h)X/n; for `free_size` see `Sweeps`.
    """
    size, n = K.size, P.n
    per_coordinate, per_example = np.zeros((4, size)), np.empty((3, n))
    diagonal, moves, looks, s = per_coordinate
    weights, u, direction = per_example
    whole = np.arange(size)
    on = OnLines(K.columns.lines, K.columns.places, weights, u, s, ridge)
    sweeps = Sweeps(diagonal, P.l1 * K.l1_share, P.l2, free_size, whole, whole.copy(), moves, looks)
    return SetModel(on, sweeps, P.l2 * K.l1_share, new_memory(size, n), x, direction, np.full(n, np.nan))


@kernel
def set_expansion(S: SetModel, slopes: np.ndarray, h: np.ndarray) -> None:
    """Begin the model at x, from phi' and phi'' (n,) there."""
    n = h.size
    for i in range(n):
        S.on.weights[i], S.on.u[i] = h[i] / n, slopes[i] / n
    for k in range(S.x.size):
        S.memory.start[k], S.on.s[k] = S.x[k], S.l2[k] * S.x[k]
        S.memory.first[k] = S.on.s[k]


@kernel
def set_direction(S: SetModel, slopes: np.ndarray) -> tuple[float, float]:
    """Set X (x - start); the change of P that it promises, and nonzeros visited."""
    promised, visits, M, start = 0.0, 0.0, S.sweeps, S.memory.start
    S.direction[:] = 0.0
    for k in range(S.x.size):
        step = S.x[k] - start[k]
        if step != 0.0:
            S.on.X.add(S.on.features[k], step, S.direction)
            visits += len(S.on.X.line(S.on.features[k])) / 2
            promised += S.l2[k] * start[k] * step + M.l1[k] * (abs(S.x[k]) - abs(start[k]))
    along = 0.0
    for i in range(slopes.size):
        along += slopes[i] * S.direction[i]
    return promised + along / slopes.size, visits


@kernel
def descend_model(
    S: SetModel, slopes: np.ndarray, h: np.ndarray, allowed: float, share: float, max_sweeps: int
) -> Descent:
    """A sweep over all coordinates, then over the support until its violations cost a share of those of the first.

    Or until that is allowed.

    Parameters
    ----------
    S : SetModel
        Whose x is moved.
    slopes, h : (n,) arrays
        phi' and phi'' at x.
    allowed, share, max_sweeps : float, float, int
        When it ends.
    """
    on, x, M, visits = S.on, S.x, S.sweeps, 0.0
    set_expansion(S, slopes, h)
    is_known = True
    for i in range(h.size):
        is_known = is_known and abs(h[i] - S.known[i]) <= DRIFT * S.known[i]
    if not is_known:
        for k in range(x.size):
            j, total = on.features[k], 0.0
            for e in on.X.line(j):
                total += on.weights[on.X.index(j, e)] * on.X.value(j, e) ** 2
            total += on.ridge[k]
            M.diagonal[k] = total if total > 0.0 else 1.0  # of a coordinate that the model knows nothing about
            visits += len(on.X.line(j)) / 2
        for i in range(h.size):
            S.known[i] = h[i]
    M.moves[:] = 0.0
    M.looks[:] = 0.0
    swept = descend_by_share(on, x, M, S.memory, allowed, share, max_sweeps)
    promised, more = set_direction(S, slopes)
    for k in range(x.size):
        visits += len(on.X.line(on.features[k])) * (M.moves[k] + M.looks[k] / 2)
    return Descent(swept.left, promised, visits + more)
