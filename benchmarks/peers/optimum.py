"""P* of a task, between a primal and a dual value of cdlab: no package's answer is the measure of another."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.exceptions import ConvergenceWarning

from ..estimators import CDClassifierCV, CDRegressorCV
from ..methods import METHODS
from ..problems.problem import Problem
from ..runs import Path, path
from ..runs.solving import solve
from .path_tasks import CrossValidationTask, PathTask
from .tasks import CURVATURES, SLOPES, Task

CERTIFIED = 1e-12
PATH_CERTIFIED = 1e-8  # of 50 weights: near the largest, P(0) - P* is small, and less is lost in rounding
PATH_PASSES = 1000  # of each weight
# first what is usually enough; each starts at the best point so far
ENTRIES = ("newton_cd", "sdca@permutation", "rcd@permutation", "fista", "sdca@permutation", "rcd@permutation", "fista")
NEWTON_STEPS, CG_STEPS = 60, 2_000
SUFFICIENT = 1e-4  # of the decrease that the slope promises: Armijo's rule


class Optimum(NamedTuple):
    """P* as far as it is known.

    Attributes
    ----------
    value : float; of a path a list; of a cross-validation two, with the mean scores of its weights
        The smallest primal value P(w); P* is at most this.
    certificate : float
        (P(w) - D(alpha))/(P(0) - D(alpha)) for the largest dual value: P* is no further below, in this unit. Of several
        weights the largest.
    """

    value: float | list[float] | list[list[float]]
    certificate: float


def optimum(task: Task | PathTask, seconds: float = 30.0, certified: float = CERTIFIED) -> Optimum:
    """P* to a relative accuracy of `certified` if that is reached, else as far as it got.

    Parameters
    ----------
    task : Task, PathTask or CrossValidationTask
        What is minimised.
    seconds : float, default 30
        Solver seconds of each attempt; of one weight.
    certified : float, default 1e-12
        Where to stop; of one weight. Of a path and a cross-validation it is 1e-8, within 1,000 passes a weight.
    """
    if isinstance(task, CrossValidationTask):
        return _of_cross_validation(task)
    if isinstance(task, PathTask):
        P = Problem(task.X, task.y, task.loss, 0.0)
        return _of_path(task, path(P, l1=task.l1, tol=PATH_CERTIFIED / 2, max_passes=PATH_PASSES))
    return _of_weight(task, seconds, certified)


def _of_weight(task: Task, seconds: float, certified: float) -> Optimum:
    P = Problem(task.X, task.y, task.loss, task.l2, task.l1)
    at_zero = task.primal(np.zeros(task.d))
    low, high, best = -np.inf, at_zero, np.zeros(task.d)
    for entry in ENTRIES:
        if entry.partition("@")[0] not in METHODS:
            continue
        try:
            s = solve(P, entry, tol=certified / 2, max_passes=None, max_seconds=seconds, start=(best, None))
        except ValueError:  # it does not fit: the next one may
            continue
        points = [(s.w, s.gap)]
        if not task.l1:
            w = newton(task, best if task.primal(best) < task.primal(s.w) else s.w)
            points.append((w, P.gap(w, P.alpha(w))))
        for w, gap in points:
            primal = task.primal(w)
            low = max(low, primal - gap)
            if primal < high:
                high, best = primal, w
        if high - low <= certified * (at_zero - low):
            break
    return Optimum(high, max(0.0, high - low) / (at_zero - low))


def _of_cross_validation(task: CrossValidationTask) -> Optimum:
    kind = CDRegressorCV if task.loss == "squared" else CDClassifierCV
    options: dict[str, Any] = {"cv": task.folds, "max_passes": PATH_PASSES, "fit_intercept": task.has_intercept}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the certificate says how far it got
        model = kind(task.loss, weights=task.l1, tol=PATH_CERTIFIED / 2, **options).fit(task.X, task.y)
    assert isinstance(model.path_, Path)  # of two classes one
    values, certificate = _of_path(task, model.path_)
    return Optimum([values, model.scores_.mean(axis=1).tolist()], certificate)


def _of_path(task: PathTask, found: Path) -> Optimum:
    values, certificate = [], 0.0
    for l1, s in zip(task.l1, found, strict=True):
        point = s.w, float(s.intercept)
        values.append(task.primal(float(l1), *point))
        certificate = max(certificate, task.error(float(l1), values[-1] - s.gap, *point))
    return Optimum(values, certificate)


def newton(task: Task, w: np.ndarray) -> np.ndarray:
    """Newton's method with conjugate gradients and a line search, for l1 = 0, until P falls no more.

    Parameters
    ----------
    task : Task
        With l1 = 0 and l2 > 0.
    w : (d,) array
        Where it starts.
    """
    X, y, n = task.X, task.y, task.n
    value = task.primal(w)
    for _ in range(NEWTON_STEPS):
        z = X @ w
        g = X.T @ SLOPES[task.loss](z, y) / n + task.l2 * w
        h = CURVATURES[task.loss](z, y) / n
        hessian = LinearOperator((task.d, task.d), lambda v, h=h: X.T @ (h * (X @ v)) + task.l2 * v)
        step = cg(hessian, -g, rtol=1e-4, maxiter=CG_STEPS)[0]
        size, promised = 1.0, g @ step
        while (now := task.primal(w + size * step)) > value + SUFFICIENT * size * promised and size > 1e-10:
            size /= 2
        if not now < value:  # what is left is rounding: the full step is the better end
            return w + step if np.isclose(task.primal(w + step), value, rtol=1e-14) else w
        w, value = w + size * step, now
    return w
