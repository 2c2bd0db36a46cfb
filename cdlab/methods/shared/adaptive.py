"""Dual methods whose probabilities come from the residuals, so that they draw by themselves from uniform numbers."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ...problems.points import View
from ...problems.problem import Problem
from ...samplings import Sampling
from ..base import Method, Points


class Adaptive(Method):
    """Dual coordinate ascent with adaptive probabilities, for smooth losses. The State has alpha and v = X'alpha/n.

    Their orders hold a uniform number for each step, which becomes a coordinate when its turn comes.
    """

    reference: ClassVar[str] = "Csiba, Qu & Richtarik 2015"
    side: ClassVar[str] = "dual"
    needs_l2: ClassVar[bool] = True
    needs_smooth: ClassVar[bool] = True
    samplings: ClassVar[tuple[str, ...]] = ("uniform",)  # solve's default; the method chooses by itself

    def effective(self, sampling: Sampling) -> Sampling | None:
        return None

    def points(self, problem: Problem, S: Any) -> Points:
        return Points(problem.reg.grad_g_conj(S.v), S.alpha, v=S.v)

    def refresh(self, problem: Problem, S: Any) -> None:
        S.v[:] = problem.v(S.alpha)

    def warm(self, P: View, S: Any) -> None:
        self.epoch(P, S, np.empty(0))
