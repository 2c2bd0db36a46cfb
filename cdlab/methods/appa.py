"""APPA, the approximate proximal point algorithm: un-regularise by solving regularised problems one after another.

Problem     min_x P(x), also with l2 = 0; mu-strongly convex for the guarantee
Algorithm   repeat  x <- a point x' with f(x') - f* <= (lambda/2)||x' - x||^2,  f(w) = P(w) + (lambda/2)||w - x||^2
            The inner method has found one once its duality gap is at most that: once P(x') <= D_x(alpha').
            With accuracy="theory" as printed: f(x') - f* <= (f(x) - f*)/c, c = 2 (lambda + mu)/mu, certified by a
            gap of at most (f(x) - f(x'))/c.
Guarantee   P(x_t) - P* <= (lambda/(lambda + mu))^t (P(x_0) - P*) after t stages, as of exact steps, because
            P(x') <= D_x(alpha') <= f* <= P* + lambda/(lambda + mu) (P(x) - P*) by Lemma 3.1. With accuracy="theory"
            (1 - mu/(2 (lambda + mu)))^t: each contracts by 1/c + lambda/(mu + lambda). mu = 0: none
Reference   Frostig, Ge, Kakade & Sidford, Un-regularizing: approximate proximal point and faster stochastic algorithms
            for empirical risk minimization (2015), Algorithm 1, Theorem 2.4, Lemmas 2.3, 3.1 and 3.2; the rule by
            which a stage ends is ours, in the manner of Rockafellar, Monotone operators and the proximal point
            algorithm (1976), criterion (B), and Lin, Mairal & Harchaoui, Catalyst acceleration (2018), criterion (C2)
Notation    they minimise the sum F = n P: their mu and lambda are n times ours (lambda is prox_weight), their condition
            number is R^2/(gamma n mu) in ours; ratios such as c are the same
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..problems.points import Points
from ..problems.problem import Problem
from ..samplings import SamplingLike
from .shared.inner_problem import origin, proximal
from .shared.outer_loop import ProximalPoint, Stage
from .shared.outer_steps import Center, after_step


class State(NamedTuple):
    """The center, and the inner problem that is being solved around it."""

    problem: Problem
    sampling: Any
    stage: Stage
    limit: float | None  # epochs a stage, inf: a single one; None: until certified
    c: float | None  # accuracy of the oracle, where one is asked for
    outer: Center  # x
    weight: float  # lambda
    value: float  # P(x); NaN where no accuracy is asked for


@dataclass(frozen=True)
class APPA(ProximalPoint[State]):
    """Approximate proximal point algorithm.

    Parameters
    ----------
    inner : SDCA, Quartz, APCG, SVRG or AccProxSDCA, default SDCA()
    prox_weight : float >= 0, optional
        lambda; R^2/(gamma n) by default, with an accelerated inner method max(mu, R^2/(1000 gamma n)).
    epochs : int, optional
        Epochs a stage instead of the certified stop (of which a test counts as half a pass). No theorem covers it.
    mu : float > 0, optional
        Strong convexity of P, on the scale of the mean loss; l2 by default if that is > 0. Only accuracy="theory" and
        the default weight for an accelerated inner method read it.
    accuracy : float > 0 or "theory", optional
        c, to end stages by an accuracy that is fixed in advance; "theory" is 2 (lambda + mu)/mu.

    References
    ----------
    Frostig, Ge, Kakade & Sidford, Un-regularizing (2015), Algorithm 1, Theorem 2.4.
    """

    name: ClassVar[str] = "appa"
    summary: ClassVar[str] = "dual steps on easier problems, one after another; needs no regulariser"
    guarantee: ClassVar[str] = "κ_S inner solves"
    reference: ClassVar[str] = "Frostig, Ge, Kakade & Sidford 2015"
    inners: ClassVar[tuple[str, ...]] = ("sdca", "quartz", "apcg", "svrg", "accprox_sdca")

    def theory(self, problem: Problem, mu: float) -> float | None:
        return 2 * (self.weight(problem) + mu) / mu

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        start = origin(problem) if start is None else start
        weight, center = self.weight(problem), np.array(start.w)
        stage = self.opened(proximal(problem, weight, center), sampling, start, problem)
        limit, c = self.stop(problem)
        value = np.nan if c is None else problem.primal(center)
        outer = Center(center, self.share(problem) * weight / 2)
        return State(problem, sampling, stage, limit, c, outer, weight, value)

    def gained(self, S: State, stage: Stage) -> float:
        return S.value - stage.primal

    def next_stage(self, S: State) -> State:
        x = self.end(S)
        outer = after_step(S.outer, x.w)
        value = np.nan if S.c is None else S.problem.primal(x.w, z=x.z)
        return S._replace(stage=self.moved(S, S.weight, outer.center), outer=outer, value=value)
