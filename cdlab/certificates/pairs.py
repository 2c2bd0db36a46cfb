"""Dual steps on two coordinates at once, for the hinge and the absolute loss with a free intercept.

The dual of such a problem needs sum_i alpha_i = 0, which no step on one coordinate keeps. Both losses have a conjugate
phi*(-a) = -c a on an interval: D is concave and quadratic, or with l1 > 0 at least as large as that quadratic, on a box
cut by a plane. Moving alpha_i up and alpha_j down by the same amount stays on the plane: sequential minimal
optimisation, with the second index chosen as in Fan, Chen & Lin, Working set selection using second order information
for training support vector machines (2005). Where n is large, the steps of a round are among the examples that violate
the optimality conditions most.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from ..losses import Huber, SmoothHinge, unweighted
from ..numerics.jit import kernel
from ..problems.intercept import balanced, joined
from ..problems.problem import Problem

AT_ONCE = 1000  # examples among which the steps of a round are
STEPS = 20  # of a round, times these examples
TINY = 1e-12  # of the largest curvature: what a pair of equal rows is given


def fits(problem: Problem) -> bool:
    """Whether `pair_steps` is for this problem."""
    loss = unweighted(problem.loss)
    return problem.intercept and loss.gamma == 0 and isinstance(loss, SmoothHinge | Huber)


def pair_steps(problem: Problem, alpha: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rounds of steps: after each (w, b) as a point (d + 1,), and alpha (n,) of sum 0, which raises D every time.

    Parameters
    ----------
    problem : Problem
        One that `fits`, with l2 > 0.
    alpha : (n,) array
        Where to start; moved into the domain of the dual.
    """
    X, c, n = problem.X[:, :-1], problem.y, problem.n
    s = np.ones(n) if problem.sample_weight is None else problem.sample_weight
    hinge = isinstance(unweighted(problem.loss), SmoothHinge)
    low, high = (np.minimum(s * c, 0.0), np.maximum(s * c, 0.0)) if hinge else (-s, s)
    alpha = balanced(np.clip(alpha, low, high))
    while True:
        v = problem.v(alpha)[:-1]
        w = (v - np.clip(v, -problem.l1, problem.l1)) / problem.l2
        slopes = c - X @ w
        up, down = alpha < high, alpha > low
        best, worst = slopes[up].max(initial=-np.inf), slopes[down].min(initial=np.inf)
        inside = np.isfinite(best) and np.isfinite(worst)
        yield joined(w, (best + worst) / 2 if inside else 0.0), alpha
        if not best > worst:
            return
        rows = _violators(slopes, up, down)
        part = X[rows]
        gram = part @ part.T
        gram = (gram.toarray() if sp.issparse(gram) else gram) / (problem.l2 * n)
        alpha, own = alpha.copy(), alpha[rows]
        _steps(gram, slopes[rows], own, low[rows], high[rows], STEPS * rows.size)
        alpha[rows] = own


def _violators(slopes: np.ndarray, up: np.ndarray, down: np.ndarray) -> np.ndarray:
    """The examples to step among: those with the largest slopes that may go up, the smallest that may go down."""
    if slopes.size <= AT_ONCE:
        return np.arange(slopes.size)
    order = np.argsort(slopes, kind="stable")
    most = AT_ONCE // 2
    return np.union1d(order[up[order]][-most:], order[down[order]][:most])


@kernel
def _steps(gram: np.ndarray, slopes: np.ndarray, a: np.ndarray, low: np.ndarray, high: np.ndarray, most: int) -> None:
    """At most so many steps, each on the pair that violates most; `a` and `slopes` (m,) are changed in place."""
    m = a.size
    least = 0.0
    for k in range(m):
        least = max(least, gram[k, k])
    least *= TINY
    for _ in range(most):
        i, j, best, gain = -1, -1, -np.inf, 0.0
        for k in range(m):
            if a[k] < high[k] and slopes[k] > best:
                i, best = k, slopes[k]
        if i < 0:
            return
        for k in range(m):
            if a[k] > low[k] and slopes[k] < best:
                curvature = max(gram[i, i] + gram[k, k] - 2 * gram[i, k], least)
                value = (best - slopes[k]) ** 2 / curvature if curvature > 0 else np.inf
                if value > gain:
                    j, gain = k, value
        if j < 0:
            return
        curvature = max(gram[i, i] + gram[j, j] - 2 * gram[i, j], least)
        room_up, room_down = high[i] - a[i], a[j] - low[j]
        room = min(room_up, room_down)
        step = min(room, (best - slopes[j]) / curvature) if curvature > 0 else room
        a[i] = high[i] if step == room_up else a[i] + step
        a[j] = low[j] if step == room_down else a[j] - step
        for k in range(m):
            slopes[k] -= step * (gram[i, k] - gram[j, k])
