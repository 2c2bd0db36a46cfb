"""SGD with the steps c/(l2 t), c = 1 of Pegasos, eta/sqrt(t) where there is no regulariser, or eta; and averaging.

Problem     min_w P(w) = (1/n) sum_i phi(x_i'w) + (l2/2)||w||^2, phi Lipschitz, l2 > 0; with `step`: l2 = 0; with
            `constant_step`: any loss, l2 >= 0
Algorithm   t = 1, 2, ...: pick i;  w <- (1 - c/t) w - c phi'(x_i'w) x_i/(l2 t)
            answer: the average of w^1, ..., w^t
            with step = eta:  w <- w - eta t^(-1/2) phi'(x_i'w) x_i
            with constant_step = eta:  w <- (1 - eta l2) w - eta phi'(x_i'w) x_i
            implicit:  w <- argmin_u phi(x_i'u) + (l2/2)||u||^2 + ||u - w||^2/(2 eta)
                          = (w - eta theta x_i)/(1 + eta l2), theta = phi' at the new point
Guarantee   uniform i, c = 1: E[P(average)] - P* <= 2 L^2 R^2 (1 + ln t)/(l2 t); without ln t for the average of the
            last half
            with step = eta: E[P(average)] - P* <= (||w_0 - w*||^2/eta + eta L^2 R^2 (3 + ln t))/sqrt(2 t)
            with constant_step: it comes near w* linearly and stays away from it as far as eta says: far less so in
            permutations than with replacement
Reference   Shalev-Shwartz, Singer, Srebro & Cotter, Pegasos: primal estimated sub-gradient solver for SVM (2011),
            Lemma 1 with subgradients of P bounded by 2 L R;
            Rakhlin, Shamir & Sridharan, Making gradient descent optimal for strongly convex stochastic optimization
            (2012), Theorem 5, for the last half;
            Frostig, Ge, Kakade & Sidford, Un-regularizing (2015), experiments, for the steps eta t^(-1/2) (their eta is
            called lambda), whose last iterate they report: average=None;
            Mishchenko, Khaled & Richtarik, Random reshuffling (2020), for constant steps in permutations;
            Bertsekas, Incremental proximal methods for large scale convex optimization (2011), for implicit ones
Notation    their lambda is l2; w^t is w after step t. With w = a x the factor 1 - c/t goes into the number a, and of
            the vector x only what x_i touches moves. With `step` it is w itself of which only that moves
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..numerics import checks
from ..numerics.checks import set_number_field
from ..numerics.jit import kernel
from ..problems.certificates import points_of
from ..problems.points import View
from ..problems.problem import Problem
from ..samplings import Sampling, SamplingLike
from .base import Method, Points
from .shared.averaging import Window, all_iterates, check_average

LEAST, MOST = 1e-4, 1e4  # a beyond these goes into x: a sum of iterates would lose digits


class State(NamedTuple):
    """The iterate as a number times a vector, of which only what x_i touches moves, with the sum of all iterates."""

    x: np.ndarray  # (d,) w^t = a x
    b: np.ndarray  # (d,) w^1 + ... + w^t = A x - b
    weight: np.ndarray  # (n,) 1/(n p_i)
    c: float
    t: int  # steps done
    a: float
    A: float  # sum of a over the steps since it last went into x
    window: Window  # which iterates are averaged


class RootState(NamedTuple):
    """The iterate of the steps eta/sqrt(t), with the sum of all iterates."""

    w: np.ndarray  # (d,) w^t
    b: np.ndarray  # (d,) sum over steps s of s - 1 times what step s added to w, so w^1 + ... + w^t = t w - b
    weight: np.ndarray  # (n,) 1/(n p_i)
    step: float  # eta
    t: int  # steps done
    window: Window  # which iterates are averaged


class ConstantState(NamedTuple):
    """The iterate of constant steps, as that of `State`."""

    x: np.ndarray  # (d,) w^t = a x
    b: np.ndarray  # (d,) w^1 + ... + w^t = A x - b
    step: np.ndarray  # (n,) what phi'(x_i'w) x_i is multiplied by: eta/(n p_i), implicit eta/(n p_i (1 + eta l2))
    q: np.ndarray  # (n,) implicit: step_i ||x_i||^2; else (0,)
    keep: float  # what w is multiplied by: 1 - eta l2, implicit 1/(1 + eta l2)
    t: int  # steps done
    a: float
    A: float
    window: Window  # which iterates are averaged


@kernel
def constant_epoch(P: View, S: ConstantState, order: np.ndarray) -> tuple[int, float, float]:
    """Take a step eta for each example of `order`. Returns t, a and A."""
    x, b, step, q, y, keep, t, a, A = S.x, S.b, S.step, S.q, P.y, S.keep, S.t, S.a, S.A
    for k in range(order.size):
        i = P.X.pick(order, k, (y, step))
        u = a * P.X.dot(i, x, P.reg)  # u = x_i'w
        # implicit: theta = phi'(keep u - q_i theta), which is the dual step from 0
        theta = P.loss.dualprox(keep * u, 0.0, q[i], y[i]) if q.size else P.loss.grad_phi(u, y[i])
        t += 1
        a *= keep
        if not LEAST < abs(a) < MOST:
            for j in range(x.size):
                b[j] -= A * x[j]
                x[j] *= a
            a, A = 1.0, 0.0
        change = -step[i] * theta / a
        if change != 0:
            P.X.add(i, change, x)  # w <- keep w - step_i theta x_i
            P.X.add(i, change * A, b)
        A += a
    return t, a, A


@kernel
def root_epoch(P: View, S: RootState, order: np.ndarray) -> int:
    """Take a step eta/sqrt(t) for each example of `order`, without a regulariser. Returns t."""
    w, b, weight, y, t = S.w, S.b, S.weight, P.y, S.t
    for k in range(order.size):
        i = P.X.pick(order, k, (y, weight))
        u = P.X.dot(i, w, P.reg)  # u = x_i'w
        change = -S.step / np.sqrt(t + 1) * weight[i] * P.loss.grad_phi(u, y[i])
        if change != 0:
            P.X.add(i, change, w)  # w <- w - eta t^(-1/2) phi'(u) x_i
            P.X.add(i, change * t, b)
        t += 1
    return t


@kernel
def sgd_epoch(P: View, S: State, order: np.ndarray) -> tuple[int, float, float]:
    """Take a step c/(l2 t) for each example of `order`. Returns t, a and A."""
    x, b, weight, y, c, t, a, A = S.x, S.b, S.weight, P.y, S.c, S.t, S.a, S.A
    for k in range(order.size):
        i = P.X.pick(order, k, (y, weight))
        u = a * P.X.dot(i, x, P.reg)  # u = x_i'w
        t += 1
        a *= 1 - c / t  # w <- (1 - c/t) w
        if not LEAST < abs(a) < MOST:  # also 0: with c = 1 the first step erases the start
            for j in range(x.size):
                b[j] -= A * x[j]
                x[j] *= a
            a, A = 1.0, 0.0
        step = -c / (P.reg.l2 * t) * weight[i] * P.loss.grad_phi(u, y[i]) / a
        if step != 0:
            P.X.add(i, step, x)  # w <- w - c phi'(u) x_i/(l2 t)
            P.X.add(i, step * A, b)
        A += a
    return t, a, A


def iterate(S: State | RootState | ConstantState) -> np.ndarray:
    """w^t."""
    return S.w.copy() if isinstance(S, RootState) else S.a * S.x


def total(S: State | RootState | ConstantState) -> np.ndarray:
    """w^1 + ... + w^t."""
    return S.t * S.w - S.b if isinstance(S, RootState) else S.A * S.x - S.b


@dataclass(frozen=True)
class SGD(Method):
    """Stochastic (sub)gradient descent with steps c/(l2 t) (Pegasos), constant ones, or eta/sqrt(t) without l2.

    Parameters
    ----------
    average : "all", "half" or None, default "all"
        The answer is the average of all iterates, of the last ones (between a half and three quarters of all), or the
        last iterate. The theorems are about "all"; "half" forgets the first, bad iterates.
    step : float > 0, optional
        eta, for problems without a regulariser (l2 = l1 = 0) and any loss. Where the loss is not Lipschitz (squared)
        a large one makes the run diverge.
    factor : float > 0, default 1
        c, for problems with l2 > 0. The theorems are about 1; others show what a wrong learning rate costs.
    constant_step : float > 0, optional
        eta, the same for all steps, for any loss and l2 >= 0. Up to 1/(R^2/gamma + l2) it cannot diverge; how near it
        comes to the optimum is a matter of eta, and of the order: a permutation comes nearer.
    implicit : bool, default False
        Constant steps that end where the loss of the example, with the regulariser, is least for its distance: they
        are stable for every eta. One pass is a cyclic pass of exact dual steps on a problem with this distance in
        place of l2.

    References
    ----------
    Shalev-Shwartz, Singer, Srebro & Cotter, Pegasos (2011), Lemma 1; Rakhlin, Shamir & Sridharan, Making gradient
    descent optimal for strongly convex stochastic optimization (2012), Theorem 5, for the last half.
    """

    average: str | None = "all"
    step: float | None = None
    factor: float = 1.0
    constant_step: float | None = None
    implicit: bool = False

    name: ClassVar[str] = "sgd"
    can_split_epoch: ClassVar[bool] = True
    group: ClassVar[str] = "Stochastic gradient, not dual"
    summary: ClassVar[str] = "plain stochastic gradient, with steps that shrink or, if asked for, stay"
    guarantee: ClassVar[str] = "L²R²/(λε)"
    reference: ClassVar[str] = "Shalev-Shwartz et al. 2011"
    side: ClassVar[str] = "dual"
    needs: ClassVar[tuple[str, ...]] = ("l2", "lipschitz")  # without a step of its own
    takes: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        check_average(self.name, self.average)
        set_number_field(self, "step", "a number > 0 or None")
        set_number_field(self, "factor", "a number > 0", ())
        if self.step is not None and self.factor != 1:
            raise ValueError("sgd's factor is of the steps c/(l2 t), and step=eta takes others: give one of them")
        set_number_field(self, "constant_step", "a number > 0 or None")
        checks.flag("sgd's implicit", self.implicit)
        if self.constant_step is not None and (self.step is not None or self.factor != 1):
            raise ValueError("sgd's constant_step takes the place of step and factor: give one of them")
        if self.implicit and self.constant_step is None:
            raise ValueError("sgd's implicit steps are constant: give constant_step, too")
        shrinking = self.step is None and self.constant_step is None
        object.__setattr__(self, "needs", type(self).needs if shrinking else ())
        object.__setattr__(self, "can_split_epoch", self.average != "half")  # whose window moves with the epochs

    def objections(self, problem: Problem, sampling: Sampling) -> Iterator[str]:
        if self.step is not None and problem.l2 > 0:
            yield "sgd with a step is for problems without a regulariser: set l2 = 0, or leave step out"

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> Any:
        weight = 1 / (problem.n * self.probabilities(problem, sampling))
        if self.step is not None:
            w = np.zeros(problem.d) if start is None else start.w.copy()
            return RootState(w, np.zeros(problem.d), weight, float(self.step), 0, all_iterates(problem.d))
        x = np.zeros(problem.d) if start is None else start.w.copy()
        if self.constant_step is not None:
            growth = 1 + self.constant_step * problem.l2
            keep = 1 / growth if self.implicit else 1 - self.constant_step * problem.l2
            steps = self.constant_step * weight / (growth if self.implicit else 1.0)
            q = steps * problem.row_profile.norms2 if self.implicit else np.empty(0)
            return ConstantState(x, np.zeros(problem.d), steps, q, keep, 0, 1.0, 0.0, all_iterates(problem.d))
        return State(x, np.zeros(problem.d), weight, self.factor, 0, 1.0, 0.0, all_iterates(problem.d))

    def epoch(self, P: View, S: Any, order: np.ndarray) -> Any:
        if isinstance(S, RootState):
            S = S._replace(t=root_epoch(P, S, order))
        else:
            t, a, A = (constant_epoch if isinstance(S, ConstantState) else sgd_epoch)(P, S, order)
            S = S._replace(t=t, a=a, A=A)
        if self.average == "half" and S.window.is_due(S.t):
            S = S._replace(window=S.window.moved(S.t, total(S)))
        return S

    def points(self, problem: Problem, S: Any) -> Points:
        if self.average is None or S.t == 0:
            w = iterate(S)
        else:
            w = S.window.mean(S.t, total(S))
        return points_of(problem, w)
