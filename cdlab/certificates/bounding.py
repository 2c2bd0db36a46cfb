"""The bound of one problem: P(w) of the point in question, and the best lower bound of P* that is found.

alpha(w) is the first dual point; a solver that starts at w finds better ones. It also finds a better w, and P(w) is at
least that far above the optimum: once the bound is within twice the distance that is known to be there, or near
rounding, nothing more can be gained.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..losses import Squared, unweighted
from ..numerics import checks
from ..problems.certificates import certificate
from ..problems.points import Points
from ..problems.problem import Problem
from ..problems.rounding import gap_between, rounding_of_sums
from ..runs import Record, solve

GOOD_ENOUGH_FACTOR = 2.0  # a bound within this many times the distance known to be there is enough
NEGLIGIBLE_SHARE = 1e-12  # share of P(0) below which nobody asks about a distance
PATIENCE_PASSES = 100  # a bound that falls by less than a percent in so many passes no longer falls


class Task(NamedTuple):
    """A problem and the point in question.

    Attributes
    ----------
    problem : Problem
    w : (d,) array; (d, K) with softmax
        A point of `problem.centred`.
    alpha : (n,) array, or None
        A dual point that came with it.
    constant : float or None
        The value of a constant last column of X, which is a penalised intercept.
    labels : sequence of (label, number), or None
        What labels became, where the problem does not know it: of one class against the rest.
    """

    problem: Problem
    w: np.ndarray
    alpha: np.ndarray | None = None
    constant: float | None = None
    labels: Any = None


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
        self.dual, self.dual_rounding = -math.inf, 0.0  # the lower bound, and the most that rounding may have added
        self.alpha = problem.zeros(problem.n)  # the best dual point that is at hand
        self._dual_of_alpha = -math.inf
        self.why = ""
        products = problem.rounding_of_primal(w, z, self.primal, 0.0) if math.isfinite(self.primal) else math.inf
        self.primal_rounding = rounding_of_sums(problem.null_value, self.primal) + products
        self._passes = self._fell = 0.0  # the passes so far, and at the last fall of the bound

    @property
    def rounding(self) -> float:
        """Rounding error of P(w) and the bound together, at most."""
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

    def add_points(self, w: np.ndarray, alpha: np.ndarray, passes: float = 0.0) -> None:
        """Add the values of P and D at these points."""
        known = certificate(self.problem, Points(w, alpha), None)
        if known.alpha is not None and known.dual > self._dual_of_alpha:
            self.alpha, self._dual_of_alpha = np.array(known.alpha), known.dual
        self.add_values(known.primal, known.dual, known.rounding, passes)

    @property
    def is_close(self) -> bool:
        """Tell whether the bound is as good as it need be."""
        return self.gap <= GOOD_ENOUGH_FACTOR * max(self.at_least, NEGLIGIBLE_SHARE * self.problem.at_zero)

    @property
    def is_good_enough(self) -> bool:
        """Tell whether the bound is as good as it need be, or no longer falls."""
        return self.is_close or self._passes - self._fell >= PATIENCE_PASSES


def bound_gap(task: Task, max_passes: float | None) -> GapBound:
    """The bound of a task, from its w and then from a solver's run of at most so many passes over the data."""
    problem, w = task.problem.centred, task.w
    bound = GapBound(problem, w)
    if not math.isfinite(bound.primal):
        outside = problem.bounded and not np.array_equal(problem.reg.clipped(w), w)
        bound.why = "w lies outside of its bounds" if outside else "P(w) is beyond float64"
        return bound
    if not problem.is_certified and not isinstance(unweighted(problem.loss), Squared):
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
    _improve_by_solver(bound, task if given else task._replace(alpha=problem.alpha(w)), max_passes)
    return bound


def _improve_by_solver(bound: GapBound, task: Task, max_passes: float | None) -> None:
    """Let the solver go on from the points of a task until what it finds is enough."""

    def watch(record: Record) -> bool:
        bound.add_values(record.primal, record.dual, record.rounding, record.passes)
        return bound.is_good_enough

    problem, alpha = task.problem, task.alpha
    assert alpha is not None, "the task must come with an alpha"
    start = (problem.from_centred(task.w), alpha if np.isfinite(problem.dual(alpha)) else None)
    modulus = None if problem.is_certified else "compute"
    try:
        s = solve(problem, start=start, tol=0.0, every=1, max_passes=max_passes, stop=watch, strong_convexity=modulus)
        if s.alpha is not None:  # always, of a problem in memory
            bound.add_points(task.w, s.alpha)
    except ValueError as error:  # no method fits, or there is no such modulus
        bound.why = str(error)
