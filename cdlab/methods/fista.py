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
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..numerics.checks import set_number_field
from ..numerics.jit import kernel, scalar
from ..problems.convexity import smoothness
from ..problems.points import Points, View
from ..problems.problem import Problem
from ..problems.products import predict_into
from ..regularizers import Regularizer, convexity, of_l1
from ..samplings import SamplingLike
from .shared.full_gradient import FullGradient, descent_direction


class State(NamedTuple):
    """The iterate, the extrapolated point, and the step."""

    w: np.ndarray  # (d,) primal variables
    z: np.ndarray  # (n,) X w
    y: np.ndarray  # (d,) extrapolated point
    zy: np.ndarray  # (n,) X y
    v: np.ndarray  # (d,) scratch: -grad f(y)
    t: float
    step: float | Any  # 1/L; None until the first epoch finds it
    passes: float  # passes of the last call


@scalar
def momentum(t: float, step: float, mu: float) -> tuple[float, float]:
    """The next t, and beta: how far y is beyond w."""
    new = (1 + sqrt(1 + 4 * (t * t))) / 2
    root = sqrt(mu * step)  # sqrt(l2/L)
    return new, (1 - root) / (1 + root) if root > 0 else (t - 1) / new


@kernel
def fista_epochs(P: View, S: State, l1: Regularizer, mu: float, iterations: int) -> float:
    """So many iterations, of all vectors in place; t. `l1` is the regulariser without the l2, which is in L."""
    w, z, y, zy, v, t, step = S.w, S.z, S.y, S.zy, S.v, S.t, S.step
    for _ in range(iterations):
        descent_direction(P, zy, v)
        t, beta = momentum(t, step, mu)
        for j in range(w.size):
            slope = P.reg.of_coordinate(j).l2 * y[j] - v[j]
            new = l1.of_coordinate(j).prox_at(y[j] - step * slope, step)
            y[j], w[j] = new + beta * (new - w[j]), new
        predict_into(P.X, w, zy)
        for i in range(z.size):
            zy[i], z[i] = zy[i] + beta * (zy[i] - z[i]), zy[i]
    return t


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
    can_join_epochs: ClassVar[bool] = True
    summary: ClassVar[str] = "accelerated full gradient with a constant step"
    guarantee: ClassVar[str] = "√κ log"
    reference: ClassVar[str] = "Beck & Teboulle 2009"

    def __post_init__(self) -> None:
        set_number_field(self, "step", "a number > 0 or None")

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        w = problem.zeros(problem.d) if start is None else start.w.copy()
        z = problem.predict(w)
        return State(w, z, w.copy(), z.copy(), np.zeros_like(w), 1.0, self.step, 0)

    def epoch(self, P: Problem, S: State, order: np.ndarray) -> State:
        passes = order.size
        if S.step is None:
            L, products = smoothness(P)
            S, passes = S._replace(step=1 / (L + float(np.max(P.reg.l2s)))), passes + products
        l1, mu, t = of_l1(P.reg), convexity(P.reg), S.t
        if not P.outputs:
            t = fista_epochs(P.by_rows, S, l1, mu, order.size)
            return S._replace(t=t, passes=passes)
        for _ in order:  # the same, with products by BLAS
            w = l1.prox_g(S.y - S.step * P.gradient(S.y, z=S.zy), S.step)
            z, (t, beta) = P.predict(w), momentum(t, S.step, mu)
            S.y[:], S.zy[:] = w + beta * (w - S.w), z + beta * (z - S.z)
            S.w[:], S.z[:] = w, z
        return S._replace(t=t, passes=passes)

    def warm(self, P: Problem, S: State) -> None:
        super().warm(P, S)
        if not P.outputs:
            fista_epochs(P.by_rows, S._replace(step=1.0), of_l1(P.reg), convexity(P.reg), 0)
