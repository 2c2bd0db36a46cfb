"""SAGA: variance reduction by a table of the last derivative of every example, with a proximal step.

Problem     min_w P(w) = (1/n) sum_i phi(x_i'w) + g(w),  g = (l2/2)||.||^2 + l1||.||_1, phi smooth
Algorithm   pick i;  delta = phi'(x_i'w) - tab_i;  w <- prox_{eta g}(w - eta (delta x_i + G));
            G += delta x_i/n;  tab_i += delta;  so G = (1/n) sum_i tab_i x_i
            eta = 1/(3 L), L = max_i ||x_i||^2/gamma; the table starts with the derivatives at w_0
Guarantee   uniform i, l2 > 0: E||w_k - w*||^2 <= (1 - min{1/(4n), l2/(3(L + l2))})^k times
            ||w_0 - w*||^2 + (2n/(3L)) [f(w_0) - f(w*) - <grad f(w*), w_0 - w*>], f the mean loss. (The theorem proper
            has the strong convexity in the losses; with l2 in g the bound is checked in the tests, not proven.)
            l2 = 0: the average of the iterates converges as O(n/k)
            Its phi_j are functions of w: with softmax (saga_vectors_epoch) they are w -> phi(w'x_j), of w (d, K), which
            are ||x_j||^2/gamma-smooth in the Euclidean norm
Reference   Defazio, Bach & Lacoste-Julien, SAGA: a fast incremental gradient method with support for non-strongly
            convex composite objectives (2014), Theorem 1 and Corollary 1
Notation    their phi_j are not stored: for linear predictors the derivative is the scalar tab_j times x_j; with
            softmax tab_j is in R^K
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ..numerics.jit import kernel
from ..numerics.lazy_prox import StepTable, step_table
from ..problems.points import Points, View
from ..problems.problem import Problem
from ..samplings import SamplingLike
from .shared.variance_reduced import Tabled, U, W, dot_up_to_date, predict_up_to_date, rows_of, smoothness


class State(NamedTuple):
    """The iterate at rest, the table of derivatives, and the steps that are made up for at once."""

    rows: np.ndarray  # (d, 4) w_j, G_j, the step at which w_j was exact; see shared/variance_reduced.py; (d, K, 4)
    tab: np.ndarray  # (n,) phi'(x_i'w) when i was last drawn; (n, K) with softmax
    table: StepTable  # k steps of length eta at once
    t: int  # steps done
    table_visits: float  # nonzeros visited to fill tab and G


@kernel
def saga_epoch(P: View, S: State, order: np.ndarray) -> int:
    """Take a step for each example of `order`. Returns t.

    With G' = G + delta x_i/n, the step is prox(w' - eta G') from w' = w - eta (1 - 1/n) delta x_i: shift w and G,
    and let the step be made with those that follow.
    """
    rows, tab, y, n, eta, t = S.rows, S.tab, P.y, P.y.size, S.table.tau, S.t
    for k in range(order.size):
        i = P.X.pick(order, k, (tab, y))
        u = dot_up_to_date(P.X, P.reg, S.table, rows, i, t)  # u = x_i'w
        delta = P.loss.grad_phi(u, y[i]) - tab[i]
        if delta != 0:
            for p in P.X.line(i):
                j, change = P.X.index(i, p), delta * P.X.value(i, p)
                rows[j, W] -= eta * (1 - 1 / n) * change
                rows[j, U] += change / n
            tab[i] += delta
        t += 1
    return t


@kernel
def saga_vectors_epoch(P: View, S: State, order: np.ndarray, room: np.ndarray) -> int:
    """The same for a loss of K predictions, given room (2, K)."""
    rows, tab, y, n, eta, t, K = S.rows, S.tab, P.y, P.y.size, S.table.tau, S.t, S.tab.shape[1]
    u, delta = room[0], room[1]
    for m in range(order.size):
        i = P.X.pick(order, m, (y,))
        predict_up_to_date(P.X, P.reg, S.table, rows, i, t, u)  # u = w'x_i
        P.loss.grad_phi_into(u, y[i], delta)
        for k in range(K):
            delta[k] -= tab[i, k]
            tab[i, k] += delta[k]
        for p in P.X.line(i):
            row, x = rows[P.X.index(i, p)], P.X.value(i, p)
            for k in range(K):
                row[k, W] -= eta * (1 - 1 / n) * delta[k] * x
                row[k, U] += delta[k] * x / n
        t += 1
    return t


@dataclass(frozen=True)
class SAGA(Tabled[State]):
    """SAGA with a proximal step, in O(nonzeros of x_i) an update.

    Parameters
    ----------
    step : float or None, default None
        eta; None: 1/(3 L). The theorem covers no longer one.

    References
    ----------
    Defazio, Bach & Lacoste-Julien, SAGA: a fast incremental gradient method with support for non-strongly convex
    composite objectives (2014), Theorem 1.
    """

    name: ClassVar[str] = "saga"
    takes: ClassVar[tuple[str, ...]] = ("l1", "vectors", "bounds")
    can_split_epoch: ClassVar[bool] = True
    summary: ClassVar[str] = "stochastic gradient with a memory, corrected so that it is right on average"
    guarantee: ClassVar[str] = "(n + κ) log"
    reference: ClassVar[str] = "Defazio, Bach & Lacoste-Julien 2014"

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        w = problem.zeros(problem.d) if start is None else start.w
        alpha = problem.alpha(w)
        eta = 1 / (3 * smoothness(problem).max()) if self.step is None else self.step
        sweeps = 0.5 if start is None else 1.0  # at w = 0 nothing is read
        return State(rows_of(w, -problem.v(alpha)), -alpha, step_table(eta, problem.mu), 0, sweeps * problem.nnz)

    def epoch(self, P: View, S: State, order: np.ndarray) -> State:
        if S.tab.ndim == 1:
            return S._replace(t=saga_epoch(P, S, order))
        return S._replace(t=saga_vectors_epoch(P, S, order, np.empty((2, S.tab.shape[1]))))
