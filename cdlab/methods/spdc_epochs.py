"""SPDC's iterations: one example at a time (Algorithm 2, and Algorithm 1 with m = 1), or a block of up to m.

An iteration moves all of x, and costs O(nonzeros of its examples): where they have zeros, u_j rests, and all that
happens to x_j until it is read again are steps F(x) = prox_{tau g}(x - tau u), which lazy_prox.py makes at once.
To visit a coordinate is to add to u_j, and to shift x_j such that F is this iteration's own step too: with
u' = u + change a/n, the step from x along u + change a/(p n) is the step from x - tau (1/p - 1)/n change a along u'.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..numerics.jit import kernel, prefetch, scalar
from ..numerics.lazy_prox import StepTable
from ..numerics.matrix_lines import Lines
from ..problems.points import View
from ..regularizers import Regularizer
from ..samplings import Batches

X, BEFORE, U, LAST = range(4)  # columns of State.rows


class State(NamedTuple):
    """Primal and dual points, coordinates at rest, and the steps of the (perturbed) problem."""

    rows: np.ndarray  # (d, 4) x_j, shifted; x_j before the shift; u_j; the iteration at which they were exact
    y: np.ndarray  # (n,) dual variables, -alpha
    p: np.ndarray  # (n,) probabilities that an iteration picks each example
    xbar: np.ndarray  # (d,) scratch for m > 1, else (0,): xbar of the coordinates that the current block touches
    change: np.ndarray  # (m,) scratch for m > 1, else (0,): changes of y in the current block
    m: int  # most examples in a block
    M: float  # tau s = 1/(4 M^2), see spdc.py
    N: float  # iterations that pick an example once, see spdc.py
    t: float = 0.0  # iterations done
    reg: Regularizer = None  # type: ignore[assignment]  # set by _with_steps: g, perturbed where l2 = 0
    table: StepTable = None  # type: ignore[assignment]  # set by _with_steps: tau, and many steps F at once
    s: float = 0.0  # dual step
    theta: float = 0.0  # extrapolation
    rate: float = 0.0  # what theory multiplies the distance from (x*, y*) with in an iteration
    delta: float = 0.0  # added to the curvature of phi*
    fall: float = 1.0  # what delta is to be multiplied with, once it is 1/2


@scalar
def arrive(rows: np.ndarray, j: int, t: float, theta: float, reg: Regularizer, table: StepTable) -> float:
    """Bring x_j to iteration t, and return xbar_j."""
    rest = t - rows[j, LAST]
    if rest == 0:  # only at the start, where xbar = x
        return rows[j, X]
    x, before, u = rows[j, X], rows[j, BEFORE], rows[j, U]
    if rest > 1:
        x = table.steps(rest - 1, x, u, reg)
        before = x
    x = reg.prox_at(x - table.tau * u, table.tau)
    rows[j, X] = x
    rows[j, BEFORE] = x
    rows[j, LAST] = t
    return x + theta * (x - before)


@kernel
def arrive_all(S: State, rows: np.ndarray) -> None:
    """Bring all of x to iteration S.t, in `rows`."""
    for j in range(rows.shape[0]):
        arrive(rows, j, S.t, S.theta, S.reg, S.table)


@scalar
def expect(X: Lines, order: np.ndarray, k: int, rows: np.ndarray) -> None:
    """Ask for the rows that the next example touches: a sixth faster, where X does not fit the cache."""
    if X.ahead > 0 and k + 1 < order.size:
        i = order[k + 1]
        for e in X.line(i):
            prefetch(rows, np.uint64(4) * np.uint64(X.index(i, e)))


@kernel
def spdc_epoch(P: View, S: State, order: np.ndarray) -> float:
    """Algorithm 2; with p_i = 1/n it is Algorithm 1 for m = 1. Returns t."""
    rows, y, p, b, n, t = S.rows, S.y, S.p, P.y, P.y.size, S.t
    for k in range(order.size):
        i = P.X.pick(order, k, (y, p, b))
        expect(P.X, order, k, rows)
        z = 0.0  # a_i'xbar
        for e in P.X.line(i):
            z += P.X.value(i, e) * arrive(rows, P.X.index(i, e), t, S.theta, S.reg, S.table)
        q = p[i] * n / S.s
        change = P.loss.dualprox(z, q / (q + S.delta) * y[i], q + S.delta, b[i]) - y[i]
        if change != 0:
            y[i] += change
            shift = S.table.tau * (1 / p[i] - 1) / n * change
            for e in P.X.line(i):
                j, a = P.X.index(i, e), P.X.value(i, e)
                rows[j, X] -= shift * a  # x - tau (u + change a/(p n)), the rest of it on arrival
                rows[j, U] += change / n * a  # u = A'y/n
        t += 1
    return t


@kernel
def spdc_block_epoch(P: View, S: State, batches: Batches) -> float:
    """A whole block from the same xbar, of which its examples may share coordinates. Returns t.

    1/s_i is p_i n/(m s). With p_i = m/n it is Algorithm 1 for m > 1.
    """
    rows, y, p, xbar, change, b, n, t = S.rows, S.y, S.p, S.xbar, S.change, P.y, P.y.size, S.t
    starts, order, per_p = batches.starts, batches.indices, n / (S.m * S.s)
    for block in range(starts.size - 1):
        first, last = starts[block], starts[block + 1]
        for k in range(first, last):
            i = P.X.pick(order, k, (y, p, b))  # pick K
            expect(P.X, order, k, rows)
            z = 0.0  # a_i'xbar
            for e in P.X.line(i):
                j = P.X.index(i, e)
                if rows[j, LAST] != t:
                    xbar[j] = arrive(rows, j, t, S.theta, S.reg, S.table)
                z += P.X.value(i, e) * xbar[j]
            q = p[i] * per_p
            change[k - first] = P.loss.dualprox(z, q / (q + S.delta) * y[i], q + S.delta, b[i]) - y[i]
        for k in range(first, last):
            i, c = order[k], change[k - first]
            y[i] += c
            shift = S.table.tau * (1 / p[i] - 1) / n * c
            for e in P.X.line(i):
                j, a = P.X.index(i, e), P.X.value(i, e)
                rows[j, X] -= shift * a  # x - tau (u + sum change a/(p n)), the rest on arrival
                rows[j, U] += c / n * a  # u = A'y/n
        t += 1
    return t
