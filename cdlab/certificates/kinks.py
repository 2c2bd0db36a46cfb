"""Dual steps for the hinge and the absolute loss: on two coordinates at once where the intercept is free.

Then the dual needs sum_i alpha_i = 0, which no step on one coordinate keeps. Both losses have a conjugate
phi*(-a) = -c a on an interval: D is concave and quadratic, or with l1 > 0 at least as large as a quadratic, on a box
that the intercept cuts by a plane. Moving alpha_i up and alpha_j down by the same amount stays on the plane: sequential
minimal optimisation, with the second index chosen as in Fan, Chen & Lin, Working set selection using second order
information for training support vector machines (2005). Without an intercept the one coordinate is moved that gains
most. Where n is large, the steps of a round are among the examples that violate the optimality conditions most.
With l2 = 0 the dual is a linear program, which HiGHS solves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from ..losses import Huber, SmoothHinge, unweighted
from ..numerics.jit import kernel
from ..problems.intercept import balance, join_intercept
from ..problems.problem import Problem

AT_ONCE = 1000  # examples among which the steps of a round are
STEPS = 20  # of a round, times these examples
TINY = 1e-12  # of the largest curvature: what a pair of equal rows is given


def fits(problem: Problem) -> bool:
    """Whether `pair_steps` is for this problem."""
    loss = unweighted(problem.loss)
    return loss.gamma == 0 and isinstance(loss, SmoothHinge | Huber)


def pair_steps(problem: Problem, alpha: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rounds of steps: after each a point w (d,), with its intercept, and alpha (n,), which raises D every time.

    Parameters
    ----------
    problem : Problem
        One that `fits`, with l2 > 0.
    alpha : (n,) array
        Where to start; moved into the domain of the dual.
    """
    free, c, n = problem.intercept, problem.y, problem.n
    X, (low, high) = problem.X[:, :-1] if free else problem.X, _intervals(problem)
    alpha = np.clip(alpha, low, high)
    alpha = balance(alpha) if free else alpha
    while True:
        v = problem.v(alpha)[: X.shape[1]]
        w = (v - np.clip(v, -problem.l1, problem.l1)) / problem.l2
        slopes = c - X @ w
        up, down = alpha < high, alpha > low
        best, worst = slopes[up].max(initial=-np.inf), slopes[down].min(initial=np.inf)
        b = (best + worst) / 2 if free and np.isfinite(best + worst) else 0.0
        yield (join_intercept(w, b) if free else w), alpha
        if not (best > worst if free else best > 0 or worst < 0):
            return
        rows = _violators(slopes, up, down)
        part = X[rows]
        gram = part @ part.T
        gram = (gram.toarray() if sp.issparse(gram) else gram) / (problem.l2 * n)
        alpha, own = alpha.copy(), alpha[rows]
        steps = _pairs if free else _singles
        steps(gram, slopes[rows], own, low[rows], high[rows], STEPS * rows.size, _damping(gram))
        alpha[rows] = own


def linear_program(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """Optimal w (d,) and alpha (n,) of a problem that `fits` with l2 = 0 < l1, where the dual is a linear program.

    It maximises mean(c alpha) over |X'alpha/n| <= l1 with alpha in its box; the multipliers are w. Without a solution w
    and alpha are 0.
    """
    n, free = problem.n, problem.intercept
    X = problem.X.T / n
    stack: Any = sp.vstack if sp.issparse(X) else np.vstack
    rows, sums = (X[:-1], X[-1:]) if free else (X, None)
    limits = np.full(2 * rows.shape[0], problem.l1)
    box = np.column_stack(_intervals(problem))
    found = linprog(-problem.y / n, stack([rows, -rows]), limits, sums, [0.0] if free else None, box)
    if found.x is None:
        return problem.zeros(problem.d), problem.zeros(n)
    below, above = np.split(found.ineqlin.marginals, 2)
    w = above - below
    low, high = box.T
    return (join_intercept(w, -found.eqlin.marginals[0]) if free else w), np.clip(found.x, low, high)


def _intervals(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """The ends (n,) of the intervals that each alpha_i may be in."""
    c, s = problem.y, np.ones(problem.n) if problem.sample_weight is None else problem.sample_weight
    if isinstance(unweighted(problem.loss), SmoothHinge):
        return np.minimum(s * c, 0.0), np.maximum(s * c, 0.0)
    return -s, s


def _violators(slopes: np.ndarray, up: np.ndarray, down: np.ndarray) -> np.ndarray:
    """The examples to step among: those with the largest slopes that may go up, the smallest that may go down."""
    if slopes.size <= AT_ONCE:
        return np.arange(slopes.size)
    order = np.argsort(slopes, kind="stable")
    most = AT_ONCE // 2
    return np.union1d(order[up[order]][-most:], order[down[order]][:most])


def _damping(gram: np.ndarray) -> float:
    """The least curvature of a step, so that pairs of equal rows and rows of zeros move to an end of their interval."""
    return max(TINY * float(gram.diagonal().max()), 1e-300)


@kernel
def _pairs(
    gram: np.ndarray, slopes: np.ndarray, a: np.ndarray, low: np.ndarray, high: np.ndarray, most: int, least: float
) -> None:
    """At most so many steps on pairs; `a` and `slopes` (m,) are changed in place."""
    for _ in range(most):
        i, best = -1, -np.inf
        for k in range(a.size):
            if a[k] < high[k] and slopes[k] > best:
                i, best = k, slopes[k]
        j, gain, step = -1, 0.0, 0.0
        for k in range(a.size):
            if i >= 0 and a[k] > low[k] and slopes[k] < best:
                apart, curvature = best - slopes[k], max(gram[i, i] + gram[k, k] - 2 * gram[i, k], least)
                if apart**2 / curvature > gain:
                    j, gain, step = k, apart**2 / curvature, apart / curvature
        if j < 0:
            return
        room_up, room_down = high[i] - a[i], a[j] - low[j]
        step = min(step, room_up, room_down)
        a[i] = high[i] if step == room_up else a[i] + step
        a[j] = low[j] if step == room_down else a[j] - step
        for k in range(a.size):
            slopes[k] -= step * (gram[i, k] - gram[j, k])


@kernel
def _singles(
    gram: np.ndarray, slopes: np.ndarray, a: np.ndarray, low: np.ndarray, high: np.ndarray, most: int, least: float
) -> None:
    """At most so many steps on one coordinate; `a` and `slopes` (m,) are changed in place."""
    for _ in range(most):
        i, gain, new = -1, 0.0, 0.0
        for k in range(a.size):
            curvature = max(gram[k, k], least)
            to = min(max(a[k] + slopes[k] / curvature, low[k]), high[k])
            step = to - a[k]
            if step * (slopes[k] - curvature * step / 2) > gain:
                i, gain, new = k, step * (slopes[k] - curvature * step / 2), to
        if i < 0:
            return
        step = new - a[i]
        a[i] = new
        for k in range(a.size):
            slopes[k] -= step * gram[i, k]
