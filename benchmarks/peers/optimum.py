"""P* of a task, between a primal and a dual value of cdlab: no package's answer is the measure of another."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from cdlab.estimators import CDClassifierCV, CDRegressorCV
from cdlab.problems.problem import Problem
from cdlab.runs import Path, path
from cdlab.runs.solving import solve

from .tasks import CrossValidationTask, PathTask, PeerTask, has_intercept

CERTIFIED = 1e-12
PATH_CERTIFIED = 1e-8  # At the largest weights of a path P(0) - P* is small, so that rounding counts for more.
PATH_PASSES = 1000  # Each weight of a path has so many passes.
# The first one is usually enough; each starts at the best point so far.
ENTRIES = ("newton_cd", "ssnal", "sdca@permutation", "rcd@permutation", "fista", "lbfgs", "sdca@permutation", "ssnal")


class CertifiedOptimum(NamedTuple):
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


def optimum(task: PeerTask, seconds: float = 30.0, certified: float = CERTIFIED) -> CertifiedOptimum:
    """P* to a relative accuracy of `certified` if that is reached, else as far as it got.

    Parameters
    ----------
    task : PeerTask, PathTask or CrossValidationTask
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


def _of_weight(task: PeerTask, seconds: float, certified: float) -> CertifiedOptimum:
    P = Problem(task.X, task.y, task.loss, task.l2, task.l1, intercept=task.intercept)
    start: Any = None
    low, high = -np.inf, task.at_zero
    for entry in ENTRIES:
        try:
            s = solve(P, entry, tol=certified / 2, max_passes=None, max_seconds=seconds, start=start)
        except ValueError:  # This method does not fit the problem; the next one may.
            continue
        primal = task.primal(s.w, b=float(s.intercept))
        low = max(low, primal - s.gap)
        if primal < high:
            high, start = primal, s
        if high - low <= certified * (task.at_zero - low):
            break
    return CertifiedOptimum(high, max(0.0, high - low) / (task.at_zero - low))


def _of_cross_validation(task: CrossValidationTask) -> CertifiedOptimum:
    kind = CDRegressorCV if task.loss == "squared" else CDClassifierCV
    options: dict[str, Any] = {"cv": task.folds, "max_passes": PATH_PASSES, "fit_intercept": has_intercept(task.loss)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # The certificate says how far it got.
        model = kind(task.loss, weights=task.l1, tol=PATH_CERTIFIED / 2, **options).fit(task.X, task.y)
    assert isinstance(model.path_, Path)  # Two classes have one path.
    values, certificate = _of_path(task, model.path_)
    return CertifiedOptimum([values, model.scores_.mean(axis=1).tolist()], certificate)


def _of_path(task: PathTask, found: Path) -> CertifiedOptimum:
    values, certificate = [], 0.0
    for l1, s in zip(task.l1, found, strict=True):
        b = float(s.intercept)
        values.append(task.primal(s.w, float(l1), b))
        certificate = max(certificate, task.error(s.w, values[-1] - s.gap, float(l1), b))
    return CertifiedOptimum(values, certificate)
