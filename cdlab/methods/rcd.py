"""Primal randomized coordinate descent (RCD): proximal gradient steps along random coordinates of w.

Problem     min_w P(w) = (1/n) sum_i phi(x_i'w) + (l2/2)||w||^2 + l1 ||w||_1, phi smooth
Algorithm   draw a random set S of coordinates (one, or a block); for all j in S, from the same w and z = X w:
            g_j = (1/n) sum_i X_ij phi'(z_i) + l2 w_j;  w_j <- argmin_t { g_j t + (L_j/2)(t - w_j)^2 + l1 |t| };  keep z
            with L_j = (beta u_j + l2 n)/n, beta = 1/gamma, u_j from cdlab.eso(X, sampling, "primal");
            serial: u_j = ||X_:j||^2. The argmin is w_j - g_j/L_j, with l1 > 0 moved by l1/L_j towards 0;
            for the squared loss a serial step minimises P along e_j
Guarantee   any sampling with all p_j = Prob(j in S) > 0:
            l2 > 0: E[P(w_t)] - P* <= (1 - rho)^t (P(w_0) - P*), rho = min_j p_j l2/L_j
            l2 >= 0: E[P(w_t)] - P* <= (P(w_0) - P* + sum_j (p_min H_j/(2 p_j)) (w_0j - w*_j)^2)/(1 + p_min t),
            H_j = beta u_j/n, p_min = min_j p_j
Reference   Csiba & Richtarik, Coordinate descent face-off: primal or dual? (2016), Algorithm 1 and Theorem 1, eq. (8),
            which is NSync's form; with l1 Richtarik & Takac, Iteration complexity of randomized block-coordinate
            descent methods for minimizing a composite function (2014); l2 = 0 Lu & Xiao, On the complexity analysis of
            randomized block-coordinate descent methods (2015)
Notation    our X (n, d) is the transpose of the face-off's; our L_j is its u'_j
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..numerics.jit import kernel
from ..problems.points import View
from ..problems.problem import Problem
from ..samplings import Batches, SamplingLike
from .base import Points
from .blocks import OneOrMany
from .descent import Descent


class State(NamedTuple):
    """The primal point with X w, and the smoothness that steps are made of."""

    w: np.ndarray  # (d,) primal variables
    z: np.ndarray  # (n,) X w
    L: np.ndarray  # (d,) smoothness of P along e_j, or what takes its place in blocks
    h: np.ndarray  # (d,) scratch: steps of the current block; (0,) in serial runs


@kernel
def rcd_epoch(P: View, S: State, order: np.ndarray) -> None:
    """Take a proximal gradient step along each coordinate of `order`, of w and z in place."""
    w, z, L, y, n = S.w, S.z, S.L, P.y, P.y.size
    for k in range(order.size):
        j = P.X.pick(order, k, (w, L))
        reg = P.reg.of_coordinate(j)
        g = P.X.slope(j, z, y, P.loss) / n + reg.l2 * w[j]
        step = reg.l1_step(w[j], -g / L[j], L[j])
        if step != 0:  # where l1 holds w_j at 0, column j is read only
            w[j] = reg.inside(w[j] + step)
            P.X.add(j, step, z)  # z += step X_:j


@kernel
def rcd_block_epoch(P: View, S: State, batches: Batches) -> None:
    """Take a step for each block, along all of its coordinates from the same w."""
    w, z, L, h, y, n, starts, order = S.w, S.z, S.L, S.h, P.y, P.y.size, batches.starts, batches.indices
    for b in range(starts.size - 1):
        for k in range(starts[b], starts[b + 1]):
            j = P.X.pick(order, k, (w, L))
            reg = P.reg.of_coordinate(j)
            g = P.X.slope(j, z, y, P.loss) / n + reg.l2 * w[j]
            h[j] = reg.l1_step(w[j], -g / L[j], L[j])
        for k in range(starts[b], starts[b + 1]):  # only now: all of a block starts from the same w
            j = order[k]
            w[j] = P.reg.of_coordinate(j).inside(w[j] + h[j])
            P.X.add(j, h[j], z)


@dataclass(frozen=True)
class RCD(OneOrMany, Descent[State]):
    """(Proximal) randomized coordinate descent on w, one coordinate or a block at a time; keeps z = X w. Takes l2 = 0.

    Parameters
    ----------
    batch_size : int, optional
        Features updated together: with uniform sampling the same as ``TauNice(batch_size)``.

    References
    ----------
    Csiba & Richtarik, Coordinate descent face-off: primal or dual? (2016), Algorithm 1 and Theorem 1, eq. (8); with l1
    Richtarik & Takac, Iteration complexity of randomized block-coordinate descent methods for minimizing a composite
    function (2014).
    """

    name: ClassVar[str] = "rcd"
    can_split_epoch: ClassVar[bool] = True
    summary: ClassVar[str] = "one feature at a time, with a step for each; the face-off's primal side"
    guarantee: ClassVar[str] = "max_j (βuⱼ + λn)/(pⱼλn) log; 1/(p_min ε) for λ = 0 (Richtarik & Takac 2014)"
    reference: ClassVar[str] = "Csiba & Richtarik 2016"
    side: ClassVar[str] = "primal"
    needs: ClassVar[tuple[str, ...]] = ("smooth",)
    takes: ClassVar[tuple[str, ...]] = ("l1", "intercept", "blocks", "bounds")

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        _, s, h = self.step_sizes(problem, sampling)
        w = np.zeros(problem.d) if start is None else np.where(self.visits(problem) > 0, start.w, 0.0)
        L = np.where(s > 0, s / problem.n, 1.0)  # l2 = 0 and an empty column: P is |w_j| or constant there
        return State(w, problem.predict(w), L, h)

    def epoch(self, P: View, S: State, order: Any) -> State:
        (rcd_block_epoch if S.h.size else rcd_epoch)(P, S, order)
        return S
