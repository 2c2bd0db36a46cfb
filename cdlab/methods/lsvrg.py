"""Loopless SVRG: variance reduction by a full gradient at a snapshot, which a coin takes anew after a step.

Problem     min_w P(w) = f(w) + g(w),  f(w) = (1/n) sum_i phi(x_i'w), g = (l2/2)||.||^2 + l1||.||_1, phi smooth
Algorithm   at first the snapshot s is w_0; always tab_i = phi'(x_i's) and u = grad f(s) = (1/n) sum_i tab_i x_i
            draw a random set S of examples (one, or a block); for all i in S, from the same w:
            delta_i = (phi'(x_i'w) - tab_i)/(n p_i);  w' = prox_{eta g}(w - eta (sum_{i in S} delta_i x_i + u));
            with probability rho: s <- w, the w before this step;  w <- w'
            eta = 1/(3 L), L = max_i v_i/(gamma n p_i), p_i = Prob(i in S), v_i from cdlab.eso(X, sampling, "dual");
            serial: v_i = ||x_i||^2; rho = min_i p_i
Guarantee   any sampling, l2 > 0, of our own (cdlab/theory/theorems/variance_reduction.py): a step leaves 1 - 1/K of
            ||w - w*||^2 + (2/(rho (3L + 2 l2))) B(s), B(s) = f(s) - f(w*) - <grad f(w*), s - w*>,
            K = max{2/rho, 1 + 3L/(2 l2)}, with the default rho the K of saga: at most twice quartz's
Reference   Kovalev, Horvath & Richtarik, Don't jump through hoops and remove those loops (2020), L-SVRG; Qian, Qu &
            Richtarik, L-SVRG and L-Katyusha with arbitrary sampling (2021)
Notation    their x is our w, their w is our snapshot s, their p is our rho

With u' = u + c after a snapshot, prox(w - eta u) = prox((w + eta c) - eta u'): w is shifted, and steps go on by u'.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..numerics.checks import set_number_field
from ..numerics.jit import kernel
from ..numerics.lazy_prox import StepTable, step_table
from ..problems.points import Points, View
from ..problems.problem import Problem
from ..samplings import Sampling, SamplingLike
from .base import Count
from .blocks import MiniBatch, OneOrMany
from .shared.variance_reduced import Tabled, W, dot_up_to_date, drawn_smoothness, predict_up_to_date, rows_of
from .svrg import svrg_gradient, svrg_vectors_gradient


class Tossed(NamedTuple):
    """An epoch of blocks, as `Batches`, with a coin for each."""

    indices: np.ndarray  # uint64, the blocks one after another
    starts: np.ndarray  # uint64, one more than there are blocks
    heads: np.ndarray  # bool, which steps renew the snapshot

    @property
    def size(self) -> int:
        """Number of blocks."""
        return self.heads.size


class State(NamedTuple):
    """The iterate at rest, the derivatives at the snapshot, and the steps that are made up for at once."""

    rows: np.ndarray  # (d, 4) w_j, u_j, the step at which w_j was exact; see shared/variance_reduced.py; (d, K, 4)
    tab: np.ndarray  # (n,) phi'(x_i's); (n, K) with softmax
    change: np.ndarray  # (n,) by how much tab changes with the snapshot; (n, K)
    weight: np.ndarray  # (n,) 1/(n p_i)
    h: np.ndarray  # (n,) scratch: delta of the current block; (n, K)
    table: StepTable  # k steps of length eta at once
    t: int  # steps done
    table_visits: float  # nonzeros visited for the first snapshot


@kernel
def lsvrg_epoch(P: View, S: State, order: Tossed) -> int:
    """Take a variance-reduced step for each block, at O(its nonzeros) each; a head costs a full gradient. Returns t."""
    rows, tab, weight, h, y, eta, t = S.rows, S.tab, S.weight, S.h, P.y, S.table.tau, S.t
    starts, indices = order.starts, order.indices
    for b in range(starts.size - 1):
        for k in range(starts[b], starts[b + 1]):
            i = P.X.pick(indices, k, (tab, y, weight))
            z = dot_up_to_date(P.X, P.reg, S.table, rows, i, t)  # z = x_i'w
            h[i] = weight[i] * (P.loss.grad_phi(z, y[i]) - tab[i])
        if order.heads[b]:
            svrg_gradient(P, S, t, eta)  # s <- w, and this step still by the u before
        for k in range(starts[b], starts[b + 1]):
            i = indices[k]
            for p in P.X.line(i):
                rows[P.X.index(i, p), W] -= eta * h[i] * P.X.value(i, p)
        t += 1
    return t


@kernel
def lsvrg_vectors_epoch(P: View, S: State, order: Tossed, z: np.ndarray) -> int:
    """The same for a loss of K predictions, given room (K,)."""
    rows, tab, weight, h, y, eta, t = S.rows, S.tab, S.weight, S.h, P.y, S.table.tau, S.t
    starts, indices = order.starts, order.indices
    for b in range(starts.size - 1):
        for m in range(starts[b], starts[b + 1]):
            i = P.X.pick(indices, m, (y, weight))
            predict_up_to_date(P.X, P.reg, S.table, rows, i, t, z)  # z = w'x_i
            P.loss.grad_phi_into(z, y[i], h[i])
            for k in range(z.size):
                h[i, k] = weight[i] * (h[i, k] - tab[i, k])
        if order.heads[b]:
            svrg_vectors_gradient(P, S, t, eta, z)
        for m in range(starts[b], starts[b + 1]):
            i = indices[m]
            for p in P.X.line(i):
                row, x = rows[P.X.index(i, p)], P.X.value(i, p)
                for k in range(z.size):
                    row[k, W] -= eta * h[i, k] * x
        t += 1
    return t


@dataclass(frozen=True)
class LSVRG(MiniBatch, Tabled[State]):
    """Loopless SVRG with a proximal step, of one example or of a block, by any probabilities.

    Parameters
    ----------
    batch_size : int, optional
        Examples updated together: with uniform sampling the same as ``TauNice(batch_size)``.
    step : float or None, default None
        eta; None: 1/(3 L). The theorem covers no longer one.
    rho : float in (0, 1] or None, default None
        The chance that a step renews the snapshot, by a full gradient; None: the smallest probability of an example.

    References
    ----------
    Kovalev, Horvath & Richtarik, Don't jump through hoops and remove those loops (2020);
    Qian, Qu & Richtarik, L-SVRG and L-Katyusha with arbitrary sampling (2021).
    """

    rho: float | None = None

    blocks_of = OneOrMany.blocks_of
    name: ClassVar[str] = "lsvrg"
    takes: ClassVar[tuple[str, ...]] = ("l1", "vectors", "blocks", "bounds")
    summary: ClassVar[str] = "stochastic gradient, corrected by a full gradient whenever a coin says so"
    guarantee: ClassVar[str] = "max_i max(1/pᵢ, βvᵢ/(pᵢλn)) log"
    reference: ClassVar[str] = "Kovalev, Horvath & Richtarik 2020; Qian, Qu & Richtarik 2021"
    counts_ideal: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        Tabled.__post_init__(self)
        set_number_field(self, "rho", "a number > 0 and <= 1, or None", high=1, ends="(]")

    def chance(self, problem: Problem, sampling: SamplingLike) -> float:
        """The chance that a step renews the snapshot."""
        p = self.probabilities(problem, sampling)
        return float(p[p > 0].min()) if self.rho is None else self.rho

    def orders(self, problem: Problem, sampling: Sampling, rng: np.random.Generator) -> Iterator[Tossed]:
        """Blocks, and after those of an epoch its coins."""
        rho = self.chance(problem, sampling)
        for drawn in super().orders(problem, sampling, rng):
            yield Tossed(drawn.indices, drawn.starts, rng.random(drawn.size) < rho)

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        w = problem.zeros(problem.d) if start is None else start.w
        alpha = problem.alpha(w)
        weight, L = drawn_smoothness(self, problem, sampling)
        table = step_table(1 / (3 * L) if self.step is None else self.step, problem.mu)
        sweeps = 0.5 if start is None else 1.0  # at w = 0 nothing is read
        rows, change, h = rows_of(w, -problem.v(alpha)), np.zeros(alpha.shape), np.zeros(alpha.shape)
        return State(rows, -alpha, change, weight, h, table, 0, sweeps * problem.nnz)

    def epoch(self, P: View, S: State, order: Tossed) -> State:
        if S.tab.ndim == 1:
            return S._replace(t=lsvrg_epoch(P, S, order))
        return S._replace(t=lsvrg_vectors_epoch(P, S, order, np.empty(S.tab.shape[1])))

    def warm(self, P: View, S: State) -> None:
        self.epoch(P, S, Tossed(np.empty(0, np.uint64), np.zeros(1, np.uint64), np.empty(0, bool)))

    def count(self, problem: Problem, S: State, order: Any) -> Count:
        """The nonzeros of the examples, and all of them for each renewal, as svrg's full gradients."""
        ideal = float(self.visits(problem)[order.indices].sum())
        visits = ideal + order.heads.sum() * problem.nnz + (S.table_visits if S.t == order.size else 0.0)
        return Count(order.size, visits, order.indices.size, ideal)
