"""Accelerated Prox-SDCA: the number of stages, and the cost of a stage (Shalev-Shwartz & Zhang 2014).

With kappa_a = R^2/(gamma n) - l2, mu = l2/2 and rho = mu + kappa_a everything depends on r = R^2/(l2 gamma n) alone:
eta = sqrt(mu/rho) = 1/sqrt(2r - 1), and xi_1 = (1 + 1/eta^2)(P(0) - D(0)) = 2r (P(0) - D(0)). Stage t ends with a
certified gap of eta/(2 (1 + 1/eta^2)) xi_(t-1), and then P(w_t) - P* <= xi_t = (1 - eta/2) xi_(t-1).

Warm start  The dual error of stage t + 1 at its start is at most the gap that stage t ended with and
            kappa_a^2/(2 (l2 + kappa_a)) ||y_t - y_(t-1)||^2, with the centers y_t = w_t + beta (w_t - w_(t-1)) and
            (l2/2)||w_t - w*||^2 <= xi_t. Over the gap that stage t + 1 has to reach, it is at most `warm_start`, which
            is below 144 sqrt(2) r^(5/2) for all r > 10.
Cost        Prox-SDCA's C is n + R^2/(gamma (l2 + kappa_a)) = 2n; the rest is `stages.cost`.
"""

from __future__ import annotations

import sympy as sp

from ..symbols import C_in, R, gamma, l2, n
from .stages import cost

root = R / (sp.sqrt(gamma) * sp.sqrt(l2) * sp.sqrt(n))
r = root**2
eta = 1 / sp.sqrt(2 * r - 1)
first_bound = 2 * r  # xi_1 over P(0) - D(0)
LEADING = 144 * sp.sqrt(2) * root**5


def warm_start(r: sp.Expr) -> sp.Expr:
    """Dual error at the start of a stage over the gap it has to reach."""
    eta = 1 / sp.sqrt(2 * r - 1)
    beta, q = (1 - eta) / (1 + eta), 1 - eta / 2
    # of y_t - y_(t-1) = (1 + beta)(w_t - w*) - (1 + 2 beta)(w_(t-1) - w*) + beta (w_(t-2) - w*), over sqrt(2 xi_t/l2)
    moved = 1 + beta + (1 + 2 * beta) / sp.sqrt(q) + beta / q
    return 1 / q + 4 * (r - 1) ** 2 / eta * moved**2


def cost_of_a_stage() -> sp.Expr:
    """Expected nonzeros that a stage visits, gap tests included."""
    return cost(LEADING).subs(C_in, 2 * n)
