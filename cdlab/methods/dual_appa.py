"""Dual APPA: the approximate proximal point algorithm that keeps a dual point from stage to stage.

Problem     min_x P(x), also with l2 = 0; mu-strongly convex for the guarantee
Algorithm   repeat, with D_x the dual of f_x(w) = P(w) + (lambda/2)||w - x||^2:
            alpha <- a point alpha' with P(x') <= D_x(alpha'),  x' = x_hat(alpha') the primal point that belongs to it:
                     grad g*(X'alpha'/n + lambda x), g with the quadratic in it
            x <- x'. The new center moves v = X'alpha/n + lambda x: O(n + d), no sweep; with l2 = l1 = 0 the new
            stage's primal point is 2 x' - x, x' the new center and x the old.
            With accuracy="theory" as printed: D_x* - D_x(alpha') <= (D_x* - D_x(alpha))/sigma, certified by a gap of
            at most (D_x(alpha') - D_x(alpha))/sigma.
Guarantee   P(x_t) - P* <= (lambda/(lambda + mu))^t (P(x_0) - P*) after t stages, from any alpha, see appa.py.
            With accuracy="theory", Delta = P(x) - P*, E = D_x* - D_x(alpha), a = mu/(4 lambda): each stage contracts
            Delta + a E by r = 1 - mu/(2 (lambda + mu)) if sigma = (B + 2 a (1 + B))/(r a), where B bounds
            (f_x(x_hat) - f_x*)/E: B = 1 + R^2/(gamma (l2 + lambda)). With decreasing=True: none
Reference   Frostig, Ge, Kakade & Sidford, Un-regularizing (2015), Dual APPA, Theorem 2.9, Corollary 2.11. Their
            sigma is only said to be polynomial; ours is derived from e = D_x* - D_x(alpha') by
            f_x(x') - f_x* <= B e, Delta' + (lambda/2)||x' - x||^2 <= lambda/(lambda + mu) Delta + B e (Lemma 3.1),
            E' <= 2 e + lambda ||x' - x||^2 (f_x* is lambda-smooth in x, D_x(alpha') convex in x). B is the lemma "gap
            of a dual point" of cdlab.theory on f_x: it is about x_hat, for any l1.
            In Corollary 2.11, accelerated inner methods, lambda is printed as L R^2 (their scale) and has to be mu.
Notation    they minimise the sum F = n P with duals y = -alpha: their mu and lambda are n times ours (lambda is
            prox_weight); their dual is -n D
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..numerics import checks
from ..numerics.checks import set_number_field
from ..problems.problem import Problem
from ..samplings import Sampling, SamplingLike
from .base import Points
from .shared.inner_problem import origin, proximal
from .shared.outer_loop import ProximalPoint, Stage, solving_weight
from .shared.outer_steps import TESTS, Center

FIRST_WEIGHT_FLOORS = 300  # A decreasing weight starts at this many times the default floor.
MIN_GAIN_RATIO = 0.5  # A stage that gains more than this share of what the last one gained is too slow.
QUARTER = 4  # Factor of the weight, down or up.
FROZEN_STAGES = 5  # Stages without a change after the weight had to be raised.
WARM, PRIMAL, ZERO, GIVEN = "warm", "primal", "zero", "given"  # where alpha starts


class Decrease(NamedTuple):
    """The record of a weight that decreases."""

    value: float  # P(x)
    gain: float = np.inf  # fall of P in the last stage
    rises: int = 0  # stages in a row after which P was larger
    frozen: int = 0  # stages still to come without a change


class State(NamedTuple):
    """The center, the inner problem around it, and how its weight has done if it decreases."""

    problem: Problem
    sampling: Any
    stage: Stage
    limit: float | None  # epochs a stage, inf: a single one; None: until certified
    c: float | None  # sigma, the accuracy of the oracle, where one is asked for
    outer: Center  # x
    weight: float  # lambda
    value: float  # D_x(alpha) at the beginning of the stage; NaN where no accuracy is asked for
    decrease: Decrease | None


@dataclass(frozen=True)
class DualAPPA(ProximalPoint[State]):
    """Approximate proximal point algorithm on the dual, with warm starts.

    Parameters
    ----------
    inner : SDCA, Quartz, APCG or AccProxSDCA, default SDCA()
    prox_weight : float >= 0, optional
        lambda; R^2/(gamma n) by default, with an accelerated inner method max(mu, R^2/(1000 gamma n)).
    epochs : int, optional
        Epochs a stage instead of the certified stop (of which a test counts as half a pass). No theorem covers it.
    mu : float > 0, optional
        Strong convexity of P, on the scale of the mean loss; l2 by default if that is > 0. Only accuracy="theory" and
        the default weight for an accelerated inner method read it.
    accuracy : float > 0 or "theory", optional
        sigma, to end stages by an accuracy that is fixed in advance; "theory" is the one above.
    dual_start : "warm", "primal" or "zero", default "warm"
        Which alpha a stage starts from: the one that the last stage ended at; y_hat(x), alpha_i = -phi'(x_i'x), which
        costs a sweep for X x (unless the gap test has made it) and one for v; or 0.
    first_dual : "given" or "primal", default "given"
        Which alpha the first stage starts from: the start's (0 by default), or y_hat(x_0) as the paper's algorithm.
    decreasing : bool, default False
        Start from a large lambda (300 R^2/(gamma n) by default) and divide it by 4 after every stage that gained more
        than half of what the last one gained, down to `floor`; after two rises of P in a row multiply it by 4 and leave
        it for 5 stages. Stages last `epochs`, 1 by default; P(x) costs half a pass a stage. A heuristic.
    floor : float >= 0, optional
        The smallest lambda; R^2/(gamma n) by default. Without a floor a few epochs soon solve no inner problem any
        more, and the method stalls or diverges.

    References
    ----------
    Frostig, Ge, Kakade & Sidford, Un-regularizing (2015), Dual APPA, Theorem 2.9, Corollary 2.11.
    """

    decreasing: bool = False
    floor: float | None = None
    dual_start: str = WARM
    first_dual: str = GIVEN

    name: ClassVar[str] = "dual_appa"
    summary: ClassVar[str] = "the same easier problems, each begun where the last one ended"
    guarantee: ClassVar[str] = "κ_S inner solves"
    reference: ClassVar[str] = "Frostig, Ge, Kakade & Sidford 2015"
    inners: ClassVar[tuple[str, ...]] = ("sdca", "quartz", "apcg", "accprox_sdca")

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.flag("dual_appa's decreasing", self.decreasing)
        set_number_field(self, "floor", "a finite number >= 0", ends="[)")
        if self.floor is not None and not self.decreasing:
            raise ValueError("dual_appa's floor is for decreasing=True; leave it out, or set prox_weight")
        if self.decreasing and self.accuracy is not None:
            raise ValueError("dual_appa's stages last a number of epochs with decreasing=True; leave accuracy out")
        checks.one_of("dual_appa's dual_start", self.dual_start, (WARM, PRIMAL, ZERO))
        checks.one_of("dual_appa's first_dual", self.first_dual, (GIVEN, PRIMAL))

    def weight(self, problem: Problem) -> float:
        if self.decreasing and self.prox_weight is None:
            return FIRST_WEIGHT_FLOORS * solving_weight(problem)
        return super().weight(problem)

    def theory(self, problem: Problem, mu: float) -> float | None:
        weight, smooth = self.weight(problem), problem.loss.gamma > 0
        if not smooth or weight == 0:
            return None
        B = 1 + problem.R**2 / (problem.loss.gamma * (problem.l2 + weight))
        a, r = mu / (4 * weight), 1 - mu / (2 * (weight + mu))
        return (B + 2 * a * (1 + B)) / (r * a)

    def stop(self, problem: Problem) -> tuple[float | None, float | None]:
        return (self.epochs or 1, None) if self.decreasing else super().stop(problem)

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        start, weight = origin(problem) if start is None else start, self.weight(problem)
        center, swept = np.array(start.w), 0.0
        if self.first_dual == PRIMAL:
            start, swept = self.dual_point(problem, center)
        stage = self.opened(proximal(problem, weight, center), sampling, start, problem, swept)
        limit, sigma = self.stop(problem)
        value = np.nan if sigma is None else self.entry(stage)
        decrease = Decrease(problem.primal(center)) if self.decreasing else None
        outer = self.around(problem, weight, center)
        return State(problem, sampling, stage, limit, sigma, outer, weight, value, decrease)

    def around(self, problem: Problem, weight: float, x: np.ndarray) -> Center:
        """The outer variables with this center."""
        return Center(x, self.share(problem) * weight / 2)

    def stages_are_compiled(self, S: State) -> bool:
        return S.decrease is None and self.dual_start == WARM and super().stages_are_compiled(S)

    def dual_point(self, problem: Problem, x: np.ndarray, z: np.ndarray | None = None) -> tuple[Points, float]:
        """y_hat(x) with its v, and the nonzeros that takes: half a pass for X x where z is not at hand, and for v."""
        alpha = problem.alpha(x, z=z)
        sweeps = 1 if z is not None or not x.any() else 2
        return Points(x, alpha, v=problem.v(alpha)), sweeps * problem.nnz / 2

    def reached(self, stage: Stage) -> Points:
        at = super().reached(stage)
        v: Any = at.v  # which dual methods maintain
        x = stage.problem.reg.grad_g_conj(v)  # x_hat(alpha), the next center
        return Points(x, at.alpha, z=at.z if np.array_equal(x, at.w) else None, v=v)

    def entry(self, stage: Stage) -> float:
        """D_x(alpha) where the inner method stands; v is at hand."""
        at = self.inner.points(stage.problem, stage.state)
        return stage.problem.dual(at.alpha, v=at.v)

    def gained(self, S: State, stage: Stage) -> float:
        return stage.dual - S.value

    def next_stage(self, S: State) -> State:
        problem, end = S.problem, self.reached(S.stage) if S.limit is not None else S.stage.at
        x, z, weight, decrease, swept = end.w, end.z, S.weight, S.decrease, 0.0
        if decrease is not None:
            z, swept = problem.predict(x), problem.nnz / 2  # for P(x)
            weight, decrease = self.decreased(problem, weight, decrease, problem.primal(x, z=z))
        stage = self.started(S, weight, x, z, swept)
        value = np.nan if S.c is None else self.entry(stage)
        outer = self.around(problem, weight, x)
        return S._replace(stage=stage, outer=outer, weight=weight, value=value, decrease=decrease)

    def started(self, S: State, weight: float, x: np.ndarray, z: np.ndarray | None, swept: float) -> Stage:
        """The next stage, from the alpha that `dual_start` says."""
        if self.dual_start == WARM or weight == 0:
            return self.moved(S, weight, x, swept)
        problem, Q = S.problem, proximal(S.problem, weight, x)
        if self.dual_start == PRIMAL:
            at, more = self.dual_point(problem, x, z)
            return self.opened(Q, S.sampling, at, problem, swept + more, TESTS.first_test(S.stage.epochs))
        zero = origin(problem)
        start, due = Points(x, zero.alpha, v=zero.v), TESTS.first_test(S.stage.epochs)
        return self.opened(Q, S.sampling, start, problem, swept, due)

    def decreased(self, problem: Problem, weight: float, last: Decrease, value: float) -> tuple[float, Decrease]:
        """The next weight, given P(x) after the stage."""
        gain = last.value - value
        rises = last.rises + 1 if gain < 0 else 0
        now = Decrease(value, gain, rises, max(0, last.frozen - 1))
        if last.frozen:
            return weight, now
        if rises == 2:
            return QUARTER * weight, now._replace(rises=0, frozen=FROZEN_STAGES)
        if gain > MIN_GAIN_RATIO * last.gain:
            floor = solving_weight(problem) if self.floor is None else self.floor
            return max(floor, weight / QUARTER), now
        return weight, now

    def objections(self, problem: Problem, sampling: Sampling) -> Iterator[str]:
        if self.decreasing and sampling.needs_smooth:
            yield (
                f"dual_appa's decreasing weight would change what {sampling.name} sampling draws by at every stage: "
                "use uniform, norms or permutation"
            )
        if self.decreasing and problem.loss.gamma == 0 and self.floor is None:
            yield f"dual_appa has no default floor for {problem.loss.name}, which is not smooth: give one"
        yield from super().objections(problem, sampling)
