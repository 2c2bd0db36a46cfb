"""A lower bound on P(0) - P*: the decrease of P along its steepest descent from w = 0.

With g the gradient of the mean loss at 0, u = -sign(g) max(|g| - l1, 0) is minus the subgradient of P at 0 of smallest
norm, whatever l2 is. P* <= P(t u) for every t, so each P(0) - P(t u) is a lower bound of P(0) - P*.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

BESIDE = 2.0**-30  # as far from 0 that predictions are on one side of a kink
STEPS = 2.0 ** np.arange(-40, 20)  # times 1/max |x_i'u|: one is within a factor of sqrt(2) of the best step


_known: WeakKeyDictionary[Any, Callable[[Any], np.ndarray]] = WeakKeyDictionary()


def least_decrease(problem: Any) -> Callable[[Any], np.ndarray]:
    """The largest P(0) - P(t u) over many t, as a function of l2; 0 where P falls at none of them.

    The search is done once for each problem; the function takes a number or an array.
    """
    if problem not in _known:
        _known[problem] = _searched(problem)
    return _known[problem]


def _searched(problem: Any) -> Callable[[Any], np.ndarray]:
    u, z, step = _steepest(problem)
    t = step * STEPS
    at_zero, squares = problem.primal(problem.zeros(problem.d)), t**2 * float((u**2).sum()) / 2
    with np.errstate(all="ignore"):
        falls = at_zero - np.array([problem.primal(x * u, z=x * z) for x in t]) + problem.l2 * squares

    def best(l2: Any) -> np.ndarray:
        with np.errstate(all="ignore"):
            found = falls - np.asarray(l2, dtype=float)[..., None] * squares
        return np.where(np.isfinite(found), found, 0.0).max(axis=-1, initial=0.0)

    return best


def _steepest(problem: Any) -> tuple[np.ndarray, np.ndarray, float]:
    """u, X u, and a step: 1 over the largest prediction. The step is 0 if there is no descent."""
    zero, z = problem.zeros(problem.d), problem.zeros(problem.n)
    # at a kink the mean of both sides: one side alone need not lead down
    g = (problem.gradient(zero, z=z + BESIDE) + problem.gradient(zero, z=z - BESIDE)) / 2
    u = -np.sign(g) * np.maximum(np.abs(g) - problem.l1, 0.0)
    z = problem.X @ u
    largest = float(np.abs(z).max(initial=0.0))
    return u, z, 1 / largest if largest > 0 else 0.0
