"""AGD: Nesterov's accelerated gradient method for composite functions, with adaptive line search.

Problem     min_w P(w) = f(w) + g(w),  f the mean smooth loss,  g = (l2/2)||.||^2 + l1||.||_1
Algorithm   v = prox_{A g}(w_0 - s)
            repeat  a = positive root of a^2 = 2 (1 + l2 A)/L (A + a);  y = (A w + a v)/(A + a);
                    T = prox_{g/L}(y - grad f(y)/L);  phi' = L (y - T) + grad f(T) - grad f(y)
                    until <phi', y - T> >= ||phi'||^2/L, else L *= up
            s += a grad f(T);  A += a;  w = T;  L /= down
Guarantee   P(w_k) - P* <= ||w_0 - w*||^2/(2 A_k);  while the first L is at most L_f = ||X||_2^2/(n gamma),
            A_k >= 2/(up L_f) (1 + sqrt(l2/(2 up L_f)))^(2(k - 1)). A larger first L is safe, and slow at first
Reference   Nesterov, Gradient methods for minimizing composite functions (2013), section 4
Notation    their x is our w, their mu our l2; grad f(w) = -v(alpha(w)) with alpha_i = -phi'(x_i'w), v = X'alpha/n
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar, NamedTuple

import numpy as np

from ..numerics.checks import set_number_field
from ..numerics.jit import kernel, scalar
from ..problems.points import Points, View
from ..problems.problem import Problem
from ..problems.products import predict_into
from ..regularizers import convexity
from ..samplings import SamplingLike
from .shared.full_gradient import FullGradient, descent_direction

RESTART = 1e100  # The bound of ||w_0 - w*||^2/(2 A) is below all rounding: begin again at w, before A overflows.


class State(NamedTuple):
    """The iterate, and the estimate sequence of Nesterov's method."""

    w: np.ndarray  # (d,) primal variables
    z: np.ndarray  # (n,) X w
    w0: np.ndarray  # (d,) where the estimate sequence began
    s: np.ndarray  # (d,) sum of a grad f(w)
    A: float  # sum of a
    L: float  # trial smoothness
    passes: float  # passes of the last call
    v: np.ndarray  # (d,) scratch, as what follows
    y: np.ndarray  # (d,)
    zy: np.ndarray  # (n,) X y
    T: np.ndarray  # (d,)
    slope_y: np.ndarray  # (d,) -grad f(y)
    slope_T: np.ndarray  # (d,) -grad f(T)


@scalar
def weight(A: float, L: float, mu: float) -> float:
    """The positive root a of a^2 = 2 (1 + mu A)/L (A + a)."""
    c = 2 * (1 + mu * A) / L
    return (c + sqrt(c * c + 4 * c * A)) / 2


@kernel
def agd_epochs(
    P: View, S: State, mu: float, L_enough: float, up: float, down: float, iterations: int
) -> tuple[float, float, int]:
    """So many iterations, of all vectors in place; A, L and the trials. An L of L_enough passes without a test."""
    w, z, w0, s, A, L, _, v, y, zy, T, slope_y, slope_T = S
    trials = 0
    for _ in range(iterations):
        for j in range(w.size):
            v[j] = P.reg.of_coordinate(j).prox_at(w0[j] - s[j], A)
        while True:
            a = weight(A, L, mu)
            for j in range(w.size):
                y[j] = (A * w[j] + a * v[j]) / (A + a)
            predict_into(P.X, y, zy)
            descent_direction(P, zy, slope_y)
            for j in range(w.size):
                T[j] = P.reg.of_coordinate(j).prox_at(y[j] + slope_y[j] / L, 1 / L)
            predict_into(P.X, T, z)
            descent_direction(P, z, slope_T)
            trials += 1
            product, norm2 = 0.0, 0.0  # of phi' with y - T, and with itself
            for j in range(w.size):
                subgradient = L * (y[j] - T[j]) - slope_T[j] + slope_y[j]
                product += subgradient * (y[j] - T[j])
                norm2 += subgradient * subgradient
            if product >= norm2 / L or L >= L_enough:
                break
            L *= up
        for j in range(w.size):
            w[j] = T[j]
            s[j] -= a * slope_T[j]
        A, L = A + a, L / down
        if A > RESTART:
            A = 0.0
            for j in range(w.size):
                w0[j], s[j] = w[j], 0.0
    return A, L, trials


@dataclass(frozen=True)
class AGD(FullGradient[State]):
    """Accelerated gradient with Nesterov's adaptive line search: two gradients a trial.

    Parameters
    ----------
    L0 : float or None, default None
        First trial of the smoothness of f. None: a lower bound of L_f that costs nothing, from the largest row and
        column norm and the Frobenius norm of X.
    up, down : float, default 2
        Factors of L after a trial that fails, and after an iteration; up > 1, down >= 1.

    References
    ----------
    Nesterov, Gradient methods for minimizing composite functions (2013), section 4.
    """

    L0: float | None = None
    up: float = 2.0
    down: float = 2.0

    name: ClassVar[str] = "agd"
    can_join_epochs: ClassVar[bool] = True
    summary: ClassVar[str] = "accelerated full gradient that finds its own step"
    guarantee: ClassVar[str] = "√κ log"
    reference: ClassVar[str] = "Nesterov 2013"

    def __post_init__(self) -> None:
        set_number_field(self, "L0", "a number > 0 or None")
        set_number_field(self, "up", "a number > 1", (), low=1)
        set_number_field(self, "down", "a number >= 1", (), low=1, ends="[)")

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        w = problem.zeros(problem.d) if start is None else start.w.copy()
        rows, columns = problem.weighed_norms2("dual"), problem.weighed_norms2("primal")
        norm2 = max(rows.max(), columns.max(), rows.sum() / min(problem.n, problem.d))  # <= ||X||_2^2
        L = self.L0 or float(norm2) * problem.beta / problem.n or 1.0
        z, (s, v, y, T, slope_y, slope_T) = problem.predict(w), np.zeros((6, *w.shape))
        return State(w, z, w.copy(), s, 0.0, L, 0, v, y, np.zeros_like(z), T, slope_y, slope_T)

    def epoch(self, P: Problem, S: State, order: np.ndarray) -> State:
        # Every L >= L_f passes the test, and ||X||_F^2/(n gamma) >= L_f: where such an L fails, it is by rounding.
        L_enough, mu = float(P.weighed_norms2("dual").sum() * P.beta / P.n), convexity(P.reg)
        if not P.outputs:
            A, L, trials = agd_epochs(P.by_rows, S, mu, L_enough, self.up, self.down, order.size)
            return S._replace(A=A, L=L, passes=2 * trials)
        passes = 0.0
        for _ in range(order.size):
            S = self._iterate(P, S, mu, L_enough)
            passes += S.passes
        return S._replace(passes=passes)

    def _iterate(self, P: Problem, S: State, mu: float, L_enough: float) -> State:
        """One iteration of a loss of several predictions, with products by BLAS."""
        A, L, trials = S.A, S.L, 0
        v = P.reg.prox_g(S.w0 - S.s, A)
        while True:
            a = weight(A, L, mu)
            y = (A * S.w + a * v) / (A + a)
            slope_y = -P.v(P.alpha(y))  # grad f(y)
            T = P.reg.prox_g(y - slope_y / L, 1 / L)
            z = P.predict(T)
            slope_T = -P.v(P.alpha(T, z=z))
            trials += 1
            subgradient = L * (y - T) + slope_T - slope_y
            if np.vdot(subgradient, y - T) >= np.vdot(subgradient, subgradient) / L or L >= L_enough:
                break
            L *= self.up
        if A + a > RESTART:
            return S._replace(w=T, z=z, w0=T, s=np.zeros_like(T), A=0.0, L=L / self.down, passes=2 * trials)
        return S._replace(w=T, z=z, s=S.s + a * slope_T, A=A + a, L=L / self.down, passes=2 * trials)

    def warm(self, P: Problem, S: State) -> None:
        super().warm(P, S)
        if not P.outputs:
            agd_epochs(P.by_rows, S, convexity(P.reg), 0.0, self.up, self.down, 0)
