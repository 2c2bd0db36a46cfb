"""Working sets: coordinate descent on the features that may matter, certified on all of them.

With l1 > 0 most of w* is 0. A stage takes the features where w is not 0 and those nearest to leaving 0, sweeps over
these alone until the gap of the problem restricted to them is a share of the whole problem's, and then looks at all
features once: the new set and the certificate come from the same X'alpha. The next set is twice as large as the
support of w, or four times where w has filled the last one. Sweeps are extrapolated (`anderson`), and the extrapolated
point is kept only where P is lower. The best dual point so far is kept, so the certificate never falls back.

Massias, Gramfort & Salmon, Celer: a fast solver for the Lasso with dual extrapolation (2018), whose dual point is made
of extrapolated residuals: here it is that of the extrapolated w. Bertrand & Massias, Anderson acceleration of
coordinate descent (2021).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ...numerics.jit import kernel
from ...problems.points import View
from ...problems.problem import Problem
from ...regularizers import L2
from .anderson import weights

Rounds: TypeAlias = Callable[[View, Any, np.ndarray, np.ndarray, np.ndarray, np.ndarray], None]
FIRST = 50  # features of the first set
GROWTH, FULL_GROWTH = 2, 4  # the next set's size over that of the support of w; where w has filled the last set
FULL = 0.9  # of a set: a support that fills it
SHARE = 0.1  # of the problem's gap, at which a stage is solved
DEPTH = 5  # points that are combined
LONGEST = 1000  # sweeps a stage
WORTH = 0.3  # of a look at all features: what sweeps up to an extrapolation may cost; small sets are swept repeatedly
PLAIN = L2(0.0)  # dot products as they are


class WorkingState(NamedTuple):
    """The primal point, the best dual point so far, and what the next set is chosen by."""

    w: np.ndarray  # (d,) primal variables
    z: np.ndarray  # (n,) X w
    L: np.ndarray  # (d,) smoothness of P along e_j
    h: np.ndarray  # (0,) there are no blocks
    alpha: np.ndarray  # (n,) the best dual point so far
    v: np.ndarray  # (d,) X'alpha/n
    slopes: np.ndarray  # (d,) X'alpha(w)/n, at the last look at all features
    visited: float  # nonzeros, in the last epoch; before the first one: for `slopes`
    updates: int  # in the last epoch
    size: int  # of the last set; before the first one d


@kernel
def products(P: View, order: np.ndarray, x: np.ndarray, plain: L2, out: np.ndarray) -> None:
    """out_j = X_:j'x for the columns of `order`."""
    for k in range(order.size):
        out[order[k]] = P.X.dot(order[k], x, plain)


def slopes(problem: Problem, alpha: np.ndarray, order: np.ndarray) -> np.ndarray:
    """X_:j'alpha/n for the columns of `order`, 0 elsewhere; (d,)."""
    out = np.zeros(problem.d)
    products(problem.by_columns, order, alpha, PLAIN, out)
    return out / problem.n


def begun(problem: Problem, w: np.ndarray, L: np.ndarray) -> WorkingState:
    """The state at w, with its dual point."""
    z = problem.predict(w)
    alpha = problem.alpha(w, z=z)
    v = slopes(problem, alpha, np.arange(problem.d, dtype=np.uint64))
    return WorkingState(w, z, L, np.empty(0), alpha, v, v.copy(), problem.nnz / 2, 0, problem.d)


def chosen(problem: Problem, S: WorkingState) -> np.ndarray:
    """The next set as a mask (d,): where w is not 0, and the features nearest to leaving 0, in all at least FIRST.

    Feature j leaves 0 where |slope_j| reaches l1; how far w has to move until it does is measured by ||X_:j||.
    """
    used = S.w != 0
    norms = np.sqrt(problem.column_profile.norms2)
    room = np.divide(problem.l1 - np.abs(S.slopes), norms, out=np.full(problem.d, np.inf), where=norms > 0)
    room[used] = -np.inf
    count = int(used.sum())
    growth = FULL_GROWTH if count >= FULL * S.size else GROWTH
    size = min(problem.d, max(FIRST, growth * count))
    taken = np.zeros(problem.d, dtype=bool)
    taken[np.argpartition(room, size - 1)[:size]] = True
    return taken & (norms > 0)


@kernel
def add_columns(P: View, w: np.ndarray, order: np.ndarray, z: np.ndarray) -> None:
    """z += sum w_j X_:j over the columns of `order`."""
    for k in range(order.size):
        P.X.add(order[k], w[order[k]], z)


def warm(P: View, S: WorkingState, rounds: Rounds) -> None:
    """Compile or load what a stage needs, without a look at any feature."""
    none = np.empty(0, np.uint64)
    rounds(P, S, none, none, np.empty((0, 0)), np.empty((0, S.z.size)))
    products(P, none, S.alpha, PLAIN, S.slopes)
    add_columns(P, S.w, none, S.z)


def stage(problem: Problem, S: WorkingState, order: np.ndarray, rounds: Rounds) -> WorkingState:
    """One stage: sweeps over the next set in this order, then a look at all features.

    Parameters
    ----------
    problem : Problem
        The whole problem.
    S : WorkingState
        Its arrays are updated in place.
    order : (d,) array of uint64
        The order of all features, of which a sweep takes those in the set.
    rounds : callable
        ``rounds(P, S, order, few, points, images)`` sweeps over `order`, which holds `few` several times, once for each
        row of `points` but the first, and keeps w on `few` and z before and after each.
    """
    P, order = problem.by_columns, order[chosen(problem, S)[order]]
    cost = float(problem.column_profile.counts[order].sum())
    target = SHARE * (problem.primal(S.w, z=S.z) - problem.dual(S.alpha, v=S.v))
    points, images = np.empty((DEPTH + 1, order.size)), np.empty((DEPTH + 1, problem.n))
    repeat = 1 + int(WORTH * problem.nnz / (DEPTH * cost + 1))
    often, sweeps = np.tile(order, repeat), 0
    while sweeps < LONGEST:
        rounds(P, S, often, order, points, images)
        sweeps += DEPTH * repeat
        primal = extrapolated(problem, S, order, points, images)
        alpha = problem.alpha(S.w, z=S.z)
        if primal - problem.dual(alpha, v=slopes(problem, alpha, order)) <= target:
            break
    S.z[:] = 0.0
    used = np.flatnonzero(S.w).astype(np.uint64)
    add_columns(P, S.w, used, S.z)  # afresh: extrapolation magnifies round-off
    alpha = problem.alpha(S.w, z=S.z)
    S.slopes[:] = slopes(problem, alpha, np.arange(problem.d, dtype=np.uint64))
    if problem.dual(alpha, v=S.slopes) > problem.dual(S.alpha, v=S.v):
        S.alpha[:], S.v[:] = alpha, S.slopes
    looked = sweeps / (DEPTH * repeat) * cost + problem.column_profile.counts[used].sum() + problem.nnz
    before = 0.0 if S.updates else S.visited
    updates = sweeps * order.size or problem.d  # of an empty X the look counts: else its runs would reach no limit
    return S._replace(visited=before + sweeps * cost + looked / 2, updates=updates, size=order.size)


def extrapolated(problem: Problem, S: WorkingState, order: np.ndarray, points: np.ndarray, images: np.ndarray) -> float:
    """Move S to the extrapolated point where P is lower there; P(w)."""
    primal = problem.primal(S.w, z=S.z)
    c = weights(points)
    w, z = S.w.copy(), c @ images[1:]
    w[order] = c @ points[1:]
    lower = problem.primal(w, z=z)
    if not lower < primal:
        return primal
    S.w[:], S.z[:] = w, z
    return lower
