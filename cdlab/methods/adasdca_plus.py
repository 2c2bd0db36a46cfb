"""AdaSDCA+: AdaSDCA at the price of SDCA, with probabilities that are computed once an epoch and then only lowered.

Problem     max_alpha D(alpha), as in sdca.py, phi smooth, l2 > 0
Algorithm   once every n steps: p_i ~ |alpha_i + phi'(x_i'w)| sqrt(||x_i||^2 + l2 n gamma) for all i, w = grad g*(v);
            pick i with probability p_i;  alpha_i <- argmax of D along e_i (with l1 > 0: of its standard quadratic
            lower bound);  keep v = X'alpha/n;  p_i <- p_i/m, all probabilities normalised again
Guarantee   none: a heuristic. D(alpha) never decreases
Reference   Csiba, Qu & Richtarik, Stochastic dual coordinate ascent with adaptive probabilities (2015), Algorithm 2
Notation    m is theirs; the rest as in adasdca.py

To draw with weights that change between draws, in O(log n): a binary tree of sums in an array of 2n numbers. Node k is
the sum of nodes 2k and 2k + 1, node n + i is the weight of i, node 1 the sum of all, node 0 unused. Sums are always
added up again from their parts, so rounding does not pile up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..numerics.checks import set_number_field
from ..numerics.jit import kernel, scalar
from ..problems.points import View
from ..problems.problem import Problem
from ..samplings import Sampling, SamplingLike
from ..samplings.base import Epochs
from .adasdca import Adaptive
from .base import Count, Points


class State(NamedTuple):
    """The dual point, its v, and a tree of weights to draw from."""

    alpha: np.ndarray  # (n,) dual variables
    v: np.ndarray  # (d,) X'alpha/n
    q: np.ndarray  # (n,) ||x_i||^2/(l2 n): n times the curvature of g*(X'alpha/n) along e_i (l1 > 0: a bound on it)
    counts: np.ndarray  # (n,) nonzeros of each example
    tree: np.ndarray  # (2n,) of weights proportional to p_i, see below
    weight: np.ndarray  # (n,) its leaves
    gamma: float  # of the loss; ||x_i||^2 + l2 n gamma = l2 n (q_i + gamma)
    m: float
    visited: int  # nonzeros visited in the last epoch's steps


@scalar
def add_up(tree: np.ndarray) -> None:
    """All sums from the leaves."""
    for k in range(tree.size // 2 - 1, 0, -1):
        tree[k] = tree[2 * k] + tree[2 * k + 1]


@scalar
def set_weight(tree: np.ndarray, i: int, weight: float) -> None:
    """Give i this weight."""
    k = tree.size // 2 + i
    tree[k] = weight
    while k > 1:
        k //= 2
        tree[k] = tree[2 * k] + tree[2 * k + 1]


@scalar
def draw_from_tree(tree: np.ndarray, uniform: float) -> np.uint64:
    """The i that a uniform number in [0, 1) falls on, each on a share in proportion to its weight.

    Never one of weight 0, whatever the rounding, unless all are 0.
    """
    n, k = tree.size // 2, 1
    target = uniform * tree[1]
    while k < n:
        k *= 2
        if target >= tree[k] and tree[k + 1] > 0:
            target -= tree[k]
            k += 1
    return np.uint64(k - n)


@kernel
def adasdca_plus_epoch(P: View, S: State, uniforms: np.ndarray) -> int:
    """Take an exact step for each uniform number, whose example becomes m times as unlikely. Returns their nonzeros."""
    alpha, v, q, tree, weight, y, n, visited = S.alpha, S.v, S.q, S.tree, S.weight, P.y, P.y.size, 0
    for k in range(uniforms.size):
        if k % n == 0:
            for i in range(np.uint64(n)):
                residual = alpha[i] + P.loss.grad_phi(P.X.dot(i, v, P.reg) / P.reg.l2, y[i])
                weight[i] = abs(residual) * (q[i] + S.gamma) ** 0.5
            add_up(tree)
        i = draw_from_tree(tree, uniforms[k])
        u = P.X.dot(i, v, P.reg) / P.reg.l2  # u = x_i'w, w = grad g*(v)
        new = -P.loss.dualprox(u, -alpha[i], q[i], y[i])  # maximise the dual along e_i
        P.X.add(i, (new - alpha[i]) / n, v)  # v += (alpha_i' - alpha_i) x_i/n
        alpha[i] = new
        set_weight(tree, i, weight[i] / S.m)  # p_i <- p_i/m
        visited += S.counts[i]
    return visited


@dataclass(frozen=True)
class AdaSDCAPlus(Adaptive):
    """Dual coordinate ascent with adaptive probabilities, recomputed once an epoch.

    Parameters
    ----------
    m : float, default 10
        What the probability of an example is divided by each time it has been picked; 1 keeps it for the epoch.

    References
    ----------
    Csiba, Qu & Richtarik, Stochastic dual coordinate ascent with adaptive probabilities (2015), Algorithm 2.
    """

    m: float = 10.0

    name: ClassVar[str] = "adasdca_plus"
    can_join_epochs: ClassVar[bool] = True
    summary: ClassVar[str] = "draws the examples that still promise most, worked out anew once a pass"

    def __post_init__(self) -> None:
        set_number_field(self, "m", "a number >= 1, which divides probabilities", (), low=1, ends="[)")

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        profile, n = problem.row_profile, problem.n
        alpha = np.zeros(n) if start is None else start.alpha.copy()
        q, tree = problem.dual_curvatures, np.zeros(2 * n)
        return State(alpha, problem.v(alpha), q, profile.counts, tree, tree[n:], problem.loss.gamma, float(self.m), 0)

    def epoch(self, P: View, S: State, order: np.ndarray) -> State:
        return S._replace(visited=adasdca_plus_epoch(P, S, order))

    def orders(self, problem: Problem, sampling: Sampling, rng: np.random.Generator) -> Iterator[Any]:
        """Uniform numbers, one for each step; an epoch is n steps."""
        return Epochs(lambda k: rng.random(k * problem.n))

    def count(self, problem: Problem, S: State, order: Any) -> Count:
        sweeps = -(-order.size // problem.n)
        return Count(order.size, sweeps * problem.nnz / 2 + S.visited)
