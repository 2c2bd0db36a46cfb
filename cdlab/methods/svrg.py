"""SVRG and prox-SVRG: variance reduction by a full gradient at a snapshot, taken anew for every stage.

Problem     min_w P(w) = f(w) + g(w),  f(w) = (1/n) sum_i phi(x_i'w), g = (l2/2)||.||^2 + l1||.||_1, phi smooth
Algorithm   stage: the snapshot s is w;  tab_i = phi'(x_i's);  u = grad f(s) = (1/n) sum_i tab_i x_i;  then m times:
                pick i;  delta = (phi'(x_i'w) - tab_i)/(n p_i);  w <- prox_{eta g}(w - eta (delta x_i + u));
            the next stage starts from the last w, or from the average of the m
            eta = 0.1/L, L = max_i ||x_i||^2/(gamma n p_i);  m = 2n, or with m="theory" 100 L/l2
Guarantee   snapshot="average", l2 > 0, eta < 1/(4 L): a stage multiplies E[P(s)] - P* by
            rho = 1/(l2 eta (1 - 4 L eta) m) + 4 L eta (m + 1)/((1 - 4 L eta) m),
            about 5/6 with m="theory"; with m = 2n it is below 1 only if L/l2 is below n/25 or so
Reference   Johnson & Zhang, Accelerating stochastic gradient descent using predictive variance reduction (2013);
            Xiao & Zhang, A proximal stochastic gradient method with progressive variance reduction (2014), Theorem 3.1
            Its f_i are functions of w: with softmax (svrg_vectors_epoch) they are w -> phi(w'x_i), of w (d, K), which
            are ||x_i||^2/gamma-smooth in the Euclidean norm; tab_i is in R^K
Notation    their mu is our l2 (all strong convexity is in g), their q_i is our p_i
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..numerics import checks
from ..numerics.checks import set_integer_field, set_number_field
from ..numerics.jit import kernel
from ..numerics.lazy_prox import StepTable, step_table
from ..problems.certificates import points_of
from ..problems.points import View
from ..problems.problem import Problem
from ..samplings import Sampling, SamplingLike
from .base import Count, Method, Points
from .shared.variance_reduced import (
    LAST,
    U,
    W,
    bring_up_to_date,
    current_w,
    dot_up_to_date,
    predict_up_to_date,
    rows_of,
    smoothness,
)


class State(NamedTuple):
    """The iterate at rest, the derivatives at the snapshot, and how far the stage has come."""

    rows: np.ndarray  # (d, 4) w_j, u_j, the step at which w_j was exact; see shared/variance_reduced.py; (d, K, 4)
    tab: np.ndarray  # (n,) phi'(x_i's); (n, K) with softmax
    change: np.ndarray  # (n,) by how much tab changes with the snapshot; (n, K)
    weight: np.ndarray  # (n,) 1/(n p_i)
    total: np.ndarray  # (d,), or (d, K), sum of w over the steps of this stage, for snapshot="average"; else (0,)
    table: StepTable  # k steps of length eta at once
    m: int  # steps in a stage
    left: int  # steps left in this one; 0: the next begins
    t: int  # steps done
    gradients: int  # full gradients in the last epoch


@kernel
def svrg_gradient(P: View, S: Any, t: int, eta: float) -> None:
    """tab and u follow the snapshot, w at step t, by what changes: no sweep over all d coordinates.

    w moves by eta times the change of u, so that a step of length eta is still one by the u before.
    """
    rows, tab, change, y = S.rows, S.tab, S.change, P.y
    for i in range(np.uint64(y.size)):
        z = dot_up_to_date(P.X, P.reg, S.table, rows, i, t)  # z = x_i's
        change[i] = P.loss.grad_phi(z, y[i]) - tab[i]
    for i in range(np.uint64(y.size)):
        tab[i] += change[i]
        for p in P.X.line(i):
            j, c = P.X.index(i, p), change[i] * P.X.value(i, p) / y.size
            rows[j, U] += c
            rows[j, W] += eta * c


@kernel
def _step(P: View, S: State, i: int, t: int) -> None:
    """One variance-reduced step at example i.

    prox(w - eta (delta x_i + u)) = prox(w' - eta u) with w' = w - eta delta x_i: shift w, and let the step be made with
    those that follow.
    """
    rows = S.rows
    z = dot_up_to_date(P.X, P.reg, S.table, rows, i, t)  # z = x_i'w
    delta = S.weight[i] * (P.loss.grad_phi(z, P.y[i]) - S.tab[i])
    if delta != 0:
        for p in P.X.line(i):
            rows[P.X.index(i, p), W] -= S.table.tau * delta * P.X.value(i, p)


@kernel
def svrg_epoch(P: View, S: State, order: np.ndarray) -> tuple[int, int]:
    """One variance-reduced step for each example of `order`, at O(nonzeros of x_i) each, in stages.

    Returns the steps left in the last one, and how many began, each with a full gradient.
    """
    done, left, begun = 0, S.left, 0
    while done < order.size:
        if left == 0:
            svrg_gradient(P, S, S.t + done, 0.0)
            left, begun = S.m, begun + 1
        end = min(done + left, order.size)
        for k in range(done, end):
            i = P.X.pick(order, k, (S.tab, P.y, S.weight))
            _step(P, S, i, S.t + k)
        left, done = left - (end - done), end
    return left, begun


@kernel
def svrg_averaged_epoch(P: View, S: State, order: np.ndarray) -> tuple[int, int]:
    """The same with all of w added up after each step, at O(d) each, for the average where the next stage starts."""
    rows, total, left, begun = S.rows, S.total, S.left, 0
    for k in range(order.size):
        t = S.t + k
        if left == 0:
            if t > 0:
                for j in range(total.size):
                    rows[j, W], rows[j, LAST], total[j] = total[j] / S.m, t, 0.0
            svrg_gradient(P, S, t, 0.0)
            left, begun = S.m, begun + 1
        _step(P, S, order[k], t)
        for j in range(total.size):
            total[j] += S.table.steps(t + 1 - rows[j, LAST], rows[j, W], rows[j, U], P.reg.of_coordinate(j))
        left -= 1
    return left, begun


@kernel
def svrg_vectors_gradient(P: View, S: Any, t: int, eta: float, z: np.ndarray) -> None:
    """svrg_gradient for a loss of K predictions."""
    rows, tab, change, y = S.rows, S.tab, S.change, P.y
    for i in range(np.uint64(y.size)):
        predict_up_to_date(P.X, P.reg, S.table, rows, i, t, z)  # z = s'x_i
        P.loss.grad_phi_into(z, y[i], change[i])
    for i in range(np.uint64(y.size)):
        for k in range(z.size):
            change[i, k] -= tab[i, k]
            tab[i, k] += change[i, k]
        for p in P.X.line(i):
            row, x = rows[P.X.index(i, p)], P.X.value(i, p)
            for k in range(z.size):
                c = change[i, k] * x / y.size
                row[k, U] += c
                row[k, W] += eta * c


@kernel
def svrg_vectors_epoch(P: View, S: State, order: np.ndarray, room: np.ndarray) -> tuple[int, int]:
    """svrg_averaged_epoch for a loss of K predictions, given room (2, K); where `total` is empty, svrg_epoch."""
    rows, tab, total, left, begun, z, delta = S.rows, S.tab, S.total, S.left, 0, room[0], room[1]
    for m in range(order.size):
        i, t = P.X.pick(order, m, (P.y, S.weight)), S.t + m
        if left == 0:
            if t > 0:
                for j in range(total.shape[0]):
                    for k in range(z.size):
                        rows[j, k, W], rows[j, k, LAST], total[j, k] = total[j, k] / S.m, t, 0.0
            svrg_vectors_gradient(P, S, t, 0.0, z)
            left, begun = S.m, begun + 1
        predict_up_to_date(P.X, P.reg, S.table, rows, i, t, z)  # z = w'x_i
        P.loss.grad_phi_into(z, P.y[i], delta)
        for k in range(z.size):
            delta[k] = S.weight[i] * (delta[k] - tab[i, k])
        for p in P.X.line(i):
            row, x = rows[P.X.index(i, p)], P.X.value(i, p)
            for k in range(z.size):
                row[k, W] -= S.table.tau * delta[k] * x
        for j in range(total.shape[0]):
            row = rows[j]
            for k in range(z.size):
                total[j, k] += S.table.steps(t + 1 - row[k, LAST], row[k, W], row[k, U], P.reg.of_coordinate(j))
        left -= 1
    return left, begun


@dataclass(frozen=True)
class SVRG(Method[State]):
    """SVRG; prox-SVRG when l1 > 0.

    Parameters
    ----------
    step : float or None, default None
        eta; None: 0.1/L. The theorem covers steps below 1/(4 L).
    m : int, "theory" or None, default None
        Steps in a stage; None: 2n, "theory": 100 L/l2, for which a stage provably gains.
    snapshot : "last" or "average", default "last"
        Where the next stage starts. The theorem is about the average, for which a step costs O(d); with the last point
        it costs O(nonzeros of x_i).

    References
    ----------
    Johnson & Zhang, Accelerating stochastic gradient descent using predictive variance reduction (2013);
    Xiao & Zhang, A proximal stochastic gradient method with progressive variance reduction (2014), Theorem 3.1.
    """

    step: float | None = None
    m: int | str | None = None
    snapshot: str = "last"

    name: ClassVar[str] = "svrg"
    can_join_epochs: ClassVar[bool] = True
    group: ClassVar[str] = "Stochastic gradient, not dual"
    summary: ClassVar[str] = "stochastic gradient, corrected by a full gradient now and then"
    guarantee: ClassVar[str] = "(n + κ) log"
    reference: ClassVar[str] = "Johnson & Zhang 2013; Xiao & Zhang 2014"
    side: ClassVar[str] = "dual"
    needs: ClassVar[tuple[str, ...]] = ("smooth",)
    takes: ClassVar[tuple[str, ...]] = ("l1", "vectors", "bounds")
    counts_ideal: ClassVar[bool] = True

    def __post_init__(self) -> None:
        set_number_field(self, "step", "a number > 0 or None")
        set_integer_field(self, "m", "a whole number >= 1, 'theory' or None", ("theory", None))
        checks.one_of("svrg's snapshot", self.snapshot, ("last", "average"))

    def objections(self, problem: Problem, sampling: Sampling) -> Iterator[str]:
        if self.m == "theory" and problem.mu == 0:
            yield "svrg's m='theory' is 100 L/l2 and this problem has l2 = 0: give a number, or use the default 2n"

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        n, weight = problem.n, 1 / (problem.n * self.probabilities(problem, sampling))
        L = (smoothness(problem) * weight).max()
        m = math.ceil(100 * L / problem.mu) if self.m == "theory" else self.m or 2 * n
        # tab and u may start anywhere, as long as they agree: at a start's alpha, where v is often known
        start = Points(problem.zeros(problem.d), problem.zeros(n)) if start is None else start
        rows = rows_of(start.w, -problem.v(start.alpha))
        table = step_table(0.1 / L if self.step is None else self.step, problem.mu)
        total = problem.zeros(problem.d if self.snapshot == "average" else 0)
        return State(rows, -start.alpha, problem.zeros(n), weight, total, table, int(m), 0, 0, 0)

    def epoch(self, P: View, S: State, order: np.ndarray) -> State:
        if S.tab.ndim == 1:
            left, gradients = (svrg_averaged_epoch if self.snapshot == "average" else svrg_epoch)(P, S, order)
        else:
            left, gradients = svrg_vectors_epoch(P, S, order, np.empty((2, S.tab.shape[1])))
        return S._replace(t=S.t + order.size, left=left, gradients=gradients)

    def points(self, problem: Problem, S: State) -> Points:
        w = S.total / (S.m - S.left) if self.snapshot == "average" and S.t > 0 else current_w(problem, S)
        return points_of(problem, problem.reg.clipped(w))

    def bounded_points(self, problem: Problem, S: State) -> Points | None:
        """Where l1 > 0 its theorem, on a distance, bounds the gap one step further on."""
        return self.points(problem, S) if problem.l1 > 0 or problem.bounded else None

    def refresh(self, problem: Problem, S: State) -> None:
        bring_up_to_date(problem, S)
        S.rows[..., U] = -problem.v(-S.tab)

    def count(self, problem: Problem, S: State, order: Any) -> Count:
        steps = super().count(problem, S, order)
        return steps._replace(visits=steps.visits + S.gradients * problem.nnz, ideal=steps.visits)
