"""Coordinates of the optimum that a certificate proves, and their values or signs.

Each is read off a ball that contains the optimum (see `balls`), at whatever points: no run has to be near the end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from . import balls
from .certificates import certificate, complete_points
from .points import Points
from .problem import Problem

WITHOUT_REGULARISER = "without a regulariser (l2 = l1 = 0) nothing is certified: set l2 > 0"


@dataclass(frozen=True, eq=False, repr=False)
class ProvedCoordinates:
    """Coordinates of the optimum that are proved; `str` is a sentence, `brief` a few words.

    Attributes
    ----------
    alpha : (n,) array
        alpha_i* where it is known: 0, or an end of its interval. NaN elsewhere.
    zeros : (d,) mask
        Features with w_j* = 0.
    signs : (d,) array
        The sign of w_j*, 1 or -1, where it is known; else 0.
    reason : str
        Reason why nothing can be known, if so.
    """

    alpha: np.ndarray
    zeros: np.ndarray
    signs: np.ndarray
    reason: str = ""

    @property
    def examples(self) -> np.ndarray:
        """Mask (n,) of the examples whose alpha_i* is known."""
        return ~np.isnan(self.alpha)

    @property
    def features(self) -> np.ndarray:
        """Mask (d,) of the features whose w_j* is known to be 0, or whose sign is known."""
        return self.zeros | (self.signs != 0)

    @property
    def values(self) -> int:
        """Number of coordinates that are known by their value: alpha_i*, or w_j* = 0."""
        return int(np.count_nonzero(self.examples) + np.count_nonzero(self.zeros))

    def joined(self, other: ProvedCoordinates) -> ProvedCoordinates:
        """Join what both prove of the same optimum."""
        alpha = np.where(self.examples, self.alpha, other.alpha)
        return ProvedCoordinates(alpha, self.zeros | other.zeros, np.where(self.signs != 0, self.signs, other.signs))

    @property
    def brief(self) -> str:
        """The counts of examples and features; "" where nothing is known."""
        told = [
            f"{np.count_nonzero(mask)} of {mask.size} {name}"
            for name, mask in (("examples", self.examples), ("features", self.features))
            if mask.any()
        ]
        return " and ".join(told)

    def __str__(self) -> str:
        at_zero = np.count_nonzero(self.alpha == 0)
        ends = np.count_nonzero(self.examples) - at_zero
        zeros, signs = np.count_nonzero(self.zeros), np.count_nonzero(self.signs)
        parts = [
            f"alpha_i = 0 for {at_zero} of {self.alpha.size} examples" if at_zero else "",
            f"alpha_i is at a bound for {ends} of {self.alpha.size} examples" if ends else "",
            f"w_j = 0 for {zeros} of {self.zeros.size} features" if zeros else "",
            f"the sign of w_j is known for {signs} of {self.signs.size} features" if signs else "",
        ]
        told = ", ".join(filter(None, parts))
        if told:
            return f"Certain at the optimum: {told}."
        return f"Nothing of the optimum is certain{f': {self.reason}' if self.reason else ' yet'}."

    def __repr__(self) -> str:
        return f"ProvedCoordinates({self.brief or 'nothing'})"


def settled_at(problem: Problem, points: Points) -> ProvedCoordinates:
    """Return the coordinates that the certificate of w and alpha proves; up to four products with X, each half a pass.

    Parameters
    ----------
    problem : Problem
        With a loss of one prediction. With l2 = 0 or an intercept predictions settle nothing (there is no ball of w),
        and with a loss that is not smooth slopes settle nothing (there is none of alpha).
    points : Points
        Any w (d,) and alpha (n,); z and v are computed where they are None.
    """
    known = ProvedCoordinates(np.full(problem.n, np.nan), np.zeros(problem.d, dtype=bool), np.zeros(problem.d))
    if not problem.is_certified:
        return replace(known, reason=WITHOUT_REGULARISER)
    with np.errstate(all="ignore"):  # where a run diverged, nothing is settled
        complete = complete_points(problem, points)
        certified = certificate(problem, complete, None)
        gap = certified.gap
        if certified.alpha is not None and certified.alpha is not complete.alpha:
            complete = complete_points(problem, Points(complete.w, certified.alpha, z=complete.z))
    if not np.isfinite(gap):
        return known
    if problem.mu > 0 and not problem.intercept:
        known = _by_predictions(problem, complete, gap, known)
    if problem.loss.gamma > 0:
        known = _by_slopes(problem, complete, gap, known)
    return known


def _by_predictions(problem: Problem, points: Points, gap: float, known: ProvedCoordinates) -> ProvedCoordinates:
    """With the ball of w: straight parts of the losses, and coordinates farther from 0 than the radius."""
    ball = balls.primal_ball_between(problem, points, gap)
    certain, alpha = balls.screened_examples(problem, balls.prediction_box(problem, ball))
    signs = np.where(np.abs(ball.center) > ball.radius, np.sign(ball.center), 0.0)
    return ProvedCoordinates(np.where(certain, alpha, np.nan), known.zeros, signs)


def _by_slopes(problem: Problem, points: Points, gap: float, known: ProvedCoordinates) -> ProvedCoordinates:
    """With the ball of alpha: slopes that are less than l1, or more."""
    ball = balls.dual_ball_between(problem, points, gap)
    box = balls.slope_box(problem, ball)
    signs = np.where(known.signs != 0, known.signs, balls.signed_features(problem, box))
    return ProvedCoordinates(known.alpha, balls.screened_features(problem, box), signs)
