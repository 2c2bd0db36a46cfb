"""RDA, regularised dual averaging: w minimises the mean of all subgradients so far plus the regulariser.

Problem     min_w P(w) = (1/n) sum_i phi(x_i'w) + (l2/2)||w||^2 + l1||w||_1, phi Lipschitz
Algorithm   t = 1, 2, ...: pick i;  G += phi'(x_i'w) x_i;
            w <- argmin <G/t, w> + (l2/2)||w||^2 + l1||w||_1 + (gamma_r/(2 sqrt t))||w||^2
               = -soft(G/t, l1)/(l2 + gamma_r/sqrt t),  gamma_r = 0 if l2 > 0
            answer: the average of w^1, ..., w^t
Guarantee   uniform i: E[P(average)] - P* <= L^2 R^2 (6 + ln t)/(2 l2 t) if l2 > 0,
            (gamma_r ||w*||^2/2 + L^2 R^2/gamma_r)/sqrt t if l2 = 0, smallest for gamma_r = sqrt(2) L R/||w*||
Reference   Xiao, Dual averaging methods for regularized stochastic learning and online optimization (2010), Theorem 1
            with beta_t = gamma_r sqrt t, or beta_t = 0 where l2 > 0
Notation    their g-bar_t is G/t, their gamma our gamma_r; w^t is w after step t. With l1 = 0 < l2 this is sgd.py's SGD
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ..numerics.checks import set_number_field
from ..numerics.jit import kernel, scalar
from ..problems.certificates import points_of
from ..problems.points import View
from ..problems.problem import Problem
from ..regularizers import L2
from ..samplings import Sampling, SamplingLike
from .base import Method, Points
from .shared.averaging import Window, all_iterates, check_average

G, SUM, LAST = 0, 1, 2
TINY = 1e-150  # Number in place of 0 where X or P(0) is 0.
SERIES_START = 24  # from here on the series of `power_sum` is exact to rounding; smaller terms are added one by one


class State(NamedTuple):
    """Sums of subgradients and of iterates, coordinate by coordinate, each up to when it was last read."""

    rows: np.ndarray  # (d, 4) G_j; the sum of w^1_j, ..., w^s_j; the step s to which it goes; unused
    start: np.ndarray  # (d,) where the first derivative is taken
    weight: np.ndarray  # (n,) 1/(n p_i)
    t: int  # steps done
    gamma_r: float  # 0 if l2 > 0
    l1: float
    window: Window  # which iterates are averaged
    plain: L2  # reads start as it is: L2's shrink is the identity


@scalar
def power_sum(a: float, b: float, q: float) -> float:
    """(a+1)^q + (a+2)^q + ... + b^q for floats 0 <= a <= b and q = -1, -1/2 or 1/2, to rounding and in O(1).

    By Euler and Maclaurin, with f(s) = s^q,  sum = int_a^b f + [f/2 + f'/12 - f'''/720 + f^(5)/30240 - ...]_a^b.
    The integral is written such that no digits are lost where b is near a.
    """
    total = 0.0
    while a < b and a < SERIES_START:
        a += 1
        total += _power(a, q)
    if a == b:
        return total
    if b - a == 1:
        return total + _power(b, q)
    if q == -1:
        integral = math.log1p((b - a) / a)
    else:
        root_a, root_b = math.sqrt(a), math.sqrt(b)
        integral = 2 * (b - a) / (root_a + root_b)
        if q > 0:
            integral *= (a + root_a * root_b + b) / 3
    return total + integral + _tail(b, q) - _tail(a, q)


@scalar
def _power(s: float, q: float) -> float:
    if q == -1:
        return 1 / s
    return math.sqrt(s) if q > 0 else 1 / math.sqrt(s)


@scalar
def _tail(s: float, q: float) -> float:
    r = 1 / (s * s)
    first = q / s
    third = first * (q - 1) * (q - 2) * r
    fifth = third * (q - 3) * (q - 4) * r
    seventh = fifth * (q - 5) * (q - 6) * r
    return _power(s, q) * (0.5 + first / 12 - third / 720 + fifth / 30240 - seventh / 1209600)


@scalar
def _sum(a: float, b: float, g: float, l2: float, l1: float, gamma_r: float) -> float:
    """The sum over a < s <= b of -soft(g, s l1)/(l2 s + gamma_r sqrt s): a coordinate of w while its G is g.

    soft(g, s l1) = sign(g) (|g| - s l1) as long as s < |g|/l1, then 0.
    """
    size = abs(g)
    if l1 * b > size:
        b = math.floor(size / l1) * 1.0
    if b <= a:
        return 0.0
    if gamma_r == 0:
        total = (size * power_sum(a, b, -1.0) - l1 * (b - a)) / l2
    else:
        total = (size * power_sum(a, b, -0.5) - l1 * power_sum(a, b, 0.5)) / gamma_r
    return -total if g > 0 else total


@kernel
def rda_epoch(P: View, S: State, order: np.ndarray) -> int:
    """Take a step of dual averaging for each example of `order`. Returns t."""
    rows, weight, y, l2, t = S.rows, S.weight, P.y, P.reg.l2, S.t
    for k in range(order.size):
        i = P.X.pick(order, k, (y, weight))
        u = 0.0
        for p in P.X.line(i):
            j = P.X.index(i, p)
            rows[j, SUM] += _sum(rows[j, LAST], float(t), rows[j, G], l2, S.l1, S.gamma_r)
            rows[j, LAST] = t
            u -= P.X.value(i, p) * P.reg.shrink_at(j, rows[j, G] / max(t, 1))
        u /= l2 + S.gamma_r / math.sqrt(max(t, 1))  # u = x_i'w
        if t == 0:
            u = P.X.dot(i, S.start, S.plain)
        slope = weight[i] * P.loss.grad_phi(u, y[i])
        for p in P.X.line(i):
            rows[P.X.index(i, p), G] += slope * P.X.value(i, p)
        t += 1
    return t


@kernel
def _totals(S: State, l2: float, out: np.ndarray) -> None:
    rows = S.rows
    for j in range(out.size):
        out[j] = rows[j, SUM] + _sum(rows[j, LAST], float(S.t), rows[j, G], l2, S.l1, S.gamma_r)


def total(S: State, l2: float) -> np.ndarray:
    """w^1 + ... + w^t, (d,)."""
    out = np.empty(S.start.size)
    _totals(S, l2, out)
    return out


@dataclass(frozen=True)
class RDA(Method[State]):
    """Regularised dual averaging.

    Parameters
    ----------
    gamma_r : float or None, default None
        With l2 = 0: weight of the growing regulariser. None: sqrt(2) L R l1/P(0), because ||w*|| <= P(0)/l1.
    average : "all", "half" or None, default "all"
        The answer is the average of all iterates, of the last ones (between a half and three quarters of all), or the
        last iterate. The theorem is about "all"; with l1 > 0 only the last iterate is sparse.

    References
    ----------
    Xiao, Dual averaging methods for regularized stochastic learning and online optimization (2010), Theorem 1.
    """

    gamma_r: float | None = None
    average: str | None = "all"

    name: ClassVar[str] = "rda"
    can_split_epoch: ClassVar[bool] = True
    group: ClassVar[str] = "Stochastic gradient, not dual"
    summary: ClassVar[str] = "averages all gradients so far; made for sparse solutions"
    guarantee: ClassVar[str] = "L²R²/(λε)"
    reference: ClassVar[str] = "Xiao 2010"
    side: ClassVar[str] = "dual"
    needs: ClassVar[tuple[str, ...]] = ("lipschitz",)

    def __post_init__(self) -> None:
        check_average(self.name, self.average)
        object.__setattr__(self, "can_split_epoch", self.average != "half")  # whose window moves with the epochs
        set_number_field(self, "gamma_r", "a number > 0 or None")

    def objections(self, problem: Problem, sampling: Sampling) -> Iterator[str]:
        if problem.l2 > 0 and self.gamma_r is not None:
            yield "rda's gamma_r is for l2 = 0: where l2 > 0 it is 0, so leave it out"
        if problem.l2 == problem.l1 == 0 and self.gamma_r is None:
            yield "rda with l2 = l1 = 0 has no default gamma_r: give one, best is sqrt(2) L R/||w*||, or set l2 > 0"

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        weight = 1 / (problem.n * self.probabilities(problem, sampling))
        w = np.zeros(problem.d) if start is None else start.w.copy()
        return State(
            np.zeros((problem.d, 4)), w, weight, 0, self._gamma_r(problem), problem.l1, all_iterates(problem.d), L2(1.0)
        )

    def _gamma_r(self, problem: Problem) -> float:
        if problem.l2 > 0:
            return 0.0
        if self.gamma_r is not None:
            return float(self.gamma_r)
        at_zero = problem.primal(np.zeros(problem.d))
        return max(math.sqrt(2) * problem.loss.lipschitz * problem.R * problem.l1 / max(at_zero, TINY), TINY)

    def epoch(self, P: View, S: State, order: np.ndarray) -> State:
        S = S._replace(t=rda_epoch(P, S, order))
        if self.average == "half" and S.window.is_due(S.t):
            S = S._replace(window=S.window.moved(S.t, total(S, P.reg.l2)))
        return S

    def points(self, problem: Problem, S: State) -> Points:
        if S.t == 0:
            w = S.start
        elif self.average is not None:
            w = S.window.mean(S.t, total(S, problem.l2))
        elif problem.l2 > 0:
            w = problem.reg.grad_g_conj(-S.rows[:, G] / S.t)
        else:  # the same argmin with the growing regulariser in place of l2
            step = math.sqrt(S.t) / S.gamma_r
            w = problem.reg.prox_g(-step * S.rows[:, G] / S.t, step)
        return points_of(problem, w)
