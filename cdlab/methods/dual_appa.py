"""Dual APPA: the approximate proximal point algorithm that keeps a dual point from stage to stage.

Problem     min_x P(x), also with l2 = 0; mu-strongly convex for the guarantee
Box         repeat, with D_x the dual of f_x(w) = P(w) + (lambda/2)||w - x||^2:
            alpha <- a point alpha' with D_x* - D_x(alpha') <= (D_x* - D_x(alpha))/sigma
            x <- x_hat(alpha'), the primal point that belongs to alpha': grad g*(X'alpha'/n + lambda x), g with the
            quadratic in it. The new center moves v = X'alpha/n + lambda x: O(n + d), no sweep; with l2 = l1 = 0 the new
            stage's primal point is 2 x' - x, x' the new center and x the old.
            The inner method is such an oracle once its duality gap is at most (D_x(alpha') - D_x(alpha))/sigma.
Guarantee   with Delta = P(x) - P*, E = D_x* - D_x(alpha), a = mu/(4 lambda), each stage contracts Delta + a E by
            r = 1 - mu/(2 (lambda + mu)) if sigma = (B + 2 a (1 + B))/(r a), where B bounds (f_x(x_hat) - f_x*)/E:
            B = 1 + R^2/(gamma (l2 + lambda)); with l1 > 0, n + R^2/(gamma (l2 + lambda))
            with decreasing=True: none
Reference   Frostig, Ge, Kakade & Sidford, Un-regularizing (2015), Dual APPA, Theorem 2.9, Corollary 2.11. Their
            sigma is only said to be polynomial; ours is derived from e = D_x* - D_x(alpha') by
            f_x(x') - f_x* <= B e, Delta' + (lambda/2)||x' - x||^2 <= lambda/(lambda + mu) Delta + B e (Lemma 3.1),
            E' <= 2 e + lambda ||x' - x||^2 (f_x* is lambda-smooth in x, D_x(alpha') convex in x). For l1 > 0, where
            x_hat moves less smoothly, B is SDCA's: a duality gap is at most n + R^2/(gamma (l2 + lambda)) times E.
            In Corollary 2.11, accelerated inner methods, lambda is printed as L R^2 (their scale) and has to be mu.
Notation    they minimise the sum F = n P with duals y = -alpha: their mu and lambda are n times ours (lambda is
            prox_weight); their dual is -n D
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..problem import Problem
from .shared.inner import Stage, origin, proximal, solving_weight
from .shared.proximal_point import ProximalPoint

FAR = 300  # where a decreasing weight starts, in default floors
SLOW = 0.5  # a stage that gains more than this part of what the last one gained is too slow
QUARTER = 4  # the weight's factor, down or up
FREEZE = 5  # stages without a change after the weight had to be raised


class Decrease(NamedTuple):
    """How a weight that decreases has done so far."""

    value: float  # P(x)
    gain: float = np.inf  # of the last stage, in P
    rises: int = 0  # stages in a row after which P was larger
    frozen: int = 0  # stages still to come without a change


class State(NamedTuple):
    problem: Problem
    sampling: Any
    stage: Stage
    limit: int | None  # epochs a stage; None: until certified
    sigma: float | None  # accuracy of the oracle
    value: float  # D_x(alpha) at the beginning of the stage; NaN where stages are not certified
    weight: float  # lambda
    decrease: Decrease | None


@dataclass(frozen=True)
class DualAPPA(ProximalPoint):
    """Approximate proximal point algorithm on the dual, with warm starts.

    Parameters
    ----------
    inner : SDCA, Quartz, APCG or AccProxSDCA, default SDCA()
    prox_weight : float >= 0, optional
        lambda; R^2/(gamma n) by default, with an accelerated inner method max(mu, R^2/(1000 gamma n)).
    epochs : int, optional
        Epochs a stage instead of the certified stop (which counts as a pass at each test). No theorem covers it.
        It is 1 by default where the theory has no accuracy (mu not known, or a loss that is not smooth) and the inner
        method is not accelerated.
    mu : float > 0, optional
        Strong convexity of P, on the scale of the mean loss; l2 by default if that is > 0.
    accuracy : float > 0, optional
        sigma; see above for its default.
    decreasing : bool, default False
        Start from a large lambda (300 R^2/(gamma n) by default) and divide it by 4 after every stage that gained more
        than half of what the last one gained, down to `floor`; after two rises of P in a row multiply it by 4 and leave
        it for 5 stages. Stages last `epochs`, 1 by default; P(x) costs half a pass a stage. A heuristic.
    floor : float >= 0, optional
        The smallest lambda; R^2/(gamma n) by default. Without a floor a few epochs soon solve no inner problem any
        more, and the method stalls or diverges.
    """

    decreasing: bool = False
    floor: float | None = None

    name: ClassVar[str] = "dual_appa"
    reference: ClassVar[str] = "Frostig, Ge, Kakade & Sidford 2015"
    inners: ClassVar[tuple[str, ...]] = ("sdca", "quartz", "apcg", "accprox_sdca")

    def __post_init__(self):
        super().__post_init__()
        self.check("floor", self.floor is None or 0 <= self.floor < np.inf, "a finite number >= 0")
        if self.floor is not None and not self.decreasing:
            raise ValueError("dual_appa's floor is for decreasing=True; leave it out, or set prox_weight")
        if self.decreasing and self.accuracy is not None:
            raise ValueError("dual_appa's stages last a number of epochs with decreasing=True; leave accuracy out")

    def weight(self, problem):
        if self.decreasing and self.prox_weight is None:
            return FAR * solving_weight(problem)
        return super().weight(problem)

    def theory(self, problem, mu):
        weight, smooth = self.weight(problem), problem.loss.gamma > 0
        if not smooth or weight == 0:
            return None
        B = (1 if problem.l1 == 0 else problem.n) + problem.R**2 / (problem.loss.gamma * (problem.l2 + weight))
        a, r = mu / (4 * weight), 1 - mu / (2 * (weight + mu))
        return (B + 2 * a * (1 + B)) / (r * a)

    def stop(self, problem):
        return (self.epochs or 1, None) if self.decreasing else super().stop(problem)

    def init(self, problem, sampling, start=None):
        start, weight = origin(problem) if start is None else start, self.weight(problem)
        stage = self.opened(proximal(problem, weight, start.w), sampling, start, problem)
        limit, sigma = self.stop(problem)
        value = self.entry(stage) if limit is None else np.nan
        decrease = Decrease(problem.primal(start.w)) if self.decreasing else None
        return State(problem, sampling, stage, limit, sigma, value, weight, decrease)

    def entry(self, stage: Stage) -> float:
        """D_x(alpha) where the inner method stands; v is at hand."""
        at = self.inner.points(stage.problem, stage.state)
        return stage.problem.dual(at.alpha, v=at.v)

    def target(self, S, stage):
        return (stage.dual - S.value) / S.sigma

    def next_stage(self, S):
        x = S.stage.problem.reg.grad_g_conj(self.end(S).v)  # x_hat(alpha)
        weight, decrease, swept = S.weight, S.decrease, 0.0
        if decrease is not None:
            weight, decrease = self.decreased(S.problem, weight, decrease, S.problem.primal(x))
            swept = S.problem.nnz / 2  # X x, for P(x)
        stage = self.moved(S, weight, x, swept)
        value = self.entry(stage) if S.limit is None else np.nan
        return S._replace(stage=stage, value=value, weight=weight, decrease=decrease)

    def decreased(self, problem: Problem, weight: float, last: Decrease, value: float) -> tuple[float, Decrease]:
        """The next weight, given P(x) after the stage."""
        gain = last.value - value
        rises = last.rises + 1 if gain < 0 else 0
        now = Decrease(value, gain, rises, max(0, last.frozen - 1))
        if last.frozen:
            return weight, now
        if rises == 2:
            return QUARTER * weight, now._replace(rises=0, frozen=FREEZE)
        if gain > SLOW * last.gain:
            floor = solving_weight(problem) if self.floor is None else self.floor
            return max(floor, weight / QUARTER), now
        return weight, now

    def refusal(self, problem, sampling):
        if self.decreasing and sampling.needs_smooth:
            return (
                f"dual_appa's decreasing weight would change what {sampling.name} sampling draws by at every stage: "
                "use uniform, norms or permutation"
            )
        if self.decreasing and problem.loss.gamma == 0 and self.floor is None:
            return f"dual_appa has no default floor for {problem.loss.name}, which is not smooth: give one"
        return super().refusal(problem, sampling)
