"""Methods that take all examples at every iteration: nothing is drawn, and an epoch is one iteration."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from itertools import repeat
from typing import Any, ClassVar

import numpy as np

from ...problems.problem import Problem
from ...samplings import Sampling
from ..base import Count, Method, Points, State


class FullGradient(Method[State]):
    """Full-gradient methods for smooth losses. Their State has w, z = X w, and passes: those of its last epoch.

    Their epochs multiply by the whole of X, so they see the Problem itself and not its lines. X w and X'r are half a
    pass each, a gradient is one.
    """

    side: ClassVar[str] = "primal"
    group: ClassVar[str] = "Full gradient"
    needs: ClassVar[tuple[str, ...]] = ("smooth",)
    takes: ClassVar[tuple[str, ...]] = ("l1", "vectors", "intercept")
    sees: ClassVar[str] = "problem"
    samplings: ClassVar[tuple[str, ...]] = ("uniform",)  # solve's default: none is drawn

    def draws(self, sampling: Sampling) -> Sampling | None:
        return None

    def orders(self, problem: Problem, sampling: Sampling, rng: np.random.Generator) -> Iterator[Any]:
        return repeat(None)

    def count(self, problem: Problem, S: Any, order: Any) -> Count:
        return Count(1, S.passes * problem.nnz, examples=problem.n)

    def warm(self, P: Problem, S: Any) -> None:
        """Load what `import cdlab` leaves out. Nothing to compile: the first measurement needs the same kernels."""
        import_module("scipy.linalg")

    def points(self, problem: Problem, S: Any) -> Points:
        return Points(S.w, problem.alpha(S.w, z=S.z), z=S.z)
