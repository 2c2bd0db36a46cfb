"""Accelerated APPA: the approximate proximal point algorithm with momentum.

Problem     min_x P(x), mu-strongly convex, also with l2 = 0;  lambda >= 2 mu
Algorithm   rho = (mu + 2 lambda)/mu;  zeta = 2/mu + 1/lambda;  v = x;  repeat
            y = (x + rho^-1/2 v)/(1 + rho^-1/2)
            x <- a point x' with f(x') - f* <= (lambda/2)||x' - y||^2/(1 + rho),  f(w) = P(w) + (lambda/2)||w - y||^2
            g = lambda (y - x);  v <- (1 - rho^-1/2) v + rho^-1/2 (y - zeta g)
            With accuracy="theory" as printed: f(x') - f* <= (f(y) - f*)/c,  c = 4 rho^(3/2)
Guarantee   P(x_k) - P* <= (1 - rho^-1/2)^k (P(x_0) - P* + (mu/4)||x_0 - x*||^2) after k stages, as of exact steps:
            with V = P(x) - P* + (mu/4)||v - x*||^2 and e = f(x') - f*, every z has
                P(z) >= P(x') - ||g||^2/mu + (mu/4)||z - (y - zeta g)||^2 - (1 + rho) e,
            and (1 - rho^-1/2) times this for z = x, and rho^-1/2 times it for z = x*, add up to
                V' <= (1 - rho^-1/2) V - (lambda/2)||x' - y||^2 + (1 + rho) e.
            With accuracy="theory" (1 - rho^-1/2/2)^k
Reference   Frostig, Ge, Kakade & Sidford, Un-regularizing (2015), Algorithm 2, Corollary 2.7. The oracle
            is called at y; printed is x, with which the recursion never sees y or v and is plain APPA
Notation    they minimise the sum F = n P: their mu and lambda are n times ours (lambda is prox_weight); v is theirs,
            not X'alpha/n
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..numerics.checks import set_number_field
from ..numerics.jit import struct
from ..problems.points import Points
from ..problems.problem import Problem
from ..samplings import Sampling, SamplingLike
from .shared.inner_problem import origin, proximal
from .shared.outer_loop import ProximalPoint, Stage, solving_weight
from .shared.outer_steps import after_step


@struct
class Momentum(NamedTuple):
    """y, around which a stage is solved, and v, which it is made of."""

    center: np.ndarray  # (d,) y
    v: np.ndarray  # (d,) the momentum's sequence
    weight: float  # lambda
    r: float  # rho^-1/2
    zeta: float
    share: float  # s lambda/2, of ||x' - y||^2

    def move(self, w: np.ndarray) -> None:
        """The outer step from x = w: g, v and y."""
        for j in range(w.size):
            g = self.weight * (self.center[j] - w[j])
            self.v[j] = (1 - self.r) * self.v[j] + self.r * (self.center[j] - self.zeta * g)
            self.center[j] = (w[j] + self.r * self.v[j]) / (1 + self.r)

    def allowed_gap(self, square: float) -> float:
        """s (lambda/2)||x' - y||^2, given the square."""
        return self.share * square


class State(NamedTuple):
    """The outer iterate with its momentum, and the inner problem that is being solved."""

    problem: Problem
    sampling: Any
    stage: Stage
    limit: float | None  # epochs a stage, inf: a single one; None: until certified
    c: float | None  # accuracy of the oracle, where one is asked for
    outer: Momentum  # y and v
    weight: float  # lambda
    value: float  # P(y); NaN where no accuracy is asked for


@dataclass(frozen=True)
class AccAPPA(ProximalPoint[State]):
    """Accelerated approximate proximal point algorithm. Needs mu: momentum is made of it.

    Parameters
    ----------
    inner : SDCA, Quartz, APCG, SVRG or AccProxSDCA, default SDCA()
    prox_weight : float > 0, optional
        lambda; 2 mu + R^2/(gamma n) by default (Corollary 2.7).
    epochs : int, optional
        Epochs a stage instead of the certified stop (of which a test counts as half a pass). No theorem covers it.
    mu : float > 0, optional
        Strong convexity of P, on the scale of the mean loss; l2 by default if that is > 0.
    accuracy : float > 0 or "theory", optional
        c, to end stages by an accuracy that is fixed in advance; "theory" is 4 rho^(3/2).

    References
    ----------
    Frostig, Ge, Kakade & Sidford, Un-regularizing (2015), Algorithm 2, Corollary 2.7.
    """

    name: ClassVar[str] = "acc_appa"
    summary: ClassVar[str] = "accelerated, dual steps on easier problems, one after another"
    guarantee: ClassVar[str] = "√κ_S inner solves"
    reference: ClassVar[str] = "Frostig, Ge, Kakade & Sidford 2015"
    inners: ClassVar[tuple[str, ...]] = ("sdca", "quartz", "apcg", "svrg", "accprox_sdca")

    def __post_init__(self) -> None:
        super().__post_init__()
        set_number_field(self, "prox_weight", "a finite number > 0")

    def weight(self, problem: Problem) -> float:
        return (
            self.prox_weight if self.prox_weight is not None else 2 * self.convexity(problem) + solving_weight(problem)
        )

    def rho(self, problem: Problem) -> float:
        """(mu + 2 lambda)/mu."""
        return 1 + 2 * self.weight(problem) / self.convexity(problem)

    def theory(self, problem: Problem, mu: float) -> float | None:
        return 4 * self.rho(problem) ** 1.5

    def share(self, problem: Problem) -> float:
        return 1 / (1 + self.rho(problem))

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        start = origin(problem) if start is None else start
        weight, center = self.weight(problem), np.array(start.w)
        stage = self.opened(proximal(problem, weight, center), sampling, start, problem)
        limit, c = self.stop(problem)
        value = np.nan if c is None else problem.primal(center)
        r, zeta = self.rho(problem) ** -0.5, 2 / self.convexity(problem) + 1 / weight
        outer = Momentum(center, center.copy(), weight, r, zeta, self.share(problem) * weight / 2)
        return State(problem, sampling, stage, limit, c, outer, weight, value)

    def gained(self, S: State, stage: Stage) -> float:
        return S.value - stage.primal

    def next_stage(self, S: State) -> State:
        problem, outer = S.problem, after_step(S.outer, self.end(S).w)
        y = outer.center
        value, swept = (np.nan, 0.0) if S.c is None else (problem.primal(y), problem.nnz / 2)  # X y, for P(y)
        return S._replace(stage=self.moved(S, S.weight, y, swept), outer=outer, value=value)

    def objections(self, problem: Problem, sampling: Sampling) -> Iterator[str]:
        if self.convexity(problem) is None:
            yield (
                "acc_appa needs mu, how strongly convex P is, and l2 = 0 does not say: set l2 > 0, pass mu (of the "
                "squared loss c (u - y)^2 it is 2 c/n times the smallest eigenvalue of X'X), or use appa or dual_appa"
            )
        yield from super().objections(problem, sampling)
