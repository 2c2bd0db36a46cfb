"""SDCA and Prox-SDCA: exact maximisation of the dual along one random coordinate at a time.

Problem     max_alpha D(alpha) = -(1/n) sum_i phi*(-alpha_i) - g*(X'alpha/n),  g = (l2/2)||.||^2 + l1||.||_1, l2 > 0
Box         pick i;  alpha_i <- argmax of D along e_i (with l1 > 0: of its standard quadratic lower bound);
            keep v = X'alpha/n
Guarantee   1/gamma-smooth losses, uniform i: E[P - D] <= C (1 - 1/C)^t (D* - D_0), C = n + R^2/(l2 gamma);
            L-Lipschitz losses: O(n + L^2 R^2/(l2 eps)) updates for the averaged iterate; see cdlab.theory
Reference   Shalev-Shwartz & Zhang, Stochastic dual coordinate ascent methods for regularized loss minimization (2013),
            Figure 1, Option I; Accelerated proximal SDCA (2014) for l1 > 0
Notation    our v is their v times l2 (lambda); our alpha, phi and w are theirs
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ..jit import kernel
from .base import Method, Points


class State(NamedTuple):
    alpha: np.ndarray  # (n,) dual variables
    v: np.ndarray  # (d,) X'alpha/n
    q: np.ndarray  # (n,) ||x_i||^2/(l2 n), curvature of the dual along e_i


@kernel
def sdca_epoch(P, S, order):
    alpha, v, q, y, n = S.alpha, S.v, S.q, P.y, P.y.size
    for k in range(order.size):
        i = order[k]  # pick i
        P.X.look_ahead(order, k, alpha, q, y)
        u = P.X.dot(i, v, P.reg) / P.reg.l2  # u = x_i'w, w = grad g*(v)
        new = -P.loss.dualprox(u, -alpha[i], q[i], y[i])  # maximise the dual along e_i
        if new != alpha[i]:
            P.X.add(i, (new - alpha[i]) / n, v)  # v += (alpha_i' - alpha_i) x_i/n
            alpha[i] = new


@dataclass(frozen=True)
class SDCA(Method):
    """Stochastic dual coordinate ascent, exact steps; Prox-SDCA when l1 > 0."""

    name: ClassVar[str] = "sdca"
    reference: ClassVar[str] = "Shalev-Shwartz & Zhang 2013"
    side: ClassVar[str] = "dual"
    needs_l2: ClassVar[bool] = True

    def init(self, problem, p, start=None):
        q = problem.row_profile.norms2 / (problem.l2 * problem.n)
        alpha = np.zeros(problem.n) if start is None else start.alpha.copy()
        return State(alpha, problem.v(alpha), q)

    def epoch(self, P, S, order):
        sdca_epoch(P, S, order)
        return S

    def points(self, problem, S):
        return Points(problem.reg.grad_g_conj(S.v), S.alpha, v=S.v)

    def refresh(self, problem, S):
        S.v[:] = problem.v(S.alpha)
