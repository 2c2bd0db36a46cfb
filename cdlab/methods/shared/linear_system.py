"""Methods for linear systems X w = y: what all of them refuse, and the momentum of the two accelerated ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar

import numpy as np

from ...losses import Squared
from ...numerics.checks import set_number_field
from ...numerics.eigenvalues import MAX_GRAM_SIZE, smallest_positive_eigenvalue
from ...problems.problem import Problem
from ...samplings import Sampling
from ..base import Count, Method, State


class LinearSystem(Method[State]):
    """Methods for the squared loss with l2 = l1 = 0; its scale c plays no part."""

    group: ClassVar[str] = "Linear systems"

    def objections(self, problem: Problem, sampling: Sampling) -> Iterator[str]:
        if problem.sample_weight is not None:
            yield (
                f"{self.name} solves X w = y, in which no equation weighs more than another: leave sample_weight out, "
                "or use agd"
            )
        if not (isinstance(problem.loss, Squared) and problem.l2 == problem.l1 == 0):
            yield (
                f"{self.name} solves X w = y: it needs the squared loss and l2 = l1 = 0; use sdca for l2 > 0, else spdc"
            )


@dataclass(frozen=True)
class Accelerated(LinearSystem[State]):
    """With momentum from mu, the smallest positive eigenvalue of the Gram matrix of the normalised lines.

    Its State has k, the iterations so far, and setup, the nonzeros visited to find mu: counted with the first epoch.

    Parameters
    ----------
    mu : float or None, default None
        None: computed, for X with at most 5000 rows or columns. Every smaller value > 0 is covered by the theory too.
    """

    mu: float | None = None

    samplings: ClassVar[tuple[str, ...]] = ("uniform",)

    def __post_init__(self) -> None:
        set_number_field(self, "mu", "a number > 0 or None")

    def objections(self, problem: Problem, sampling: Sampling) -> Iterator[str]:
        yield from super().objections(problem, sampling)
        if self.mu is None and min(problem.n, problem.d) > MAX_GRAM_SIZE:
            yield (
                f"{self.name} computes mu only for X with at most {MAX_GRAM_SIZE} rows or columns, and this is "
                f"{problem.n} x {problem.d}: pass a lower bound as mu, or use kaczmarz or agd"
            )

    def momentum(self, problem: Problem, inverse: np.ndarray) -> tuple[float, int]:
        """r = sqrt(mu), and the nonzeros visited to find it: in the smaller Gram matrix each meets all of its line.

        r is at most half the number of lines: with r = 1 line, the change of variables divides by 0.
        """
        if self.mu is not None:
            mu, visits = self.mu, 0
        else:
            X, scale = problem.X, inverse[:, None] if self.side == "dual" else inverse[None, :]
            scaled = X * scale if isinstance(X, np.ndarray) else X.multiply(scale).tocsr()
            mu = smallest_positive_eigenvalue(scaled)
            counts = (problem.row_profile if problem.d <= problem.n else problem.column_profile).counts
            visits = int(counts @ counts)
        return min(sqrt(mu), inverse.size / 2), visits

    def count(self, problem: Problem, S: Any, order: Any) -> Count:
        count = super().count(problem, S, order)
        return count._replace(visits=count.visits + S.setup) if S.k == count.iterations else count


def inverse_norms(norms2: np.ndarray) -> np.ndarray:
    """1/||a||, and 0 for lines of zeros: they have nothing to say."""
    return np.divide(1.0, np.sqrt(norms2), out=np.zeros(norms2.size), where=norms2 > 0)
