"""Frostig, Ge, Kakade & Sidford 2015: stages times the cost of a stage, and the methods compared in Table 1.

Statements up to constants and logarithms, on the scale of the mean loss; kappa_S = ceil(R^2/(gamma n mu)) is their
condition number. Table 1 has n d where the data are dense: nonzeros here.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from ..bound import Bound
from ..build import asymptotic
from ..symbols import P0, R, accuracy, eps, gamma, l2, mu, n, nnz, prox_weight
from .appa import ACC_K, ACC_ORACLE, APPA_K, FLAT, ORACLE, PAPER, SIGMA
from .appa_lemmas import ORACLES

SVRG_CALL, SDCA_CALL = (oracle.expr for oracle in ORACLES)
APCG_CALL = nnz * sp.sqrt(1 + R**2 / (gamma * n * (l2 + prox_weight))) * sp.log(accuracy)
DIGITS = sp.log(P0 / eps)


def total(
    method: str, theorem: str, K: sp.Expr, oracle: sp.Expr, c: sp.Expr, weight: sp.Expr = prox_weight, **data: Any
) -> Bound:
    """K ln(.../eps) calls of an oracle of accuracy c, with this proximal weight."""
    stages, call = (part.subs(accuracy, c).subs(prox_weight, weight) for part in (K, oracle))
    free = {"assumptions": (gamma > 0, mu > 0, prox_weight > 0), "defaults": ((prox_weight, FLAT),)}
    data |= free if weight == prox_weight else {"assumptions": (gamma > 0, mu > 0)}
    return asymptotic(method, theorem, count=stages * DIGITS, W=call, step="stage", side="dual", **data)


def compared(method: str, steps: sp.Expr, W: sp.Expr, convexity: sp.Expr = mu, sampling: str = "uniform") -> Bound:
    """A row of Table 1."""
    of = "P plus the regulariser" if convexity == l2 else "P"
    return asymptotic(
        method,
        "frostig table 1",
        sampling,
        count=steps * DIGITS,
        W=W,
        side="dual",
        assumptions=(gamma > 0, convexity > 0),
        source=f"{PAPER}, Table 1; condition number of {of}",
    )


def condition(convexity: sp.Expr) -> sp.Expr:
    """The condition number ceil(R^2/(gamma n mu)) for this strong convexity mu."""
    return sp.ceiling(R**2 / (gamma * n * convexity))


kappa_S, kappa_prime = condition(mu), condition(l2)  # the second of P plus the regulariser that SDCA needs
BOUNDS = (
    total(
        "appa", "theorem 2.4, SVRG inside", APPA_K, SVRG_CALL, ORACLE,
        source=f"{PAPER}, Theorems 2.4 and 2.2",
    ),
    total("appa", "corollary 2.5", APPA_K, SVRG_CALL, ORACLE, weight=mu, source=f"{PAPER}, Corollary 2.5; SVRG inside"),
    total(
        "acc_appa", "corollary 2.7", ACC_K, SVRG_CALL, ACC_ORACLE, weight=2 * mu + FLAT,
        source=f"{PAPER}, Corollary 2.7; SVRG inside",
    ),
    total("dual_appa", "SDCA inside", APPA_K, SDCA_CALL, SIGMA, source=f"{PAPER}, Theorem 2.9 and Dual APPA"),
    total(
        "dual_appa", "corollary 2.11", APPA_K, APCG_CALL, SIGMA, weight=mu,
        source=f"{PAPER}, Corollary 2.11, accelerated inner method; corrected: prox_weight is mu, not R^2/(gamma n)",
    ),
    total(
        "dual_appa", "corollary 2.11, printed weight", APPA_K, APCG_CALL, SIGMA, weight=FLAT,
        source=f"{PAPER}, Corollary 2.11, accelerated inner method, prox_weight R^2/(gamma n) as printed: as many "
        "passes as without acceleration, where the paper claims the square root",
    ),
    compared("gd", n * kappa_S, nnz, sampling="none"),
    compared("agd", sp.sqrt(n * kappa_S), nnz, sampling="none"),
    compared("sag", n * kappa_S, nnz / n),
    compared("svrg", n * kappa_S, nnz / n),
    compared("sdca", n * kappa_prime, nnz / n, l2),
    compared("accprox_sdca", n * sp.sqrt(kappa_prime), nnz / n, l2),
    compared("apcg", n * sp.sqrt(kappa_prime), nnz / n, l2),
    compared("acc_appa", n * sp.sqrt(kappa_S), nnz / n),
    compared("dual_appa", n * sp.sqrt(kappa_S), nnz / n),
)  # fmt: skip
