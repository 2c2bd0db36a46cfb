"""The quadratic model of P that an outer iteration minimises, and what every way to minimise it is asked."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from ...losses.per_example import mean_conjugate
from ...problems.certificates import objectives
from ...problems.points import Points
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
    decreases_model: bool = True  # whether the model does, whatever is rounded

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


def scaled_dual(P: Problem, alpha: np.ndarray, share: float) -> float:
    """D of the multiple `share` of alpha, which has ||v||_inf <= l1."""
    return -mean_conjugate(P.loss, share * alpha, P.loss_y)


def dual_share(P: Problem, alpha: np.ndarray, v: np.ndarray) -> float:
    """The multiple of alpha that certifies more: 1, or that with ||v||_inf = l1; with a small l2 more may cost much."""
    share = P.feasible_share(v)
    if not share < 1:
        return 1.0
    return share if P.l2 == 0 or scaled_dual(P, alpha, share) > P.dual(alpha, v=v) else 1.0


def share_of_gap(P: Problem, model: Model, share: float) -> float:
    """What the rest of a model may cost the duality gap: a share of what it is."""
    v = P.l2 * P.reg.penalised * model.w - model.g
    primal, dual = objectives(P, Points(model.w, model.alpha, z=model.z, v=v))
    if P.l2 > 0 and not P.intercept and (feasible := P.feasible_share(v)) < 1:
        dual = max(dual, scaled_dual(P, model.alpha, feasible))
    gap = primal - dual
    return max(share * min(gap, primal), ROUNDING * abs(primal))  # far from w* a small l2 makes gaps of any size


def free_size(P: Problem, model: Model) -> float:
    """What a violation of the intercept costs the gap at least."""
    return float(np.abs(model.z).mean()) if P.intercept else 0.0
