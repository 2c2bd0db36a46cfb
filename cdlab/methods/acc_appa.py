"""Accelerated APPA: the approximate proximal point algorithm with momentum.

Problem     min_x P(x), mu-strongly convex, also with l2 = 0;  lambda >= 2 mu
Algorithm   rho = (mu + 2 lambda)/mu;  r = rho^-1/2;  zeta = 2/mu + 1/lambda;  v = x;  repeat
            y = (x + r v)/(1 + r);  f(w) = P(w) + (lambda/2)||w - y||^2
            x' <- from x, a point with f(x') - f* <= (lambda/2)(||x' - y||^2 + r ||x - y||^2)/(1 + rho)
            g = lambda (y - x');  v <- (1 - r) v + r (y - zeta g);  x <- x'
            A dual inner method starts at alpha(x) = -phi'(X x). With accuracy="theory", as printed but for c:
            f(x') - f* <= (f(x) - f(x'))/c,  c = (1 + rho) rho^1/2
Guarantee   P(x_k) - P* <= (1 - r)^k (P(x_0) - P* + (mu/4)||x_0 - x*||^2) after k stages, as of exact steps:
            with V = P(x) - P* + (mu/4)||v - x*||^2 and e = f(x') - f*, every z has
                P(z) >= P(x') - ||g||^2/mu + (mu/4)||z - (y - zeta g)||^2 - (1 + rho) e,
            and (1 - r) times this for z = x, and r times it for z = x*, add up to
                V' <= (1 - r) V - (lambda/2)||x' - y||^2 - r (lambda/2)||x - y||^2 + (1 + rho) e,
            see `accelerated_stage` in theory/derivations/stages.py.
            With accuracy="theory" (1 - r/(1 + r))^k (P(x_0) - P* + (mu/4)||x_0 - x*||^2/(1 + r)): (1 + rho) e is then
            at most r (P(x) - P(x') + (lambda/2)||x - y||^2), so that U = V + r (P(x) - P*) has U' <= (1 - r/(1 + r)) U.
            An oracle of accuracy c + 1, f(x') - f* <= (f(x) - f*)/(c + 1), is such a point.
Reference   Frostig, Ge, Kakade & Sidford, Un-regularizing (2015), Algorithm 2, Corollary 2.7. The oracle
            starts at x and works around y; printed is around x, with which the recursion never sees y or v and is
            plain APPA. Printed is c = 4 rho^3/2, relative to f(x) - f*
Notation    they minimise the sum F = n P: their mu and lambda are n times ours (lambda is prox_weight); v is theirs,
            not X'alpha/n
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ..numerics.checks import set_number_field
from ..numerics.jit import struct
from ..problems.points import Points
from ..problems.problem import Problem
from ..samplings import Sampling, SamplingLike
from .shared.inner_problem import origin, proximal
from .shared.outer_loop import OuterState, ProximalPoint, Stage, solving_weight
from .shared.outer_steps import PrimalStart, after_step, copy_into


@struct
class Momentum(NamedTuple):
    """y, around which a stage is solved, and what it is made of."""

    center: np.ndarray  # (d,) y
    x: np.ndarray  # (d,)
    z: np.ndarray  # (n,) X x
    v: np.ndarray  # (d,) the momentum's sequence
    apart: np.ndarray  # (1,) r ||x - y||^2
    weight: float  # lambda
    r: float  # rho^-1/2
    zeta: float
    share: float  # lambda/(2 (1 + rho)), of ||x' - y||^2 + r ||x - y||^2

    def move(self, w: np.ndarray, z: np.ndarray) -> None:
        """The outer step to x = w: g, v and y."""
        self.apart[0] = 0.0
        for j in range(w.size):
            g = self.weight * (self.center[j] - w[j])
            self.v[j] = (1 - self.r) * self.v[j] + self.r * (self.center[j] - self.zeta * g)
            self.center[j] = (w[j] + self.r * self.v[j]) / (1 + self.r)
            self.apart[0] += self.r * (w[j] - self.center[j]) ** 2
        copy_into(w, self.x)
        copy_into(z, self.z)

    def allowed_gap(self, square: float) -> float:
        """(lambda/2)(||x' - y||^2 + r ||x - y||^2)/(1 + rho), given the first square."""
        return self.share * (square + self.apart[0])

    def iterate(self) -> np.ndarray:
        """x."""
        return self.x


@dataclass(frozen=True)
class AccAPPA(ProximalPoint):
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
        c, to end stages by an accuracy that is fixed in advance; "theory" is (1 + rho) rho^(1/2).

    References
    ----------
    Frostig, Ge, Kakade & Sidford, Un-regularizing (2015), Algorithm 2, Corollary 2.7.
    """

    name: ClassVar[str] = "acc_appa"
    summary: ClassVar[str] = "accelerated, dual steps on easier problems, one after another"
    guarantee: ClassVar[str] = "√κ_S inner solves"
    reference: ClassVar[str] = "Frostig, Ge, Kakade & Sidford 2015"
    inners: ClassVar[tuple[str, ...]] = ("sdca", "quartz", "apcg", "svrg", "accprox_sdca")
    begins: ClassVar[PrimalStart] = PrimalStart()

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
        rho = self.rho(problem)
        return (1 + rho) * rho**0.5

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> OuterState:
        start, weight, rho = origin(problem) if start is None else start, self.weight(problem), self.rho(problem)
        center, zeta = np.array(start.w), 2 / self.convexity(problem) + 1 / weight
        at, swept = self.beginning(problem, Points(center, start.alpha, v=start.v), weight)
        stage = self.opened(proximal(problem, weight, center), sampling, at, problem, swept)
        z, (limit, c) = problem.predict(center) if at.z is None else at.z, self.stop(problem)
        value = np.nan if c is None else stage.problem.primal(center, z=z)
        x, v, share = center.copy(), center.copy(), weight / (2 * (1 + rho))
        outer = Momentum(center, x, z, v, np.zeros(1), weight, rho**-0.5, zeta, share)
        return OuterState(problem, sampling, stage, limit, outer, weight, c, value)

    def gained(self, S: OuterState, stage: Stage) -> float:
        return S.value - stage.primal

    def next_stage(self, S: OuterState) -> OuterState:
        x = self.end(S)
        at, swept = self.beginning(S.stage.problem, x, S.weight)
        outer = after_step(S.outer, x.w, x.z)
        stage = self.moved(S, S.weight, outer.center, at, swept)
        value = np.nan if S.c is None else stage.problem.primal(x.w, z=x.z)
        return S._replace(stage=stage, outer=outer, value=value)

    def objections(self, problem: Problem, sampling: Sampling) -> Iterator[str]:
        if self.convexity(problem) is None:
            yield (
                "acc_appa needs mu, how strongly convex P is, and l2 = 0 does not say: set l2 > 0, pass mu (of the "
                "squared loss c (u - y)^2 it is 2 c/n times the smallest eigenvalue of X'X), or use appa or dual_appa"
            )
        yield from super().objections(problem, sampling)
