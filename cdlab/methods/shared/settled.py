"""Dual variables of empty rows: D depends on each of them alone, so they are set once."""

from __future__ import annotations

import numpy as np

from ...problems.problem import Problem
from ..base import Points


def settled(problem: Problem, start: Points | None) -> np.ndarray:
    """alpha of the start, 0 by default, with each empty row's at its optimum.

    Where x_i = 0, D depends on alpha_i by -phi*(-alpha_i)/n alone. Its maximum, -min phi*/n = phi(0)/n, is attained
    where -alpha_i is a (sub)gradient of phi at 0: at alpha_i = -phi'(0), for every w.
    """
    alpha = problem.zeros(problem.n) if start is None else start.alpha.copy()
    empty = problem.row_profile.counts == 0
    if empty.any():
        alpha[empty] = problem.alpha(problem.zeros(problem.d), z=problem.zeros(problem.n))[empty]
    return alpha
