"""SGD with the steps c/(l2 t), c = 1 of Pegasos, or eta/sqrt(t) where there is no regulariser, and averaging.

Problem     min_w P(w) = (1/n) sum_i phi(x_i'w) + (l2/2)||w||^2, phi Lipschitz, l2 > 0; with `step`: l2 = 0
Algorithm   t = 1, 2, ...: pick i;  w <- (1 - c/t) w - c phi'(x_i'w) x_i/(l2 t)
            answer: the average of w^1, ..., w^t
            with step = eta:  w <- w - eta t^(-1/2) phi'(x_i'w) x_i
Guarantee   uniform i, c = 1: E[P(average)] - P* <= 2 L^2 R^2 (1 + ln t)/(l2 t); without ln t for the average of the
            last half
            with step = eta: E[P(average)] - P* <= (||w_0 - w*||^2/eta + eta L^2 R^2 (3 + ln t))/sqrt(2 t)
Reference   Shalev-Shwartz, Singer, Srebro & Cotter, Pegasos: primal estimated sub-gradient solver for SVM (2011),
            Lemma 1 with subgradients of P bounded by 2 L R;
            Rakhlin, Shamir & Sridharan, Making gradient descent optimal for strongly convex stochastic optimization
            (2012), Theorem 5, for the last half;
            Frostig, Ge, Kakade & Sidford, Un-regularizing (2015), experiments, for the steps eta t^(-1/2) (their eta is
            called lambda), whose last iterate they report: average=None
Notation    their lambda is l2; w^t is w after step t. With w = a x the factor 1 - c/t goes into the number a, and of
            the vector x only what x_i touches moves. With `step` it is w itself of which only that moves
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..numerics.checks import set_number_field
from ..numerics.jit import kernel
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


@kernel
def root_epoch(P: View, S: RootState, order: np.ndarray) -> int:
    """One step eta/sqrt(t) for each example of `order`, without a regulariser. Returns t."""
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
    """One step c/(l2 t) for each example of `order`. Returns t, a and A."""
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


def iterate(S: State | RootState) -> np.ndarray:
    """w^t."""
    return S.w.copy() if isinstance(S, RootState) else S.a * S.x


def total(S: State | RootState) -> np.ndarray:
    """w^1 + ... + w^t."""
    return S.t * S.w - S.b if isinstance(S, RootState) else S.A * S.x - S.b


@dataclass(frozen=True)
class SGD(Method):
    """Pegasos: stochastic (sub)gradient descent with steps c/(l2 t), or eta/sqrt(t) where there is no regulariser.

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

    References
    ----------
    Shalev-Shwartz, Singer, Srebro & Cotter, Pegasos (2011), Lemma 1; Rakhlin, Shamir & Sridharan, Making gradient
    descent optimal for strongly convex stochastic optimization (2012), Theorem 5, for the last half.
    """

    average: str | None = "all"
    step: float | None = None
    factor: float = 1.0

    name: ClassVar[str] = "sgd"
    group: ClassVar[str] = "Stochastic gradient, not dual"
    summary: ClassVar[str] = "plain stochastic gradient, with steps that shrink"
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
        object.__setattr__(self, "needs", type(self).needs if self.step is None else ())

    def objections(self, problem: Problem, sampling: Sampling) -> Iterator[str]:
        if self.step is not None and problem.l2 > 0:
            yield "sgd with a step is for problems without a regulariser: set l2 = 0, or leave step out"

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> Any:
        weight = 1 / (problem.n * self.probabilities(problem, sampling))
        if self.step is not None:
            w = np.zeros(problem.d) if start is None else start.w.copy()
            return RootState(w, np.zeros(problem.d), weight, float(self.step), 0, all_iterates(problem.d))
        x = np.zeros(problem.d) if start is None else start.w.copy()
        return State(x, np.zeros(problem.d), weight, self.factor, 0, 1.0, 0.0, all_iterates(problem.d))

    def epoch(self, P: View, S: Any, order: np.ndarray) -> Any:
        if isinstance(S, RootState):
            S = S._replace(t=root_epoch(P, S, order))
        else:
            t, a, A = sgd_epoch(P, S, order)
            S = S._replace(t=t, a=a, A=A)
        if self.average == "half" and S.window.is_due(S.t):
            S = S._replace(window=S.window.moved(S.t, total(S)))
        return S

    def points(self, problem: Problem, S: Any) -> Points:
        if self.average is None or S.t == 0:
            w = iterate(S)
        else:
            w = S.window.mean(S.t, total(S))
        z = problem.predict(w)
        return Points(w, problem.alpha(w, z=z), z=z)
