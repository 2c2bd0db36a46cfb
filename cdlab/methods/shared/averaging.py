"""Averages of the iterates w^1, ..., w^t: of all of them, or of the later ones only.

The last half cannot be known in advance, since a run ends when somebody stops asking. So the sum of the iterates is
kept at the times that have doubled since they were last kept: the window (first, t] then has t/4 <= first <= t/2.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...numerics import checks

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

    def is_due(self, t: int) -> bool:
        """Tell whether the steps t have doubled since its start was last moved."""
        return t >= 2 * self.middle

    def moved(self, t: int, total: np.ndarray) -> Window:
        """With the start moved on, once that is due."""
        return Window(self.middle, self.sum_middle, t, total)


def all_iterates(d: int) -> Window:
    """The window of w^1, w^2, ..."""
    return Window(0, np.zeros(d), 0, np.zeros(d))


def check_average(name: str, average: str | None) -> None:
    """Refuse an `average` that is not one of AVERAGES.

    Raises
    ------
    ValueError
    """
    if not checks.is_one_of(average, AVERAGES):
        raise ValueError(f"{name}'s average must be 'all', 'half' or None, not {checks.short_repr(average)}")
