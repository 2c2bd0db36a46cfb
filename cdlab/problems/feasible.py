"""The point of the dual's domain that stands in for any alpha: `Problem.dual` is its value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .intercept import balanced, balanced_classes

if TYPE_CHECKING:
    from .problem import Problem


def feasible(problem: Problem, alpha: np.ndarray, v: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """A point in the domain of g* near alpha, and its v; alpha itself where it is inside. NaN where none is known.

    Parameters
    ----------
    problem : Problem
        With an intercept, sum_i alpha_i = 0 is needed, and `intercept.balanced(_classes)` sees to it; with l2 = 0
        ||v||_inf <= l1, and alpha is scaled.
    alpha : (n,) array; (n, K) with softmax
        In the domain of the losses' conjugates, which is convex and contains 0.
    v : (d,) array or None
        X'alpha/n; not read with an intercept.
    """
    if problem.intercept:
        alpha = balanced_classes(alpha, problem.y, problem.sample_weight) if problem.outputs else balanced(alpha)
    v = problem.v(alpha) if v is None or problem.intercept else v
    if problem.l2 > 0 or not v.any():
        return alpha, v
    largest = float(np.abs(v).max())
    share = problem.l1 / max(largest, problem.l1) if problem.l1 > 0 and np.isfinite(largest) else np.nan
    return share * alpha, share * v
