"""Averages of the iterates w^1, ..., w^t: of all of them, or of the later ones only.

The last half cannot be known in advance, since a run ends when somebody stops asking. So the sum of the iterates is
kept at the times that have doubled since they were last kept: the window (first, t] then has t/4 <= first <= t/2.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...numerics import checks
from ...problems.problem import Problem

AVERAGES = ("all", "half", None)


class Window(NamedTuple):
    """The iterates that count: those after step `first`."""

    first: int
    sum_first: np.ndarray  # (d,) w^1 + ... + w^first
    middle: int  # the next first
    sum_middle: np.ndarray  # (d,) w^1 + ... + w^middle

    def mean(self, t: int, total: np.ndarray) -> np.ndarray:
        """The average of w^(first+1), ..., w^t, given the sum of w^1, ..., w^t."""
        return (total - self.sum_first) / (t - self.first)


def whole(d: int) -> Window:
    """All iterates."""
    return Window(0, np.zeros(d), 0, np.zeros(d))


def is_due(window: Window, t: int) -> bool:
    """Whether the steps t have doubled since the window was last moved."""
    return t >= 2 * window.middle


def moved(window: Window, t: int, total: np.ndarray) -> Window:
    """The window with its start moved on, once it is due."""
    return Window(window.middle, window.sum_middle, t, total)


LIPSCHITZ = {"squared": "huber", "squared_hinge": "smooth_hinge"}  # the same near the optimum, straight far out


def lipschitz_refusal(name: str, problem: Problem) -> str | None:
    """Why a method whose guarantee is about bounded subgradients cannot take this problem's loss; None if it can."""
    if np.isfinite(problem.loss.lipschitz):
        return None
    return (
        f"{name} needs a Lipschitz loss and {problem.loss.name} is not: its first, long steps would overflow; "
        f"take {LIPSCHITZ.get(problem.loss.name, 'huber or smooth_hinge')} instead, or use saga"
    )


def check_average(name: str, average: str | None) -> None:
    """Refuse an `average` that is not one of AVERAGES.

    Raises
    ------
    ValueError
    """
    if not checks.is_one_of(average, AVERAGES):
        raise ValueError(f"{name}'s average must be 'all', 'half' or None, not {checks.short_repr(average)}")
