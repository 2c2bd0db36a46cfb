"""Screening: coordinates whose optimal value is known leave the run, and its epochs visit the others.

gap_safe  A ball around the points that were measured contains the solution (problems/balls.py). A coordinate that has
          one value all over it is set to that value and never visited again.
shrink    The same with a smaller ball: as far as the center moved since the last measurement. That is a guess. A
          coordinate leaves that has the value already, and whether it does is asked anew at each measurement, so that
          one that left in error comes back.

The certificate is always that of all coordinates, so a wrong guess costs time and nothing else. Balls need what a
measurement has computed (gap, X w, X'alpha/n): nothing is measured for their sake.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...losses import hess_lipschitz
from ...numerics import checks
from ...problems import balls
from ...problems.balls import Ball
from ...problems.points import Points
from ...problems.problem import Problem
from ...samplings import Sampling
from ..base import Method

RULES = ("none", "gap_safe", "shrink")
SWEPT = 0.5  # nonzeros of an epoch over few coordinates, by those of all: measuring costs as much as with all


class Active(NamedTuple):
    """The coordinates that are still visited, and where the ball was that they were found by."""

    mask: np.ndarray  # (m,)
    center: np.ndarray | None = None

    def guessed(self, safe: Ball) -> Ball:
        """The ball of "shrink"."""
        if self.center is None:
            return safe
        return safe._replace(radius=min(safe.radius, float(np.linalg.norm(safe.center - self.center))))


class Screens(Method):
    """A method that leaves settled coordinates out, if its field `screening` says so."""

    screening: str

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

    def ball(self, safe: Ball, active: Active) -> Ball:
        """The ball of the rule, given the safe one and what was left before."""
        return active.guessed(safe) if self.screening == "shrink" else safe

    def leaving(self, active: Active, ball: Ball, settled: np.ndarray, there: np.ndarray) -> tuple[Active, np.ndarray]:
        """The coordinates left after a measurement, and those that have to be set, as indices.

        Parameters
        ----------
        active : Active
            Those before it.
        ball : Ball
            The safe one.
        settled, there : (m,) masks
            Coordinates with one value all over the ball of the rule, and those that have this value already.
        """
        if self.screening == "shrink":
            return Active(~(settled & there), ball.center.copy()), np.empty(0, np.intp)
        return Active(active.mask & ~settled), np.flatnonzero(settled & active.mask & ~there)

    def features_left(self, problem: Problem, points: Points, gap: float, active: Active) -> tuple[Active, np.ndarray]:
        """As `leaving`, for the features of a primal method whose alpha is -phi'(X w)."""
        assert points.v is not None, "see `screened`"
        safe = balls.dual_ball(problem, points.alpha, points.v, gap)
        settled = balls.settled_features(problem, self.ball(safe, active))
        return self.leaving(active, safe, settled, points.w == 0)

    def orders_among(
        self, problem: Problem, sampling: Sampling, rng: np.random.Generator, mask: np.ndarray
    ) -> Iterator[Any]:
        """As `orders`, of these coordinates alone (of all, where there is none): an epoch has several sweeps of few."""
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
        checks.word(f"{self.name}'s screening", self.screening, RULES)

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
