"""Primal randomized coordinate descent (RCD): proximal gradient steps along random coordinates of w.

Problem     min_w P(w) = (1/n) sum_i phi(x_i'w) + (l2/2)||w||^2 + l1 ||w||_1, phi smooth
Box         draw a random set S of coordinates (one, or a block); for all j in S, from the same w and z = X w:
            g_j = (1/n) sum_i X_ij phi'(z_i) + l2 w_j;  w_j <- argmin_t { g_j t + (L_j/2)(t - w_j)^2 + l1 |t| };  keep z
            with L_j = (beta u_j + l2 n)/n, beta = 1/gamma, u_j from cdlab.eso(X, sampling, "primal");
            serial: u_j = ||X_:j||^2. The argmin is w_j - g_j/L_j, with l1 > 0 moved by l1/L_j towards 0;
            for the squared loss a serial step minimises P along e_j
Guarantee   any sampling with all p_j = Prob(j in S) > 0:
            l2 > 0: E[P(w_t)] - P* <= (1 - rho)^t (P(w_0) - P*), rho = min_j p_j l2/L_j
            l2 >= 0: E[P(w_t)] - P* <= (P(w_0) - P* + sum_j (p_min H_j/(2 p_j)) (w_0j - w*_j)^2)/(1 + p_min t),
            H_j = beta u_j/n, p_min = min_j p_j
Reference   Csiba & Richtarik, Coordinate descent face-off: primal or dual? (2016), Algorithm 1 and Theorem 1, eq. (8),
            which is NSync's form; with l1 Richtarik & Takac, Iteration complexity of randomized block-coordinate
            descent methods for minimizing a composite function (2014); l2 = 0 Lu & Xiao, On the complexity analysis of
            randomized block-coordinate descent methods (2015)
Notation    our X (n, d) is the transpose of the face-off's; our L_j is its u'_j
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..losses.per_example import mean_loss
from ..numerics import checks
from ..numerics.checks import set_integer_field
from ..numerics.jit import kernel
from ..problems.points import View
from ..problems.problem import Problem
from ..samplings import Batches, Sampling, SamplingLike
from .base import Points
from .shared import anderson, working_sets
from .shared.anderson import Extrapolated
from .shared.one_or_many import OneOrMany
from .shared.screening import Active, Screens
from .shared.working_sets import WorkingState, add_columns, begun, stage

ORDERS = ("cyclic", "symmetric", "permutation", "fixed_permutation")  # of which every epoch holds each feature once


class State(NamedTuple):
    """The primal point with X w, and the smoothness that steps are made of."""

    w: np.ndarray  # (d,) primal variables
    z: np.ndarray  # (n,) X w
    L: np.ndarray  # (d,) smoothness of P along e_j, or what takes its place in blocks
    h: np.ndarray  # (d,) scratch: steps of the current block; (0,) in serial runs


@kernel
def rcd_epoch(P: View, S: State, order: np.ndarray) -> None:
    """One proximal gradient step along each coordinate of `order`, of w and z in place."""
    w, z, L, y, n = S.w, S.z, S.L, P.y, P.y.size
    for k in range(order.size):
        j = P.X.pick(order, k, (w, L))
        reg = P.reg.of_coordinate(j)
        g = P.X.slope(j, z, y, P.loss) / n + reg.l2 * w[j]
        step = reg.l1_step(w[j], -g / L[j], L[j])
        if step != 0:  # where l1 holds w_j at 0, column j is read only
            w[j] += step
            P.X.add(j, step, z)  # z += step X_:j


@kernel
def rcd_rounds(P: View, S: State, order: np.ndarray, few: np.ndarray, points: np.ndarray, images: np.ndarray) -> None:
    """Epochs over `order`, one for each row of `points` but the first; w on `few` and z before and after each."""
    for row in range(points.shape[0]):
        if row > 0:
            rcd_epoch(P, S, order)
        for k in range(few.size):
            points[row, k] = S.w[few[k]]
        for i in range(S.z.size):
            images[row, i] = S.z[i]


@kernel
def rcd_block_epoch(P: View, S: State, batches: Batches) -> None:
    """One step for each block, along all of its coordinates from the same w."""
    w, z, L, h, y, n, starts, order = S.w, S.z, S.L, S.h, P.y, P.y.size, batches.starts, batches.indices
    for b in range(starts.size - 1):
        for k in range(starts[b], starts[b + 1]):
            j = P.X.pick(order, k, (w, L))
            reg = P.reg.of_coordinate(j)
            g = P.X.slope(j, z, y, P.loss) / n + reg.l2 * w[j]
            h[j] = reg.l1_step(w[j], -g / L[j], L[j])
        for k in range(starts[b], starts[b + 1]):  # only now: all of a block starts from the same w
            j = order[k]
            w[j] += h[j]
            P.X.add(j, h[j], z)


@dataclass(frozen=True)
class RCD(OneOrMany, Screens):
    """Primal randomized coordinate descent, one coordinate at a time or a block at a time. Takes l1, and l2 = 0.

    Parameters
    ----------
    batch_size : int, optional
        Features updated together: with uniform sampling the same as ``TauNice(batch_size)``.
    working_set : bool, default False
        For l1 > 0: sweeps over the few features that may matter, certified on all of them. An epoch is a stage of many
        sweeps with extrapolation (see shared/working_sets.py); with orders only. No theorem covers it.
    anderson : int >= 2, optional
        Every so many repetitions of an order (symmetric, cyclic, fixed_permutation) w is extrapolated, if P is lower
        there (see shared/anderson.py); 5 is a good number. No theorem covers it.
    screening : "none", "gap_safe" or "shrink", default "none"
        For l1 > 0: leave out features that are known to be 0 at the optimum, or guessed (see shared/screening.py).

    References
    ----------
    Csiba & Richtarik, Coordinate descent face-off: primal or dual? (2016), Algorithm 1 and Theorem 1, eq. (8); with l1
    Richtarik & Takac, Iteration complexity of randomized block-coordinate descent methods for minimizing a composite
    function (2014).
    """

    working_set: bool = False
    anderson: int | None = None
    screening: str = "none"

    name: ClassVar[str] = "rcd"
    reference: ClassVar[str] = "Csiba & Richtarik 2016"
    side: ClassVar[str] = "primal"
    needs_smooth: ClassVar[bool] = True
    takes_intercept: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.flag("rcd's working_set", self.working_set)
        set_integer_field(self, "anderson", "a whole number >= 2, or None", low=2)
        if self.working_set and self.anderson is not None:
            raise ValueError("rcd's working_set extrapolates by itself: leave anderson out")
        self.check_screening()
        if self.screening != "none" and (self.working_set or self.anderson):
            raise ValueError("rcd's screening goes with neither working_set nor anderson: leave screening out")

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> Any:
        _, s, h = self.allowed(problem, sampling)
        w = np.zeros(problem.d) if start is None else np.where(self.visits(problem) > 0, start.w, 0.0)
        L = np.where(s > 0, s / problem.n, 1.0)  # l2 = 0 and an empty column: P is |w_j| or constant there
        if self.working_set:
            return begun(problem, w, L)
        S = State(w, problem.predict(w), L, h)
        return anderson.extrapolating(S, w, S.z, self.anderson, sampling)

    def view(self, problem: Problem) -> View | Problem:
        return problem if self.working_set else super().view(problem)

    def epoch(self, P: Any, S: Any, order: Any) -> Any:
        if isinstance(S, WorkingState):
            return stage(P, S, order, rcd_rounds)
        if isinstance(S, Extrapolated):
            core = self.epoch(P, S.core, order)
            return anderson.advanced(S, core, core.w, core.z, lambda w, z: mean_loss(P.loss, z, P.y) + P.reg.g(w))
        (rcd_block_epoch if S.h.size else rcd_epoch)(P, S, order)
        return S

    def points(self, problem: Problem, S: Any) -> Points:
        if isinstance(S, WorkingState):
            return Points(S.w, S.alpha, z=S.z, v=S.v)
        S = S.core if isinstance(S, Extrapolated) else S
        return Points(S.w, problem.alpha(S.w, z=S.z), z=S.z)

    def refresh(self, problem: Problem, S: Any) -> None:
        if not isinstance(S, WorkingState):  # of which each stage ends with z and v by their definitions
            S = S.core if isinstance(S, Extrapolated) else S
            S.z[:] = problem.predict(S.w)

    def screened(
        self, problem: Problem, S: State, points: Points, gap: float, active: Active
    ) -> tuple[State, Active, float]:
        active, moved = self.features_left(problem, points, gap, active)
        add_columns(problem.by_columns, -S.w, moved.astype(np.uint64), S.z)
        S.w[moved] = 0.0
        return S, active, float(problem.column_profile.counts[moved].sum())

    def count(self, problem: Problem, S: Any, order: Any) -> tuple[int, float]:
        return (S.updates, S.visited) if isinstance(S, WorkingState) else super().count(problem, S, order)

    def warm(self, P: Any, S: Any) -> None:
        if isinstance(S, WorkingState):
            working_sets.warm(P.by_columns, S, rcd_rounds)
        else:
            super().warm(P, S.core if isinstance(S, Extrapolated) else S)

    def refusal(self, problem: Problem, sampling: Sampling) -> str | None:
        if self.working_set and problem.l1 == 0:
            return (
                "rcd's working_set is for l1 > 0, which leaves few features, and this problem has l1 = 0: leave it out"
            )
        if self.working_set and problem.intercept:
            return "rcd's working_set takes no intercept, which no l1 holds at 0: leave it out"
        if self.working_set and self.effective(sampling).name not in ORDERS:
            wanted = checks.join_with_or(ORDERS)
            return f"rcd with working_set sweeps over its set in an order, not by {sampling.name}: use {wanted}"
        reason = anderson.refusal(self.name, self.anderson, problem, self.effective(sampling))
        reason = reason or self.screening_refusal(problem, self.effective(sampling))
        return reason or super().refusal(problem, sampling)
