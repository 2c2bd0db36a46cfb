"""Shalev-Shwartz & Zhang 2014: accelerated Prox-SDCA, where it pays, and Prox-SDCA itself where it does not."""

from __future__ import annotations

import sympy as sp

from ..build import asymptotic, contraction, lemma
from ..derivations.accprox_stages import LEADING, cost_of_a_stage, eta, first_bound, root
from ..symbols import R, gamma, gap0, l2, n, nnz
from .faceoff import SMOOTH
from .sdca import BOUNDS as SDCA

ACCELERATED = "Shalev-Shwartz & Zhang 2014, arXiv:1309.2375"
ILL_CONDITIONED = (*SMOOTH, sp.Gt(R**2 / (gamma * l2), 10 * n))

BOUNDS = (
    contraction(
        "accprox_sdca", "certified stages", K=2 / eta, constant=first_bound * gap0, bounded="P(w)-P*", step="stage",
        W=cost_of_a_stage(), assumptions=ILL_CONDITIONED, side="dual", vectors=True, fallback=SDCA[0],
        source=f"{ACCELERATED}, Theorem 1; the cost of a stage re-derived with its gap tests",
    ),
    asymptotic(
        "accprox_sdca", "total", count=n * (1 + root), W=nnz / n, assumptions=SMOOTH,
        side="dual", vectors=True, source=f"{ACCELERATED}: n + sqrt(n R^2/(l2 gamma)) updates in all",
    ),
    lemma(
        "accprox_sdca", "warm start", value=LEADING, assumptions=ILL_CONDITIONED, side="dual", vectors=True,
        target="a stage starts with a dual error of at most this many times the gap that it has to reach",
        source=f"{ACCELERATED}, proof of Theorem 1; constants as re-derived",
    ),
)  # fmt: skip
