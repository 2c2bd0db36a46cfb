"""Coordinates at rest, for SAG, SAGA and SVRG, whose steps move all of w though x_i touches only a few w_j.

All three repeat w <- F(w), F(w) = prox_{eta g}(w - eta u), with a vector u that changes only where x_i does, after w_j
has been shifted for those j. So each w_j is kept as it was when last shifted, with the step of that time, and the k
steps that it slept through are made up for at once (lazy_prox.py) when it is read.

A coordinate is one row of an array (d, 4), half a cache line: w_j, u_j, the step at which w_j was exact, unused.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...numerics.jit import kernel
from ...numerics.lazy_prox import StepTable
from ...numerics.matrix_lines import Lines
from ...problems.problem import Problem
from ...regularizers import Regularizer

W, U, LAST = 0, 1, 2
TINY = 1e-300  # instead of 0, as the smoothness of X = 0


def at_rest(w: np.ndarray, u: np.ndarray) -> np.ndarray:
    """The rows of w and u, exact at step 0."""
    rows = np.zeros((w.size, 4))
    rows[:, W], rows[:, U] = w, u
    return rows


@kernel
def awake(X: Lines, reg: Regularizer, table: StepTable, rows: np.ndarray, i: int, t: float) -> float:
    """x_i'w at step t; brings the w_j that x_i touches up to date."""
    total = 0.0
    for p in X.line(i):
        j = X.index(i, p)
        w = table.steps(t - rows[j, LAST], rows[j, W], rows[j, U], reg)
        rows[j, W], rows[j, LAST] = w, t
        total += X.value(i, p) * w
    return total


@kernel
def _all_awake(reg: Regularizer, table: StepTable, rows: np.ndarray, t: float, out: np.ndarray) -> None:
    for j in range(out.size):
        out[j] = table.steps(t - rows[j, LAST], rows[j, W], rows[j, U], reg)


def point(problem: Problem, S: Any) -> np.ndarray:
    """w (d,) of a state with rows, table and t."""
    out = np.empty(problem.d)
    _all_awake(problem.reg, S.table, S.rows, S.t, out)
    return out


def settle(problem: Problem, S: Any) -> None:
    """Bring all of w up to date in place, before u changes everywhere."""
    S.rows[:, W], S.rows[:, LAST] = point(problem, S), S.t


def smoothness(problem: Problem) -> np.ndarray:
    """L_i = beta_i ||x_i||^2, the smoothness of w -> phi_i(x_i'w); (n,), positive."""
    return np.maximum(problem.beta * problem.weighed_norms2("dual"), TINY)
