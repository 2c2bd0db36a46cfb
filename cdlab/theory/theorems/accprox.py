"""Shalev-Shwartz & Zhang 2014: accelerated Prox-SDCA, where it pays, and Prox-SDCA itself where it does not.

With kappa_a = R^2/(gamma n) - l2, mu = l2/2 and rho = mu + kappa_a everything depends on r = R^2/(l2 gamma n) alone:
eta = sqrt(mu/rho) = 1/sqrt(2r - 1), and xi_1 = (1 + 1/eta^2)(P(0) - D(0)) = 2r (P(0) - D(0)). Stage t ends with a
certified gap of eta/(2 (1 + 1/eta^2)) xi_(t-1), and then P(w_t) - P* <= xi_t = (1 - eta/2) xi_(t-1).

Warm start  The dual error of stage t + 1 at its start is at most the gap that stage t ended with and
            kappa_a^2/(2 (l2 + kappa_a)) ||y_t - y_(t-1)||^2, with the centers y_t = w_t + beta (w_t - w_(t-1)) and
            (l2/2)||w_t - w*||^2 <= xi_t. Over the gap that stage t + 1 has to reach, it is at most `warm_start`, which
            is below 144 sqrt(2) r^(5/2) for all r > 10.
Cost        Prox-SDCA's C is n + R^2/(gamma (l2 + kappa_a)) = 2n; the rest is `stages.expected_visits`.
"""

from __future__ import annotations

import sympy as sp

from ..derivations import stages
from ..forms import asymptotic, contraction, lemma
from ..symbols import C_in, R, gamma, gap0, l2, n, nnz
from .faceoff import SMOOTH
from .sdca import BOUNDS as SDCA

METHODS = ("accprox_sdca",)

ACCELERATED = "Shalev-Shwartz & Zhang 2014, arXiv:1309.2375"
ILL_CONDITIONED = (*SMOOTH, sp.Gt(R**2 / (gamma * l2), 10 * n))

ROOT = R / (sp.sqrt(gamma) * sp.sqrt(l2) * sp.sqrt(n))  # sqrt(r)
ETA = 1 / sp.sqrt(2 * ROOT**2 - 1)
WARM_START = 144 * sp.sqrt(2) * ROOT**5


def warm_start(r: sp.Expr) -> sp.Expr:
    """Dual error at the start of a stage over the gap it has to reach."""
    eta = 1 / sp.sqrt(2 * r - 1)
    beta, q = (1 - eta) / (1 + eta), 1 - eta / 2
    # of y_t - y_(t-1) = (1 + beta)(w_t - w*) - (1 + 2 beta)(w_(t-1) - w*) + beta (w_(t-2) - w*), over sqrt(2 xi_t/l2)
    moved = 1 + beta + (1 + 2 * beta) / sp.sqrt(q) + beta / q
    return 1 / q + 4 * (r - 1) ** 2 / eta * moved**2


BOUNDS = (
    contraction(
        "accprox_sdca",
        "certified stages",
        K=2 / ETA,
        constant=2 * ROOT**2 * gap0,
        bounded="P(w)-P*",
        step="stage",
        W=stages.expected_visits(WARM_START).subs(C_in, 2 * n),
        assumptions=ILL_CONDITIONED,
        side="dual",
        vectors=True,
        fallback=SDCA[0],
        source=f"{ACCELERATED}, Theorem 1; the cost of a stage re-derived with its gap tests",
    ),
    asymptotic(
        "accprox_sdca",
        "total",
        count=n * (1 + ROOT),
        W=nnz / n,
        assumptions=SMOOTH,
        side="dual",
        vectors=True,
        source=f"{ACCELERATED}: n + sqrt(n R^2/(l2 gamma)) updates in all",
    ),
    lemma(
        "accprox_sdca",
        "warm start",
        value=WARM_START,
        assumptions=ILL_CONDITIONED,
        side="dual",
        vectors=True,
        target="a stage starts with a dual error of at most this many times the gap that it has to reach",
        source=f"{ACCELERATED}, proof of Theorem 1; constants as re-derived",
    ),
)
