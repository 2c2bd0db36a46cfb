"""Frostig, Ge, Kakade & Sidford 2015: the error that one stage leaves, and the cost of one call of an oracle.

None of the lemmas about a stage needs a smooth P (Remark 3.3): gamma > 0 is not among their assumptions. Notation as in
`appa`; theirs is the sum, ours the mean.
"""

from __future__ import annotations

import sympy as sp

from ..build import lemma
from ..derivations.proximal_point import ACC_K, APPA_K, EXACT, INEXACT
from ..symbols import R, accuracy, gamma, inexactness, l2, mu, n, nnz, prox_weight
from .appa import PAPER

NOT_SMOOTH = "Remark 3.3: P need not be smooth"
CONVEX = (mu > 0,)
ACCELERATED = (mu > 0, sp.Ge(prox_weight, 2 * mu))
OF_F = "f(w) = P(w) + (prox_weight/2)||w - s||^2"
V = "P(x) - P* + (mu/4)||v - w*||^2"

# ------------------------------------------------------------ one stage
STAGES = (
    lemma(
        "appa", "lemma 3.1", value=EXACT, side="dual", assumptions=CONVEX, source=f"{PAPER}, Lemma 3.1; {NOT_SMOOTH}",
        target=f"f* - P*, {OF_F}, is at most P(s) - P* times this",
    ),
    lemma(
        "appa", "lemma 2.3", value=INEXACT.subs(accuracy, (mu + prox_weight) / (inexactness * mu)), side="dual",
        assumptions=(*CONVEX, sp.Le(inexactness, 1)), source=f"{PAPER}, Lemma 2.3; {NOT_SMOOTH}",
        target="P(x) - P* is at most P(s) - P* times this if x is found by an oracle of accuracy "
        "(prox_weight + mu)/(inexactness mu)",
    ),
    lemma(
        "appa", "lemma 3.2", value=INEXACT, side="dual", assumptions=CONVEX, source=f"{PAPER}, Lemma 3.2; {NOT_SMOOTH}",
        target=f"P(x) - P* is at most P(s) - P* times this if f(x) - f* <= (f(s) - f*)/accuracy, {OF_F}",
    ),
    lemma(
        "acc_appa", "exact prox", value=1 - 2 / ACC_K, side="dual", assumptions=ACCELERATED,
        source=f"{PAPER}, Algorithm 2; corrected: the proximal step is taken at y; {NOT_SMOOTH}",
        target=f"a stage with an exact proximal step leaves this part of {V}",
    ),
    lemma(
        "acc_appa", "inexact prox, a stage", value=1 - 1 / ACC_K, side="dual", assumptions=ACCELERATED,
        source=f"{PAPER}, Algorithm 2; corrected: the oracle is called at y; {NOT_SMOOTH}",
        target=f"a stage with an oracle of accuracy 4 rho^(3/2), rho = 1 + 2 prox_weight/mu, leaves this part of {V}",
    ),
    lemma(
        "dual_appa", "dual oracle, a stage", value=1 - 1 / APPA_K, side="dual", assumptions=CONVEX,
        source=f"{PAPER}, Dual APPA; r of its (19), (20) re-derived",
        target="a stage leaves this part of P(x) - P* + mu/(4 prox_weight) (f* - D_f(alpha)), f around the centre x",
    ),
)  # fmt: skip

# ------------------------------------------------------------ one call of an oracle
ORACLES = (
    lemma(
        "appa", "theorem 2.2", value=nnz * sp.ceiling(R**2 / (gamma * n * (mu + prox_weight))) * sp.log(accuracy),
        side="dual", assumptions=(gamma > 0, mu > 0), kind="asymptotic", source=f"{PAPER}, Theorem 2.2; as printed",
        target="nonzeros that SVRG visits to reduce f(w) - f* by the factor accuracy: a primal oracle",
    ),
    lemma(
        "dual_appa", "theorem 2.9", value=nnz * sp.ceiling(R**2 / (gamma * n * (l2 + prox_weight))) * sp.log(accuracy),
        side="dual", assumptions=(gamma > 0,), kind="asymptotic",
        source=f"{PAPER}, Theorem 2.9; as printed for l2 = 0",
        target="nonzeros that SDCA visits to reduce f* - D_f(alpha) by the factor accuracy: a dual oracle",
    ),
)  # fmt: skip

BOUNDS = (*STAGES, *ORACLES)
