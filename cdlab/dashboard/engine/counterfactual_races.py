"""Counterfactual races: the same race without a supposed cause, run silently, to see whether the lead vanishes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from ...methods import METHODS
from ...problems.problem import Problem
from ...runs.entries import check_entry
from ...samplings import Uniform
from .choices import Contestant
from .problems import PreparedProblem
from .racing import Race, finished
from .run_views import RunView

DRAWS = 3  # A counterfactual race has so many draws.
SLACK = 1.1  # Beyond this factor of the passes those of a counterfactual race do not matter.


def rerun(about: PreparedProblem, entry: Contestant, race: Race, limit: float = math.inf) -> list[RunView]:
    """A few draws of an entry, which is in the race or not, to the target of a race.

    Parameters
    ----------
    about : PreparedProblem
        The problem, that of the race or another.
    entry : Contestant
        The entry.
    race : Race
        Its target, limit and seeds are those of the counterfactual race.
    limit : float
        Passes beyond which it does not matter how many they are.

    Raises
    ------
    ValueError
        If the entry does not fit the problem.
    """
    check_entry(about.problem, entry.method, entry.sampling)
    first = race.runs[0]
    ends = first.target, first.target, min(first.limit, SLACK * limit)
    return finished([RunView(entry, about, seed, False, *ends) for seed in race.choices.draws(DRAWS)])


def with_uniform_draws(entry: Contestant) -> Contestant:
    """The entry with uniform draws."""
    return entry._replace(sampling=Uniform())


def with_method(entry: Contestant, name: str) -> Contestant:
    """Another method with the entry's draws, as far as it takes them."""
    method = METHODS[name]()
    fits = method.samplings is None or entry.sampling.name in method.samplings
    return entry._replace(asked=name, label=name, method=method, sampling=entry.sampling if fits else Uniform())


def one_at_a_time(entry: Contestant) -> Contestant:
    """The entry without its batches."""
    return entry._replace(method=replace(entry.method, batch_size=1))


def without_lines(about: PreparedProblem, side: str, lines: np.ndarray) -> PreparedProblem:
    """The problem without some of its columns (primal) or rows (dual), with the same weights.

    Raises
    ------
    ValueError
        If what is left is no problem.
    """
    problem = about.problem
    size = problem.d if side == "primal" else problem.n
    keep = np.setdiff1d(np.arange(size), lines)
    X = problem.X.tocsr() if sp.issparse(problem.X) else problem.X
    X, y = (X[:, keep], problem.y) if side == "primal" else (X[keep], problem.y[keep])
    return PreparedProblem(Problem(X, y, problem.loss, problem.l2, problem.l1))
