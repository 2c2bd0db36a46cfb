"""Inner problems P(w) + (weight/2)||w - center||^2: how an outer loop makes them, and how v moves to the next one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...problems.problem import Problem
from ...problems.proximal import ProximalProblem
from ...samplings import SamplingLike
from ..base import Method, Points


class InnerProblem(ProximalProblem):
    """A proximal problem that can be told v at one alpha, so that a warm start sweeps over nothing."""

    known: Points | None = None

    def v(self, alpha: np.ndarray) -> np.ndarray:
        if self.known is not None and self.known.v is not None and np.array_equal(alpha, self.known.alpha):
            return self.known.v.copy()
        return super().v(alpha)


def init_at(method: Method, Q: Problem, sampling: SamplingLike, start: Points) -> Any:
    """The state of a method on Q at a start whose v is known: this sweeps over nothing."""
    if not isinstance(Q, InnerProblem):
        return method.init(Q, sampling, start)
    Q.known = start
    state = method.init(Q, sampling, start)
    Q.known = None  # from here on v means its definition
    return state


def proximal(problem: Problem, weight: float, center: np.ndarray) -> Problem:
    """P(w) + (weight/2)||w - center||^2; the problem itself if weight = 0.

    Of a proximal problem the two quadratics become one. That changes the objective by a constant, which no gap sees.
    """
    if weight == 0:
        return problem
    if isinstance(problem, ProximalProblem):
        total = problem.weight + weight
        return InnerProblem(problem.outer, total, (problem.weight * problem.center + weight * center) / total)
    return InnerProblem(problem, weight, center)


def origin(problem: Problem) -> Points:
    """The point where runs start: alpha = 0, and w = 0 for methods that start from w."""
    zero = problem.zeros(problem.d)
    return Points(zero, problem.zeros(problem.n), v=zero + shift(problem))


def shift(problem: Problem | None) -> np.ndarray | float:
    """v - X'alpha/n, the same for every alpha."""
    return problem.weight * problem.center if isinstance(problem, ProximalProblem) else 0.0
