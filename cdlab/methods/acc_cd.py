"""Accelerated coordinate descent for least squares, also of inconsistent systems.

Problem     min_w ||X w - y||^2 (the squared loss with l2 = l1 = 0)
Algorithm   columns normalised: c_j = X_:j/||X_:j||, x_j = ||X_:j|| w_j;  mu the smallest positive eigenvalue of C'C,
            r = sqrt(mu), theta = r/(d + r).  pick j uniformly;  y = theta v + (1 - theta) x;  g = c_j'(C y - b);
            x = y - g e_j;  v <- (1 - r/d) v + (r/d) y - (g/r) e_j
Guarantee   E Phi(x, v) shrinks by 1 - sqrt(mu)/d a step, Phi = ||v - x*||^2 + ||C (x - x*)||^2/mu, where the columns of
            X are independent
Reference   Lee & Sidford, Efficient accelerated coordinate descent methods (2013); Nesterov, Efficiency of coordinate
            descent methods on huge-scale optimization problems (2012); here with constant parameters
Notation    b is P.y, the labels; the algorithm's y is a point. Momentum moves every coordinate. With
            rho = (d - r)/(d + r) and x = q + s p, v = q - s p, y = q + rho s p it is s *= rho, and a step moves p_j
            and q_j alone. C p and C q - b are kept
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ..numerics.jit import kernel
from ..numerics.matrices import scale_second
from ..problems.points import View
from ..problems.problem import Problem
from ..samplings import SamplingLike
from .base import Points
from .shared.linear_system import Accelerated, inverse_norms

SMALLEST_FACTOR = 1e-100  # Below it s is multiplied into p and C p.


class State(NamedTuple):
    """The two sequences of the method, side by side, and the factor between them."""

    qp: np.ndarray  # (d, 2) q and p: x = q + s p, v = q - s p
    Cqp: np.ndarray  # (n, 2) C q - b and C p
    inverse: np.ndarray  # (d,) 1/||X_:j||; 0 for columns of zeros
    s: float  # a power of rho
    r: float  # sqrt(mu)
    k: int  # iterations so far
    setup: int  # nonzeros visited to find mu


@kernel
def acc_cd_epoch(P: View, S: State, order: np.ndarray) -> float:
    """Take an accelerated step for each coordinate of `order`, of q and p in place. Returns s."""
    qp, Cqp, inverse, d, r, s = S.qp, S.Cqp, S.inverse, S.inverse.size, S.r, S.s
    rho = (d - r) / (d + r)
    for k in range(order.size):
        j = P.X.pick(order, k, (inverse, qp))
        s *= rho  # y = q + s p
        g = P.X.dot2(j, Cqp, s, P.reg) * inverse[j]  # g = c_j'(C y - b)
        to_q, to_p = -g / 2 * (1 + 1 / r), -g / 2 * (1 - 1 / r) / s
        qp[j, 0] += to_q  # v = q - s p = ... - (g/r) e_j
        qp[j, 1] += to_p  # x = q + s p = y - g e_j
        P.X.add2(j, to_q * inverse[j], to_p * inverse[j], Cqp)
        if s < SMALLEST_FACTOR:
            scale_second(qp, s)
            scale_second(Cqp, s)
            s = 1.0
    return s


@dataclass(frozen=True)
class AccCD(Accelerated[State]):
    """Accelerated coordinate descent for least squares, with constant parameters.

    Parameters
    ----------
    mu : float or None, default None
        Smallest positive eigenvalue of C'C, C the columns of X scaled to norm 1, or a lower bound > 0 of it. None:
        computed, for X with at most 5000 rows or columns; the first epoch counts the nonzeros visited for the Gram
        matrix.

    References
    ----------
    Lee & Sidford, Efficient accelerated coordinate descent methods (2013).
    """

    name: ClassVar[str] = "acc_cd"
    can_split_epoch: ClassVar[bool] = True
    summary: ClassVar[str] = "accelerated, one feature of a least-squares problem at a time"
    guarantee: ClassVar[str] = "d/√μ log"
    reference: ClassVar[str] = "Lee & Sidford 2013"
    side: ClassVar[str] = "primal"

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        norms2 = problem.column_profile.norms2
        inverse = inverse_norms(norms2)
        r, setup = self.momentum(problem, inverse)
        qp, Cqp = np.zeros((problem.d, 2)), np.zeros((problem.n, 2))
        qp[:, 0] = 0.0 if start is None else np.sqrt(norms2) * start.w
        S = State(qp, Cqp, inverse, 1.0, r, 0, setup)
        self.refresh(problem, S)
        return S

    def epoch(self, P: View, S: State, order: np.ndarray) -> State:
        return S._replace(s=acc_cd_epoch(P, S, order), k=S.k + order.size)

    def points(self, problem: Problem, S: State) -> Points:
        w, z = S.inverse * (S.qp[:, 0] + S.s * S.qp[:, 1]), S.Cqp[:, 0] + S.s * S.Cqp[:, 1] + problem.targets
        return Points(w, problem.alpha(w, z=z), z=z)

    def refresh(self, problem: Problem, S: State) -> None:
        S.Cqp[:] = problem.X @ (S.inverse[:, None] * S.qp)
        S.Cqp[:, 0] -= problem.targets
