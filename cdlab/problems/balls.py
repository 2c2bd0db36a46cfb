"""Balls that contain the solution, and the coordinates that they settle.

P is l2-strongly convex, and its loss gamma-cocoercive: P(w) - P* >= (l2/2)||w - w*||^2 + (gamma/2n)||u - alpha*||^2
with u_i = -phi'(x_i'w). The dual has the same on the other side, D* - D(alpha) >= (l2/2)||w(alpha) - w*||^2 +
(gamma/2n)||alpha - alpha*||^2. The duality gap is their sum, so where both points are the same one (w = w(alpha), or
alpha = u) its distance counts twice, and the balls are half as large (in squared radius) as from either side alone.

Where all of a ball lies on a straight part of phi_i, alpha_i* is that part's slope; where |X_:j'alpha|/n < l1 all over
it, w_j* = 0 (gap-safe rules: Fercoq, Gramfort & Salmon, Mind the duality gap: safer rules for the Lasso, 2015).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..losses import has_hessian, unweighted
from ..losses.per_example import curvatures, gradients
from .problem import Problem

ROUNDING_SHARE = 1e-12  # share of P(0) added to the gap for the rounding of its sums and products


class Ball(NamedTuple):
    """Points at most `radius` from `center`: of w (d,), or of alpha (n,)."""

    center: np.ndarray
    image: np.ndarray  # X center (n,), or X'center/n (d,)
    radius: float


class Box(NamedTuple):
    """Predictions x_i'w, or slopes X_:j'alpha/n, each at most its reach from the image."""

    image: np.ndarray
    reach: np.ndarray


def primal_ball(problem: Problem, w: np.ndarray, z: np.ndarray, gap: float) -> Ball:
    """A ball that contains w*, for l2 > 0: radius sqrt(gap/l2) around w = w(alpha).

    Parameters
    ----------
    problem : Problem
        With l2 > 0 and no intercept.
    w : (d,) array
        grad g*(X'alpha/n).
    z : (n,) array
        X w.
    gap : float
        P(w) - D(alpha); inf: the radius is, too.
    """
    return Ball(w, z, np.sqrt(_gap_with_rounding(problem, gap) / problem.l2))


def primal_ball_between(problem: Problem, w: np.ndarray, of_alpha: np.ndarray, gap: float) -> Ball:
    """A ball for any two points: around (w + w(alpha))/2, with radius sqrt(gap/l2 - ||w - w(alpha)||^2/4).

    Of ||w - w*||^2 + ||w(alpha) - w*||^2 <= 2 gap/l2 the left side is 2 ||(w + w(alpha))/2 - w*||^2 +
    ||w - w(alpha)||^2/2.

    Parameters
    ----------
    problem : Problem
        With l2 > 0 and no intercept.
    w, of_alpha : (d,) array
        Any point, and grad g*(X'alpha/n) of the dual point.
    gap : float
        P(w) - D(alpha).
    """
    center, apart = (w + of_alpha) / 2, w - of_alpha
    radius2 = _gap_with_rounding(problem, gap) / problem.l2 - apart @ apart / 4
    return Ball(center, problem.predict(center), np.sqrt(max(0.0, radius2)))


def dual_ball(problem: Problem, u: np.ndarray, v: np.ndarray, gap: float) -> Ball:
    """A ball that contains alpha*, for gamma > 0, around (u + alpha)/2 with alpha the feasible point that is near u.

    Its radius is sqrt(n gap/gamma - ||u - alpha||^2/4): where u is feasible, as with l2 > 0 and no intercept, it is
    the center.

    Parameters
    ----------
    problem : Problem
        With a smooth loss of one prediction, and l2 > 0 or l1 > 0.
    u : (n,) array
        -phi'(x_i'w).
    v : (d,) array
        X'u/n.
    gap : float
        P(w) - D(alpha) with D as `Problem.dual` values u; inf: the radius is, too.
    """
    alpha, its_v = problem.feasible_point(u, v)
    return Ball((u + alpha) / 2, (v + its_v) / 2, _dual_radius(problem, u - alpha, gap))


def dual_ball_between(problem: Problem, u: np.ndarray, alpha: np.ndarray, gap: float) -> Ball:
    """The ball for u of one point and any alpha (n,) of finite D(alpha), with the radius of `dual_ball`.

    Parameters
    ----------
    problem : Problem
        With a smooth loss of one prediction, and l2 > 0 or l1 > 0.
    u, alpha : (n,) array
        -phi'(x_i'w), and the dual point, in whose place `Problem.feasible_point` has one that is feasible.
    gap : float
        P(w) - D(alpha).
    """
    alpha, _ = problem.feasible_point(alpha)
    center = (u + alpha) / 2
    return Ball(center, problem.v(center), _dual_radius(problem, u - alpha, gap))


def _dual_radius(problem: Problem, apart: np.ndarray, gap: float) -> float:
    radius2 = problem.n * _gap_with_rounding(problem, gap) / problem.loss.gamma - apart @ apart / 4
    return float(np.sqrt(max(0.0, radius2)))


def _gap_with_rounding(problem: Problem, gap: float) -> float:
    return gap + ROUNDING_SHARE * abs(problem.at_zero)


def prediction_box(problem: Problem, ball: Ball) -> Box:
    """Return the predictions of every w in a ball."""
    return Box(ball.image, ball.radius * np.sqrt(problem.row_profile.norms2))


def slope_box(problem: Problem, ball: Ball) -> Box:
    """Return the slopes of every alpha in a ball."""
    return Box(ball.image, ball.radius * np.sqrt(problem.column_profile.norms2) / problem.n)


def screened_examples(problem: Problem, box: Box) -> tuple[np.ndarray, np.ndarray]:
    """The examples whose alpha_i is the same for all predictions in a box, as a mask (n,), and alpha (n,) there.

    phi_i' never falls, so where it is the same at both ends of an interval, it is the same between. Rounding makes it
    the same also where a loss is curved, but hardly, or the interval is too short: there phi_i'' is above 0.
    """
    ends = box.image - box.reach, box.image + box.reach
    low, high = (gradients(problem.loss, z, problem.loss_y) for z in ends)
    same = low == high
    if has_hessian(unweighted(problem.loss)):
        for z in ends:
            same &= curvatures(problem.loss, z, problem.loss_y) == 0
    return same, 0.0 - low


def signed_features(problem: Problem, box: Box) -> np.ndarray:
    """The sign of w_j, 1 or -1, where it is the same for all slopes in a box; else 0, as an array (d,).

    At the optimum v_j = l2 w_j + l1 sign(w_j), so that the sign is that of v_j where |v_j| > l1.
    """
    certain = np.abs(box.image) - box.reach > problem.l1 * problem.reg.penalised
    return np.where(certain, np.sign(box.image), 0.0)


def screened_features(problem: Problem, box: Box) -> np.ndarray:
    """The features with w_j = 0 for all slopes in a box, as a mask (d,)."""
    return np.abs(box.image) + box.reach < problem.l1 * problem.reg.penalised
