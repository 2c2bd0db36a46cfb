"""Certificates: how far P(w) can be above the optimum.

With l2 > 0, or l1 > 0, it is the duality gap. Without any regulariser the dual is finite only where X'alpha = 0 (and so
where one feature has none, and not two finite bounds); then a mu-strongly convex P gives P(w) - P* <=
||grad P(w)||^2/(2 mu), and without mu there is only the gradient's size, in the columns' scales: of the coordinates
(dP/dw_j)/s_j, s_j the root mean square of column j, which units do not change. With bounds it is the smallest
subgradient's.
What is not a finite number certifies nothing: then the gap is inf.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..losses import logistic_arrays, per_example
from ..numerics.jit import kernel, scalar
from ..regularizers import power_of_two_root
from .points import Points
from .problem import COARSE_BOUND_SHARE, Problem, Values
from .rounding import MIN_SAFE_SQUARE, gap_between, norm, rounding_of_sums, scaled_norm

PAIRWISE_BLOCK = 128  # terms that are added one by one, on eight lanes
PAIRWISE_LEVELS = 64  # halves of halves: enough for any array


class Certificate(NamedTuple):
    """A value of P and a lower bound of P*, which together bound P(w) - P*."""

    primal: float  # P(w)
    dual: float  # a lower bound of P*; -inf if there is none
    gradient: float  # ||grad P(w)|| in the columns' scales where that is what is known; NaN elsewhere
    rounding: float  # what primal and dual together may be off
    alpha: np.ndarray | None = None  # (n,) whose D is `dual`; None where there is no such point

    @property
    def gap(self) -> float:
        """max(0, primal - dual) + rounding, at least P(w) - P*; inf where any of them is not finite."""
        return gap_between(self.primal, self.dual, self.rounding)

    def with_more_rounding(self, more: float) -> Certificate:
        """The certificate for a point where P may be larger by so much."""
        return self._replace(rounding=self.rounding + more) if more else self


def certificate(problem: Problem, points: Points, mu: float | None) -> Certificate:
    """P(w) and a lower bound of P*, from what a method has at hand.

    Parameters
    ----------
    problem : Problem
        Data, loss and regulariser.
    points : Points
        w (d,) and alpha (n,); z and v are computed where they are None.
    mu : float or None
        Strong convexity of P, as `strong_convexity` returns it. Read only where l2 = l1 = 0.
    """
    if not problem.is_certified:
        return _gradient_certificate(problem, points, mu)
    alpha, v = problem.clipped(points.alpha, points.v)
    z = problem.predict(points.w) if points.z is None else points.z
    balanced, v = problem.balanced(alpha, v)
    primal, dual, of_primal, of_dual = (
        problem.values(points.w, z, balanced, v)
        if problem.outputs or problem.bounded
        else _values_by_sums(problem, points.w, z, balanced, v)
    )
    if not math.isfinite(primal):
        return Certificate(primal, dual, math.nan, math.inf, alpha)
    at_zero = problem.dual_at_zero
    if not dual - of_dual >= at_zero:  # then D(0) may be the better bound
        of_zero = problem.rounding_of_zero_sums(at_zero)
        if not dual - of_dual >= at_zero - of_zero:
            dual, of_dual, alpha = at_zero, of_zero, problem.zeros(problem.n)
            if of_primal > (enough := COARSE_BOUND_SHARE * (primal - dual)):
                of_primal = problem.rounding_of_primal(points.w, z, primal, enough)
    rounding = rounding_of_sums(problem.null_value, primal, dual) + of_primal + of_dual
    return Certificate(primal, dual, math.nan, rounding if dual > -math.inf else math.inf, alpha)


def _gradient_certificate(problem: Problem, points: Points, mu: float | None) -> Certificate:
    """P(w) - P* <= ||grad P(w)||^2/(2 mu), where there is no regulariser."""
    z = problem.predict(points.w) if points.z is None else points.z
    primal, gamma = problem.primal(points.w, z=z), problem.loss.gamma
    if not gamma > 0:
        return Certificate(primal, -np.inf, np.nan, np.inf, points.alpha)
    slope = problem.gradient(points.w, z=z)
    if problem.bounded:
        slope = problem.of_features.smallest_subgradient(points.w, slope)
    gradient, scaled = norm(slope), norm((slope.T / problem.column_scales).T)
    dual = primal - gradient**2 / (2 * mu) if mu else -np.inf
    if not mu or not np.isfinite(primal) or dual == -np.inf:
        return Certificate(primal, dual, scaled, np.inf, points.alpha)
    of_alpha = problem.unit_of_z * norm(points.w) * problem.row_rms / gamma  # root of the mean square
    of_v = problem.unit_of_v * norm(problem.alpha(points.w, z=z)) / math.sqrt(problem.n)
    off = problem.row_rms * (of_alpha + of_v)  # most error of the gradient
    of_primal = problem.rounding_of_primal(points.w, z, primal, COARSE_BOUND_SHARE * (primal - dual))
    rounding = rounding_of_sums(problem.null_value, primal, dual) + of_primal + off * (gradient + off / 2) / mu
    return Certificate(primal, dual, scaled, rounding, points.alpha)


def objectives(problem: Problem, points: Points) -> tuple[float, float]:
    """P(w) and D(alpha), of points with their products."""
    if problem.is_certified and not (problem.outputs or problem.intercept or problem.bounded):
        z, v = points.z, points.v
        assert z is not None, "points must come with z"
        assert v is not None, "points must come with v"
        return _objectives(problem, points.w, z, points.alpha, v)[:2]
    return problem.primal(points.w, z=points.z), problem.dual(points.alpha, v=points.v)


def _objectives(
    problem: Problem, w: np.ndarray, z: np.ndarray, alpha: np.ndarray, v: np.ndarray
) -> tuple[float, float, float, float, float]:
    """P(w), D(alpha), ||w||, sum_i |alpha_i| ||x_i|| and ||w(alpha)||, without the intercept's coordinate.

    With l2 = 0 D is that of the feasible multiple of alpha, and ||w(alpha)|| NaN.
    """
    n, l2, y, loss, reg = problem.n, problem.l2, problem.loss_y, problem.loss, problem.reg
    if problem.intercept:
        w, v, reg = w[:-1], v[:-1], problem.feature_reg
    c, scratch = power_of_two_root(l2), np.empty(PAIRWISE_LEVELS + max(n, problem.d))
    if logistic_arrays.fits(loss, n):
        mean, conjugate = per_example.mean_loss(loss, z, y), per_example.mean_conjugate(loss, alpha, y)
        weighted = float(np.add.reduce(np.abs(alpha) * problem.row_norms))
    else:
        losses, conjugates, weighted = sums_of_examples(loss, y, alpha, z, problem.row_norms, scratch)
        mean, conjugate = losses / n, conjugates / n
    squares, shrunk, sizes, size = sums_of_features(reg, w, v, c, problem.l1, scratch)
    scale, (primal_shift, dual_shift) = l2 / c / c, problem.shifts(w)
    primal = mean + (0.5 * scale * squares + problem.l1 * sizes) + primal_shift
    if l2 > 0:
        dual = -conjugate - shrunk / (2 * scale) + dual_shift
        return primal, dual, size, weighted, math.sqrt(shrunk) * c / l2
    share = problem.feasible_share(v)
    if share < 1:
        conjugate = per_example.mean_conjugate(loss, share * alpha, y)
    return primal, -math.inf if math.isnan(share) else -conjugate, size, weighted, math.nan


def _values_by_sums(problem: Problem, w: np.ndarray, z: np.ndarray, alpha: np.ndarray, v: np.ndarray) -> Values:
    """`Problem.values` of a clipped alpha from `_objectives`."""
    primal, dual, size, weighted, dual_size = map(float, _objectives(problem, w, z, alpha, v))  # uncompiled, numpy's
    if not math.isfinite(primal):
        return Values(primal, dual, math.inf, math.inf)
    enough, dv = COARSE_BOUND_SHARE * (primal - dual), problem.unit_of_v * weighted / problem.n
    if problem.intercept:
        size = math.hypot(size, w[-1])
    if problem.l2 > 0 and not problem.intercept:
        of_dual = dv * (dual_size + dv / (2 * problem.l2))
        if not of_dual <= enough:
            of_dual = min(of_dual, problem.rounding_of_dual_by_columns(alpha, problem.reg.grad_g_conj(v), problem.l2))
    else:
        of_dual = problem.rounding_of_dual(alpha, v, dual, enough) if dual > -math.inf else math.inf
    return Values(primal, dual, problem.rounding_of_primal(w, z, primal, enough, size), of_dual)


@kernel
def sums_of_examples(
    loss: Any, y: np.ndarray, alpha: np.ndarray, z: np.ndarray, row_norms: np.ndarray, scratch: np.ndarray
) -> tuple[float, float, float]:
    """The sums over phi(z_i), phi*(-alpha_i) and |alpha_i| ||x_i||."""
    n, weighted = y.size, 0.0
    halves, terms = scratch[:PAIRWISE_LEVELS], scratch[PAIRWISE_LEVELS:]
    for i in range(n):
        terms[i] = loss.phi(z[i], y[i])
        weighted += abs(alpha[i]) * row_norms[i]
    losses = pairwise_sum(terms[:n], halves)
    for i in range(n):
        terms[i] = loss.phi_conj(alpha[i], y[i])
    return losses, pairwise_sum(terms[:n], halves), weighted


@kernel
def sums_of_features(
    reg: Any, w: np.ndarray, v: np.ndarray, c: float, l1: float, scratch: np.ndarray
) -> tuple[float, float, float, float]:
    """The sums over (c w_j)^2, (shrink(v_j)/c)^2 and, where l1 > 0, |w_j|; and ||w||."""
    d, sizes = w.size, 0.0
    halves, terms = scratch[:PAIRWISE_LEVELS], scratch[PAIRWISE_LEVELS:]
    for j in range(np.uint64(d)):
        terms[j] = (c * w[j]) ** 2
    squares = pairwise_sum(terms[:d], halves)
    inverse = 1 / c  # exact: c is a power of two
    for j in range(np.uint64(d)):
        terms[j] = (inverse * reg.shrink_at(j, v[j])) ** 2
    shrunk = pairwise_sum(terms[:d], halves)
    if l1 > 0:
        for j in range(np.uint64(d)):
            terms[j] = abs(w[j])
        sizes = pairwise_sum(terms[:d], halves)
    return squares, shrunk, sizes, squares**0.5 * inverse if MIN_SAFE_SQUARE < squares < np.inf else scaled_norm(w)


@kernel
def pairwise_sum(a: np.ndarray, halves: np.ndarray) -> float:
    """The sum of all entries, as numpy adds them: in pairs, by which round-off stays near 1e-16 for any size.

    The sum of a long part is that of its two halves, and so on, left before right; `halves` (64,) holds the left sums.
    """
    path, depth = 0, 0  # to the part that is summed next: a bit for each level, 1 for right
    while True:
        start, length, level = 0, a.size, 0
        while level < depth or length > PAIRWISE_BLOCK:
            half = length // 2 - length // 2 % 8
            if level == depth:
                path, depth = 2 * path, depth + 1
            if path >> (depth - 1 - level) & 1:
                start, length = start + half, length - half
            else:
                length = half
            level += 1
        total = _block_sum(a, start, start + length)
        while path & 1:
            path, depth = path >> 1, depth - 1
            total = halves[depth] + total
        if depth == 0:
            return total
        path, halves[depth - 1] = path + 1, total


@scalar
def _block_sum(a: np.ndarray, begin: int, end: int) -> float:
    """Sum of a block, added one by one on eight lanes."""
    total, full = 0.0, begin
    if end - begin >= 8:
        r0, r1, r2, r3, r4, r5, r6, r7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        full = end - (end - begin) % 8
        for k in range(begin, full, 8):
            r0, r1, r2, r3 = r0 + a[k], r1 + a[k + 1], r2 + a[k + 2], r3 + a[k + 3]
            r4, r5, r6, r7 = r4 + a[k + 4], r5 + a[k + 5], r6 + a[k + 6], r7 + a[k + 7]
        total = ((r0 + r1) + (r2 + r3)) + ((r4 + r5) + (r6 + r7))
    for k in range(full, end):
        total += a[k]
    return total


def points_of(problem: Problem, w: np.ndarray) -> Points:
    """A primal point with alpha_i = -phi'(x_i'w), from an X w that is computed for it."""
    z = problem.predict(w)
    return Points(w, problem.alpha(w, z=z), z=z, fresh=("z",), products=1)


def complete_points(problem: Problem, points: Points) -> Points:
    """The points with both of their products."""
    z = problem.predict(points.w) if points.z is None else points.z
    v = problem.v(points.alpha) if points.v is None else points.v
    return Points(points.w, points.alpha, z=z, v=v)
