"""Screening: coordinates whose optimal value is known leave the run, and its epochs visit the others.

gap_safe  A ball around the points that were measured contains the solution (problems/balls.py). A coordinate that has
          one value all over it is set to that value and never visited again.
shrink    The same, but no prediction (or slope) is taken to go farther than 95% of them have gone since the last
          measurement. That is a guess, so only a coordinate that has its value already leaves, and whether it does is
          asked anew at each measurement: one that left in error comes back.

The certificate is always that of all coordinates, so a wrong guess costs time and nothing else. Balls need what a
measurement has computed (gap, X w, X'alpha/n): nothing is measured for their sake. Shrinking as such is Joachims',
Making large-scale support vector machine learning practical (1999); there, and in Hsieh et al. (2008), the largest
slope of the last epoch takes the place of the distance here, and one example is enough to hold all others back.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...losses import hess_lipschitz
from ...numerics import checks
from ...problems import balls
from ...problems.balls import Box
from ...problems.points import Points
from ...problems.problem import Problem
from ...samplings import Sampling
from ..base import Method

RULES = ("none", "gap_safe", "shrink")
MOST = 0.95  # of the predictions, or slopes: the reach is the farthest that so many moved
SWEPT = 0.5  # nonzeros of an epoch over few coordinates, by those of all: measuring costs as much as with all


class Active(NamedTuple):
    """The coordinates that are still visited, and the predictions or slopes that they were found by."""

    mask: np.ndarray  # (m,)
    image: np.ndarray | None = None  # (m,)

    def guessed(self, safe: Box) -> Box:
        """The box of "shrink"."""
        if self.image is None:
            return safe
        moved, most = np.abs(safe.image - self.image), math.ceil(MOST * self.image.size) - 1
        return safe._replace(reach=np.minimum(safe.reach, np.partition(moved, most)[most]))


class LeavesOut(Method):
    """A method whose epochs may leave coordinates out."""

    @abstractmethod
    def screens(self, problem: Problem) -> bool:
        """Whether anything is left out on this problem."""

    @abstractmethod
    def orders_among(
        self, problem: Problem, sampling: Sampling, rng: np.random.Generator, mask: np.ndarray
    ) -> Iterator[Any]:
        """As `orders`, of these coordinates alone (of all, where there is none)."""

    @abstractmethod
    def screened(
        self, problem: Problem, S: Any, points: Points, gap: float, active: Active
    ) -> tuple[Any, Active, float]:
        """The state without what a measurement has settled, the coordinates left, and the nonzeros visited for it.

        Parameters
        ----------
        problem : Problem
            The problem.
        S : state
            Of the method, as it was measured.
        points : Points
            What was measured, with z and v.
        gap : float
            P(w) - D(alpha).
        active : Active
            The coordinates that were left before.
        """


class Screens(LeavesOut):
    """A method that leaves settled coordinates out, if its field `screening` says so."""

    screening: str

    def screens(self, problem: Problem) -> bool:
        return self.screening != "none"

    def box(self, safe: Box, active: Active) -> Box:
        """The box of the rule, given the safe one and what was left before."""
        return active.guessed(safe) if self.screening == "shrink" else safe

    def leaving(self, active: Active, box: Box, settled: np.ndarray, there: np.ndarray) -> tuple[Active, np.ndarray]:
        """The coordinates left after a measurement, and those that have to be set, as indices.

        Parameters
        ----------
        active : Active
            Those before it.
        box : Box
            The safe one.
        settled, there : (m,) masks
            Coordinates with one value all over the box of the rule, and those that have this value already.
        """
        if self.screening == "shrink":
            return Active(~(settled & there), box.image.copy()), np.empty(0, np.intp)
        return Active(active.mask & ~settled), np.flatnonzero(settled & active.mask & ~there)

    def features_left(self, problem: Problem, points: Points, gap: float, active: Active) -> tuple[Active, np.ndarray]:
        """As `leaving`, for the features of a primal method whose alpha is -phi'(X w)."""
        assert points.v is not None, "see `screened`"
        safe = balls.slope_box(problem, balls.dual_ball(problem, points.alpha, points.v, gap))
        settled = balls.screened_features(problem, self.box(safe, active))
        return self.leaving(active, safe, settled, points.w == 0)

    def orders_among(
        self, problem: Problem, sampling: Sampling, rng: np.random.Generator, mask: np.ndarray
    ) -> Iterator[Any]:
        """An epoch has several sweeps of few."""
        busy = self.busy(problem)
        mask = mask if busy is None else mask & busy
        if not mask.any():
            yield from self.orders(problem, sampling, rng)
        which, c = np.flatnonzero(mask).astype(np.uint64), problem.coordinates(self.side)
        beta = c.beta[which] if isinstance(c.beta, np.ndarray) else c.beta
        few = c._replace(norms2=c.norms2[which], counts=c.counts[which], beta=beta)
        sweeps = max(1, int(SWEPT * c.counts.sum() / max(1, few.counts.sum())))
        orders = sampling.among(which).epochs(few, rng)
        while True:
            yield which[np.concatenate([next(orders) for _ in range(sweeps)])]

    def check_screening(self) -> None:
        """Refuse what is no rule, with a ValueError."""
        checks.one_of(f"{self.name}'s screening", self.screening, RULES)

    def screening_refusal(self, problem: Problem, sampling: Sampling) -> str | None:
        """Why nothing can be left out here, or of what is drawn like this; None if it can, or nobody asked."""
        if self.screening == "none":
            return None
        what = f"{self.name}'s screening is for"
        if problem.outputs:
            return f"{what} losses of one prediction, unlike {problem.loss.name}: leave it out"
        if not sampling.serial:
            return f"{what} coordinates drawn one at a time, and {sampling.name} draws blocks: leave one of the two out"
        if self.side == "primal" and problem.l1 == 0:
            return f"{what} l1 > 0, which holds features at 0, and this problem has l1 = 0: leave it out"
        if self.side == "dual" and np.isfinite(hess_lipschitz(problem.loss)):
            others = "smooth_hinge or huber"
            return f"{what} losses with straight parts, and {problem.loss.name} has none: leave it out, or use {others}"
        return None
