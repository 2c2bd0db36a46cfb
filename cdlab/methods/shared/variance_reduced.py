"""Common parts of SAG, SAGA and SVRG: coordinates of w that are brought up to date when they are read, and a table.

Their steps move all of w though x_i touches only a few w_j. All three repeat w <- F(w), F(w) = prox_{eta g}(w - eta u),
with a vector u that changes only where x_i does, after w_j has been shifted for those j. So each w_j is kept as it was
when last shifted, with the step of that time, and the k steps since then are made up for at once (lazy_prox.py) when it
is read.

A coordinate is one row of an array (d, 4), half a cache line: w_j, u_j, the step at which w_j was exact, unused. Of a
loss of K predictions w is (d, K), and the array (d, K, 4).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ... import samplings
from ...numerics.checks import set_number_field
from ...numerics.jit import kernel
from ...numerics.lazy_prox import StepTable
from ...numerics.matrix_lines import Lines
from ...problems.certificates import objectives, points_of
from ...problems.problem import Problem
from ...regularizers import Regularizer
from ...samplings import SamplingLike
from ..base import Count, Method, Points, State
from ..blocks import MiniBatch

W, U, LAST = 0, 1, 2
SMALLEST_SMOOTHNESS = 1e-300  # Smoothness where X = 0, times l2 where that is larger: steps times l2 stay finite.


def rows_of(w: np.ndarray, u: np.ndarray) -> np.ndarray:
    """The rows of w and u, up to date at step 0."""
    rows = np.zeros((*w.shape, 4))
    rows[..., W], rows[..., U] = w, u
    return rows


@kernel
def dot_up_to_date(X: Lines, reg: Regularizer, table: StepTable, rows: np.ndarray, i: int, t: float) -> float:
    """x_i'w at step t; brings the w_j that x_i touches up to date."""
    total = 0.0
    for p in X.line(i):
        j = X.index(i, p)
        w = table.steps(t - rows[j, LAST], rows[j, W], rows[j, U], reg.of_coordinate(j))
        rows[j, W], rows[j, LAST] = w, t
        total += X.value(i, p) * w
    return total


@kernel
def predict_up_to_date(
    X: Lines, reg: Regularizer, table: StepTable, rows: np.ndarray, i: int, t: float, z: np.ndarray
) -> None:
    """Write w'x_i at step t into z (K,), of a loss of K predictions; brings the w_j that x_i touches up to date."""
    for k in range(z.size):
        z[k] = 0.0
    for p in X.line(i):
        j, x = X.index(i, p), X.value(i, p)
        row = rows[j]
        for k in range(z.size):
            w = table.steps(t - row[k, LAST], row[k, W], row[k, U], reg.of_coordinate(j))
            row[k, W], row[k, LAST] = w, t
            z[k] += x * w


@kernel
def _all_up_to_date(reg: Regularizer, table: StepTable, rows: np.ndarray, t: float, out: np.ndarray) -> None:
    for j in range(out.size):
        out[j] = table.steps(t - rows[j, LAST], rows[j, W], rows[j, U], reg.of_coordinate(j))


def current_w(problem: Problem, S: Any) -> np.ndarray:
    """w (d,), or (d, K), of a state with rows, table and t."""
    out = problem.zeros(problem.d)
    _all_up_to_date(problem.reg, S.table, S.rows.reshape(-1, 4), S.t, out.reshape(-1))
    return out


def bring_up_to_date(problem: Problem, S: Any) -> None:
    """Bring all of w up to date in place, before u changes everywhere."""
    S.rows[..., W], S.rows[..., LAST] = current_w(problem, S), S.t


def smoothness(problem: Problem, v: np.ndarray | None = None) -> np.ndarray:
    """L_i = beta_i ||x_i||^2, the smoothness of w -> phi_i(x_i'w), also of softmax, or beta v_i; (n,), positive."""
    v = problem.weighed_norms2("dual") if v is None else v
    return np.maximum(problem.beta * v, SMALLEST_SMOOTHNESS * max(1.0, problem.mu))


def drawn_smoothness(method: MiniBatch, problem: Problem, sampling: SamplingLike) -> tuple[np.ndarray, float]:
    """1/(n p_i) (n,), and L = max_i beta v_i/(n p_i) with the sampling's ESO parameters v.

    E||sum_{i in S} a_i x_i/(n p_i)||^2 is at most sum_i v_i a_i^2/(n^2 p_i), and so at most (L/n) sum_i a_i^2/beta.
    """
    p = method.probabilities(problem, sampling)
    weight = np.divide(1 / problem.n, p, out=np.zeros(problem.n), where=p > 0)  # 1.0 exactly where p_i is 1/n
    in_blocks = not method.draws(samplings.resolve(sampling)).serial
    v = method.norms2_in_blocks(problem, sampling) if in_blocks else problem.weighed_norms2("dual")
    return weight, float((smoothness(problem, v) * weight).max())


def better_dual_point(problem: Problem, S: Any) -> Points:
    """w, with the better of two dual points: -phi'(x_i'w), and minus the table of derivatives."""
    w = current_w(problem, S)
    z = problem.predict(w)
    now = problem.alpha(w, z=z)
    points = (
        Points(w, now, z=z, v=problem.v(now), fresh=("z",), products=2),
        Points(w, -S.tab, z=z, v=-S.rows[..., U], fresh=("z",), products=2),
    )
    return max(points, key=lambda at: objectives(problem, at)[1])


@dataclass(frozen=True)
class Tabled(Method[State]):
    """Methods with a table of phi'(x_i'w). Their State has rows, tab, t, and table_visits: of filling the table."""

    step: float | None = None

    side: ClassVar[str] = "dual"
    group: ClassVar[str] = "Stochastic gradient, not dual"
    needs: ClassVar[tuple[str, ...]] = ("smooth",)

    def __post_init__(self) -> None:
        set_number_field(self, "step", "a number > 0 or None")

    def points(self, problem: Problem, S: Any) -> Points:
        return better_dual_point(problem, S)

    def bounded_points(self, problem: Problem, S: Any) -> Points | None:
        """Where l1 > 0 its theorem, on a distance, bounds the gap one step further on."""
        return points_of(problem, current_w(problem, S)) if problem.l1 > 0 or problem.bounded else None

    def refresh(self, problem: Problem, S: Any) -> None:
        bring_up_to_date(problem, S)
        S.rows[..., U] = -problem.v(-S.tab)

    def count(self, problem: Problem, S: Any, order: Any) -> Count:
        count = super().count(problem, S, order)
        return count._replace(visits=count.visits + S.table_visits) if S.t == count.iterations else count
