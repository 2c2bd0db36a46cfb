"""Sweeps along columns with points that are extrapolated from them, in one kernel.

    sweeps        one over all coordinates, then over the support until its violations cost a share of those of the
                  first
    extrapolated  after `POINTS` sweeps: sum_k c_k x_k over their ends, of sum_k c_k = 1, where
                  ||sum_k c_k (x_k - x_(k-1))|| is least. Coordinates that are 0 stay there, and those that would change
                  their sign are put to 0. It is kept where the model is smaller there

Where signs stay, a sweep is a linear map, and sum_k c_k x_k its fixed point as far as `POINTS` sweeps tell.

Reference: Bertrand & Massias, Anderson acceleration of coordinate descent (2021).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...numerics.jit import kernel, scalar
from .sweeps import Sweeps, model_value, sweep

POINTS = 5
RIDGE = 1e-12  # of the trace of the normal equations


class Memory(NamedTuple):
    """What an extrapolation is made of."""

    points: np.ndarray  # (POINTS + 1, size) x before the first sweep, and after each
    products: np.ndarray  # (POINTS + 1, n) u there
    start: np.ndarray  # (size,) where the model was made
    first: np.ndarray  # (size,) s there
    normal: np.ndarray  # (POINTS, POINTS + 1) scratch


class Round(NamedTuple):
    """What sweeps found."""

    first: float  # what the violations of the first, which is over all coordinates, cost the gap
    left: float  # what those of the last cost
    sweeps: int


def new_memory(size: int, n: int) -> Memory:
    """Room for sets of so many features."""
    points, products, vectors = np.empty((POINTS + 1, size)), np.empty((POINTS + 1, n)), np.empty((2, size))
    return Memory(points, products, vectors[0], vectors[1], np.empty((POINTS, POINTS + 1)))


@scalar
def set_weights(points: np.ndarray, A: np.ndarray) -> bool:
    """Write the c_k into the last column of A; False, and nothing holds there, where points tell no weights."""
    count, trace, total = A.shape[0], 0.0, 0.0
    for a in range(count):
        for b in range(a + 1):
            dot = 0.0
            for k in range(points.shape[1]):
                dot += (points[a + 1, k] - points[a, k]) * (points[b + 1, k] - points[b, k])
            A[a, b] = A[b, a] = dot
        trace += A[a, a]
        A[a, count] = 1.0
    for a in range(count):
        A[a, a] += RIDGE * trace
    for a in range(count):  # elimination, of a positive definite matrix
        if not A[a, a] > 0.0:
            return False
        for b in range(a + 1, count):
            share = A[b, a] / A[a, a]
            for m in range(a, count + 1):
                A[b, m] -= share * A[a, m]
    for a in range(count - 1, -1, -1):
        for b in range(a + 1, count):
            A[a, count] -= A[a, b] * A[b, count]
        A[a, count] /= A[a, a]
        total += A[a, count]
    for a in range(count):
        A[a, count] /= total
    return abs(total) > 0.0


@scalar
def remember(R: Memory, row: int, x: np.ndarray, u: np.ndarray) -> None:
    """Keep a point, and its product."""
    for k in range(x.size):
        R.points[row, k] = x[k]
    for i in range(u.size):
        R.products[row, i] = u[i]


@kernel
def extrapolate(on: Any, x: np.ndarray, M: Sweeps, R: Memory) -> bool:
    """Move x to the extrapolated point, u and s with it, where the model is smaller there."""
    count, u, c = R.normal.shape[0], on.u, R.normal
    if not set_weights(R.points, c):
        return False
    here = model_value(on, x, R.start, R.first, M.l1)
    for k in range(x.size):
        x[k] = 0.0
        for m in range(count):
            x[k] += c[m, count] * R.points[m + 1, k]
        on.s[k] = R.first[k] + on.ridge[k] * (x[k] - R.start[k])
    for i in range(u.size):
        u[i] = 0.0
        for m in range(count):
            u[i] += c[m, count] * R.products[m + 1, i]
    for k in range(x.size):
        if M.l1[k] > 0.0 and x[k] != 0.0 and not x[k] * R.points[count, k] > 0.0:
            on.shift(k, -x[k])
            M.moves[k] += 1
            x[k] = 0.0
    if model_value(on, x, R.start, R.first, M.l1) < here:
        return True
    for k in range(x.size):
        x[k] = R.points[count, k]
        on.s[k] = R.first[k] + on.ridge[k] * (x[k] - R.start[k])
    for i in range(u.size):
        u[i] = R.products[count, i]
    return False


@kernel
def descend_by_share(
    on: Any, x: np.ndarray, M: Sweeps, R: Memory, allowed: float, share: float, max_sweeps: int
) -> Round:
    """Sweeps, until the violations of one cost a share of those of the first, or what is allowed."""
    row, sweeps = 0, 1
    remember(R, 0, x, on.u)
    swept = sweep(on, x, M, M.whole, x.size)
    first, enough = swept.cost, max(share * swept.cost, allowed)
    while swept.cost > enough and sweeps < max_sweeps:
        row += 1
        remember(R, row, x, on.u)
        if row == R.normal.shape[0]:
            extrapolate(on, x, M, R)
            remember(R, 0, x, on.u)
            row = 0
        swept = sweep(on, x, M, M.order, swept.support)
        sweeps += 1
    return Round(first, swept.cost, sweeps)
