"""Model of P over a working set, along its columns: some sweeps of coordinate descent, and their direction.

The diagonal of H is kept from model to model until phi'' has changed by more than a share `DRIFT` at some example: the
step along a coordinate is then off by no more than that share, and sweeps still lead to the model's minimiser.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...numerics.jit import kernel
from ...problems.problem import Problem
from .extrapolated import AndersonHistory, descend_by_share, new_history
from .sweeps import ResidualModel, SweepState, sweep_state
from .working_set import WorkingSet

DRIFT = 0.25


class SetModel(NamedTuple):
    """State of the models over a set, as the kernel sees it."""

    model: ResidualModel  # s, weights and u are set from model to model
    state: SweepState
    l2: np.ndarray  # (size,) weight of each coordinate
    history: AndersonHistory
    x: np.ndarray  # (size,) the point that the last model reached
    direction: np.ndarray  # (n,) X (x - start)
    known: np.ndarray  # (n,) phi'' from which the diagonal was computed; NaN before the first


class Descent(NamedTuple):
    """Result of sweeps on a model."""

    left: float  # cost of the last sweep's violations, in the gap
    promised: float  # the change of P from `start` to x, to first order
    visits: float  # nonzeros visited


def set_model(P: Problem, K: WorkingSet, x: np.ndarray, ridge: np.ndarray, free_size: float) -> SetModel:
    """Return models of P over the set, the first from x (size,), whose array they take over.

    `ridge` is the diagonal added to X'diag(h)X/n; for `free_size` see `SweepState`.
    """
    size, n = K.size, P.n
    weights, u, direction = np.empty((3, n))
    model = ResidualModel(K.columns.lines, K.columns.places, weights, u, np.zeros(size), ridge)
    state = sweep_state(np.zeros(size), P.l1 * K.l1_share, P.l2, free_size)
    return SetModel(model, state, P.l2 * K.l1_share, new_history(size, n), x, direction, np.full(n, np.nan))


@kernel
def set_expansion(S: SetModel, slopes: np.ndarray, h: np.ndarray) -> None:
    """Begin the model at x, from phi' and phi'' (n,) there."""
    n = h.size
    for i in range(n):
        S.model.weights[i], S.model.u[i] = h[i] / n, slopes[i] / n
    for k in range(S.x.size):
        S.history.start[k], S.model.s[k] = S.x[k], S.l2[k] * S.x[k]
        S.history.first[k] = S.model.s[k]


@kernel
def set_direction(S: SetModel, slopes: np.ndarray) -> tuple[float, float]:
    """Set X (x - start); return the change of P that it promises, and the nonzeros visited."""
    promised, visits, state, start = 0.0, 0.0, S.state, S.history.start
    S.direction[:] = 0.0
    for k in range(S.x.size):
        step = S.x[k] - start[k]
        if step != 0.0:
            S.model.X.add(S.model.features[k], step, S.direction)
            visits += len(S.model.X.line(S.model.features[k])) / 2
            promised += S.l2[k] * start[k] * step + state.l1[k] * (abs(S.x[k]) - abs(start[k]))
    along = 0.0
    for i in range(slopes.size):
        along += slopes[i] * S.direction[i]
    return promised + along / S.direction.size, visits  # slopes are empty where this is compiled


@kernel
def descend_model(
    S: SetModel, slopes: np.ndarray, h: np.ndarray, allowed: float, share: float, max_sweeps: int
) -> Descent:
    """Sweep over all coordinates, then over the support until its violations cost a share of the first or `allowed`.

    Parameters
    ----------
    S : SetModel
        Models, whose x is moved.
    slopes, h : (n,) arrays
        phi' and phi'' at x.
    allowed, share, max_sweeps : float, float, int
        Conditions of the end.
    """
    model, x, state, visits = S.model, S.x, S.state, 0.0
    set_expansion(S, slopes, h)
    is_known = True
    for i in range(h.size):
        is_known = is_known and abs(h[i] - S.known[i]) <= DRIFT * S.known[i]
    if not is_known:
        for k in range(x.size):
            j, total = model.features[k], 0.0
            for e in model.X.line(j):
                total += model.weights[model.X.index(j, e)] * model.X.value(j, e) ** 2
            total += model.ridge[k]
            state.diagonal[k] = total if total > 0.0 else 1.0  # a coordinate on which the model does not depend
            visits += len(model.X.line(j)) / 2
        for i in range(h.size):
            S.known[i] = h[i]
    state.moves[:] = 0.0
    state.looks[:] = 0.0
    result = descend_by_share(model, x, state, S.history, allowed, share, max_sweeps)
    promised, more = set_direction(S, slopes)
    for k in range(x.size):
        visits += len(model.X.line(model.features[k])) * (state.moves[k] + state.looks[k] / 2)
    return Descent(result.left, promised, visits + more)
