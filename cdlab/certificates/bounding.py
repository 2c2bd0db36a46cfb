"""The bound of one problem: P(w) of the point in question, and the best lower bound of P* that is found.

alpha(w) is the first dual point; a solver that starts at w, or pair steps, find better ones. They also find a better
w, and P(w) is at least that far above the optimum: once the bound is within twice the distance that is known to be
there, or near rounding, nothing more can be gained.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from ..losses import Huber, SmoothHinge, Squared, unweighted
from ..numerics import checks
from ..numerics.jit import kernel
from ..problems.certificates import certificate
from ..problems.intercept import balance, join_intercept
from ..problems.points import Points
from ..problems.problem import Problem
from ..problems.rounding import gap_between, rounding_of_sums
from ..runs import Record, solve

GOOD_ENOUGH_FACTOR = 2.0  # times the distance that is known to be there: a bound as good as that is enough
NEGLIGIBLE_SHARE = 1e-12  # of P(0): a distance that nobody asks about
PATIENCE_PASSES = 100  # over the data, or rounds: a bound that falls by less than a percent in them no longer falls
MAX_ROUNDS = 300  # of dual steps
# The start of dual steps: its column of ones, times the norm of rows; its relative gap; its passes.
COLUMN_OF_ONES_FACTOR, START_TOL, START_PASSES = 2.0, 1e-5, 200
MAX_PROGRAM_NONZEROS = 2_000_000  # nonzeros of X up to which a linear program is solved: simplex steps are not counted


class Task(NamedTuple):
    """A problem and the point in question; alpha (n,) is a dual point that came with it, or None."""

    problem: Problem
    w: np.ndarray  # a point of `problem.centred`
    alpha: np.ndarray | None = None


def task_at(problem: Problem, w: np.ndarray, b: Any, alpha: np.ndarray | None = None) -> Task:
    """Coefficients (d,) or (d, K) and their intercept, a number, (K,) or None, as a point of the problem.

    Raises
    ------
    ValueError
        If they have other shapes, or are not finite.
    """
    features = problem.d - problem.intercept
    if w.shape != (features, *problem.outputs):
        raise ValueError(
            f"the coefficients have shape {w.shape}; with these data and this loss it must be "
            f"{(features, *problem.outputs)}"
        )
    if b is not None:
        b = checks.real_array("the intercept", b)
        if b.shape not in ((), problem.outputs):
            raise ValueError(f"the intercept has shape {b.shape}; with this loss it must be {problem.outputs}")
    if not (np.isfinite(w).all() and (b is None or np.isfinite(b).all())):
        raise ValueError("the coefficients must be finite numbers, and some are not")
    if problem.intercept:
        w = problem.point(w, np.broadcast_to(0.0 if b is None else b, problem.outputs))
    known = alpha is not None and alpha.shape == (problem.n, *problem.outputs) and np.isfinite(alpha).all()
    return Task(problem, w, alpha if known else None)


class GapBound:
    """P(w), the best lower bound of P* so far, and the smallest value that P is known to take.

    Parameters
    ----------
    problem : Problem
        Data, loss and regulariser.
    w : (d,) array; (d, K) with softmax
        The point in question.
    """

    def __init__(self, problem: Problem, w: np.ndarray):
        self.problem = problem
        z = problem.predict(w)
        self.primal = self.lowest_primal = problem.primal(w, z=z)
        self.dual, self.dual_rounding = -math.inf, 0.0  # the bound, and what of it may be rounding
        self.why = ""
        products = problem.rounding_of_primal(w, z, self.primal, 0.0) if math.isfinite(self.primal) else math.inf
        self.primal_rounding = rounding_of_sums(problem.null_value, self.primal) + products
        self._passes = self._fell = 0.0  # the passes so far, and at the last fall of the bound

    @property
    def rounding(self) -> float:
        """What P(w) and the bound together may be off."""
        return self.primal_rounding + self.dual_rounding

    @property
    def gap(self) -> float:
        """At least P(w) - P*; inf where nothing is known."""
        return gap_between(self.primal, self.dual, self.rounding)

    @property
    def at_least(self) -> float:
        """At most P(w) - P*, and at least 0."""
        return max(0.0, self.primal - self.lowest_primal - self.primal_rounding) if math.isfinite(self.primal) else 0.0

    def add_values(self, primal: float, dual: float, rounding: float, passes: float) -> None:
        """Add a value of P and a lower bound of P*, which rounding may have moved, found after so many passes."""
        before = self.gap
        if math.isfinite(rounding):
            self.lowest_primal = min(self.lowest_primal, primal + rounding)
            if dual - rounding > self.dual - self.dual_rounding:
                self.dual, self.dual_rounding = dual, rounding
        self._passes = passes
        if self.gap < 0.99 * before:
            self._fell = passes

    def reset_patience(self) -> None:
        """Be patient again: what follows is another way to a bound."""
        self._passes = self._fell = 0.0

    def add_points(self, w: np.ndarray, alpha: np.ndarray, passes: float = 0.0) -> None:
        """Add what the pair of these points says."""
        known = certificate(self.problem, Points(w, alpha), None)
        self.add_values(known.primal, known.dual, known.rounding, passes)

    @property
    def is_close(self) -> bool:
        """Whether the bound is as good as it need be."""
        return self.gap <= GOOD_ENOUGH_FACTOR * max(self.at_least, NEGLIGIBLE_SHARE * self.problem.at_zero)

    @property
    def is_good_enough(self) -> bool:
        """Whether the bound is as good as it need be, or no longer falls."""
        return self.is_close or self._passes - self._fell >= PATIENCE_PASSES


def bound_gap(task: Task, max_passes: float | None) -> GapBound:
    """The bound of a task, from its w and then from dual steps, of at most so many passes over the data."""
    problem, w = task.problem.centred, task.w
    bound = GapBound(problem, w)
    if not math.isfinite(bound.primal):
        bound.why = "P(w) is beyond float64"
        return bound
    if problem.l2 == problem.l1 == 0 and not isinstance(unweighted(problem.loss), Squared):
        bound.why = "without a regulariser (l2 = l1 = 0) the dual is finite only where X'alpha = 0, and bounds nothing"
        return bound
    given = () if task.alpha is None else (task.alpha,)
    for alpha in (problem.alpha(w), *given):
        bound.add_points(w, alpha)
    zero = np.zeros_like(w)  # better than what diverged, and than its alpha
    null = problem.start or Points(zero, problem.alpha(zero))
    bound.add_points(null.w, null.alpha)
    if bound.is_good_enough:
        return bound
    start = problem.alpha(w) if task.alpha is None else task.alpha
    if takes_steps(problem) and problem.l2 == 0 and problem.nnz <= MAX_PROGRAM_NONZEROS:
        bound.add_points(*solve_linear_program(problem))
    elif not problem.intercept or problem.loss.gamma > 0:
        start = _improve_by_solver(bound, task._replace(alpha=start), max_passes)
    if takes_steps(problem) and problem.l2 > 0 and not bound.is_close:
        _improve_by_steps(bound, start, max_passes)
    return bound


def _improve_by_solver(bound: GapBound, task: Task, max_passes: float | None) -> np.ndarray:
    """Let the solver go on from the points of a task until what it finds is enough; the alpha where it ended."""

    def watch(record: Record) -> bool:
        bound.add_values(record.primal, record.dual, record.rounding, record.passes)
        return bound.is_good_enough

    problem, alpha = task.problem, task.alpha
    assert alpha is not None, "the task must come with an alpha"
    unregularised = problem.l2 == problem.l1 == 0
    start = (problem.from_centred(task.w), alpha if np.isfinite(problem.dual(alpha)) else None)
    try:
        return solve(
            problem,
            start=start,
            tol=0.0,
            every=1,
            max_passes=max_passes,
            stop=watch,
            strong_convexity="compute" if unregularised else None,
        ).alpha
    except ValueError as error:
        if not unregularised:
            raise
        bound.why = str(error)
        return alpha


def _improve_by_steps(bound: GapBound, alpha: np.ndarray, max_passes: float | None) -> None:
    """Steps on pairs or single coordinates from alpha until what they find is enough."""
    problem = bound.problem
    if problem.intercept and problem.n > MAX_STEP_EXAMPLES:
        alpha = max(alpha, _penalised_start(problem, max_passes), key=problem.dual)
    bound.reset_patience()
    rounds = MAX_ROUNDS if max_passes is None else math.ceil(min(MAX_ROUNDS, max_passes))
    for k, (w, better) in enumerate(islice(dual_steps(problem, alpha), rounds)):
        bound.add_points(w, better, k)
        if bound.is_good_enough:
            return


def _penalised_start(problem: Problem, max_passes: float | None) -> np.ndarray:
    """Where pair steps may start: the solution whose intercept has a little weight, as that of a column of large value.

    Many examples take many pairs; here steps are on one coordinate, and sum_i alpha_i is small.
    """
    ones = problem.X[:, -1:]
    column = COLUMN_OF_ONES_FACTOR * math.sqrt(float(problem.row_profile.norms2.mean()))
    stack = sp.hstack if sp.issparse(problem.X) else np.hstack
    X = stack([problem.X[:, :-1], column * ones])
    s, o, loss = problem.sample_weight, problem.offset, unweighted(problem.loss)
    near = Problem(X, problem.y, loss, problem.l2, problem.l1, sample_weight=s, offset=o)
    passes = START_PASSES if max_passes is None else min(START_PASSES, max_passes)
    return solve(near, tol=START_TOL, max_passes=passes).alpha


# ------------------------------------------------------------ dual steps for the hinge and the absolute loss
MAX_STEP_EXAMPLES = 1000  # examples among which the steps of a round are
STEPS_PER_EXAMPLE = 20  # of a round, times these examples
MIN_CURVATURE_SHARE = 1e-12  # of the largest curvature: what a pair of equal rows is given


def takes_steps(problem: Problem) -> bool:
    """Whether `dual_steps` is for this problem."""
    loss = unweighted(problem.loss)
    return loss.gamma == 0 and isinstance(loss, SmoothHinge | Huber)


def dual_steps(problem: Problem, alpha: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rounds of steps: after each a point w (d,), with its intercept, and alpha (n,), which raises D every time.

    Both losses have a conjugate phi*(-a) = -c a on an interval: D is concave and quadratic, or with l1 > 0 at least as
    large as a quadratic, on a box. A free intercept cuts it by the plane sum_i alpha_i = 0, on which alpha_i goes up
    and alpha_j down by as much: sequential minimal optimisation, with the second index of Fan, Chen & Lin, Working set
    selection using second order information for training support vector machines (2005). Without an intercept the
    one coordinate is moved that gains most. Where n is large, the steps of a round are among the examples that violate
    the optimality conditions most.

    Parameters
    ----------
    problem : Problem
        One that `takes_steps`, with l2 > 0.
    alpha : (n,) array
        Where to start; moved into the domain of the dual.
    """
    free, c, n = problem.intercept, problem.targets, problem.n
    X = problem.X[:, :-1] if free else problem.X
    assert problem.dual_box is not None, "both losses have a domain"
    low, high = problem.dual_box
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
        steps = _pair_steps if free else _single_steps
        steps(gram, slopes[rows], own, low[rows], high[rows], STEPS_PER_EXAMPLE * rows.size, _least_curvature(gram))
        alpha[rows] = own


def solve_linear_program(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """Optimal w (d,) and alpha (n,) of a problem that `takes_steps` with l2 = 0 < l1: the dual is a linear program.

    It maximises mean(c alpha) over |X'alpha/n| <= l1 with alpha in its box; the multipliers are w. Without a solution w
    and alpha are 0.
    """
    n, free = problem.n, problem.intercept
    X = problem.X.T / n
    stack: Any = sp.vstack if sp.issparse(X) else np.vstack
    rows, sums = (X[:-1], X[-1:]) if free else (X, None)
    limits = np.full(2 * rows.shape[0], problem.l1)
    assert problem.dual_box is not None, "both losses have a domain"
    box = np.column_stack(problem.dual_box)
    found = linprog(-problem.targets / n, stack([rows, -rows]), limits, sums, [0.0] if free else None, box)
    if found.x is None:
        return problem.zeros(problem.d), problem.zeros(n)
    below, above = np.split(found.ineqlin.marginals, 2)
    w = above - below
    low, high = box.T
    return (join_intercept(w, -found.eqlin.marginals[0]) if free else w), np.clip(found.x, low, high)


def _violators(slopes: np.ndarray, up: np.ndarray, down: np.ndarray) -> np.ndarray:
    """The examples to step among: those with the largest slopes that may go up, the smallest that may go down."""
    if slopes.size <= MAX_STEP_EXAMPLES:
        return np.arange(slopes.size)
    order = np.argsort(slopes, kind="stable")
    most = MAX_STEP_EXAMPLES // 2
    return np.union1d(order[up[order]][-most:], order[down[order]][:most])


def _least_curvature(gram: np.ndarray) -> float:
    """The least curvature of a step, so that pairs of equal rows and rows of zeros move to an end of their interval."""
    return max(MIN_CURVATURE_SHARE * float(gram.diagonal().max()), 1e-300)


@kernel
def _pair_steps(
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
def _single_steps(
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
