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

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...numerics import checks
from ...numerics.jit import kernel
from ...problems.points import Points, View
from ...problems.problem import Problem
from ...problems.products import NO_SHRINKING
from ...regularizers import L2
from ...samplings import Sampling, SamplingLike
from ..base import Count, Method, draws_coordinates
from ..descent import add_lines
from ..newton.feature_set import FULL_GROWTH, FULL_SHARE, GROWTH, MIN_SET_SIZE, find_distances
from ..shared.anderson import POINTS, weights
from .wrapper import Wrapper

# Orders of which every epoch holds each feature once.
ORDERS = ("cyclic", "symmetric", "permutation", "paired_permutation", "fixed_permutation")
STAGE_GAP_SHARE = 0.1  # Share of the problem's gap at which a stage is solved.
MAX_STAGE_SWEEPS = 1000
MAX_SWEEPS_COST = 0.3  # Sweeps before an extrapolation may cost so much of a look at all features.


class State(NamedTuple):
    """The primal point, the best dual point so far, and what the next set is made of."""

    core: Any  # the method's own state
    w: np.ndarray  # (d,) primal variables, those of `core`
    z: np.ndarray  # (n,) X w, that of `core`
    alpha: np.ndarray  # (n,) the best dual point so far
    v: np.ndarray  # (d,) X'alpha/n
    slopes: np.ndarray  # (d,) X'alpha(w)/n, at the last look at all features
    visits: float  # nonzeros, in the last epoch; before the first one: for `slopes`
    updates: int  # in the last epoch
    size: int  # of the last set; before the first one d


@dataclass(frozen=True)
class WorkingSet(Wrapper):
    """For l1 > 0: sweeps over the few features that may matter, certified on all of them. No theorem covers it.

    An epoch is a stage of many sweeps with extrapolation.

    Parameters
    ----------
    method : Descent
        A method of the primal.
    working_set : True
    """

    working_set: bool = True

    keyword: ClassVar[str] = "working_set"
    off: ClassVar[bool] = False
    wanted: ClassVar[str] = "a method of the primal whose state is its point, and with one wrapper at a time"
    sees: ClassVar[str] = "problem"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.flag(f"{self.name}'s working_set", self.working_set)

    @classmethod
    def fits(cls, method: Method) -> bool:
        return super().fits(method) and method.side == "primal" and draws_coordinates(method)

    def wrapper_objections(self, problem: Problem, sampling: Sampling | None) -> Iterator[str]:
        if problem.l1 == 0:
            yield (
                f"{self.name}'s working_set is for l1 > 0, which leaves few features, and this problem has l1 = 0: "
                "leave it out"
            )
        if problem.bounded:
            yield f"{self.name}'s working_set is for problems without bounds or penalty factors: leave it out"
        if problem.intercept:
            yield f"{self.name}'s working_set takes no intercept, which no l1 holds at 0: leave it out"
        if sampling is not None and sampling.name not in ORDERS:
            yield (
                f"{self.name} with working_set sweeps over its set in an order, not by {sampling.name}: use "
                f"{checks.join_with_or(ORDERS)}"
            )

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        core = self.method.init(problem, sampling, start)
        w, z = self.method.coordinates(core)
        alpha = problem.alpha(w, z=z)
        v = dual_slopes(problem, alpha, np.arange(problem.d, dtype=np.uint64))
        return State(core, w, z, alpha, v, v.copy(), problem.nnz / 2, 0, problem.d)

    def points(self, problem: Problem, S: State) -> Points:
        return Points(S.w, S.alpha, z=S.z, v=S.v)

    def refresh(self, problem: Problem, S: State) -> None:
        """Do nothing: each stage ends with z and v by their definitions."""

    def count(self, problem: Problem, S: State, order: Any) -> Count:
        return Count(S.updates, S.visits)

    def warm(self, P: Problem, S: State) -> None:
        nothing = np.empty(0, np.uint64)
        self.method.warm(P.by_columns, S.core)
        columns_dot(P.by_columns, nothing, S.alpha, NO_SHRINKING, S.slopes)
        add_lines(P.by_columns, S.w, nothing, S.z)
        weights(np.empty((3, 0)))
        next_set(P, S)

    def epoch(self, P: Problem, S: State, order: np.ndarray) -> State:
        """One stage: sweeps over the next set in this order, then a look at all features."""
        order = order[next_set(P, S)[order]]
        cost = float(P.column_profile.counts[order].sum())
        target = STAGE_GAP_SHARE * (P.primal(S.w, z=S.z) - P.dual(S.alpha, v=S.v))
        points, products = np.empty((POINTS + 1, order.size)), np.empty((POINTS + 1, P.n))
        repeat = 1 + int(MAX_SWEEPS_COST * P.nnz / (POINTS * cost + 1))  # small sets are swept repeatedly
        repeated, sweeps = np.tile(order, repeat), 0
        while sweeps < MAX_STAGE_SWEEPS:
            points[0], products[0] = S.w[order], S.z
            for row in range(1, POINTS + 1):
                self.method.epoch(P.by_columns, S.core, repeated)
                points[row], products[row] = S.w[order], S.z
            sweeps += POINTS * repeat
            primal = extrapolate(P, S, order, points, products)
            alpha = P.alpha(S.w, z=S.z)
            if primal - P.dual(alpha, v=dual_slopes(P, alpha, order)) <= target:
                break
        S.z[:] = 0.0
        support = np.flatnonzero(S.w).astype(np.uint64)
        add_lines(P.by_columns, S.w, support, S.z)  # afresh: extrapolation magnifies round-off
        alpha = P.alpha(S.w, z=S.z)
        S.slopes[:] = dual_slopes(P, alpha, np.arange(P.d, dtype=np.uint64))
        if P.dual(alpha, v=S.slopes) > P.dual(S.alpha, v=S.v):
            S.alpha[:], S.v[:] = alpha, S.slopes
        looked_at = sweeps / (POINTS * repeat) * cost + P.column_profile.counts[support].sum() + P.nnz
        before = 0.0 if S.updates else S.visits
        updates = sweeps * order.size or P.d  # with an empty X the look counts: else its runs would reach no limit
        return S._replace(visits=before + sweeps * cost + looked_at / 2, updates=updates, size=order.size)


@kernel
def columns_dot(P: View, order: np.ndarray, x: np.ndarray, plain: L2, out: np.ndarray) -> None:
    """out_j = X_:j'x for the columns of `order`."""
    for k in range(order.size):
        out[order[k]] = P.X.dot(order[k], x, plain)


def dual_slopes(problem: Problem, alpha: np.ndarray, order: np.ndarray) -> np.ndarray:
    """X_:j'alpha/n for the columns of `order`, 0 elsewhere; (d,)."""
    out = np.zeros(problem.d)
    columns_dot(problem.by_columns, order, alpha, NO_SHRINKING, out)
    return out / problem.n


def next_set(problem: Problem, S: State) -> np.ndarray:
    """The next set as a mask (d,): where w is not 0, and the features nearest to leaving 0.

    Feature j leaves 0 where |slope_j| reaches l1; how far w has to move until it does is measured by ||X_:j||.
    """
    norms2, distance, counts = problem.column_profile.norms2, np.empty(problem.d), np.zeros(4, np.int64)
    find_distances(np.full(problem.d, -1), norms2, S.w, S.slopes, problem.l1, distance, counts)
    count, _, candidates, _ = counts.tolist()
    growth = FULL_GROWTH if count >= FULL_SHARE * S.size else GROWTH
    room = min(candidates, max(MIN_SET_SIZE, growth * count) - count)
    in_set = (S.w != 0) & (norms2 > 0)
    in_set[np.argpartition(distance, room - 1)[:room]] = True
    return in_set


def extrapolate(problem: Problem, S: State, order: np.ndarray, points: np.ndarray, products: np.ndarray) -> float:
    """Move S to the extrapolated point where P is lower there; return P(w)."""
    primal = problem.primal(S.w, z=S.z)
    c = weights(points)
    w, z = S.w.copy(), c @ products[1:]
    w[order] = c @ points[1:]
    lower = problem.primal(w, z=z)
    if not lower < primal:
        return primal
    S.w[:], S.z[:] = w, z
    return lower
