"""Accelerated Kaczmarz: random projections with momentum, at the price of a second vector.

Problem     X w = y, a consistent system (the squared loss with l2 = l1 = 0)
Algorithm   rows normalised: a_i = x_i/||x_i||, b_i = y_i/||x_i||;  mu the smallest positive eigenvalue of A'A,
            r = sqrt(mu), theta = r/(n + r).  pick i uniformly;  y = theta v + (1 - theta) x;  e = a_i'y - b_i;
            x = y - e a_i;  v <- (1 - r/n) v + (r/n) y - (e/r) a_i
Guarantee   E Phi(x, v) shrinks by 1 - sqrt(mu)/n a step, Phi = ||v - x*||^2_{(A'A)^+} + ||x - x*||^2/mu;
            x_0 and v_0 in the range of X', such as 0. Faster than kaczmarz on the same rows, 1 - mu/n, where mu < 1
Reference   Lee & Sidford, Efficient accelerated coordinate descent methods (2013); Liu & Wright, An accelerated
            randomized Kaczmarz algorithm (2016); here with constant parameters
Notation    the algorithm's y is a point, P.y are the right-hand sides; w is x. Momentum moves every coordinate. With
            rho = (n - r)/(n + r) and x = q + s p, v = q - s p, y = q + rho s p it is s *= rho, and a step moves q
            and p only where x_i is not 0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ..numerics.jit import kernel
from ..numerics.matrices import scale_second
from ..problems.certificates import points_of
from ..problems.points import View
from ..problems.problem import Problem
from ..samplings import SamplingLike
from .base import Points
from .shared.linear_system import Accelerated, inverse_norms

SMALLEST_FACTOR = 1e-100  # Below it s is multiplied into p.


class State(NamedTuple):
    """The two sequences of the method, side by side, and the factor between them."""

    qp: np.ndarray  # (d, 2) q and p: x = q + s p, v = q - s p. Side by side: one trip to memory for both
    inverse: np.ndarray  # (n,) 1/||x_i||; 0 for rows of zeros
    s: float  # a power of rho
    r: float  # sqrt(mu)
    k: int  # iterations so far
    setup: int  # nonzeros visited to find mu


@kernel
def acc_kaczmarz_epoch(P: View, S: State, order: np.ndarray) -> float:
    """Take an accelerated projection for each row of `order`, of q and p in place. Returns s."""
    qp, inverse, b, n, r, s = S.qp, S.inverse, P.y, P.y.size, S.r, S.s
    rho = (n - r) / (n + r)
    for k in range(order.size):
        i = P.X.pick(order, k, (inverse, b))
        s *= rho  # y = q + s p
        e = (P.X.dot2(i, qp, s, P.reg) - b[i]) * inverse[i]  # e = a_i'y - b_i
        to_q, to_p = -e / 2 * (1 + 1 / r) * inverse[i], -e / 2 * (1 - 1 / r) / s * inverse[i]
        P.X.add2(i, to_q, to_p, qp)  # v = q - s p = ... - (e/r) a_i;  x = q + s p = y - e a_i
        if s < SMALLEST_FACTOR:
            scale_second(qp, s)
            s = 1.0
    return s


@dataclass(frozen=True)
class AccKaczmarz(Accelerated[State]):
    """Accelerated randomized Kaczmarz for consistent linear systems, with constant parameters.

    Parameters
    ----------
    mu : float or None, default None
        Smallest positive eigenvalue of A'A, A the rows of X scaled to norm 1, or a lower bound > 0 of it. None:
        computed, for X with at most 5000 rows or columns; the first epoch counts the nonzeros visited for the Gram
        matrix.

    References
    ----------
    Lee & Sidford, Efficient accelerated coordinate descent methods (2013);
    Liu & Wright, An accelerated randomized Kaczmarz algorithm (2016).
    """

    name: ClassVar[str] = "acc_kaczmarz"
    can_split_epoch: ClassVar[bool] = True
    summary: ClassVar[str] = "accelerated, one equation of X w = y at a time"
    guarantee: ClassVar[str] = "n/√μ log"
    reference: ClassVar[str] = "Lee & Sidford 2013"
    side: ClassVar[str] = "dual"

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        inverse = inverse_norms(problem.row_profile.norms2)
        r, setup = self.momentum(problem, inverse)
        qp = np.zeros((problem.d, 2))
        qp[:, 0] = 0.0 if start is None else start.w
        return State(qp, inverse, 1.0, r, 0, setup)

    def epoch(self, P: View, S: State, order: np.ndarray) -> State:
        return S._replace(s=acc_kaczmarz_epoch(P, S, order), k=S.k + order.size)

    def points(self, problem: Problem, S: State) -> Points:
        w = S.qp[:, 0] + S.s * S.qp[:, 1]
        return points_of(problem, w)
