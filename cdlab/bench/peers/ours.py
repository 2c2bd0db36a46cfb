"""cdlab as a user calls it: a Problem built anew from (X, y), and `solve` to a tolerance that it certifies itself."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...problems.problem import Problem
from ...runs.entries import check_entrant, entrant
from ...runs.limits import Status
from ...runs.solving import solve
from ..tasks import LOSSES, Task
from .peer import Package, Peer

PREFIX = "cdlab "
PACKAGE = Package("cdlab", "it is here")
TARGETS = (1e-3, 1e-6, 1e-9)
DEFAULT_METHODS = ("auto", "newton_cd", "sdca@permutation")  # the first one is reported first


class Ours(Peer):
    """A method of cdlab. A budget is the tolerance on its certified relative gap, which bounds the suboptimality."""

    def refusal(self, task: Task) -> str:
        method, sampling = entrant(self.name.removeprefix(PREFIX))
        if task.penalty not in self.penalties:
            return f"does not take {task.penalty}"
        sketch = Problem(np.ones((2, 1)), np.array([-1.0, 1.0]), task.loss, task.l2, task.l1)
        try:  # what fits a small problem of this kind fits the large one
            check_entrant(sketch, method, sampling)
        except ValueError as error:
            return str(error)
        return ""


def _fit(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, budget: float, *, entry: str) -> np.ndarray:
    solution = solve(Problem(X, y, loss=loss, l2=l2, l1=l1), entry, tol=budget, max_passes=None, max_seconds=1e9)
    if solution.status not in (Status.TOLERANCE, Status.GRADIENT_SMALL):
        raise RuntimeError(f"it ended without a certificate: {solution.status}")
    return solution.w


def ours(entry: str) -> Ours:
    """The method with this name, as in ``sdca@permutation``, among the peers.

    Raises
    ------
    ValueError, TypeError
        If there is no such method or sampling.
    """
    entrant(entry)
    fit = partial(_fit, entry=entry)
    return Ours(PREFIX + entry, PACKAGE, fit, tuple(LOSSES), ("l2", "l1", "l1+l2"), TARGETS, certified=True)
