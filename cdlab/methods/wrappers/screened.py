"""Screening: coordinates whose optimal value is known leave the run, and its epochs visit those that remain.

gap_safe  A ball around the points that were measured contains the solution (problems/balls.py). A coordinate that has
          the same value all over it is set to that value and never visited again.
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
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...losses import hess_lipschitz
from ...numerics import checks
from ...problems import balls
from ...problems.balls import Box
from ...problems.points import Points
from ...problems.problem import Problem
from ...samplings import Sampling
from ...samplings.base import Epochs, take
from ..base import Count, Method, draws_coordinates
from ..descent import Descent
from .wrapper import Wrapper

OFF, SAFE, SHRINK = "none", "gap_safe", "shrink"
REACH_QUANTILE = 0.95  # the reach is the farthest that this share of the predictions, or slopes, moved
# Sweeps are repeated while the epoch visits at most this share of nnz: measuring costs as much as with all coordinates.
MAX_REPEATED_SHARE = 0.5


class Active(NamedTuple):
    """The coordinates that are still visited, and the predictions or slopes that they were found by."""

    mask: np.ndarray  # (m,)
    image: np.ndarray | None = None  # (m,)

    def guessed_box(self, safe: Box) -> Box:
        """The safe box, with the reach cut to `REACH_QUANTILE` of the moves."""
        if self.image is None:
            return safe
        moved, place = np.abs(safe.image - self.image), math.ceil(REACH_QUANTILE * self.image.size) - 1
        return safe._replace(reach=np.minimum(safe.reach, np.partition(moved, place)[place]))


class ScreeningMethod(Method):
    """A method whose epochs may leave coordinates out."""

    def can_screen(self, problem: Problem, S: Any) -> bool:
        return True

    @abstractmethod
    def orders_among(
        self, problem: Problem, sampling: Sampling, rng: np.random.Generator, mask: np.ndarray
    ) -> Iterator[Any]:
        """Orders as of `orders`, but of the coordinates in the mask alone (of all, where it is empty)."""

    @abstractmethod
    def screen(self, problem: Problem, S: Any, points: Points, gap: float, active: Active) -> tuple[Any, Active, float]:
        """The state after screening, the remaining coordinates, and the nonzeros visited for it.

        Parameters
        ----------
        problem : Problem
            The problem.
        S : state
            The method's state, as it was measured.
        points : Points
            The points that were measured, with z and v.
        gap : float
            P(w) - D(alpha).
        active : Active
            The coordinates that remained before.
        """


@dataclass(frozen=True)
class Screened(Wrapper, ScreeningMethod):
    """Leaves coordinates out that are at their optimum: for l1 > 0, or losses with straight parts (hinges, Huber, ...).

    Parameters
    ----------
    method : Descent or NewtonCD
        A method that draws one coordinate at a time, or Newton's.
    screening : "gap_safe" or "shrink", default "gap_safe"
        Coordinates leave that are known to be at their optimum, or guessed to be; the module says how.
    """

    method: Any
    screening: str = SAFE

    keyword: ClassVar[str] = "screening"
    off: ClassVar[str] = OFF

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.one_of(f"{self.name}'s screening", self.screening, (SAFE, SHRINK))

    @classmethod
    def fits(cls, method: Method) -> bool:
        if isinstance(method, Descent):
            return super().fits(method) and draws_coordinates(method)
        return hasattr(type(method), "set_coordinates")

    def wrapper_objections(self, problem: Problem, sampling: Sampling | None) -> Iterator[str]:
        what = f"{self.name}'s screening is for"
        if problem.outputs:
            yield f"{what} losses of one prediction, unlike {problem.loss.name}: leave it out"
        if sampling is not None and not sampling.serial:
            yield (
                f"{what} coordinates drawn one at a time, and {sampling.name} draws blocks: leave one of the two out"
            )
        if self.side == "primal" and problem.l1 == 0:
            yield f"{what} l1 > 0, which holds features at 0, and this problem has l1 = 0: leave it out"
        if self.side == "dual" and np.isfinite(hess_lipschitz(problem.loss)):
            others = "smooth_hinge or huber"
            yield f"{what} losses with straight parts, and {problem.loss.name} has none: leave it out, or use {others}"

    # ------------------------------------------------------------ the states are the inner method's own
    def points(self, problem: Problem, S: Any) -> Points:
        return self.method.points(problem, S)

    def refresh(self, problem: Problem, S: Any) -> None:
        self.method.refresh(problem, S)

    def count(self, problem: Problem, S: Any, order: Any) -> Count:
        return self.method.counted(problem, S, order)

    def epochs_together(self, problem: Problem, S: Any) -> float:
        return self.method.epochs_together(problem, S)

    def warm(self, P: Any, S: Any) -> None:
        self.method.warm(P, S)

    # ------------------------------------------------------------ which coordinates leave
    def screen(self, problem: Problem, S: Any, points: Points, gap: float, active: Active) -> tuple[Any, Active, float]:
        if self.side == "dual":
            safe = balls.prediction_box(problem, balls.primal_ball(problem, points, gap))
            decided, values = balls.screened_examples(problem, self._box(safe, active))
            at_value = points.alpha == values
        else:
            safe = balls.slope_box(problem, balls.dual_ball(problem, points, gap))
            decided, values = balls.screened_features(problem, self._box(safe, active)), np.zeros(problem.d)
            at_value = points.w == 0
        if self.screening == SHRINK:
            active, to_set = Active(~(decided & at_value), safe.image.copy()), np.empty(0, np.intp)
        else:
            to_set = np.flatnonzero(decided & active.mask & ~at_value)
            active = Active(active.mask & ~decided)
        S, visits = self.method.set_coordinates(problem, S, to_set, values, active.mask)
        return S, active, visits

    def _box(self, safe: Box, active: Active) -> Box:
        """The box of the rule, given the safe one and what remained before."""
        return active.guessed_box(safe) if self.screening == SHRINK else safe

    def orders_among(
        self, problem: Problem, sampling: Sampling, rng: np.random.Generator, mask: np.ndarray
    ) -> Iterator[Any]:
        """With few coordinates remaining, an epoch repeats the sweep over them."""
        drawable = self.drawable(problem)
        mask = mask if drawable is None else mask & drawable
        drawn = self.draws(sampling)
        if drawn is None or not mask.any():
            return self.orders(problem, sampling, rng)
        which, c = np.flatnonzero(mask).astype(np.uint64), problem.coordinates(self.side)
        beta = c.beta[which] if isinstance(c.beta, np.ndarray) else c.beta
        l2n = c.l2n[which] if isinstance(c.l2n, np.ndarray) else c.l2n
        remaining = c._replace(norms2=c.norms2[which], counts=c.counts[which], beta=beta, l2n=l2n)
        sweeps = max(1, int(MAX_REPEATED_SHARE * c.counts.sum() / max(1, remaining.counts.sum())))
        orders = drawn.among(which).epochs(remaining, rng)
        return Epochs(lambda epochs: which[take(orders, epochs * sweeps)])
