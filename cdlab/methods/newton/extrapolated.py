"""Sweeps along columns with points that are extrapolated from them, in one kernel.

    sweeps        one over all coordinates, then over the support until its violations cost a share of those of the
                  first
    extrapolated  after `POINTS` sweeps: the sum_k c_k x_k of shared/anderson.py over their ends. Coordinates that are 0
                  stay there, and those that would change their sign are put to 0. It is kept where the model is smaller

Where signs stay, a sweep is a linear map, and sum_k c_k x_k its fixed point as far as `POINTS` sweeps tell.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...numerics.jit import kernel, scalar
from ..shared.anderson import POINTS, set_weights
from .sweeps import SweepState, model_value, sweep


class AndersonHistory(NamedTuple):
    """Points of an extrapolation, and scratch."""

    points: np.ndarray  # (POINTS + 1, size) x before the first sweep, and after each
    products: np.ndarray  # (POINTS + 1, n) u there
    start: np.ndarray  # (size,) the point of expansion of the model
    first: np.ndarray  # (size,) s there
    residuals: np.ndarray  # (POINTS, size) scratch
    factors: np.ndarray  # (POINTS, POINTS) scratch, whose last column are the weights


class Round(NamedTuple):
    """Result of a round of sweeps."""

    first: float  # cost of the violations of the first sweep, which is over all coordinates, in the gap
    left: float  # cost of the violations of the last sweep
    sweeps: int


def new_history(size: int, n: int) -> AndersonHistory:
    """Return an empty history for sets of so many features."""
    points, products, (start, first) = np.empty((POINTS + 1, size)), np.empty((POINTS + 1, n)), np.empty((2, size))
    residuals, factors = np.empty((POINTS, size)), np.empty((POINTS, POINTS))
    return AndersonHistory(points, products, start, first, residuals, factors)


@scalar
def remember(history: AndersonHistory, row: int, x: np.ndarray, u: np.ndarray) -> None:
    """Store a point and its product."""
    for k in range(x.size):
        history.points[row, k] = x[k]
    for i in range(u.size):
        history.products[row, i] = u[i]


@kernel
def extrapolate(model: Any, x: np.ndarray, state: SweepState, history: AndersonHistory) -> bool:
    """Move x to the extrapolated point, u and s with it, where the model is smaller there."""
    count, u, c = history.factors.shape[0], model.u, history.factors[:, -1]
    set_weights(history.points, history.residuals, history.factors)
    here = model_value(model, x, history.start, history.first, state.l1)
    for k in range(x.size):
        x[k] = 0.0
        for m in range(count):
            x[k] += c[m] * history.points[m + 1, k]
        model.s[k] = history.first[k] + model.ridge[k] * (x[k] - history.start[k])
    for i in range(u.size):
        u[i] = 0.0
        for m in range(count):
            u[i] += c[m] * history.products[m + 1, i]
    for k in range(x.size):
        if state.l1[k] > 0.0 and x[k] != 0.0 and not x[k] * history.points[count, k] > 0.0:
            model.shift(k, -x[k])
            state.moves[k] += 1
            x[k] = 0.0
    if model_value(model, x, history.start, history.first, state.l1) < here:
        return True
    for k in range(x.size):
        x[k] = history.points[count, k]
        model.s[k] = history.first[k] + model.ridge[k] * (x[k] - history.start[k])
    for i in range(u.size):
        u[i] = history.products[count, i]
    return False


@kernel
def descend_by_share(
    model: Any,
    x: np.ndarray,
    state: SweepState,
    history: AndersonHistory,
    allowed: float,
    share: float,
    max_sweeps: int,
) -> Round:
    """Sweep until the violations of a sweep cost a share of those of the first, or `allowed`."""
    row, sweeps = 0, 1
    remember(history, 0, x, model.u)
    result = sweep(model, x, state, state.whole, x.size)
    first, enough = result.cost, max(share * result.cost, allowed)
    while result.cost > enough and sweeps < max_sweeps:
        row += 1
        remember(history, row, x, model.u)
        if row == history.factors.shape[0]:
            extrapolate(model, x, state, history)
            remember(history, 0, x, model.u)
            row = 0
        result = sweep(model, x, state, state.order, result.support)
        sweeps += 1
    return Round(first, result.cost, sweeps)
