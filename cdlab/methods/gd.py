"""Gradient descent on the loss, with the regulariser through its prox: proximal gradient descent, ISTA.

Problem     min_w P(w) = f(w) + g(w),  f(w) = (1/n) sum_i phi(x_i'w) smooth,  g = (l2/2)||.||^2 + l1||.||_1
Algorithm   w <- prox_{g/L}(w - grad f(w)/L),  L = L_f = ||X||_2^2/(n gamma)
Guarantee   P(w_k) - P* <= (1 + l2/L)^-k (P(w_0) - P*), that is (1 - 1/(1 + kappa_f))^k with kappa_f = L/l2;
            l2 = 0: P(w_k) - P* <= L ||w_0 - w*||^2/(2k)
Reference   Beck & Teboulle, A fast iterative shrinkage-thresholding algorithm (2009), Lemma 2.3 and Theorem 3.1. With g
            l2-strongly convex the lemma says P(w+) + (L + l2)/2 ||w+ - u||^2 <= P(u) + L/2 ||w - u||^2 for every u; the
            linear rate is its value at u = w + l2/(L + l2) (w* - w)
Notation    grad f(w) = -v(alpha(w)) with alpha_i = -phi'(x_i'w), v = X'alpha/n
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..numerics.checks import set_number_field
from ..numerics.jit import kernel
from ..problems.convexity import smoothness
from ..problems.points import Points, View
from ..problems.problem import Problem
from ..problems.products import predict_into
from ..samplings import SamplingLike
from .descent import Descent
from .shared.full_gradient import FullGradient, descent_direction


class State(NamedTuple):
    """The iterate with X w, and the step."""

    w: np.ndarray  # (d,) primal variables
    z: np.ndarray  # (n,) X w
    v: np.ndarray  # (d,) scratch: -grad f(w)
    step: float | Any  # 1/L; None until the first epoch finds it
    passes: float  # passes of the last call


@kernel
def gd_epochs(P: View, S: State, iterations: int) -> None:
    """So many proximal gradient steps, of w and z in place."""
    w, z, v, step = S.w, S.z, S.v, S.step
    for _ in range(iterations):
        descent_direction(P, z, v)
        for j in range(w.size):
            w[j] = P.reg.of_coordinate(j).prox_at(w[j] + step * v[j], step)
        predict_into(P.X, w, z)


@dataclass(frozen=True)
class GD(FullGradient[State], Descent[State]):
    """(Proximal) gradient descent.

    Parameters
    ----------
    step : float or None, default None
        None: 1/L_f, from ||X||_2 by Lanczos' method, whose passes the first epoch counts. The theory covers steps up to
        1/L_f; from 2/(L_f + l2) on it may diverge.

    References
    ----------
    Beck & Teboulle, A fast iterative shrinkage-thresholding algorithm (2009), Theorem 3.1.
    """

    step: float | None = None

    name: ClassVar[str] = "gd"
    can_join_epochs: ClassVar[bool] = True
    summary: ClassVar[str] = "the full gradient, step after step"
    guarantee: ClassVar[str] = "κ log"
    reference: ClassVar[str] = "Beck & Teboulle 2009"

    def __post_init__(self) -> None:
        set_number_field(self, "step", "a number > 0 or None")

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        w = problem.zeros(problem.d) if start is None else start.w.copy()
        return State(w, problem.predict(w), np.zeros_like(w), self.step, 0)

    def epoch(self, P: Problem, S: State, order: np.ndarray) -> State:
        passes = order.size
        if S.step is None:
            L, products = smoothness(P)
            S, passes = S._replace(step=1 / L), passes + products
        if not P.outputs:
            gd_epochs(P.by_rows, S, order.size)
            return S._replace(passes=passes)
        for _ in order:  # the same, with products by BLAS
            S.w[:] = P.reg.prox_g(S.w + S.step * P.v(P.alpha(S.w, z=S.z)), S.step)
            S.z[:] = P.predict(S.w)
        return S._replace(passes=passes)

    def warm(self, P: Problem, S: State) -> None:
        super().warm(P, S)
        if not P.outputs:
            gd_epochs(P.by_rows, S._replace(step=1.0), 0)
