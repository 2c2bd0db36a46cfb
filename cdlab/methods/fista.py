"""FISTA: the proximal gradient step from an extrapolated point; with constant extrapolation if l2 > 0.

Problem     min_w P(w) = f(w) + g(w) with a smooth loss. l2 > 0: (l2/2)||w||^2 is taken into f, so g = l1||.||_1 always
Algorithm   w_k = prox_{g/L}(y_k - grad f(y_k)/L),  L = L_f + l2, L_f = ||X||_2^2/(n gamma)
            y_{k+1} = w_k + beta_k (w_k - w_{k-1})
            l2 = 0: beta_k = (t_k - 1)/t_{k+1}, t_{k+1} = (1 + sqrt(1 + 4 t_k^2))/2, t_1 = 1
            l2 > 0: beta_k = (sqrt L - sqrt l2)/(sqrt L + sqrt l2)
Guarantee   l2 = 0: P(w_k) - P* <= 2 L ||w_0 - w*||^2/(k + 1)^2
            l2 > 0: P(w_k) - P* <= (1 - sqrt(l2/L))^k (P(w_0) - P* + (l2/2)||w_0 - w*||^2)
Reference   Beck & Teboulle, A fast iterative shrinkage-thresholding algorithm (2009), Theorem 4.4;
            Beck, First-order methods in optimization (2017), Theorem 10.42 (V-FISTA)
Notation    grad f(y) = l2 y - v(alpha(y)) with alpha_i = -phi'(x_i'y), v = X'alpha/n; their x is our w
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar, NamedTuple

import numpy as np

from ..numerics.checks import set_number_field
from ..problems.convexity import smoothness
from ..problems.points import Points
from ..problems.problem import Problem
from ..samplings import SamplingLike
from .shared.full_gradient import FullGradient


class State(NamedTuple):
    """The iterate, the extrapolated point, and the step."""

    w: np.ndarray  # (d,) primal variables
    z: np.ndarray  # (n,) X w
    y: np.ndarray  # (d,) extrapolated point
    zy: np.ndarray  # (n,) X y
    t: float
    step: float | None  # 1/L; None until the first epoch finds it
    passes: float  # passes of the last epoch


@dataclass(frozen=True)
class FISTA(FullGradient[State]):
    """Accelerated proximal gradient with a constant step.

    Parameters
    ----------
    step : float or None, default None
        None: 1/(L_f + l2), with ||X||_2 by Lanczos' method, whose passes the first epoch counts. The theory covers
        steps up to that.

    References
    ----------
    Beck & Teboulle, A fast iterative shrinkage-thresholding algorithm (2009), Theorem 4.4;
    Beck, First-order methods in optimization (2017), Theorem 10.42 (V-FISTA).
    """

    step: float | None = None

    name: ClassVar[str] = "fista"
    summary: ClassVar[str] = "accelerated full gradient with a constant step"
    guarantee: ClassVar[str] = "√κ log"
    reference: ClassVar[str] = "Beck & Teboulle 2009"

    def __post_init__(self) -> None:
        set_number_field(self, "step", "a number > 0 or None")

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        w = problem.zeros(problem.d) if start is None else start.w.copy()
        z = problem.predict(w)
        return State(w, z, w, z, 1.0, self.step, 0)

    def epoch(self, P: Problem, S: State, order: None) -> State:
        step, passes = S.step, 1
        if step is None:
            L, products = smoothness(P)
            step, passes = 1 / (L + P.l2), 1 + products
        w = P.reg._replace(l2=0.0).prox_g(S.y - step * P.gradient(S.y, z=S.zy), step)
        z = P.predict(w)
        t = (1 + sqrt(1 + 4 * S.t**2)) / 2
        root = sqrt(P.reg.convexity * step)  # sqrt(l2/L)
        beta = (1 - root) / (1 + root) if root > 0 else (S.t - 1) / t
        return State(w, z, w + beta * (w - S.w), z + beta * (z - S.z), t, step, passes)
