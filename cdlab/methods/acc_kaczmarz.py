"""Accelerated Kaczmarz: random projections with momentum, at the price of a second vector.

Problem     X w = y, a consistent system (the squared loss with l2 = l1 = 0)
Box         rows normalised: a_i = x_i/||x_i||, b_i = y_i/||x_i||;  mu the smallest positive eigenvalue of A'A,
            r = sqrt(mu), theta = r/(n + r).  pick i uniformly;  y = theta v + (1 - theta) x;  e = a_i'y - b_i;
            x = y - e a_i;  v <- (1 - r/n) v + (r/n) y - (e/r) a_i
Guarantee   E Phi(x, v) shrinks by 1 - sqrt(mu)/n a step, Phi = ||v - x*||^2_{(A'A)^+} + ||x - x*||^2/mu;
            x_0 and v_0 in the range of X', such as 0. Faster than kaczmarz on the same rows, 1 - mu/n, where mu < 1
Reference   Lee & Sidford, Efficient accelerated coordinate descent methods (2013); Liu & Wright, An accelerated
            randomized Kaczmarz algorithm (2016); here with constant parameters
Notation    the box's y is a point, P.y are the right-hand sides; w is x. Momentum moves every coordinate. With
            rho = (n - r)/(n + r) and x = s p + q, v = -s p + q, y = rho s p + q it is s *= rho, and a step moves p
            and q only where x_i is not 0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ..numerics.jit import kernel
from ..problems.points import View
from ..problems.problem import Problem
from ..samplings import SamplingLike
from .base import Points
from .shared.linear_system import Accelerated, inverse_norms

FOLD = 1e-100  # s is folded into p before it underflows


class State(NamedTuple):
    """The two sequences of the method, side by side, and the factor between them."""

    pq: np.ndarray  # (d, 2) p and q: x = s p + q, v = -s p + q. Side by side: one trip to memory for both
    inverse: np.ndarray  # (n,) 1/||x_i||; 0 for rows of zeros
    s: float  # a power of rho
    r: float  # sqrt(mu)
    k: int  # iterations so far
    setup: int  # nonzeros visited to find mu


@kernel
def acc_kaczmarz_epoch(P: View, S: State, order: np.ndarray) -> float:
    """One accelerated projection for each row of `order`, of p and q in place. Returns s."""
    pq, inverse, b, n, r, s = S.pq, S.inverse, P.y, P.y.size, S.r, S.s
    rho = (n - r) / (n + r)
    for k in range(order.size):
        i = P.X.pick(order, k, (inverse, b))
        s *= rho  # y = s p + q
        e = -b[i]
        for c in P.X.line(i):
            j = P.X.index(i, c)
            e += P.X.value(i, c) * (s * pq[j, 0] + pq[j, 1])
        e *= inverse[i]  # e = a_i'y - b_i
        to_p, to_q = -e / 2 * (1 - 1 / r) / s * inverse[i], -e / 2 * (1 + 1 / r) * inverse[i]
        for c in P.X.line(i):
            j, x = P.X.index(i, c), P.X.value(i, c)
            pq[j, 0] += to_p * x  # x = s p + q = y - e a_i
            pq[j, 1] += to_q * x  # v = -s p + q = ... - (e/r) a_i
        if s < FOLD:
            for j in range(pq.shape[0]):
                pq[j, 0] *= s
            s = 1.0
    return s


@dataclass(frozen=True)
class AccKaczmarz(Accelerated):
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
    reference: ClassVar[str] = "Lee & Sidford 2013"
    side: ClassVar[str] = "dual"

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        inverse = inverse_norms(problem.row_profile.norms2)
        r, setup = self.momentum(problem, inverse)
        pq = np.zeros((problem.d, 2))
        pq[:, 1] = 0.0 if start is None else start.w
        return State(pq, inverse, 1.0, r, 0, setup)

    def epoch(self, P: View, S: State, order: np.ndarray) -> State:
        return S._replace(s=acc_kaczmarz_epoch(P, S, order), k=S.k + order.size)

    def points(self, problem: Problem, S: State) -> Points:
        w = S.s * S.pq[:, 0] + S.pq[:, 1]
        z = problem.predict(w)
        return Points(w, problem.alpha(w, z=z), z=z)
