"""Methods that take all examples at every iteration: nothing is drawn, and an epoch is one iteration."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from itertools import repeat
from typing import Any, ClassVar

import numpy as np

from ...problems.problem import Problem
from ...samplings import Sampling
from ..base import Method, Points


class Deterministic(Method):
    """Full-gradient methods for smooth losses. Their State has w, z = X w, and passes: those of its last epoch.

    Their epochs multiply by the whole of X, so they see the Problem itself and not its lines. X w and X'r are half a
    pass each, a gradient is one.
    """

    side: ClassVar[str] = "primal"
    needs_smooth: ClassVar[bool] = True
    takes_vectors: ClassVar[bool] = True
    takes_intercept: ClassVar[bool] = True
    samplings: ClassVar[tuple[str, ...]] = ("uniform",)  # solve's default: none is drawn

    def effective(self, sampling: Sampling) -> Sampling | None:
        return None

    def view(self, problem: Problem) -> Problem:
        return problem

    def orders(self, problem: Problem, sampling: Sampling, rng: np.random.Generator) -> Iterator[Any]:
        return repeat(None)

    def count(self, problem: Problem, S: Any, order: None) -> tuple[int, float]:
        return 1, S.passes * problem.nnz

    def examples(self, problem: Problem, S: Any, order: Any) -> float:
        return problem.n

    def warm(self, P: Problem, S: Any) -> None:
        """Load what `import cdlab` leaves out. Nothing to compile: the first measurement needs the same kernels."""
        import_module("scipy.linalg")

    def points(self, problem: Problem, S: Any) -> Points:
        return Points(S.w, problem.alpha(S.w, z=S.z), z=S.z)
