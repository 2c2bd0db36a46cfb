"""Primal randomized coordinate descent (RCD), in NSync's form: a gradient step of length 1/L_j along coordinate j of w.

Problem     min_w P(w) = (1/n) sum_i phi(x_i'w) + (l2/2)||w||^2, phi smooth, l2 > 0
Box         pick j;  g_j = (1/n) sum_i X_ij phi'(z_i) + l2 w_j;  w_j -= g_j/L_j;  keep z = X w
            with L_j = (beta ||X_:j||^2 + l2 n)/n, beta = 1/gamma
Guarantee   any probabilities p: E[P(w_t)] - P* <= (1 - rho)^t (P(w_0) - P*), rho = min_j p_j l2/L_j
Reference   Csiba & Richtarik, Coordinate descent face-off: primal or dual? (2016), Algorithm 1 and Theorem 1, eq. (8)
Notation    our X (n, d) is the transpose of theirs; our L_j is their u'_j
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ..jit import kernel
from .base import Method, Points


class State(NamedTuple):
    w: np.ndarray  # (d,) primal variables
    z: np.ndarray  # (n,) X w
    L: np.ndarray  # (d,) smoothness of P along e_j


@kernel
def rcd_epoch(P, S, order):
    w, z, L, y, n = S.w, S.z, S.L, P.y, P.y.size
    for k in range(order.size):
        j = order[k]  # pick j
        P.X.look_ahead(order, k, w, L, w)
        g = P.X.slope(j, z, y, P.loss) / n + P.reg.l2 * w[j]
        step = -g / L[j]
        w[j] += step
        P.X.add(j, step, z)  # z += step X_:j


@dataclass(frozen=True)
class RCD(Method):
    """Primal randomized coordinate descent."""

    name: ClassVar[str] = "rcd"
    reference: ClassVar[str] = "Csiba & Richtarik 2016"
    side: ClassVar[str] = "primal"
    needs_l2: ClassVar[bool] = True
    needs_smooth: ClassVar[bool] = True
    takes_l1: ClassVar[bool] = False

    def init(self, problem, p, start=None):
        L = problem.coordinates(self.side).smoothness / problem.n
        w = np.zeros(problem.d) if start is None else start.w.copy()
        return State(w, problem.predict(w), L)

    def epoch(self, P, S, order):
        rcd_epoch(P, S, order)
        return S

    def points(self, problem, S):
        return Points(S.w, problem.alpha(S.w, z=S.z), z=S.z)

    def refresh(self, problem, S):
        S.z[:] = problem.predict(S.w)
