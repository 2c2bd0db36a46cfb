"""The description of a solver: what it can solve, its ladder of budgets, and how to call it."""

from __future__ import annotations

import importlib.metadata
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from packaging.version import Version

from ..tasks import Kind, PeerTask

Budget = float | None  # None: the defaults of the package
Fit = Callable[..., Any]

# Two rungs a decade, and counts that grow by about a quarter: the cheapest setting is missed by little.
TOLERANCES = tuple(10.0 ** (-k / 2) for k in range(29))
COUNTS = tuple(sorted({round(1.25**k) for k in range(48)}))  # 1, 2, 3, ... 35,873
ONCE = (1,)  # direct methods have nothing to choose


def by_columns(X: Any) -> Any:
    """X by columns, as packages want it that move one coefficient at a time."""
    return np.asfortranarray(X) if isinstance(X, np.ndarray) else X.tocsc()


@dataclass(frozen=True)
class Package:
    """A package whose solvers are compared.

    Attributes
    ----------
    name : str
        As installers know it.
    command : str, optional
        How to get it, if not with pip by its name.
    """

    name: str
    command: str = ""

    @property
    def install(self) -> str:
        """The command that installs it."""
        return self.command or f"pip install {self.name}"

    @property
    def version(self) -> str:
        """The version that is installed here; empty where none is."""
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
        ``fit(*task.arguments, budget)``: ``fit(X, y, loss, l2, l1, intercept, budget)`` returns a `Point`, of a path
        ``fit(X, y, loss, l1, budget)`` the points (50, d), of a cross-validation ``fit(X, y, loss, l1, folds, budget)``
        a `tasks.ChosenPoint`. Without a budget, None, it calls the package with its default tolerance and number of
        iterations. It imports its package itself and changes neither X nor y.
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
    kind : Kind, default one weight
        Of the tasks that it takes.
    intercepts : bool, default False
        Whether it takes an intercept that costs nothing.
    most_entries : float, default inf
        n d at most, for what copies X to an array.
    since : str, optional
        The first version of its package that has it.
    """

    name: str
    package: Package
    fit: Fit
    losses: tuple[str, ...]
    penalties: tuple[str, ...]
    ladder: tuple[float, ...]
    most_features: float = math.inf
    certified: bool = False
    kind: Kind = Kind.WEIGHT
    intercepts: bool = False
    most_entries: float = math.inf
    since: str = ""

    @property
    def missing(self) -> str:
        """The reason why it is not here, with what installs it, or an empty text."""
        here = self.package.version
        if not here:
            return f"{self.package.name} is not installed: {self.package.install}"
        if self.since and Version(here).release < Version(self.since).release:
            return f"{self.package.name} {here} is installed, and this solver came with {self.since}"
        return ""

    def solve(self, task: PeerTask, budget: Budget) -> Any:
        """The answer to a task; without a budget that of the package's defaults."""
        return self.fit(*task.arguments, budget)

    def refusal(self, task: PeerTask) -> str:
        """The reason why it cannot solve this task, or an empty text."""
        if task.kind != self.kind:
            return f"solves no {task.kind} task"
        if task.loss not in self.losses:
            return f"has no {task.loss} loss"
        if task.penalty not in self.penalties:
            return f"does not take {task.penalty}"
        if task.d > self.most_features:
            return f"forms a matrix of {task.d} x {task.d} numbers"
        if task.intercept and not self.intercepts:
            return "has no intercept that costs nothing"
        if task.n * task.d > self.most_entries:
            return f"copies X to an array of {task.n} x {task.d} numbers"
        return ""
