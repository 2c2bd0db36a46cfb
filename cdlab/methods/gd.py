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
from typing import ClassVar, NamedTuple

import numpy as np

from ..numerics.checks import set_number_field
from ..problems.convexity import smoothness
from ..problems.points import Points
from ..problems.problem import Problem
from ..samplings import SamplingLike
from .descent import Descent
from .shared.full_gradient import FullGradient


class State(NamedTuple):
    """The iterate with X w, and the step."""

    w: np.ndarray  # (d,) primal variables
    z: np.ndarray  # (n,) X w
    step: float | None  # 1/L; None until the first epoch finds it
    passes: float  # passes of the last epoch


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
    summary: ClassVar[str] = "the full gradient, step after step"
    guarantee: ClassVar[str] = "κ log"
    reference: ClassVar[str] = "Beck & Teboulle 2009"

    def __post_init__(self) -> None:
        set_number_field(self, "step", "a number > 0 or None")

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        w = problem.zeros(problem.d) if start is None else start.w.copy()
        return State(w, problem.predict(w), self.step, 0)

    def epoch(self, P: Problem, S: State, order: None) -> State:
        step, passes = S.step, 1
        if step is None:
            L, products = smoothness(P)
            step, passes = 1 / L, 1 + products
        v = P.v(P.alpha(S.w, z=S.z))  # -grad f(w)
        w = P.reg.prox_g(S.w + step * v, step)
        return State(w, P.predict(w), step, passes)
