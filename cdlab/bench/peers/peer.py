"""What the benchmark knows of a solver: what it can solve, its ladder of budgets, and how to call it."""

from __future__ import annotations

import importlib.metadata
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..tasks import Task

Fit = Callable[[Any, np.ndarray, str, float, float, float], np.ndarray]

# Two rungs a decade, and counts that grow by about a quarter: the cheapest setting is missed by little.
TOLERANCES = tuple(10.0 ** (-k / 2) for k in range(29))
COUNTS = tuple(sorted({round(1.25**k) for k in range(48)}))  # 1, 2, 3, ... 35,873
ONCE = (1,)  # direct methods have nothing to choose


@dataclass(frozen=True)
class Package:
    """A package whose solvers are compared.

    Attributes
    ----------
    name : str
        As installers know it.
    install : str
        How to get it.
    """

    name: str
    install: str = 'pip install "cdlab[peers]"'

    @property
    def version(self) -> str:
        """Its version here; empty where it is not installed."""
        try:
            return importlib.metadata.version(self.name)
        except importlib.metadata.PackageNotFoundError:
            return ""


@dataclass(frozen=True)
class Peer:
    """A solver with all of its settings but one, the budget.

    Attributes
    ----------
    name : str
        Package and solver, as in ``liblinear-s7``.
    package : Package
        Where it comes from.
    fit : callable
        ``fit(X, y, loss, l2, l1, budget)`` returns w (d,). It imports its package itself and changes neither X nor y.
    losses : tuple of str
        Names of `tasks.LOSSES`.
    penalties : tuple of str
        Some of "l2", "l1" and "l1+l2".
    ladder : tuple of float
        Budgets from loose to tight: tolerances, or numbers of iterations.
    most_features : float, default inf
        For what forms a d x d matrix.
    certified : bool, default False
        A budget is a relative suboptimality that it proves to have reached: no other one is looked for.
    """

    name: str
    package: Package
    fit: Fit
    losses: tuple[str, ...]
    penalties: tuple[str, ...]
    ladder: tuple[float, ...]
    most_features: float = math.inf
    certified: bool = False

    def refusal(self, task: Task) -> str:
        """Why it cannot solve this task, or an empty text."""
        if task.loss not in self.losses:
            return f"has no {task.loss} loss"
        if task.penalty not in self.penalties:
            return f"does not take {task.penalty}"
        if task.d > self.most_features:
            return f"forms a matrix of {task.d} x {task.d} numbers"
        return ""
