"""SGD with the steps 1/(l2 t) of Pegasos, and averaging.

Problem     min_w P(w) = (1/n) sum_i phi(x_i'w) + (l2/2)||w||^2, phi Lipschitz, l2 > 0
Box         t = 1, 2, ...: pick i;  w <- (1 - 1/t) w - phi'(x_i'w) x_i/(l2 t)
            answer: the average of w^1, ..., w^t
Guarantee   uniform i: E[P(average)] - P* <= 2 L^2 R^2 (1 + ln t)/(l2 t); without ln t for the average of the last half
Reference   Shalev-Shwartz, Singer, Srebro & Cotter, Pegasos: primal estimated sub-gradient solver for SVM (2011),
            Lemma 1 with subgradients of P bounded by 2 L R;
            Rakhlin, Shamir & Sridharan, Making gradient descent optimal for strongly convex stochastic optimization
            (2012), Theorem 5, for the last half
Notation    their lambda is l2; w^t is w after step t. Since (1 - 1/2)(1 - 1/3)...(1 - 1/t) = 1/t, the box multiplied by
            t reads  t w^t = (t - 1) w^(t-1) - phi'(x_i'w^(t-1)) x_i/l2:  in tw = t w only what x_i touches moves
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ..jit import kernel
from .base import Method, Points
from .shared.averaging import Window, check_average, is_due, lipschitz_refusal, moved, whole


class State(NamedTuple):
    tw: np.ndarray  # (d,) t w^t; at t = 0 the start
    b: np.ndarray  # (d,) sum over steps s of H_(s-1) times what step s added to tw, so w^1 + ... + w^t = H_t tw - b
    weight: np.ndarray  # (n,) 1/(n p_i)
    t: int  # steps done
    H: float  # 1 + 1/2 + ... + 1/t
    window: Window  # which iterates are averaged


@kernel
def sgd_epoch(P, S, order):
    """Returns t and H_t."""
    tw, b, weight, y, t, H = S.tw, S.b, S.weight, P.y, S.t, S.H
    for k in range(order.size):
        i = order[k]  # pick i
        P.X.look_ahead(order, k, y, weight, y)
        u = P.X.dot(i, tw, P.reg) / max(t, 1)  # u = x_i'w
        if t == 0:  # the first step erases the start
            for j in range(tw.size):
                tw[j] = 0.0
        step = -weight[i] * P.loss.grad_phi(u, y[i]) / P.reg.l2
        if step != 0:
            P.X.add(i, step, tw)  # t w^t = (t - 1) w^(t-1) - phi'(u) x_i/l2
            P.X.add(i, step * H, b)
        t += 1
        H += 1 / t
    return t, H


@dataclass(frozen=True)
class SGD(Method):
    """Stochastic (sub)gradient descent with steps 1/(l2 t).

    Parameters
    ----------
    average : "all", "half" or None, default "all"
        The answer is the average of all iterates, of the last ones (between a half and three quarters of all), or the
        last iterate. The theorem is about "all"; "half" forgets the first, bad iterates.
    """

    average: str | None = "all"

    name: ClassVar[str] = "sgd"
    reference: ClassVar[str] = "Shalev-Shwartz et al. 2011"
    side: ClassVar[str] = "dual"
    needs_l2: ClassVar[bool] = True
    takes_l1: ClassVar[bool] = False

    def __post_init__(self):
        check_average(self.name, self.average)

    def refusal(self, problem, sampling):
        return super().refusal(problem, sampling) or lipschitz_refusal(self.name, problem)

    def init(self, problem, sampling, start=None):
        weight = 1 / (problem.n * self.probabilities(problem, sampling))
        tw = np.zeros(problem.d) if start is None else start.w.copy()
        return State(tw, np.zeros(problem.d), weight, 0, 0.0, whole(problem.d))

    def epoch(self, P, S, order):
        t, H = sgd_epoch(P, S, order)
        S = S._replace(t=t, H=H)
        if self.average == "half" and is_due(S.window, t):
            S = S._replace(window=moved(S.window, t, H * S.tw - S.b))
        return S

    def points(self, problem, S):
        if self.average is None or S.t == 0:
            w = S.tw / max(S.t, 1)
        else:
            w = S.window.mean(S.t, S.H * S.tw - S.b)
        z = problem.predict(w)
        return Points(w, problem.alpha(w, z=z), z=z)
