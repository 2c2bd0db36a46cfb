"""The bound of one problem: P(w) of the point in question, and the best lower bound of P* that is found.

alpha(w) is the first dual point; a solver that starts at w, or pair steps, find better ones. They also find a better
w, and P(w) is at least that far above the optimum: once the bound is within twice the distance that is known to be
there, or near rounding, nothing more can be gained.
"""

from __future__ import annotations

import math
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..losses import Squared, unweighted
from ..numerics import checks
from ..problems.certificates import certificate, gap_between, rounding_of_products, rounding_of_sums
from ..problems.intercept import join_intercept
from ..problems.points import Points
from ..problems.problem import Problem
from ..runs import Record, solve
from .kinks import AT_ONCE, fits, linear_program, pair_steps

CLOSE = 2.0  # times the distance that is known to be there: a bound as good as that is enough
FINE = 1e-12  # of P(0): a distance that nobody asks about
PATIENCE = 100  # passes over the data, or rounds, in which the bound falls by less than a percent: it no longer falls
ROUNDS = 300  # of pair steps
LARGE, ROUGH, NEAR = 2.0, 1e-5, 200  # times the norm of rows, the relative gap and passes of the start of pair steps
LARGEST_PROGRAM = 2_000_000  # nonzeros of X up to which a linear program is solved: simplex steps are not counted


class Task(NamedTuple):
    """A problem and the point in question; alpha (n,) is a dual point that came with it, or None."""

    problem: Problem
    w: np.ndarray
    alpha: np.ndarray | None = None


def point(problem: Problem, w: np.ndarray, b: Any, alpha: np.ndarray | None = None) -> Task:
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
        w = join_intercept(w, b)
    if not np.isfinite(w).all():
        raise ValueError("the coefficients must be finite numbers, and some are not")
    known = alpha is not None and alpha.shape == (problem.n, *problem.outputs) and np.isfinite(alpha).all()
    return Task(problem, w, alpha if known else None)


class Bound:
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
        self.primal = self.lowest = problem.primal(w)
        self.dual, self.lost = -math.inf, 0.0  # the bound, and what of it may be rounding
        self.why = ""
        products = rounding_of_products(problem, w, problem.alpha(w), 0.0) if math.isfinite(self.primal) else math.inf
        self.own = rounding_of_sums(problem.at_zero, self.primal) + products
        self._passes = self._fell = 0.0  # the passes so far, and at the last fall of the bound

    @property
    def rounding(self) -> float:
        """What P(w) and the bound together may be off."""
        return self.own + self.lost

    @property
    def gap(self) -> float:
        """At least P(w) - P*; inf where nothing is known."""
        return gap_between(self.primal, self.dual, self.rounding)

    @property
    def at_least(self) -> float:
        """At most P(w) - P*, and at least 0."""
        return max(0.0, self.primal - self.lowest - self.own) if math.isfinite(self.primal) else 0.0

    def take(self, primal: float, dual: float, rounding: float, passes: float) -> None:
        """Add a value of P and a lower bound of P*, which rounding may have moved, found after so many passes."""
        before = self.gap
        if math.isfinite(rounding):
            self.lowest = min(self.lowest, primal + rounding)
            if dual - rounding > self.dual - self.lost:
                self.dual, self.lost = dual, rounding
        self._passes = passes
        if self.gap < 0.99 * before:
            self._fell = passes

    def begin(self) -> None:
        """Be patient again: what follows is another way to a bound."""
        self._passes = self._fell = 0.0

    def at(self, w: np.ndarray, alpha: np.ndarray, passes: float = 0.0) -> None:
        """Add what the pair of these points says."""
        known = certificate(self.problem, Points(w, alpha), None)
        self.take(known.primal, known.dual, known.rounding, passes)

    @property
    def close(self) -> bool:
        """Whether the bound is as good as it need be."""
        return self.gap <= CLOSE * max(self.at_least, FINE * self.problem.at_zero)

    @property
    def enough(self) -> bool:
        """Whether the bound is as good as it need be, or no longer falls."""
        return self.close or self._passes - self._fell >= PATIENCE


def bound(task: Task, max_passes: float | None) -> Bound:
    """The bound of a task, from its w and then from dual steps, of at most so many passes over the data."""
    problem, w = task.problem, task.w
    found = Bound(problem, w)
    if not math.isfinite(found.primal):
        found.why = "P(w) is beyond float64"
        return found
    if problem.l2 == problem.l1 == 0 and not isinstance(unweighted(problem.loss), Squared):
        found.why = "without a regulariser (l2 = l1 = 0) the dual is finite only where X'alpha = 0, and bounds nothing"
        return found
    given = () if task.alpha is None else (task.alpha,)
    for alpha in (problem.alpha(w), *given):
        found.at(w, alpha)
    zero = np.zeros_like(w)  # better than what diverged, and than its alpha
    found.at(zero, problem.alpha(zero))
    if found.enough:
        return found
    start = problem.alpha(w) if task.alpha is None else task.alpha
    if fits(problem) and problem.l2 == 0 and problem.nnz <= LARGEST_PROGRAM:
        found.at(*linear_program(problem))
    elif not problem.intercept or problem.loss.gamma > 0:
        start = _solve(found, w, start, max_passes)
    if fits(problem) and problem.l2 > 0 and not found.close:
        _step(found, start, max_passes)
    return found


def _solve(found: Bound, w: np.ndarray, alpha: np.ndarray, max_passes: float | None) -> np.ndarray:
    """Let the solver go on from these points until what it finds is enough; the alpha where it ended."""

    def watch(record: Record) -> bool:
        found.take(record.primal, record.dual, record.rounding, record.passes)
        return found.enough

    problem = found.problem
    unregularised = problem.l2 == problem.l1 == 0
    start = (w, alpha if np.isfinite(problem.dual(alpha)) else None)
    try:
        return solve(
            problem, start=start, tol=0.0, every=1, max_passes=max_passes, stop=watch,
            strong_convexity="compute" if unregularised else None,
        ).alpha  # fmt: skip
    except ValueError as error:
        if not unregularised:
            raise
        found.why = str(error)
        return alpha


def _step(found: Bound, alpha: np.ndarray, max_passes: float | None) -> None:
    """Steps on pairs or single coordinates from alpha until what they find is enough."""
    problem = found.problem
    if problem.intercept and problem.n > AT_ONCE:
        alpha = max(alpha, _penalised(problem, max_passes), key=problem.dual)
    found.begin()
    rounds = ROUNDS if max_passes is None else min(ROUNDS, math.ceil(max_passes))
    for k, (w, better) in enumerate(islice(pair_steps(problem, alpha), rounds)):
        found.at(w, better, k)
        if found.enough:
            return


def _penalised(problem: Problem, max_passes: float | None) -> np.ndarray:
    """Where pair steps may start: the solution whose intercept has a little weight, as that of a column of large value.

    Many examples take many pairs; here steps are on one coordinate, and sum_i alpha_i is small.
    """
    ones = problem.X[:, -1:]
    column = LARGE * math.sqrt(float(problem.row_profile.norms2.mean()))
    stack = sp.hstack if sp.issparse(problem.X) else np.hstack
    X = stack([problem.X[:, :-1], column * ones])
    near = Problem(X, problem.y, unweighted(problem.loss), problem.l2, problem.l1, sample_weight=problem.sample_weight)
    passes = NEAR if max_passes is None else min(NEAR, max_passes)
    return solve(near, tol=ROUGH, max_passes=passes).alpha
