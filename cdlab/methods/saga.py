"""SAGA: variance reduction by a table of the last derivative of every example, with a proximal step.

Problem     min_w P(w) = (1/n) sum_i phi(x_i'w) + g(w),  g = (l2/2)||.||^2 + l1||.||_1, phi smooth
Algorithm   draw a random set S of examples (one, or a block); for all i in S, from the same w:
            delta_i = phi'(x_i'w) - tab_i;  w <- prox_{eta g}(w - eta (sum_{i in S} delta_i x_i/(n p_i) + G));
            G += sum_{i in S} delta_i x_i/n;  tab_i += delta_i;  so G = (1/n) sum_i tab_i x_i
            eta = 1/(3 L), L = max_i v_i/(gamma n p_i), p_i = Prob(i in S), v_i from cdlab.eso(X, sampling, "dual");
            serial: v_i = ||x_i||^2. The table starts with the derivatives at w_0
Guarantee   uniform i, l2 > 0: E||w_k - w*||^2 <= (1 - min{1/(4n), l2/(3(L + l2))})^k times
            ||w_0 - w*||^2 + (2n/(3L)) [f(w_0) - f(w*) - <grad f(w*), w_0 - w*>], f the mean loss. (The theorem proper
            has the strong convexity in the losses; with l2 in g it follows from the next.)
            l2 = 0: the average of the iterates converges as O(n/k)
            Any sampling, l2 > 0, of our own (cdlab/theory/theorems/variance_reduction.py): a step leaves 1 - 1/K of
            ||w - w*||^2 + (2/(3L + 2 l2)) sum_i B_i/(n p_i), B_i the Bregman divergence of phi(x_i'w) from w* to where
            tab_i was taken, K = max_i max{2/p_i, 1 + 3 v_i/(2 gamma l2 n p_i)}: at most twice quartz's K
            Its phi_j are functions of w: with softmax (saga_vectors_epoch) they are w -> phi(w'x_j), of w (d, K), which
            are ||x_j||^2/gamma-smooth in the Euclidean norm
Reference   Defazio, Bach & Lacoste-Julien, SAGA: a fast incremental gradient method with support for non-strongly
            convex composite objectives (2014), Theorem 1 and Corollary 1; for any sampling: Qian, Qu & Richtarik, SAGA
            with arbitrary sampling (2019), whose abstract has rates like quartz's
Notation    their phi_j are not stored: for linear predictors the derivative is the scalar tab_j times x_j; with
            softmax tab_j is in R^K
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..numerics.jit import kernel
from ..numerics.lazy_prox import StepTable, step_table
from ..problems.points import Points, View
from ..problems.problem import Problem
from ..samplings import Batches, SamplingLike
from .blocks import OneOrMany, in_blocks
from .shared.variance_reduced import Tabled, U, W, dot_up_to_date, drawn_smoothness, predict_up_to_date, rows_of


class State(NamedTuple):
    """The iterate at rest, the table of derivatives, and the steps that are made up for at once."""

    rows: np.ndarray  # (d, 4) w_j, G_j, the step at which w_j was exact; see shared/variance_reduced.py; (d, K, 4)
    tab: np.ndarray  # (n,) phi'(x_i'w) when i was last drawn; (n, K) with softmax
    weight: np.ndarray  # (n,) 1/(n p_i): 1 where all are drawn equally often, one by one
    h: np.ndarray  # (n,) scratch: delta of the current block; (n, K) with softmax; else (0,) in serial runs
    table: StepTable  # k steps of length eta at once
    t: int  # steps done
    table_visits: float  # nonzeros visited to fill tab and G


@kernel
def saga_epoch(P: View, S: State, order: np.ndarray) -> int:
    """Take a step for each example of `order`. Returns t.

    With G' = G + delta x_i/n, the step is prox(w' - eta G') from w' = w - eta (1/(n p_i) - 1/n) delta x_i: shift w and
    G, and let the step be made with those that follow.
    """
    rows, tab, weight, y, n, eta, t = S.rows, S.tab, S.weight, P.y, P.y.size, S.table.tau, S.t
    for k in range(order.size):
        i = P.X.pick(order, k, (tab, y, weight))
        u = dot_up_to_date(P.X, P.reg, S.table, rows, i, t)  # u = x_i'w
        delta = P.loss.grad_phi(u, y[i]) - tab[i]
        if delta != 0:
            for p in P.X.line(i):
                j, change = P.X.index(i, p), delta * P.X.value(i, p)
                rows[j, W] -= eta * (weight[i] - 1 / n) * change
                rows[j, U] += change / n
            tab[i] += delta
        t += 1
    return t


@kernel
def saga_block_epoch(P: View, S: State, batches: Batches) -> int:
    """Take a step for each block, all of its examples from the same w. Returns t."""
    rows, tab, weight, h, y, n, eta, t = S.rows, S.tab, S.weight, S.h, P.y, P.y.size, S.table.tau, S.t
    starts, order = batches.starts, batches.indices
    for b in range(starts.size - 1):
        for k in range(starts[b], starts[b + 1]):
            i = P.X.pick(order, k, (tab, y, weight))
            u = dot_up_to_date(P.X, P.reg, S.table, rows, i, t)  # u = x_i'w
            h[i] = P.loss.grad_phi(u, y[i]) - tab[i]
        for k in range(starts[b], starts[b + 1]):  # only now: all of a block starts from the same w
            i = order[k]
            for p in P.X.line(i):
                j, change = P.X.index(i, p), h[i] * P.X.value(i, p)
                rows[j, W] -= eta * (weight[i] - 1 / n) * change
                rows[j, U] += change / n
            tab[i] += h[i]
        t += 1
    return t


@kernel
def saga_vectors_epoch(P: View, S: State, batches: Batches, u: np.ndarray) -> int:
    """The same for a loss of K predictions, given room (K,); blocks may be of one example."""
    rows, tab, weight, h, y, n, eta, t = S.rows, S.tab, S.weight, S.h, P.y, P.y.size, S.table.tau, S.t
    starts, order = batches.starts, batches.indices
    for b in range(starts.size - 1):
        for m in range(starts[b], starts[b + 1]):
            i = P.X.pick(order, m, (y, weight))
            predict_up_to_date(P.X, P.reg, S.table, rows, i, t, u)  # u = w'x_i
            P.loss.grad_phi_into(u, y[i], h[i])
            for k in range(u.size):
                h[i, k] -= tab[i, k]
        for m in range(starts[b], starts[b + 1]):
            i = order[m]
            for p in P.X.line(i):
                row, x = rows[P.X.index(i, p)], P.X.value(i, p)
                for k in range(u.size):
                    row[k, W] -= eta * (weight[i] - 1 / n) * h[i, k] * x
                    row[k, U] += h[i, k] * x / n
            for k in range(u.size):
                tab[i, k] += h[i, k]
        t += 1
    return t


@dataclass(frozen=True)
class SAGA(OneOrMany, Tabled[State]):
    """SAGA with a proximal step, in O(nonzeros of x_i) an update; of one example or of a block, by any probabilities.

    Parameters
    ----------
    batch_size : int, optional
        Examples updated together: with uniform sampling the same as ``TauNice(batch_size)``.
    step : float or None, default None
        eta; None: 1/(3 L). The theorem covers no longer one.

    References
    ----------
    Defazio, Bach & Lacoste-Julien, SAGA: a fast incremental gradient method with support for non-strongly convex
    composite objectives (2014), Theorem 1; Qian, Qu & Richtarik, SAGA with arbitrary sampling (2019).
    """

    name: ClassVar[str] = "saga"
    takes: ClassVar[tuple[str, ...]] = ("l1", "vectors", "blocks", "bounds")
    can_split_epoch: ClassVar[bool] = True
    zero_rows: ClassVar[str] = "drawn"

    summary: ClassVar[str] = "stochastic gradient with a memory, corrected so that it is right on average"
    guarantee: ClassVar[str] = "(n + κ) log; max_i max(1/pᵢ, βvᵢ/(pᵢλn)) log for any p"
    reference: ClassVar[str] = "Defazio, Bach & Lacoste-Julien 2014"

    def __post_init__(self) -> None:
        super().__post_init__()
        Tabled.__post_init__(self)

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        w = problem.zeros(problem.d) if start is None else start.w
        alpha = problem.alpha(w)
        weight, L = drawn_smoothness(self, problem, sampling)
        table = step_table(1 / (3 * L) if self.step is None else self.step, problem.mu)
        sweeps = 0.5 if start is None else 1.0  # at w = 0 nothing is read
        rows = rows_of(w, -problem.v(alpha))
        h = np.zeros(alpha.shape) if problem.outputs else self.scratch_of_blocks(problem, sampling)
        return State(rows, -alpha, weight, h, table, 0, sweeps * problem.nnz)

    def epoch(self, P: View, S: State, order: Any) -> State:
        if S.tab.ndim == 1:
            return S._replace(t=(saga_block_epoch if S.h.size else saga_epoch)(P, S, order))
        return S._replace(t=saga_vectors_epoch(P, S, in_blocks(S, order), np.empty(S.tab.shape[1])))
