"""Line search along a step p: halve until P decreases as the model says it should, and lengthen where P still falls.

Where l1 = 0 and t = 1 passes, t grows for as long as the slope along p is more than a share STEEP of the first one: at
small l2 the logistic loss is flatter than its model, and a step is too short for many iterations. Near w* the slope at
t = 1 is of second order, and t = 1 stays. A longer t has a slope <= 0, so P is convex and still lower there.

Only z = X w and u = X p are read. With D = g'p + l1(||w + p||_1 - ||w||_1) the test is
P(w + t p) <= P(w) + SIGMA t D, and ROUNDING |P| is allowed, which is less than P can show: at the optimum t = 1 passes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...losses.per_example import Expansion, expansion
from ...problems.problem import Problem

SIGMA = 1e-4
ROUNDING = 1e-14
HALVINGS = 60  # Halvings after which w stays.
STEEP = 0.1
DOUBLINGS = 10
SECANTS = 20  # Steps between a t that is too short and one that is too long.


class Trial(NamedTuple):
    """A point of a line."""

    t: float
    z: np.ndarray  # (n,) X (w + t p)
    at: Expansion  # of the losses there


class Line:
    """P along w + t p, with z = X w and u = X p, and `at` the expansion of the losses at z."""

    def __init__(self, P: Problem, w: np.ndarray, z: np.ndarray, at: Expansion, p: np.ndarray, u: np.ndarray) -> None:
        self.P, self.z, self.p, self.u = P, z, p, u
        d = P.d - P.intercept
        self.w: np.ndarray = w[:d]  # what the regulariser sees
        self.q: np.ndarray = p[:d]
        self.trial, self.loss = Trial(0.0, z, at), at.mean
        l2s, self.l1s = P.feature_reg.l2s, P.feature_reg.l1s
        self.size = float(np.abs(self.l1s * self.w).sum()) if P.l1 > 0 else 0.0
        self.l2: Any = 1.0 if P.bounded else l2s
        q = l2s * self.q if P.bounded else self.q
        self.wq, self.qq = float(np.vdot(self.w, q)), float(np.vdot(self.q, q))

    def go(self, t: float) -> Trial:
        """Return the point at t; the last one is known."""
        if t != self.trial.t:
            z = self.z + t * self.u
            self.trial = Trial(t, z, expansion(self.P.loss, z, self.P.loss_y))
        return self.trial

    def change(self, t: float) -> float:
        """P(w + t p) - P(w)."""
        return self.go(t).at.mean - self.loss + self.l2 * t * (self.wq + t * self.qq / 2) + self.l1(t)

    def l1(self, t: float) -> float:
        """The change of l1 ||.||_1."""
        if self.P.l1 == 0:
            return 0.0
        return float(np.abs(self.l1s * (self.w + t * self.q)).sum()) - self.size

    def slope(self, t: float) -> float:
        """The derivative of P without l1 ||.||_1."""
        mean = np.vdot(self.go(t).at.slopes, self.u) / self.P.n
        return float(mean) + self.l2 * (self.wq + t * self.qq)


def halved(passes: Callable[[float], bool]) -> float:
    """Return the first of 1, 1/2, 1/4, ... that passes; 0 where none of HALVINGS does."""
    t = 1.0
    for _ in range(HALVINGS):
        if passes(t):
            return t
        t /= 2
    return 0.0


def share(line: Line, gradient: np.ndarray) -> float:
    """The step length t; 0 where no trial passes.

    Parameters
    ----------
    line : Line
        P along the step.
    gradient : (d,) array
        The gradient of P without l1 ||.||_1 at w.
    """
    first = float(np.vdot(gradient, line.p))
    promised = first + line.l1(1.0)
    unseen = ROUNDING * (line.loss + line.P.feature_reg.g(line.w))
    t = halved(lambda t: line.change(t) <= SIGMA * t * promised + unseen)
    is_smooth = line.P.l1 == 0 and not line.P.bounded
    return lengthened(line, STEEP * first) if t == 1 and is_smooth and -promised > unseen else t


def lengthened(line: Line, flat: float) -> float:
    """A t >= 1 at which the slope is between `flat` < 0 and 0, as far as a few trials find it."""
    low, below = 1.0, line.slope(1.0)
    if not below < flat:
        return low
    for _ in range(DOUBLINGS):
        high, above = 2 * low, line.slope(2 * low)
        if not above < 0:
            break
        low, below = high, above
        if below >= flat:
            return low
    else:
        return low
    before = 0.0
    for _ in range(SECANTS):  # Illinois' rule: the slope at an end that stays is halved
        t = low + (high - low) * min(0.9, max(0.1, below / (below - above)))
        slope = line.slope(t)
        if slope <= 0:
            low, below, above = t, slope, above / 2 if before < 0 else above
            if below >= flat:
                break
        else:
            high, above, below = t, slope, below / 2 if before > 0 else below
        before = slope
    return low
