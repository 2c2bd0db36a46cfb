"""The family of APPA: how strongly convex P is says how accurately the inner problems have to be solved."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from ...problem import Problem
from .inner import OuterInner, solving_weight

ACCELERATED = ("apcg", "accprox_sdca")  # inner methods that repay a small proximal weight


@dataclass(frozen=True)
class ProximalPoint(OuterInner):
    """An outer loop that minimises P, which is mu-strongly convex, by approximate proximal steps.

    Parameters
    ----------
    mu : float > 0, optional
        Strong convexity of P; l2 if that is > 0.
    accuracy : float > 0, optional
        By which factor a stage reduces the inner error; the default is each method's theory.
    """

    mu: float | None = None
    accuracy: float | None = None

    def __post_init__(self):
        super().__post_init__()
        for field in ("mu", "accuracy"):
            self.check(field, "a finite number > 0")
        if self.epochs is not None and self.accuracy is not None:
            raise ValueError(f"{self.name} ends its stages by epochs or by accuracy; give one of them")

    @abstractmethod
    def theory(self, problem: Problem, mu: float) -> float | None:
        """The accuracy that the guarantee needs; None if there is no such theory."""

    def convexity(self, problem: Problem) -> float | None:
        """mu, or None if it is not known."""
        return self.mu if self.mu is not None else problem.l2 or None

    def weight(self, problem):
        if self.prox_weight is not None:
            return self.prox_weight
        weight = solving_weight(problem)
        return max(self.convexity(problem) or 0.0, weight / 1000) if self.inner.name in ACCELERATED else weight

    def stop(self, problem: Problem) -> tuple[float | None, float | None]:
        """The epochs of a stage, and None; or None, and the accuracy after which it ends."""
        if self.epochs is not None:
            return self.epochs, None
        if self.weight(problem) == 0:  # the inner problem is P itself: one endless stage
            return np.inf, None
        mu = self.convexity(problem)
        accuracy = self.accuracy or (self.theory(problem, mu) if mu else None)
        return (None, accuracy) if accuracy else (1, None)

    def refusal(self, problem, sampling):
        reason = super().refusal(problem, sampling)
        if reason is None and self.inner.name in ACCELERATED and self.epochs is None and self.stop(problem)[0] == 1:
            reason = (
                f"{self.name} does not know how strongly convex P is, and one epoch of {self.inner.name} solves too "
                "little: set l2 > 0, give mu or accuracy, or a number of epochs"
            )
        return reason
