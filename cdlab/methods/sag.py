"""SAG, the stochastic average gradient: a gradient step along the mean of the last derivative of every example.

Problem     min_w P(w) = (1/n) sum_i phi(x_i'w) + (l2/2)||w||^2, phi smooth
Algorithm   pick i;  delta = phi'(x_i'w) - tab_i;  tab_i += delta;  G += delta x_i/n;  w <- w - eta (G + l2 w);
            so G = (1/n) sum_i tab_i x_i
            eta = 1/(16 L), L = max_i ||x_i||^2/gamma + l2; the table starts at 0, or at a given start's derivatives
Guarantee   uniform i, l2 > 0: E[P(w_k)] - P* <= (1 - min{l2/(16 L), 1/(8n)})^k C_0, with
            C_0 = (3/2)(P(w_0) - P*) + (4L/n)||w_0 - w*||^2 + (1/n) sum_i ||grad f_i(w*)||^2/(16 L),
            f_i(w) = phi(x_i'w) + (l2/2)||w||^2. (The theorem proper keeps l2 w in the table, too; with the exact l2 w,
            as the paper recommends, the bound is checked in the tests, not proven.)
Reference   Schmidt, Le Roux & Bach, Minimizing finite sums with the stochastic average gradient (2017), Theorem 1;
            section 4 for the exact regulariser and lazy updates
Notation    their alpha is our eta, their d is n G, their y_i is tab_i x_i
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ..numerics.jit import kernel
from ..numerics.lazy_prox import StepTable, step_table
from ..problems.points import Points, View
from ..problems.problem import Problem
from ..samplings import Sampling, SamplingLike
from .shared.variance_reduced import Tabled, U, dot_up_to_date, rows_of, smoothness

# Samplings with p_i = 1/n, which its table assumes.
ORDERS = ("uniform", "permutation", "paired_permutation", "fixed_permutation", "cyclic")


class State(NamedTuple):
    """The iterate at rest, the table of derivatives, and the steps that are made up for at once."""

    rows: np.ndarray  # (d, 4) w_j, G_j, the step at which w_j was exact; see shared/variance_reduced.py
    tab: np.ndarray  # (n,) phi'(x_i'w) when i was last drawn
    table: StepTable  # k steps of length eta at once
    t: int  # steps done
    table_visits: float  # nonzeros visited to fill tab and G


@kernel
def sag_epoch(P: View, S: State, order: np.ndarray) -> int:
    """Take a step for each example of `order`. Returns t.

    The step comes after G has changed, so it is the first of those that the coordinates sleep through.
    """
    rows, tab, y, n, t = S.rows, S.tab, P.y, P.y.size, S.t
    for k in range(order.size):
        i = P.X.pick(order, k, (tab, y))
        u = dot_up_to_date(P.X, P.reg, S.table, rows, i, t)  # u = x_i'w
        delta = P.loss.grad_phi(u, y[i]) - tab[i]
        if delta != 0:
            tab[i] += delta
            for p in P.X.line(i):
                rows[P.X.index(i, p), U] += delta * P.X.value(i, p) / n  # G += delta x_i/n
        t += 1
    return t


@dataclass(frozen=True)
class SAG(Tabled[State]):
    """SAG with the exact gradient of the regulariser, in O(nonzeros of x_i) an update.

    Parameters
    ----------
    step : float or None, default None
        eta, below 1/l2; None: 1/(16 L). The theorem covers no longer one; 1/L is what its authors use in practice.

    References
    ----------
    Schmidt, Le Roux & Bach, Minimizing finite sums with the stochastic average gradient (2017), Theorem 1.
    """

    name: ClassVar[str] = "sag"
    can_split_epoch: ClassVar[bool] = True
    summary: ClassVar[str] = "stochastic gradient with a memory of every example's last gradient"
    guarantee: ClassVar[str] = "(n + κ) log"
    reference: ClassVar[str] = "Schmidt, Le Roux & Bach 2017"
    takes: ClassVar[tuple[str, ...]] = ()
    samplings: ClassVar[tuple[str, ...]] = ORDERS

    def objections(self, problem: Problem, sampling: Sampling) -> Iterator[str]:
        if self.step is not None and self.step * problem.l2 >= 1:
            yield f"sag with step={self.step} overshoots the minimum of (l2/2)||w||^2: take step < 1/l2"

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        w = np.zeros(problem.d) if start is None else start.w
        alpha = np.zeros(problem.n) if start is None else problem.alpha(w)
        eta = 1 / (16 * (smoothness(problem).max() + problem.l2)) if self.step is None else self.step
        # w - eta (G + l2 w) = (w - tau G)/(1 + tau l2) with tau = eta/(1 - eta l2): the proximal step that table has
        table = step_table(eta / (1 - eta * problem.l2), problem.l2)
        return State(rows_of(w, -problem.v(alpha)), -alpha, table, 0, 0 if start is None else problem.nnz)

    def epoch(self, P: View, S: State, order: np.ndarray) -> State:
        return S._replace(t=sag_epoch(P, S, order))
