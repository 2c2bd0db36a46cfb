"""SDCA and Prox-SDCA: exact maximisation of the dual along one random coordinate at a time.

Problem     max_alpha D(alpha) = -(1/n) sum_i phi*(-alpha_i) - g*(X'alpha/n),  g = (l2/2)||.||^2 + l1||.||_1, l2 > 0
Box         pick i;  alpha_i <- argmax of D along e_i (with l1 > 0: of its standard quadratic lower bound);
            keep v = X'alpha/n
Guarantee   1/gamma-smooth losses, uniform i: E[P - D] <= C (1 - 1/C)^t (D* - D_0), C = n + R^2/(l2 gamma);
            L-Lipschitz losses: O(n + L^2 R^2/(l2 eps)) updates for the averaged iterate; see cdlab.theory
Reference   Shalev-Shwartz & Zhang, Stochastic dual coordinate ascent methods for regularized loss minimization (2013),
            Figure 1, Option I; Accelerated proximal SDCA (2014) for l1 > 0
Notation    our v is their v times l2 (lambda); our alpha, phi and w are theirs

The paper's step without an argmax, alpha_i += s_i (-phi'(x_i'w) - alpha_i) with s_i = l2 n gamma/(l2 n gamma +
||x_i||^2), has the same guarantee for smooth losses: it is ``Quartz(step="local")``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..losses.per_example import mean_conjugate
from ..numerics.checks import set_integer_field, set_number_field
from ..numerics.jit import kernel
from ..problems import balls
from ..problems.points import View
from ..problems.problem import Problem
from ..samplings import Sampling, SamplingLike
from .base import Points
from .sdca_average import AveragedState, averages, later, sdca_averaged_epoch
from .sdca_vector import VectorState, sdca_vector_epoch
from .shared import added_l2, anderson
from .shared.added_l2 import Added, lowered
from .shared.anderson import Extrapolated
from .shared.averaging import check_average, whole
from .shared.screening import Active, Screens
from .shared.settled import settled


class State(NamedTuple):
    """The dual point, its v, and the curvatures along the coordinates."""

    alpha: np.ndarray  # (n,) dual variables
    v: np.ndarray  # (d,) X'alpha/n
    q: np.ndarray  # (n,) ||x_i||^2/(l2 n), curvature of the dual along e_i


@kernel
def sdca_epoch(P: View, S: State, order: np.ndarray) -> None:
    """One exact step for each example of `order`, of alpha and v in place."""
    alpha, v, q, y, n = S.alpha, S.v, S.q, P.y, P.y.size
    for k in range(order.size):
        i = P.X.pick(order, k, (alpha, q, y))
        u = P.X.dot(i, v, P.reg) / P.reg.l2  # u = x_i'w, w = grad g*(v)
        new = -P.loss.dualprox(u, -alpha[i], q[i], y[i])  # maximise the dual along e_i
        if new != alpha[i]:
            P.X.add(i, (new - alpha[i]) / n, v)  # v += (alpha_i' - alpha_i) x_i/n
            alpha[i] = new


def minus_dual(P: View, alpha: np.ndarray, v: np.ndarray) -> float:
    """-D(alpha); v = X'alpha/n."""
    return mean_conjugate(P.loss, alpha, P.y) + P.reg.g_conj(v)


@dataclass(frozen=True)
class SDCA(Screens):
    """Stochastic dual coordinate ascent, exact steps; Prox-SDCA when l1 > 0. Takes the softmax loss.

    Parameters
    ----------
    added_l2 : float > 0, "auto" or None, default None
        For l2 = 0 < l1 only: the l2 that is added. A number eps (l1/P(0))^2 reaches P* + eps and then stalls; "auto"
        lowers it as the gap shrinks. Gaps are those of the problem without it.
    average : "all", "half" or None, default None
        The answer is the average of all iterates, of the last ones (between a half and three quarters of all), or the
        last iterate. The guarantee for losses that are not smooth is about averages; the last iterate is mostly better.
    anderson : int >= 2, optional
        Every so many repetitions of an order (symmetric, cyclic, fixed_permutation) alpha is extrapolated, if D is
        higher there (see shared/anderson.py); 5 is a good number. No theorem covers it.
    screening : "none", "gap_safe" or "shrink", default "none"
        For losses with straight parts (hinges, absolute, Huber): leave out examples whose dual variable is known to be
        what it is there, or guessed to be (see shared/screening.py).

    References
    ----------
    Shalev-Shwartz & Zhang, Stochastic dual coordinate ascent methods for regularized loss minimization (2013); with l1
    Accelerated proximal SDCA (2014); softmax: Proximal stochastic dual coordinate ascent (2012).
    """

    added_l2: float | str | None = None
    average: str | None = None
    anderson: int | None = None
    screening: str = "none"

    name: ClassVar[str] = "sdca"
    reference: ClassVar[str] = "Shalev-Shwartz & Zhang 2013"
    side: ClassVar[str] = "dual"
    needs_l2: ClassVar[bool] = True
    takes_vectors: ClassVar[bool] = True
    settles_empty: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_average(self.name, self.average)
        set_number_field(self, "added_l2", "a finite number > 0, 'auto' or None", ("auto", None))
        set_integer_field(self, "anderson", "a whole number >= 2, or None", low=2)
        if self.anderson is not None and (self.average or self.added_l2):
            raise ValueError("sdca's anderson goes neither with average nor with added_l2: leave anderson out")
        if self.average and self.added_l2:
            raise ValueError("sdca's average and added_l2 do not go together: with added_l2, leave average out")
        self.check_screening()
        if self.screening != "none" and (self.average or self.added_l2 or self.anderson):
            raise ValueError("sdca's screening goes with none of average, added_l2 and anderson: leave screening out")

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> Any:
        if self.added_l2 is not None:
            solved: Any = added_l2.solved(problem, self.added_l2)
            return Added(replace(self, added_l2=None).init(solved, sampling, start), solved, 0, 0, 0.0)
        q = problem.row_profile.norms2 / (problem.l2 * problem.n)
        alpha = settled(problem, start)
        v = problem.v(alpha)
        if problem.outputs:
            return VectorState(alpha, v, q, *(np.empty(problem.outputs) for _ in range(3)))
        if self.average:
            return AveragedState(alpha, v, q, np.zeros(problem.n), np.zeros(problem.d), 0, whole(problem.d + problem.n))
        S = State(alpha, v, q)
        return anderson.extrapolating(S, alpha, v, self.anderson, sampling)

    def epoch(self, P: View, S: Any, order: np.ndarray) -> Any:
        match S:
            case State():
                sdca_epoch(P, S, order)
            case VectorState():
                sdca_vector_epoch(P, S, order)
            case AveragedState():
                S = S._replace(t=sdca_averaged_epoch(P, S, order))
                S = later(P.reg, S) if self.average == "half" else S
            case Extrapolated():
                core = self.epoch(P, S.core, order)
                S = anderson.advanced(S, core, core.alpha, core.v, lambda alpha, v: minus_dual(P, alpha, v))
            case Added():
                S = S._replace(core=self.epoch(P._replace(reg=S.solved.reg), S.core, order))
                S = lowered(S) if self.added_l2 == "auto" else S
        return S

    def points(self, problem: Problem, S: Any) -> Points:
        if isinstance(S, Added):
            return self.points(S.solved, S.core)
        if isinstance(S, Extrapolated):
            return self.points(problem, S.core)
        if isinstance(S, AveragedState):
            return Points(*averages(problem.reg, S))
        return Points(problem.reg.grad_g_conj(S.v), S.alpha, v=S.v)

    def refresh(self, problem: Problem, S: Any) -> None:
        if isinstance(S, Added):
            return self.refresh(S.solved, S.core)
        if isinstance(S, Extrapolated):
            return self.refresh(problem, S.core)
        fresh = problem.v(S.alpha)
        if isinstance(S, AveragedState):
            S.e[:] += S.t * problem.l2 * (problem.reg.grad_g_conj(fresh) - problem.reg.grad_g_conj(S.v))
        S.v[:] = fresh

    def warm(self, P: Any, S: Any) -> None:
        super().warm(P, S.core if isinstance(S, Extrapolated) else S)

    def screened(
        self, problem: Problem, S: State, points: Points, gap: float, active: Active
    ) -> tuple[State, Active, float]:
        assert points.z is not None, "see `screened`"
        safe = balls.prediction_box(problem, balls.primal_ball(problem, points.w, points.z, gap))
        settled, values = balls.screened_examples(problem, self.box(safe, active))
        active, moved = self.leaving(active, safe, settled, S.alpha == values)
        if moved.size:
            change = np.zeros(problem.n)
            change[moved] = values[moved] - S.alpha[moved]
            S.alpha[moved] = values[moved]
            S.v[:] += problem.v(change)
        return S, active, float(problem.row_profile.counts[moved].sum())

    def drawn(self, problem: Problem) -> np.ndarray:  # with an added l2, importance sampling draws zero rows too
        return super().drawn(problem) if self.added_l2 is None else problem.row_profile.norms2 > 0

    def orders(self, problem: Problem, sampling: Sampling, rng: np.random.Generator) -> Iterator[Any]:
        return super().orders(added_l2.solved(problem, self.added_l2), sampling, rng)

    def count(self, problem: Problem, S: Any, order: Any) -> tuple[int, float]:
        iterations, visited = super().count(problem, S, order)
        return iterations, visited + (S.swept if isinstance(S, Added) else 0)

    def refusal(self, problem: Problem, sampling: Sampling) -> str | None:
        if self.average and problem.outputs:
            return (
                f"sdca averages scalar losses only, and {problem.loss.name}, being smooth, needs none: use average=None"
            )
        reason = added_l2.refusal(problem, self.added_l2)
        reason = reason or anderson.refusal(self.name, self.anderson, problem, sampling)
        reason = reason or self.screening_refusal(problem, sampling)
        return reason or super().refusal(added_l2.solved(problem, self.added_l2), sampling)
