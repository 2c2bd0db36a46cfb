"""Balls that contain the solution, and the coordinates that they settle.

P is l2-strongly convex, and its loss gamma-cocoercive: P(w) - P* >= (l2/2)||w - w*||^2 + (gamma/2n)||u - alpha*||^2
with u_i = -phi'(x_i'w). The dual has the same on the other side, D* - D(alpha) >= (l2/2)||w(alpha) - w*||^2 +
(gamma/2n)||alpha - alpha*||^2. The duality gap is their sum, so where both points are the same one (w = w(alpha), or
alpha = u) its distance counts twice, and the balls are half as large (in squared radius) as from either side alone.

Where all of a ball lies on a straight part of phi_i, alpha_i* is that part's slope; where |X_:j'alpha|/n < l1 all over
it, w_j* = 0 (gap-safe rules: Fercoq, Gramfort & Salmon, Mind the duality gap: safer rules for the Lasso, 2015).

Gaps hold the rounding of P and D. What else is rounded makes balls and boxes larger: w(alpha), u and what makes alpha
feasible are off as their products are (`rounding_of_terms`), and so are images; radii are rounded up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..losses import has_hessian, unweighted
from ..losses.per_example import curvatures, gradients
from .points import Points
from .problem import Problem
from .rounding import EPS, OUTWARD, norm, row_norms

FORMULA_ROUNDING = 16 * EPS  # relative, of phi', phi'' and other formulas of a few terms


class Ball(NamedTuple):
    """Points at most `radius` from `center`: of w (d,), or of alpha (n,)."""

    center: np.ndarray
    image: np.ndarray  # X center (n,), or X'center/n (d,)
    radius: float


class Box(NamedTuple):
    """Predictions x_i'w, or slopes X_:j'alpha/n, each at most its reach from the image."""

    image: np.ndarray
    reach: np.ndarray


def primal_ball(problem: Problem, points: Points, gap: float) -> Ball:
    """A ball that contains w*, for l2 > 0: radius sqrt(gap/l2) around w = w(alpha).

    Parameters
    ----------
    problem : Problem
        With l2 > 0 and no intercept.
    points : Points
        w = grad g*(X'alpha/n) (d,), alpha (n,) and z = X w (n,).
    gap : float
        P(w) - D(alpha) with its rounding; inf: the radius is, too.
    """
    assert points.z is not None, "points must come with z"
    return Ball(points.w, points.z, middle_of_gap(problem, points.w, points.w, points.alpha, gap)[1])


def primal_ball_between(problem: Problem, points: Points, gap: float) -> Ball:
    """A ball for any two points: around (w + w(alpha))/2, with radius sqrt(gap/l2 - ||w - w(alpha)||^2/4).

    Parameters
    ----------
    problem : Problem
        With l2 > 0 and no intercept.
    points : Points
        Any w (d,) and alpha (n,), with v = X'alpha/n (d,).
    gap : float
        P(w) - D(alpha) with its rounding.
    """
    assert points.v is not None, "points must come with v"
    of_alpha = problem.reg.grad_g_conj(points.v)
    center, radius = middle_of_gap(problem, points.w, of_alpha, points.alpha, gap)
    return Ball(center, problem.predict(center), radius)


def middle_of_gap(
    problem: Problem, w: np.ndarray, of_alpha: np.ndarray, alpha: np.ndarray, gap: float
) -> tuple[np.ndarray, float]:
    """The middle of w and w(alpha), both without an intercept, and how far w* is from it at most.

    Of ||w - w*||^2 + ||w(alpha) - w*||^2 <= 2 gap/l2 the left side is 2 ||(w + w(alpha))/2 - w*||^2 +
    ||w - w(alpha)||^2/2. It holds with softmax (d, K), too, and where an intercept is free.
    """
    of_v = (problem.unit_of_v + FORMULA_ROUNDING) * float(row_norms(alpha) @ problem.row_norms) / problem.n
    off = of_v / problem.mu + FORMULA_ROUNDING * norm(of_alpha)
    return _middle(w, of_alpha, off, gap / problem.mu)


def dual_ball(problem: Problem, points: Points, gap: float) -> Ball:
    """A ball that contains alpha*, for gamma > 0, around (u + alpha)/2 with alpha the feasible point that is near u.

    Its radius is sqrt(n gap/gamma - ||u - alpha||^2/4): where u is feasible, as with l2 > 0 and no intercept, it is
    the center.

    Parameters
    ----------
    problem : Problem
        With a smooth loss of one prediction, and l2 > 0 or l1 > 0.
    points : Points
        w (d,), u_i = -phi'(x_i'w) (n,) as alpha, and v = X'u/n (d,).
    gap : float
        P(w) - D(alpha) with its rounding, D as `Problem.dual` values u; inf: the radius is, too.
    """
    assert points.v is not None, "points must come with v"
    alpha, v = problem.feasible_point(points.alpha, points.v)
    center, radius = _middle_of_slopes(problem, points.w, points.alpha, alpha, gap)
    return Ball(center, (points.v + v) / 2, radius)


def dual_ball_between(problem: Problem, points: Points, gap: float) -> Ball:
    """The ball for u of one point and any alpha (n,) of finite D(alpha), with the radius of `dual_ball`.

    Parameters
    ----------
    problem : Problem
        With a smooth loss of one prediction, and l2 > 0 or l1 > 0.
    points : Points
        w (d,) with z = X w (n,), and alpha (n,), in whose place `Problem.feasible_point` has one that is feasible.
    gap : float
        P(w) - D(alpha) with its rounding.
    """
    alpha, _ = problem.feasible_point(points.alpha)
    center, radius = _middle_of_slopes(problem, points.w, problem.alpha(points.w, z=points.z), alpha, gap)
    return Ball(center, problem.v(center), radius)


def _middle_of_slopes(
    problem: Problem, w: np.ndarray, u: np.ndarray, alpha: np.ndarray, gap: float
) -> tuple[np.ndarray, float]:
    """The middle of u and of the feasible point that alpha is but for rounding, and how far alpha* is at most."""
    gamma, root, size = problem.loss.gamma, np.sqrt(problem.n), norm(alpha)
    off = problem.unit_of_z * root * problem.row_rms * norm(w) / gamma + FORMULA_ROUNDING * (norm(u) + size)
    if problem.mu == 0:  # alpha is a multiple of what has max |v_j| = l1
        off += problem.unit_of_v * float(np.abs(alpha) @ problem.row_norms) / problem.n / least_slope(problem) * size
    if problem.intercept:  # its sum is 0 but for rounding
        off += problem.unit_of_v * size
    return _middle(u, alpha, off, problem.n * gap / gamma)


def _middle(a: np.ndarray, b: np.ndarray, off: float, radius2: float) -> tuple[np.ndarray, float]:
    """The middle of two points, which are off by so much together, and sqrt(radius2 - ||a - b||^2/4), rounded up."""
    apart = max(0.0, norm(a - b) / OUTWARD - off)
    radius = np.sqrt(max(0.0, OUTWARD * radius2 - apart * apart / 4)) + OUTWARD * off
    return (a + b) / 2, float(radius + FORMULA_ROUNDING * (norm(a) + norm(b) + np.sqrt(radius2)))


def prediction_box(problem: Problem, ball: Ball) -> Box:
    """Return the predictions of every w in a ball."""
    reach = ball.radius + problem.unit_of_z * norm(ball.center)
    return Box(ball.image, OUTWARD * reach * problem.row_norms + FORMULA_ROUNDING * np.abs(ball.image))


def slope_box(problem: Problem, ball: Ball) -> Box:
    """Return the slopes of every alpha in a ball."""
    reach = (ball.radius + problem.unit_of_v * norm(ball.center)) / problem.n
    norms = np.sqrt(problem.column_profile.norms2)
    return Box(ball.image, OUTWARD * reach * norms + FORMULA_ROUNDING * np.abs(ball.image))


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
    certain = np.abs(box.image) - box.reach > problem.reg.l1s
    if problem.bounded:
        reg = problem.of_features
        certain &= np.where(box.image > 0, reg.upper > 0, reg.lower < 0)
    return np.where(certain, np.sign(box.image), 0.0)


def screened_features(problem: Problem, box: Box) -> np.ndarray:
    """The features with w_j = 0 for all slopes in a box, as a mask (d,)."""
    if not problem.bounded:
        return np.abs(box.image) + box.reach < problem.reg.l1s
    reg = problem.of_features
    below, above = box.image + box.reach < reg.l1s, box.image - box.reach > -reg.l1s
    return (below | (reg.upper == 0)) & (above | (reg.lower == 0))


def least_slope(problem: Problem) -> float:
    """The least l1 that holds a v_j back: where g_j* ends."""
    return float(np.min(np.abs(problem.slopes))) if problem.bounded else problem.l1
