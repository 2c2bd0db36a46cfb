"""Quadratic model of P that an outer iteration minimises, and the protocol of inner solvers."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from ...losses.per_example import Expansion, mean_conjugate
from ...problems.problem import Problem
from .sweeps import violation_cost

SAMPLED_SHARE = 0.1  # Share of the examples in a sample.


class Model(NamedTuple):
    """g'p + p'Hp/2 + sum_j l1_j |w_j + p_j|, H = X'diag(h)X/n + diag(ridge): P to second order, with damping.

    With a vector loss H is the sum over examples of (x_i x_i') kron phi''(z_i), and h is not formed.
    """

    w: np.ndarray  # (d,)
    z: np.ndarray  # (n,) X w
    h: np.ndarray  # (n,) phi''(z); empty with a vector loss
    g: np.ndarray  # (d,) gradient of P without l1 ||.||_1
    violations: np.ndarray  # (d,) smallest subgradient of P
    ridge: np.ndarray  # (d,) l2 and the damping; an intercept has no l2,
    l1: np.ndarray  # (d,) and no l1
    at: Expansion  # of the losses at z; h may be that of a sample
    accuracy: float  # eta, the share of the first residual that may be left


class Step(NamedTuple):
    """A step towards the minimiser of a model."""

    p: np.ndarray  # (d,)
    visits: float  # nonzeros visited to find it
    z: np.ndarray | None = None  # (n,) X (w + p), where it is at hand, computed as one product


class InnerSolver(Protocol):
    """Protocol of solvers of a model: its methods get the problem, and it keeps data for the next iteration."""

    decreases_objective: bool = False  # P itself decreases along each step, and no line search is needed
    decreases_model: bool = True  # the model decreases in spite of rounding

    def step(self, P: Any, model: Model) -> Step:
        """Return a step that decreases the model, 0 where none does."""

    def warm(self, P: Any) -> None:
        """Compile or load the kernels of `step`."""


def examples_with(h: np.ndarray) -> np.ndarray:
    """Return the examples with curvature, as kernels take them: those on its bend for a hinge."""
    return np.arange(h.size, dtype=np.uint64) if h.all() else np.flatnonzero(h).view(np.uint64)


def sample(h: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Sample the curvature without bias: each example with probability SAMPLED_SHARE, else 0."""
    taken = rng.random(h.size) < SAMPLED_SHARE
    return np.where(taken, h / SAMPLED_SHARE, 0.0)


def scaled_dual(P: Problem, alpha: np.ndarray, share: float) -> float:
    """Return D at share * alpha, where ||v||_inf <= l1."""
    return -mean_conjugate(P.loss, share * alpha, P.loss_y)


def dual_share(P: Problem, alpha: np.ndarray, v: np.ndarray) -> float:
    """Return the factor of alpha that certifies more: 1, or the one with ||v||_inf = l1."""
    share = P.feasible_share(v)
    if not share < 1:
        return 1.0
    return share if P.l2 == 0 or scaled_dual(P, alpha, share) > P.dual(alpha, v=v) else 1.0


def cost_of_violations(P: Problem, model: Model) -> float:
    """Return what the violations at w cost in the gap, at most P(0); from w = 0, where each costs 0, it is P(0).

    A model may leave a share of it. Below what rounding leaves, sweeps end nevertheless: smaller steps are none.
    """
    if not model.w[: P.d - P.intercept].any():
        return P.at_zero
    return min(P.at_zero, violation_cost(model.w, model.violations, model.l1, P.mu, free_size(P, model)))


def free_size(P: Problem, model: Model) -> float:
    """Return the least cost of a violation of the intercept in the gap."""
    return float(np.abs(model.z).mean()) if P.intercept else 0.0
