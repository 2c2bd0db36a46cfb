"""Importance sampling held back: for exact steps, which coordinates with a large s_i do not need to be drawn as often.

A damped step, one factor for all coordinates, is K = max_i s_i/p_i iterations from a factor e of accuracy, with
s_i = 1 + ||a_i||^2/(gamma l2 n), and importance sampling p ~ s makes K smallest. An exact step is
K' = (K + 1/min p)/2 from it: a coordinate that is hardly ever drawn costs as much as one with a large s_i.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ..numerics.checks import set_number_field
from .base import Coordinates, Sampling, normalised


@dataclass(frozen=True)
class Clipped(Sampling):
    """p_i proportional to max(s_i, tau), with the tau that minimises K' = (K + 1/min p)/2.

    Given K and m = 1/min p, p_i is at least max(s_i/K, 1/m), so that the best p is proportional to max(s_i, tau) with
    tau = K/m. For this p, K is the sum of the max(s_i, tau) and 1/min p that sum divided by tau. What is minimised is
    (1 + 1/tau) sum_i max(s_i, tau): between two neighbouring s_i it is convex, with its minimum where tau^2 is the sum
    of the larger s_i divided by the number of the others. K' is never above that of uniform or importance sampling.
    """

    name: ClassVar[str] = "clipped"
    summary: ClassVar[str] = "As importance sampling, but no coordinate is rare: for exact steps."
    needs_smooth: ClassVar[bool] = True

    def probabilities(self, c: Coordinates) -> np.ndarray:
        s = c.smoothness  # l2 n times the s_i above, so that nothing is divided by l2 = 0
        return normalised(np.maximum(s, clipping_level(s, float(np.min(c.l2n)))))


@dataclass(frozen=True)
class Mixture(Sampling):
    """p_i = (1 - beta)/m + beta s_i/S, S the sum of all s_i: a part of the draws is uniform.

    Of groups of like examples, orthogonal to other groups, a group asks for p_i ~ 1/x, x the rate of exact steps on it,
    and 1/x comes to (1 + s_i)/2 as the group grows: with beta = S/(m + S), p is in proportion to 1 + s_i.

    Parameters
    ----------
    beta : float in [0, 1] or "auto", default "auto"
        The share of draws by importance; "auto" is S/(m + S).
    """

    beta: float | Literal["auto"] = "auto"
    name: ClassVar[str] = "mixture"
    summary: ClassVar[str] = "A part of the draws uniformly, the others by importance: for exact steps on alike rows."
    needs_smooth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        set_number_field(self, "beta", 'a number from 0 to 1, or "auto"', ("auto",), high=1.0, ends="[]")

    def probabilities(self, c: Coordinates) -> np.ndarray:
        s = c.smoothness
        if isinstance(self.beta, str):
            return normalised(s + c.l2n)
        return (1 - self.beta) / c.m + self.beta * normalised(s)


def clipping_level(s: np.ndarray, unit: float = 1.0) -> float:
    """The tau that minimises (1 + unit/tau) sum_i max(s_i, tau), in O(m log m); s (m,), all >= unit >= 0.

    >>> round(clipping_level(np.array([100.0] + 9 * [2.0])), 9)
    3.333333333
    """
    if unit == 0:  # no l2: nothing is gained by a uniform part
        return float(s.min())
    s = np.sort(s)
    scale = s[-1]
    s, unit = s / scale, unit / scale  # squares would overflow
    rest = np.append(np.cumsum(s[::-1])[::-1], 0.0)[1:]  # the sum of those behind each
    k = np.arange(1, s.size + 1)
    tau = np.clip(np.sqrt(unit * rest / k), s, np.append(s[1:], 1.0))  # the best from s_k to the next one
    cost = (tau + unit) * (k + rest / tau)
    return float(tau[np.argmin(cost)] * scale)
