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

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..numerics import checks
from ..problems.points import Points
from ..problems.problem import Problem
from .shared.inner_problem import origin
from .shared.outer_centered import CenteredProximalPoint
from .shared.outer_loop import OuterState, Stage

WARM, PRIMAL, ZERO, GIVEN = "warm", "primal", "zero", "given"  # where alpha starts


@dataclass(frozen=True)
class DualAPPA(CenteredProximalPoint):
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
    dual_start : "warm" or "zero", default "warm"
        Which alpha a stage starts from: the one that the last stage ended at, or 0. From alpha(x) it is appa.
    first_dual : "given" or "primal", default "given"
        Which alpha the first stage starts from: the start's (0 by default), or y_hat(x_0), alpha_i = -phi'(x_i'x_0), as
        the paper's algorithm.
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

    dual_start: str = WARM
    first_dual: str = GIVEN

    name: ClassVar[str] = "dual_appa"
    summary: ClassVar[str] = "the same easier problems, each begun where the last one ended"
    guarantee: ClassVar[str] = "κ_S inner solves"
    reference: ClassVar[str] = "Frostig, Ge, Kakade & Sidford 2015"
    inners: ClassVar[tuple[str, ...]] = ("sdca", "quartz", "apcg", "accprox_sdca")

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.one_of("dual_appa's dual_start", self.dual_start, (WARM, ZERO))
        checks.one_of("dual_appa's first_dual", self.first_dual, (GIVEN, PRIMAL))

    def theory(self, problem: Problem, mu: float) -> float | None:
        weight, smooth = self.weight(problem), problem.loss.gamma > 0
        if not smooth or weight == 0:
            return None
        B = 1 + problem.R**2 / (problem.loss.gamma * (problem.mu + weight))
        a, r = mu / (4 * weight), 1 - mu / (2 * (weight + mu))
        return (B + 2 * a * (1 + B)) / (r * a)

    def stages_are_compiled(self, S: OuterState) -> bool:
        return self.dual_start == WARM and super().stages_are_compiled(S)

    def first_point(self, problem: Problem, start: Points, weight: float) -> tuple[Points, float]:
        return self.dual_point(problem, start) if self.first_dual == PRIMAL else (start, 0.0)

    def beginning(self, Q: Problem, at: Points, weight: float) -> tuple[Points, float]:
        if self.dual_start == WARM or weight == 0:
            return at, 0.0
        zero = origin(Q)
        return Points(at.w, zero.alpha, v=zero.v), 0.0

    def reached(self, stage: Stage) -> Points:
        at = super().reached(stage)
        v: Any = at.v  # which dual methods maintain
        x = stage.problem.reg.grad_g_conj(v)  # x_hat(alpha), the next center
        return Points(x, at.alpha, z=at.z if np.array_equal(x, at.w) else None, v=v)

    def entry(self, stage: Stage, x: Points) -> float:
        """D_x(alpha) where the inner method stands; v is at hand."""
        at = self.inner.points(stage.problem, stage.state)
        return stage.problem.dual(at.alpha, v=at.v)

    def gained(self, S: OuterState, stage: Stage) -> float:
        return stage.dual - S.value
