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
from ..problems.points import Points
from ..problems.problem import Problem
from ..samplings import SamplingLike
from .shared.full_gradient import FullGradient

RESTART = 1e100  # a bound of ||w_0 - w*||^2/(2 A) is below all rounding: begin again at w, before A overflows


class State(NamedTuple):
    """The iterate, and the estimate sequence of Nesterov's method."""

    w: np.ndarray  # (d,) primal variables
    z: np.ndarray  # (n,) X w
    w0: np.ndarray  # (d,) where the estimate sequence began
    s: np.ndarray  # (d,) sum of a grad f(w)
    A: float  # sum of a
    L: float  # trial smoothness
    passes: float  # passes of the last epoch


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
        return State(w, problem.predict(w), w, np.zeros_like(w), 0.0, L, 0)

    def epoch(self, P: Problem, S: State, order: None) -> State:
        A, L, trials = S.A, S.L, 0
        # Every L >= L_f passes the test, and ||X||_F^2/(n gamma) >= L_f: where such an L fails, it is by rounding.
        enough = P.weighed_norms2("dual").sum() * P.beta / P.n
        v = P.reg.prox_g(S.w0 - S.s, A)
        while True:
            c = 2 * (1 + P.reg.convexity * A) / L
            a = (c + sqrt(c * c + 4 * c * A)) / 2
            y = (A * S.w + a * v) / (A + a)
            slope_y = -P.v(P.alpha(y))  # grad f(y)
            T = P.reg.prox_g(y - slope_y / L, 1 / L)
            z = P.predict(T)
            slope_T = -P.v(P.alpha(T, z=z))
            trials += 1
            subgradient = L * (y - T) + slope_T - slope_y
            if np.vdot(subgradient, y - T) >= np.vdot(subgradient, subgradient) / L or L >= enough:
                break
            L *= self.up
        if A + a > RESTART:
            return State(T, z, T, np.zeros_like(T), 0.0, L / self.down, 2 * trials)
        return State(T, z, S.w0, S.s + a * slope_T, A + a, L / self.down, 2 * trials)
