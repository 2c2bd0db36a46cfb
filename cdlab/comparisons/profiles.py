"""Many problems at once: performance profiles and ranks.

Dolan & Moré, Benchmarking optimization software with performance profiles, Mathematical Programming 91 (2002).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy import stats

from ..numerics import checks

Costs = Mapping[str, Mapping[str, float]]  # by method and problem; what is missing or infinite was not solved


def profiles(costs: Costs) -> dict[str, np.ndarray]:
    """Of each method the sorted ratios of its costs to the least one's: rho(tau) counts those that are at most tau.

    Parameters
    ----------
    costs : mapping
        Passes or seconds by method and problem. What is missing or infinite was not solved; a problem that nobody
        solved does not count.

    Returns
    -------
    dict
        One ratio for each problem that somebody solved, in order, inf where the method did not.

    Examples
    --------
    >>> profiles({"a": {"p": 1.0, "q": 4.0}, "b": {"p": 3.0, "q": 2.0}})["a"]
    array([1., 2.])
    """
    table = _cost_table(costs)
    return {name: np.sort(row / table.min(axis=0)) for name, row in zip(costs, table, strict=True)}


def share_within(ratios: np.ndarray, tau: float) -> float:
    """rho(tau), the share of problems on which a method was within the factor tau of the best."""
    return float(np.mean(ratios <= tau)) if ratios.size else math.nan


class Rank(NamedTuple):
    """The mean rank of a method over problems, 1 for the best, with its bootstrap interval.

    Attributes
    ----------
    mean, low, high : float
    """

    mean: float
    low: float
    high: float


def ranks(costs: Costs, *, level: float = 0.9, draws: int = 2000, seed: int = 0) -> dict[str, Rank]:
    """Mean ranks of methods over problems; equal costs share a rank, and so do all that did not solve a problem.

    Parameters
    ----------
    costs : mapping
        As for `profiles`.
    level : float in (0, 1), default 0.9
        Of the percentile interval. Problems are drawn again, with replacement: it says how far the ranks depend on
        which problems there are.
    draws, seed : int
        Of the bootstrap.

    Returns
    -------
    dict
        A `Rank` for each method; empty where no problem was solved.

    Raises
    ------
    ValueError
        If the level is not between 0 and 1, or there is no draw.

    Examples
    --------
    >>> ranks({"a": {"p": 1.0, "q": 4.0}, "b": {"p": 3.0, "q": 4.0}})["a"]
    Rank(mean=1.25, low=1.0, high=1.5)
    """
    level = checks.number("level", level, "a number between 0 and 1", high=1.0)
    draws = checks.integer("draws", draws, "a whole number >= 1")
    table = _cost_table(costs)
    if not table.size:
        return {}
    positions = stats.rankdata(table, axis=0)
    resampled = np.random.default_rng(seed).integers(table.shape[1], size=(draws, table.shape[1]))
    means = positions[:, resampled].mean(axis=2)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=1)
    values = zip(positions.mean(axis=1).tolist(), low.tolist(), high.tolist(), strict=True)
    return {name: Rank(*each) for name, each in zip(costs, values, strict=True)}


def _cost_table(costs: Costs) -> np.ndarray:
    """(methods, problems) costs of the problems that somebody solved."""
    problems = sorted({problem for of_one in costs.values() for problem in of_one})
    table = np.array([[of_one.get(problem, math.inf) for problem in problems] for of_one in costs.values()])
    table = table.reshape(len(costs), len(problems))
    return table[:, np.isfinite(table).any(axis=0)]
