"""The family of APPA: when an inner problem is solved well enough.

With f(w) = P(w) + (lambda/2)||w - x||^2 around the center x, q = lambda/(lambda + mu) and a duality gap of at most
s (lambda/2)||x' - x||^2 at the end x' of a stage,

    P(x') + (1 - s)(lambda/2)||x' - x||^2 <= D_x(alpha') <= min f <= P* + q (P(x) - P*).

So with s <= 1 a stage contracts P - P* as an exact proximal step is promised to (Lemma 3.1), and mu need not be known.
What a fixed accuracy c asks for in advance, in case x' - x is as short as it can be, is rarely needed.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...numerics.checks import set_number_field
from ...problems.problem import Problem
from ...samplings import Sampling
from .inner import OuterInner, Stage, solving_weight

THEORY = "theory"
ACCELERATED = ("apcg", "accprox_sdca")  # inner methods that repay a small proximal weight


@dataclass(frozen=True)
class ProximalPoint(OuterInner):
    """An outer loop that minimises P, which is mu-strongly convex, by approximate proximal steps.

    Parameters
    ----------
    mu : float > 0, optional
        Strong convexity of P; l2 if that is > 0.
    accuracy : float > 0 or "theory", optional
        By which factor a stage reduces the inner error; "theory" is what the paper's theorem asks for. By default a
        stage ends once its gap is at most `share` (lambda/2)||x' - x||^2.
    """

    mu: float | None = None
    accuracy: float | str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        set_number_field(self, "mu", "a finite number > 0")
        set_number_field(self, "accuracy", 'a finite number > 0, "theory" or None', (THEORY, None))
        if self.epochs is not None and self.accuracy is not None:
            raise ValueError(f"{self.name} ends its stages by epochs or by accuracy; give one of them")

    @abstractmethod
    def theory(self, problem: Problem, mu: float) -> float | None:
        """The accuracy that the paper's guarantee needs; None if there is no such theory."""

    @abstractmethod
    def gained(self, S: Any, stage: Stage) -> float:
        """The stage's progress so far; the gap may be this divided by the accuracy."""

    def share(self, problem: Problem) -> float:
        """The s of the module: the part of (lambda/2)||x' - x||^2 that the gap may be."""
        return 1.0

    def convexity(self, problem: Problem) -> float | Any:
        """mu, or None if it is not known (methods that cannot do without it refuse such problems)."""
        return self.mu if self.mu is not None else problem.l2 or None

    def weight(self, problem: Problem) -> float:
        if self.prox_weight is not None:
            return self.prox_weight
        weight = solving_weight(problem)
        return max(self.convexity(problem) or 0.0, weight / 1000) if self.inner.name in ACCELERATED else weight

    def stop(self, problem: Problem) -> tuple[float | None, float | None]:
        """The epochs of a stage, or None where it ends by a gap test; and the accuracy, where one is asked for."""
        if self.epochs is not None:
            return self.epochs, None
        if self.weight(problem) == 0:  # the inner problem is P itself: one endless stage
            return np.inf, None
        accuracy: Any = self.accuracy  # a number, or "theory"
        return None, self.theory(problem, self.convexity(problem)) if accuracy == THEORY else accuracy

    def target(self, S: Any, stage: Stage) -> float:
        if S.c is not None:
            return self.gained(S, stage) / S.c
        step = stage.at.w - S.center
        return self.share(S.problem) * S.weight / 2 * float(np.vdot(step, step))

    def refusal(self, problem: Problem, sampling: Sampling) -> str | None:
        reason = super().refusal(problem, sampling)
        if reason is None and self.accuracy == THEORY:
            mu = self.convexity(problem)
            if mu is None or (self.weight(problem) > 0 and self.theory(problem, mu) is None):
                lacks = "how strongly convex P is: set l2 > 0, or give mu" if mu is None else "a smooth loss"
                reason = f"{self.name} with accuracy='theory' needs {lacks}; or leave accuracy out"
        return reason
