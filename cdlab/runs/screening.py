"""Screening in a run: what a measurement has settled leaves before the next epoch, on the run's own clock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..methods import Method, Points
from ..methods.wrappers.screened import Active, LeavesOut
from ..problems.problem import Problem
from ..samplings import Sampling
from .entries import endless


class Screening:
    """The coordinates that a run still visits."""

    def __init__(self, problem: Problem, method: LeavesOut, sampling: Sampling, rng: np.random.Generator) -> None:
        self._problem, self._method, self._sampling, self._rng = problem, method, sampling, rng
        self.active: Active = Active(np.ones(problem.coordinates(method.side).m, dtype=bool))
        self._found: tuple[Points, float] | None = None

    @property
    def left(self) -> int:
        """How many coordinates are visited."""
        return int(np.count_nonzero(self.active.mask))

    def measured(self, points: Points, gap: float) -> None:
        """Remember what a measurement has found, for the next epoch."""
        self._found = points, gap

    def screened(self, S: Any, orders: Iterator[Any]) -> tuple[Any, float, Iterator[Any]]:
        """The state, the nonzeros visited for it, and the orders, which are new if the coordinates have changed."""
        if self._found is None:
            return S, 0.0, orders
        before, (points, gap), self._found = self.active.mask, self._found, None
        S, self.active, visited = self._method.screen(self._problem, S, points, gap, self.active)
        if np.array_equal(before, self.active.mask):
            return S, visited, orders
        few = self._method.orders_among(self._problem, self._sampling, self._rng, self.active.mask)
        return S, visited, endless(self._method, few)


def screening(problem: Problem, method: Method, sampling: Sampling, rng: np.random.Generator) -> Screening | None:
    """The screening of a run with this method; None if it has none."""
    if isinstance(method, LeavesOut) and method.screens(problem):
        return Screening(problem, method, sampling, rng)
    return None
