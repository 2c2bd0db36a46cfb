"""AdaSDCA: dual coordinate ascent that draws each example in proportion to how far it is from optimality right now.

Problem     max_alpha D(alpha), as in sdca.py, phi smooth, l2 > 0
Algorithm   residual_i = alpha_i + phi'(x_i'w) for all i, w = grad g*(v), v = X'alpha/n;
            pick i with probability p_i ~ |residual_i| sqrt(||x_i||^2 + l2 n gamma);  keep v
            step="exact": alpha_i <- argmax of D along e_i (with l1 > 0: of its standard quadratic lower bound)
            step="fixed": alpha_i -= (theta/p_i) residual_i, theta = min(l2 n gamma sum_i residual_i^2 /
                          sum_i residual_i^2 (||x_i||^2 + l2 n gamma)/p_i,  min p_i over residual_i != 0)
Guarantee   one step, either one: E D(alpha+) - D(alpha) >= theta (P(w) - D(alpha)), and this p maximises the first
            term of theta. As soon as one residual is nearly 0 so is theta, and with it the fixed step
Cost        all residuals at every step: half a pass. adasdca_plus does so once an epoch
Reference   Csiba, Qu & Richtarik, Stochastic dual coordinate ascent with adaptive probabilities (2015), Algorithm 1
Notation    residual is their kappa, v_i = ||x_i||^2; the rest as in sdca.py
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..numerics import checks
from ..numerics.jit import kernel, scalar
from ..problems.points import View
from ..problems.problem import Problem
from ..samplings import Sampling, SamplingLike
from ..samplings.base import Epochs
from .base import Count, Points
from .descent import Descent

STEPS = 2  # Steps of an epoch: with half a pass for each it is about one pass.


class State(NamedTuple):
    """The dual point, its v, and the residuals that probabilities are made of."""

    alpha: np.ndarray  # (n,) dual variables
    v: np.ndarray  # (d,) X'alpha/n
    q: np.ndarray  # (n,) ||x_i||^2/(l2 n): n times the curvature of g*(X'alpha/n) along e_i (l1 > 0: a bound on it)
    counts: np.ndarray  # (n,) nonzeros of each example
    residual: np.ndarray  # (n,) scratch
    weight: np.ndarray  # (n,) scratch, proportional to p_i
    gamma: float  # of the loss; ||x_i||^2 + l2 n gamma = l2 n (q_i + gamma)
    visited: float  # nonzeros of the examples picked in the last epoch


@scalar
def residuals(P: View, S: State) -> float:
    """Every example's residual and weight; returns the sum of the weights."""
    total = 0.0
    for i in range(np.uint64(P.y.size)):
        u = P.X.dot(i, S.v, P.reg) / P.reg.l2  # u = x_i'w, w = grad g*(v)
        S.residual[i] = S.alpha[i] + P.loss.grad_phi(u, P.y[i])
        S.weight[i] = abs(S.residual[i]) * (S.q[i] + S.gamma) ** 0.5
        total += S.weight[i]
    return total


@scalar
def draw_from_weights(weight: np.ndarray, target: float) -> np.uint64:
    """The index at which the running sum of the weights passes the target: never at a weight of 0, unless all are."""
    last = np.uint64(0)
    for i in range(np.uint64(weight.size)):
        if weight[i] > 0:
            last = i  # type: ignore[assignment]  # unsigned, too
            target -= weight[i]
            if target < 0:
                break
    return last


@kernel
def adasdca_epoch(P: View, S: State, uniforms: np.ndarray) -> float:
    """Take an exact step for each uniform number, on the example it picks. Returns the nonzeros of those examples."""
    alpha, v, q, y, n, visited = S.alpha, S.v, S.q, P.y, P.y.size, 0.0
    for uniform in uniforms:
        i = draw_from_weights(S.weight, uniform * residuals(P, S))
        u = P.X.dot(i, v, P.reg) / P.reg.l2
        new = -P.loss.dualprox(u, -alpha[i], q[i], y[i])  # maximise the dual along e_i
        P.X.add(i, (new - alpha[i]) / n, v)  # v += (alpha_i' - alpha_i) x_i/n
        alpha[i] = new
        visited += S.counts[i]
    return visited


@kernel
def adasdca_fixed_epoch(P: View, S: State, uniforms: np.ndarray) -> float:
    """Take a step of length theta/p_i for each uniform number. Returns the nonzeros written: the search read them."""
    alpha, v, residual, weight, n, visited = S.alpha, S.v, S.residual, S.weight, P.y.size, 0.0
    for uniform in uniforms:
        total = residuals(P, S)
        if total == 0:  # the optimum
            break
        squares, smallest = 0.0, total
        for i in range(n):
            squares += residual[i] ** 2
            if weight[i] > 0:
                smallest = min(smallest, weight[i])
        theta = min(S.gamma * squares / total**2, smallest / total)  # p_i = weight_i/total in the algorithm
        i = draw_from_weights(weight, uniform * total)
        change = -theta * total / weight[i] * residual[i]
        alpha[i] += change
        P.X.add(i, change / n, v)
        visited += S.counts[i] / 2
    return visited


class Adaptive(Descent[Any]):
    """Dual coordinate ascent with adaptive probabilities, for smooth losses.

    Orders hold a uniform number for each step, which becomes a coordinate when its turn comes.
    """

    reference: ClassVar[str] = "Csiba, Qu & Richtarik 2015"
    side: ClassVar[str] = "dual"
    needs: ClassVar[tuple[str, ...]] = ("l2", "smooth")
    takes: ClassVar[tuple[str, ...]] = ("l1", "bounds")
    samplings: ClassVar[tuple[str, ...]] = ("uniform",)  # solve's default; the method chooses by itself

    def draws(self, sampling: Sampling) -> Sampling | None:
        return None

    def warm(self, P: View, S: Any) -> None:
        self.epoch(P, S, np.empty(0))


@dataclass(frozen=True)
class AdaSDCA(Adaptive):
    """Dual coordinate ascent with adaptive probabilities, recomputed at every step.

    Parameters
    ----------
    step : "exact" or "fixed", default "exact"
        The maximiser along the coordinate, or the step of the one-step inequality, which is there to check it.

    References
    ----------
    Csiba, Qu & Richtarik, Stochastic dual coordinate ascent with adaptive probabilities (2015), Algorithm 1.
    """

    step: str = "exact"

    name: ClassVar[str] = "adasdca"
    can_join_epochs: ClassVar[bool] = True
    summary: ClassVar[str] = "draws the examples that still promise most, worked out anew at every step"
    guarantee: ClassVar[str] = "at least sdca's best"

    def __post_init__(self) -> None:
        checks.one_of("adasdca's step", self.step, ("exact", "fixed"))

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        counts, q, n = problem.row_profile.counts, problem.dual_curvatures, problem.n
        alpha = np.zeros(n) if start is None else start.alpha.copy()
        return State(alpha, problem.v(alpha), q, counts, np.zeros(n), np.zeros(n), problem.loss.gamma, 0.0)

    def epoch(self, P: View, S: State, order: np.ndarray) -> State:
        return S._replace(visited=(adasdca_epoch if self.step == "exact" else adasdca_fixed_epoch)(P, S, order))

    def orders(self, problem: Problem, sampling: Sampling, rng: np.random.Generator) -> Iterator[Any]:
        """Uniform numbers, one for each step."""
        return Epochs(lambda k: rng.random(k * STEPS))

    def count(self, problem: Problem, S: State, order: Any) -> Count:
        return Count(order.size, order.size * problem.nnz / 2 + S.visited)
