"""cdlab as a user calls it: from (X, y) to a tolerance that it certifies itself."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from cdlab.estimators import CDClassifierCV, CDRegressorCV
from cdlab.problems.problem import Problem
from cdlab.runs import path
from cdlab.runs.entries import check_entry, resolve_entry
from cdlab.runs.limits import SOLVED
from cdlab.runs.solution import Solution
from cdlab.runs.solving import solve

from ..tasks import LOSSES, ChosenPoint, Kind, PeerTask, Point, has_intercept
from .peer import Budget, Package, Peer

PREFIX = "cdlab "
PACKAGE = Package("cdlab", "it is here")
TARGETS = (1e-3, 1e-6, 1e-9)
DEFAULT_METHODS = ("auto", "newton_cd", "sdca@permutation")  # the first one is reported first
LONG: dict[str, Any] = {"max_passes": None, "max_seconds": 1e9}  # the tolerance is to decide


class Ours(Peer):
    """A method of cdlab. A budget is the tolerance on its certified relative gap, which bounds the suboptimality."""

    def solve(self, task: PeerTask, budget: Budget) -> Any:
        fit: Any = {Kind.WEIGHT: self.fit, Kind.PATH: _path, Kind.CV: _cross_validation}[task.kind]
        return fit(*task.arguments, budget)

    def refusal(self, task: PeerTask) -> str:
        if task.kind is not Kind.WEIGHT and self._entry != "auto":
            return "paths and cross-validations have a driver of their own, which is auto"
        method, sampling = resolve_entry(self._entry)
        if task.penalty not in self.penalties:
            return f"does not take {task.penalty}"
        X, y = np.ones((2, 1)), np.array([-1.0, 1.0])
        sketch = Problem(X, y, task.loss, task.l2, float(np.min(task.l1)), intercept=task.intercept)
        try:  # A method that fits a small problem of this kind fits the large one.
            check_entry(sketch, method, sampling)
        except ValueError as error:
            return str(error)
        return ""

    @property
    def _entry(self) -> str:
        return self.name.removeprefix(PREFIX)


def _fit(
    X: Any, y: np.ndarray, loss: str, l2: float, l1: float, intercept: bool, budget: Budget, *, entry: str
) -> Point:
    P = Problem(X, y, loss=loss, l2=l2, l1=l1, intercept=intercept)
    found = _certified(solve(P, entry) if budget is None else solve(P, entry, tol=budget, **LONG))
    return Point(found.w, float(found.intercept))


def _path(X: Any, y: np.ndarray, loss: str, l1: np.ndarray, budget: Budget) -> list[np.ndarray]:
    P = Problem(X, y, loss=loss, l2=0.0)
    found = path(P, l1=l1) if budget is None else path(P, l1=l1, tol=budget, **LONG)
    return [_certified(s).w for s in found]


def _cross_validation(X: Any, y: np.ndarray, loss: str, l1: np.ndarray, folds: Any, budget: Budget) -> ChosenPoint:
    kind = CDRegressorCV if loss == "squared" else CDClassifierCV
    options: dict[str, Any] = {} if budget is None else {"tol": budget, "max_passes": 1e9}
    model = kind(loss, weights=l1, cv=folds, fit_intercept=has_intercept(loss), **options).fit(X, y)
    _certified(model.solution_)  # type: ignore[arg-type]  # Two classes have one solution.
    return ChosenPoint(model.weight_, np.ravel(model.coef_), float(np.ravel(model.intercept_)[0]))


def _certified(solution: Solution) -> Solution:
    if solution.status not in SOLVED:
        raise RuntimeError(f"it ended without a certificate: {solution.status}")
    return solution


def ours(entry: str) -> Ours:
    """The method with this name, as in ``sdca@permutation``, among the peers.

    Raises
    ------
    ValueError, TypeError
        If there is no such method or sampling.
    """
    resolve_entry(entry)
    fit = partial(_fit, entry=entry)
    return Ours(PREFIX + entry, PACKAGE, fit, tuple(LOSSES), ("l2", "l1", "l1+l2"), TARGETS, certified=True)
