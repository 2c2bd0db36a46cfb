"""What a theorem promises on a problem, what is drawn under it, and how far from it a state is.

A ratio is seen over promised, and promised over seen where a statement is that something gains: above 1 it refutes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np

from cdlab.eso_parameters import eso
from cdlab.exact_rates.optimum import find_optimum
from cdlab.exact_rates.quadratics import dense
from cdlab.problems.problem import Problem
from cdlab.theory.bound import Bound
from cdlab.theory.named_samplings import name_sampling

RESOLVED = 1e-9  # Share of the size of its terms below which a difference is rounding, and says nothing.
LARGEST = 8.0  # Of the logarithms of which parameters and ratios of probabilities are made.


class Draws(NamedTuple):
    """A sampling of lines, such as the rows: probabilities, squared norms or ESO parameters, and blocks with theirs."""

    p: np.ndarray
    v: np.ndarray
    blocks: tuple[tuple[float, tuple[int, ...]], ...]


@dataclass(frozen=True, eq=False)
class Promise:
    """A theorem's K or a lemma's value, as a number on a problem."""

    bound: Bound

    def __call__(self, problem: Problem, p: np.ndarray | None = None, **numbers: Any) -> float:
        """Return that number, for these probabilities where it is about any."""
        bound = self.bound.per("K") if self.bound.counts else self.bound
        if p is not None and bound.sampling == "given":
            bound = replace(bound, asked_sampling=name_sampling(p))
        return bound.for_problem(problem, **numbers)

    def rate(self, problem: Problem, p: np.ndarray | None = None, **numbers: Any) -> float:
        """The share that a step takes away: 1/K, or the value of a lemma that states one."""
        found = self(problem, p, **numbers)
        return 1 / found if self.bound.counts else found

    def draws(self, problem: Problem, share: np.ndarray | None = None) -> Draws:
        """The draws of the theorem's sampling, uniform if it names none, or of probabilities with these logarithms."""
        side, name = self.bound.side, self.bound.sampling
        sampling = self.bound.asked_sampling or name_sampling("uniform" if name == "any" else name)
        drawn = problem.coordinates(side)
        if sampling.in_blocks:
            p, m = sampling.probabilities(drawn), sampling.block_size or 1
            blocks = tuple(combinations(range(drawn.m), m))
            return Draws(p, eso(problem.X, sampling.sampling, side), tuple((1 / len(blocks), S) for S in blocks))
        p = softmax(share) if share is not None else sampling.probabilities(drawn)
        return Draws(p, drawn.norms2, tuple((float(p[i]), (i,)) for i in range(p.size)))


def softmax(share: np.ndarray) -> np.ndarray:
    """Probabilities from numbers."""
    p = np.exp(np.maximum(share - share.max(), -LARGEST))
    return p / p.sum()


def above(least: float, number: Any) -> float:
    """A parameter that is at least this: that itself for every number of up to 0."""
    return least * positive(max(float(number), 0.0))


def positive(number: Any) -> float:
    """A parameter of any size."""
    return float(np.exp(np.clip(number, -LARGEST, LARGEST)))


# ------------------------------------------------------------ ratios
def at_most(seen: float, promised: float, size: float = 0.0) -> float:
    """The ratio of "this is at most that"; 0 where the promise is rounding beside numbers of this size."""
    return seen / promised if promised > RESOLVED * size else 0.0


def at_least(seen: float, promised: float, size: float = 0.0) -> float:
    """The ratio of "this is at least that"."""
    if promised <= RESOLVED * size:
        return 0.0
    return promised / seen if seen > 0 else np.inf


# ------------------------------------------------------------ problems
def optimum(problem: Problem) -> np.ndarray:
    """w*; with l1, of the squared loss, the best minimiser of those for every pattern of signs."""
    if problem.l1 == 0:
        return find_optimum(problem).w
    X, n, d = dense(problem.X), problem.n, problem.d
    H, b = X.T @ X / n + problem.l2 * np.eye(d), X.T @ problem.y / n
    best, lowest = np.zeros(d), 0.0
    for signs in product((-1.0, 0.0, 1.0), repeat=d):
        s = np.array(signs)
        A = np.flatnonzero(s)
        w = np.zeros(d)
        w[A] = np.linalg.solve(H[np.ix_(A, A)], (b - problem.l1 * s)[A])
        value = w @ H @ w / 2 - b @ w + problem.l1 * np.abs(w).sum()
        best, lowest = (w, value) if value < lowest else (best, lowest)
    return best


def smoothness(problem: Problem) -> tuple[float, float]:
    """L_f of the mean loss, and L = L_f + l2 of P."""
    of_f = float(np.linalg.norm(dense(problem.X), 2)) ** 2 / (problem.n * problem.loss.gamma)
    return of_f, of_f + problem.l2


def feasible(problem: Problem, alpha: np.ndarray) -> np.ndarray:
    """The nearest alpha at which D is finite."""
    return alpha if problem.dual_box is None else np.clip(alpha, *problem.dual_box)


def best_along(problem: Problem, alpha: np.ndarray, i: int, v: float | None = None) -> float:
    """The alpha_i of SDCA's step, at w(alpha); v in place of ||x_i||^2 in blocks."""
    q = (problem.row_profile.norms2[i] if v is None else v) / (problem.l2 * problem.n)
    return -problem.loss.dualprox(dense(problem.X)[i] @ problem.w(alpha), -alpha[i], q, problem.loss_y[i])


def exact_moves(problem: Problem, draws: Draws, alpha: np.ndarray) -> Iterator[tuple[float, np.ndarray]]:
    """Each block's probability, and alpha after SDCA's steps along it, all from the same w."""
    for p, block in draws.blocks:
        yield p, with_entries(alpha, block, [best_along(problem, alpha, i, draws.v[i]) for i in block])


def damped_moves(
    draws: Draws, alpha: np.ndarray, goal: np.ndarray, rate: float
) -> Iterator[tuple[float, tuple[int, ...], np.ndarray]]:
    """Each block's probability, the block, and alpha after it went the share rate/p_i of the way to the goal."""
    for p, block in draws.blocks:
        S = list(block)
        yield p, block, with_entries(alpha, S, alpha[S] + rate / draws.p[S] * (goal - alpha)[S])


def with_entries(x: np.ndarray, block: Any, values: Any) -> np.ndarray:
    """A copy of x with other entries in a block."""
    x = x.copy()
    x[list(block) if isinstance(block, tuple) else block] = values
    return x


def shrunk(x: Any, l1: float) -> Any:
    """The minimiser of (t - x)^2/2 + l1 |t|."""
    return np.sign(x) * np.maximum(np.abs(x) - l1, 0.0)


def primal_moves(problem: Problem, draws: Draws, w: np.ndarray) -> Iterator[tuple[float, np.ndarray]]:
    """Each block's probability, and w after the steps of proximal coordinate descent along it."""
    slopes = problem.gradient(w) - problem.l2 * w
    h = draws.v / (problem.n * problem.loss.gamma)
    moved = shrunk(h * w - slopes, problem.l1) / (h + problem.l2)
    for p, block in draws.blocks:
        yield p, with_entries(w, block, moved[list(block)])
