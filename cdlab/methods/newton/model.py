"""The quadratic model of P that an outer iteration minimises, and what every way to minimise it is asked."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from ...problems.problem import Problem

SAMPLED_SHARE = 0.1  # of the examples, in a sample
ROUNDING = 1e-15  # of P, below which sweeps change nothing


class Model(NamedTuple):
    """g'p + p'Hp/2 + sum_j l1_j |w_j + p_j|, H = X'diag(h)X/n + diag(ridge): P to second order, and what damps it.

    With a vector loss H is the sum over examples of (x_i x_i') kron phi''(z_i), and h is not formed.
    """

    w: np.ndarray  # (d,)
    z: np.ndarray  # (n,) X w
    h: np.ndarray  # (n,) phi''(z); empty with a vector loss
    g: np.ndarray  # (d,) gradient of P without l1 ||.||_1
    ridge: np.ndarray  # (d,) l2 and the damping; an intercept has no l2,
    l1: np.ndarray  # (d,) and no l1
    alpha: np.ndarray  # (n,) -phi'(z)
    accuracy: float  # eta: the share of the first residual that may be left


class Step(NamedTuple):
    """A step towards the minimiser of a model."""

    p: np.ndarray  # (d,)
    visits: float  # nonzeros visited to find it
    z: np.ndarray | None = None  # (n,) X (w + p), where it is at hand, computed as one product


class Inner(Protocol):
    """A way to minimise the model: its methods get the problem, and it keeps what the next iteration can use."""

    decreases_objective: bool = False  # whether P itself decreases along each step, and no line search is needed

    def step(self, P: Any, model: Model) -> Step:
        """A step that makes the model smaller, 0 where none does."""

    def warm(self, P: Any) -> None:
        """Compile or load what `step` needs."""


def examples_with(h: np.ndarray) -> np.ndarray:
    """The examples with curvature, as kernels take them: of a hinge, those on its bend."""
    return np.arange(h.size, dtype=np.uint64) if h.all() else np.flatnonzero(h).view(np.uint64)


def sample(h: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The curvature of a sample in place of all: each with probability SAMPLED_SHARE, else 0; unbiased."""
    taken = rng.random(h.size) < SAMPLED_SHARE
    return np.where(taken, h / SAMPLED_SHARE, 0.0)


def dual_share(P: Problem, alpha: np.ndarray, v: np.ndarray) -> float:
    """The multiple of alpha that certifies more: 1, or that with ||v||_inf = l1; with a small l2 more may cost much."""
    share = feasible_share(P, v)
    if share == 1 or P.l2 == 0:
        return share
    return share if P.dual(share * alpha, v=share * v) > P.dual(alpha, v=v) else 1.0


def best_dual(P: Problem, alpha: np.ndarray, v: np.ndarray) -> float:
    """D at that multiple of alpha."""
    share = feasible_share(P, v)
    scaled = P.dual(share * alpha, v=share * v)
    if share == 1 or P.l2 == 0:
        return scaled
    here = P.dual(alpha, v=v)
    return scaled if scaled > here else here


def feasible_share(P: Problem, v: np.ndarray) -> float:
    """The multiple of alpha, at most 1, with ||v||_inf <= l1."""
    largest = float(np.maximum.reduce(np.abs(v)))
    return P.l1 / largest if P.l1 < largest < np.inf else 1.0


def share_of_gap(P: Problem, model: Model, share: float) -> float:
    """What the rest of a model may cost the duality gap: a share of what it is."""
    primal = P.primal(model.w, z=model.z)
    alpha, v = model.alpha, P.l2 * P.reg.penalised * model.w - model.g
    gap = primal - (P.dual(alpha, v=v) if P.intercept else best_dual(P, alpha, v))
    return max(share * min(gap, primal), ROUNDING * abs(primal))  # far from w* a small l2 makes gaps of any size


def free_size(P: Problem, model: Model) -> float:
    """What a violation of the intercept costs the gap at least."""
    return float(np.abs(model.z).mean()) if P.intercept else 0.0
