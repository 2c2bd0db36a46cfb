"""APPA, the approximate proximal point algorithm: un-regularise by solving regularised problems one after another.

Problem     min_x P(x), also with l2 = 0; mu-strongly convex for the guarantee
Algorithm   repeat  x <- a point x' with f(x') - f* <= (lambda/2)||x' - x||^2,  f(w) = P(w) + (lambda/2)||w - x||^2
            The inner method starts at x, a dual one at alpha(x) = -phi'(X x), and has found such a point once its
            duality gap is at most that: once P(x') <= D_x(alpha'). (Dual APPA goes on from the alpha where it stands.)
            With accuracy="theory" as printed: f(x') - f* <= (f(x) - f*)/c, c = 2 (lambda + mu)/mu, certified by a
            gap of at most (f(x) - f(x'))/c.
Guarantee   P(x_t) - P* <= (lambda/(lambda + mu))^t (P(x_0) - P*) after t stages, as of exact steps, because
            P(x') <= D_x(alpha') <= f* <= P* + lambda/(lambda + mu) (P(x) - P*) by Lemma 3.1. With accuracy="theory"
            (1 - mu/(2 (lambda + mu)))^t: each contracts by 1/c + lambda/(mu + lambda). mu = 0, decreasing=True: none
Reference   Frostig, Ge, Kakade & Sidford, Un-regularizing: approximate proximal point and faster stochastic algorithms
            for empirical risk minimization (2015), Algorithm 1, Theorem 2.4, Lemmas 2.3, 3.1 and 3.2; the rule by
            which a stage ends is ours, in the manner of Rockafellar, Monotone operators and the proximal point
            algorithm (1976), criterion (B), and Lin, Mairal & Harchaoui, Catalyst acceleration (2018), criterion (C2)
Notation    they minimise the sum F = n P: their mu and lambda are n times ours (lambda is prox_weight), their condition
            number is R^2/(gamma n mu) in ours; ratios such as c are the same
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..problems.points import Points
from ..problems.problem import Problem
from .shared.outer_centered import CenteredProximalPoint
from .shared.outer_loop import OuterState, Stage
from .shared.outer_steps import PrimalStart


@dataclass(frozen=True)
class APPA(CenteredProximalPoint):
    """Approximate proximal point algorithm, each stage from x anew.

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
    decreasing : bool, default False
        Start from a large lambda (300 R^2/(gamma n) by default) and divide it by 4 after every stage that gained more
        than half of what the last one gained, down to `floor`; after two rises of P in a row multiply it by 4 and leave
        it for 5 stages. Stages last `epochs`, 1 by default; P(x) costs half a pass a stage. A heuristic.
    floor : float >= 0, optional
        The smallest lambda; R^2/(gamma n) by default. Without a floor a few epochs soon solve no inner problem any
        more, and the method stalls or diverges.

    References
    ----------
    Frostig, Ge, Kakade & Sidford, Un-regularizing (2015), Algorithm 1, Theorem 2.4.
    """

    name: ClassVar[str] = "appa"
    summary: ClassVar[str] = "dual steps on easier problems, one after another; needs no regulariser"
    guarantee: ClassVar[str] = "κ_S inner solves"
    reference: ClassVar[str] = "Frostig, Ge, Kakade & Sidford 2015"
    inners: ClassVar[tuple[str, ...]] = ("sdca", "quartz", "apcg", "svrg", "accprox_sdca")
    begins: ClassVar[PrimalStart] = PrimalStart()

    def theory(self, problem: Problem, mu: float) -> float | None:
        return 2 * (self.weight(problem) + mu) / mu

    def entry(self, stage: Stage, x: Points) -> float:
        """P(x), as f(x)."""
        return stage.problem.primal(x.w, z=x.z)

    def gained(self, S: OuterState, stage: Stage) -> float:
        return S.value - stage.primal
