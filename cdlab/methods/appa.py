"""APPA, the approximate proximal point algorithm: un-regularise by solving regularised problems one after another.

Problem     min_x P(x), also with l2 = 0; mu-strongly convex for the guarantee
Box         repeat  x <- a point x' with f(x') - f* <= (f(x) - f*)/c,  f(w) = P(w) + (lambda/2)||w - x||^2,
                    c = 2 (lambda + mu)/mu
            The inner method is such an oracle once its duality gap is at most (f(x) - f(x'))/c.
Guarantee   P(x_t) - P* <= (1 - mu/(2 (lambda + mu)))^t (P(x_0) - P*) after t stages: each contracts by
            1/c + lambda/(mu + lambda); mu = 0: none
Reference   Frostig, Ge, Kakade & Sidford, Un-regularizing: approximate proximal point and faster stochastic algorithms
            for empirical risk minimization (2015), Algorithm 1, Theorem 2.4, Lemmas 2.3, 3.1 and 3.2
Notation    they minimise the sum F = n P: their mu and lambda are n times ours (lambda is prox_weight), their condition
            number is R^2/(gamma n mu) in ours; ratios such as c are the same
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..problem import Problem
from .shared.inner import Stage, origin, proximal
from .shared.proximal_point import ProximalPoint


class State(NamedTuple):
    problem: Problem
    sampling: Any
    stage: Stage
    limit: int | None  # epochs a stage; None: until certified
    c: float | None  # accuracy of the oracle
    value: float  # P(x); NaN where stages are not certified


@dataclass(frozen=True)
class APPA(ProximalPoint):
    """Approximate proximal point algorithm.

    Parameters
    ----------
    inner : SDCA, Quartz, APCG, SVRG or AccProxSDCA, default SDCA()
    prox_weight : float >= 0, optional
        lambda; R^2/(gamma n) by default, with an accelerated inner method max(mu, R^2/(1000 gamma n)).
    epochs : int, optional
        Epochs a stage instead of the certified stop (which counts as a pass at each test). No theorem covers it.
        It is 1 by default where mu is not known and the inner method is not accelerated.
    mu : float > 0, optional
        Strong convexity of P, on the scale of the mean loss; l2 by default if that is > 0.
    accuracy : float > 0, optional
        c; 2 (lambda + mu)/mu by default.
    """

    name: ClassVar[str] = "appa"
    reference: ClassVar[str] = "Frostig, Ge, Kakade & Sidford 2015"
    inners: ClassVar[tuple[str, ...]] = ("sdca", "quartz", "apcg", "svrg", "accprox_sdca")

    def theory(self, problem, mu):
        return 2 * (self.weight(problem) + mu) / mu

    def init(self, problem, sampling, start=None):
        start = origin(problem) if start is None else start
        stage = self.opened(proximal(problem, self.weight(problem), start.w), sampling, start, problem)
        limit, c = self.stop(problem)
        return State(problem, sampling, stage, limit, c, problem.primal(start.w) if limit is None else np.nan)

    def target(self, S, stage):
        return (S.value - stage.primal) / S.c

    def next_stage(self, S):
        x = self.end(S)
        value = S.problem.primal(x.w, z=x.z) if S.limit is None else np.nan
        return S._replace(stage=self.moved(S, self.weight(S.problem), np.array(x.w)), value=value)
