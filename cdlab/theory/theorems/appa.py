"""Frostig, Ge, Kakade & Sidford 2015: APPA, accelerated and on the dual, on the scale of the mean loss.

Their sum F is n P here, so mu and prox_weight (lambda) are theirs divided by n, their condition number is
R^2/(gamma n mu), and ratios are the same. A step is a stage: one inner problem f(w) = P(w) + (lambda/2)||w - x||^2,
solved by SDCA, the default inner method, until its duality gap says that it is solved well enough: by default relative
to how far the stage has moved, with accuracy="theory" as the paper's oracle. See `stages` for what a stage costs. With
a fixed number of epochs a stage nothing is certified and no theorem holds.

What SDCA has to reduce is the dual error E_0 = f* - D_f(alpha) of its start. Stages of appa and acc_appa begin at
alpha(x) = -phi'(X x), where E_0 <= gap(x, alpha(x)) <= (L_P + lambda)/(l2 + lambda) (f(x) - f*), for any l1: what
`Bound.on_gap` says of P, said of f. Those of dual_appa begin at the alpha of the last stage, which has dual error e on
its f, around s; f* is lambda-smooth in the centre and D_f(alpha) convex, so E_0 <= 2 e + lambda ||x - s||^2 around the
new centre x.

How loose: of logistic regression on 1,000 x 200 with l2 = 1e-3 to 1e-6 of P(0) - P*, appa takes 65 passes and is
promised 4,975, acc_appa 97 and 2,934, dual_appa 49 and 7,259; see docs/tightness.md.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy as sp

from ..bound import Bound
from ..derivations import stages
from ..derivations.stages import (
    ACC_EXACT_K,
    ACC_K,
    ACC_ORACLE_ACCURACY,
    APPA_K,
    EXACT_FACTOR,
    EXACT_K,
    INEXACT_FACTOR,
    ORACLE_ACCURACY,
    RHO,
)
from ..forms import asymptotic, contraction, lemma
from ..symbols import L_P, P0, C_in, R, accuracy, eps, gamma, gap0, inexactness, l1, l2, mu, n, nnz, prox_weight

METHODS = ("appa", "acc_appa", "dual_appa")
ALSO_ABOUT = ("gd", "agd", "sag", "svrg", "sdca", "accprox_sdca", "apcg")

PAPER = "Frostig, Ge, Kakade & Sidford 2015, Un-regularizing"
CERTIFIED = "with SDCA inside and certified stages"
THEORY_ACCURACY = (("accuracy", "theory"),)
INNER = ("uniform", "importance")  # samplings of the inner method

EASY_WEIGHT = R**2 / (gamma * n)  # with this weight SDCA contracts by a constant factor an epoch: C_in is at most 2n
SMOOTH = (gamma > 0, mu > 0, prox_weight > 0)
QUADRATIC = sp.Eq(l1, 0)
START = (L_P + prox_weight) / (l2 + prox_weight)  # E_0 at alpha(x) is at most this times f(x) - f*
OPENING = sp.Rational(1, 2)  # v of alpha(x); the last gap test has made X x


def dual_oracle(B: sp.Expr) -> sp.Expr:
    """sigma, so that Delta + a E contracts by r = 1 - mu/(2 (lambda + mu)) in a stage, a = mu/(4 lambda).

    With Delta = P(x) - P*, E = f* - D_f(alpha), q = lambda/(lambda + mu) and e <= E/sigma at the end of a stage, and
    f(x_hat(alpha)) - f* <= B e:  Delta+ + (lambda/2)||x+ - x||^2 <= q Delta + B e (Lemma 3.1) and
    E+ <= 2 e + lambda ||x+ - x||^2 <= 2 q Delta + (2 + 2 B) e.  The sum Delta+ + a E+ is at most
    (1 + 2 a) q Delta + (B + 2 a (1 + B)) e; (1 + 2 a) q = r, and sigma makes the rest r a E.
    """
    a, of_primal = mu / (4 * prox_weight), sp.Symbol("B", positive=True)
    r = (1 + 2 * a) * EXACT_FACTOR
    return sp.apart((of_primal + 2 * a * (1 + of_primal)) / (r * a), of_primal).subs(of_primal, B)


# f(x_hat(alpha)) - f* is at most the gap, at most 1 + R^2/(gamma (l2 + lambda)) times the dual error f* - D_f(alpha):
# the lemma "gap of a dual point" on f, whose L_f is at most R^2/gamma
SIGMA = dual_oracle(1 + R**2 / (gamma * (l2 + prox_weight)))


# ------------------------------------------------------------ whole runs
def stage_bounds(
    method: str, theorem: str, *, ratio: sp.Expr, opening: sp.Expr = sp.S.Zero, **data: Any
) -> list[Bound]:
    """A contraction by stages, for each sampling of the inner SDCA.

    `ratio` is the dual error E_0 at the start of a stage over the gap at which it ends, and `opening` the passes that
    opening it takes.
    """
    found = []
    for sampling in INNER:
        parameters = (*data["defaults"], (C_in, stages.inner_descent(sampling).K))
        W = stages.expected_visits(ratio, sampling, opening)
        rest: dict[str, Any] = {"bounded": "P(w)-P*", "side": "dual", "step": "stage", "vectors": True} | data
        found.append(contraction(method, theorem, sampling, W=W, **rest | {"defaults": parameters}))
    return found


# ------------------------------------------------------------ by default: a gap of at most (lambda/2)||x' - x||^2
# Then P(x') <= D_f(alpha') <= f*, so P - P* contracts as by exact steps. Of the cost: s = ||x+ - x||, x+ the exact
# step, q = lambda/(lambda + mu). ||x' - x|| is at least s - ||x' - x+||, and a gap G bounds ||x' - x+||^2 by 2
# G/(lambda + mu): a stage ends at the latest at a gap of (lambda/2)(s/(1 + sqrt(q)))^2. Without l1 f is (L_P +
# lambda)-smooth, and f(x) - f* <= (L_P + lambda)/2 s^2: this bounds E_0 over that gap in every stage.
DEFAULT_WEIGHT = ((prox_weight, EASY_WEIGHT),)
STAGE = "relative gap"
APPA_RATIO = (1 + sp.sqrt(EXACT_FACTOR)) ** 2 * START * (L_P + prox_weight) / prox_weight
AFTER_ROCKAFELLAR = f"after {PAPER}, Lemma 3.1, and Rockafellar 1976, criterion (B); re-derived; {CERTIFIED}"
APPA_RELATIVE = stage_bounds(
    "appa",
    STAGE,
    K=EXACT_K,
    constant=P0,
    ratio=APPA_RATIO,
    opening=OPENING,
    assumptions=(*SMOOTH, QUADRATIC),
    defaults=DEFAULT_WEIGHT,
    source=AFTER_ROCKAFELLAR,
)

# For any l1: let M = f* - P* for each stage, and before the first one P(x_0) - P*. The envelope f* is mu q-strongly
# convex in x, with gradient lambda (x - x+): so (lambda/2) s^2 >= mu/(lambda + mu) M, and the last gap is at least
# mu/(4 (lambda + mu)) M. At the beginning f(x) - f* <= P(x) - P*, which the last stage has left at most its own M. So
# the ratio is at most 4 (lambda + mu)/mu START times the gain of M over a stage. The logarithms of the gains telescope
# over the stages to eps: more gained is fewer stages to come, and the gain may be taken as the guaranteed one, 1/q.
APPA_RELATIVE_L1 = stage_bounds(
    "appa",
    "relative gap, any l1",
    K=EXACT_K,
    constant=P0,
    ratio=4 * EXACT_K / EXACT_FACTOR * START,
    opening=OPENING,
    assumptions=SMOOTH,
    defaults=DEFAULT_WEIGHT,
    source=AFTER_ROCKAFELLAR,
)
APPA_RELATIVE = [replace(b, fallback=other) for b, other in zip(APPA_RELATIVE, APPA_RELATIVE_L1, strict=True)]

# dual_appa: (lambda/2) s^2 <= M, too. As ||x' - x+|| <= sqrt(q) ||x' - x|| at the end of a stage, ||x' - x|| <= s/(1 -
# sqrt(q)) <= 2 (lambda + mu)/mu s. The next stage starts with E_0 <= 2 e + lambda ||x' - x||^2 <= 2 lambda ||x' - x||^2
# <= 16 ((lambda + mu)/mu)^2 M. So the ratio is at most 64 ((lambda + mu)/mu)^3 times the gain of M. The first stage,
# E_0 <= P(0) - D(0), fits in if M before it counts as at least a 16th of that.
DUAL_RELATIVE = stage_bounds(
    "dual_appa",
    STAGE,
    K=EXACT_K,
    constant=sp.Max(P0, gap0 / 16),
    ratio=sp.factor(64 * EXACT_K**3 / EXACT_FACTOR),
    assumptions=SMOOTH,
    defaults=DEFAULT_WEIGHT,
    source=f"{AFTER_ROCKAFELLAR}; P(0) - P* taken as at least (P(0) - D(0))/16",
)

# Accelerated, with a gap of at most (lambda/2)(||x' - y||^2 + r ||x - y||^2)/(1 + rho): V = P(x) - P* + (mu/4)||v -
# w*||^2 contracts as by exact steps, see `stages.accelerated_stage`. Of the cost: s = ||x+ - y||, t = ||x - y||, T =
# s^2 + r t^2. A gap G = (9/16)(lambda/2) T/(1 + rho) ends a stage: ||x' - x+||^2 <= q (9/16) T/(1 + rho) <= T/16,
# because q/(1 + rho) = lambda mu/(2 (lambda + mu)^2) <= 1/9, and ||x' - y||^2 + r t^2 is least where T = s^2, at least
# (3/4)^2 T. Without l1 f(x) - f* <= (L_P + lambda)/2 (s + t)^2 <= (L_P + lambda)/2 (1 + 1/r) T: this bounds E_0 over G
# in every stage.
ACC_RATIO = sp.Rational(16, 9) * (1 + RHO) * (1 + sp.sqrt(RHO)) * START * (L_P + prox_weight) / prox_weight
ACC_DEFAULT_WEIGHT = 2 * mu + EASY_WEIGHT
FIRST_DISTANCE = "(mu/4)||w_0 - w*||^2 taken as (P(0) - P*)/2, which it is at most"
ACC_SMOOTH = (*SMOOTH, sp.Ge(prox_weight, 2 * mu))
ACC_RELATIVE = stage_bounds(
    "acc_appa",
    STAGE,
    K=ACC_EXACT_K,
    constant=3 * P0 / 2,
    ratio=ACC_RATIO,
    opening=OPENING,
    assumptions=(*ACC_SMOOTH, QUADRATIC),
    defaults=((prox_weight, ACC_DEFAULT_WEIGHT),),
    source=f"after {PAPER}, Algorithm 2 and Corollary 2.7; corrected: the oracle works around y, not x; re-derived "
    f"with a relative gap as Lin, Mairal & Harchaoui 2018, criterion (C2); {CERTIFIED}; {FIRST_DISTANCE}",
)

# ------------------------------------------------------------ accuracy="theory": the paper's oracles
# A gap G <= (f(x) - f*)/(c + 1) is at most (f(x) - f(x'))/c, and ends a stage. So E_0 over the last gap is at most
# (c + 1) START, in every stage and for any l1.
ORACLE_RATIO = (accuracy + 1) * START
APPA = stage_bounds(
    "appa",
    "theorem 2.4",
    K=APPA_K,
    constant=P0,
    ratio=ORACLE_RATIO,
    parameters=THEORY_ACCURACY,
    opening=OPENING,
    assumptions=(*SMOOTH, sp.Ge(accuracy, ORACLE_ACCURACY)),
    defaults=(*DEFAULT_WEIGHT, (accuracy, ORACLE_ACCURACY)),
    source=f"{PAPER}, Theorem 2.4; {CERTIFIED}; its cost re-derived",
)

# U = V + r (P(x) - P*) contracts by 1 - r/(1 + r), and U_0/(1 + r) <= P(0) - P* + (mu/4)||w_0 - w*||^2.
ACCELERATED = stage_bounds(
    "acc_appa",
    "inexact prox",
    K=ACC_K,
    constant=3 * P0 / 2,
    ratio=ORACLE_RATIO,
    parameters=THEORY_ACCURACY,
    opening=OPENING,
    assumptions=(*ACC_SMOOTH, sp.Ge(accuracy, ACC_ORACLE_ACCURACY)),
    defaults=((prox_weight, ACC_DEFAULT_WEIGHT), (accuracy, ACC_ORACLE_ACCURACY)),
    source=f"{PAPER}, Algorithm 2 and Corollary 2.7; corrected: the oracle works around y, and starts at x; "
    f"{CERTIFIED}; {FIRST_DISTANCE}; re-derived",
)

# A stage ends at the latest at a gap of E_0/(sigma + 1).
DUAL = stage_bounds(
    "dual_appa",
    "dual oracle",
    K=APPA_K,
    constant=P0 + mu / (4 * prox_weight) * gap0,
    ratio=accuracy + 1,
    assumptions=(*SMOOTH, sp.Ge(accuracy, SIGMA)),
    defaults=((prox_weight, EASY_WEIGHT), (accuracy, SIGMA)),
    parameters=THEORY_ACCURACY,
    source=f"{PAPER}, Dual APPA; its constants (19), (20) re-derived, for any l1; {CERTIFIED}",
)

RUNS = (*APPA_RELATIVE, *ACC_RELATIVE, *DUAL_RELATIVE, *APPA, *ACCELERATED, *DUAL, *APPA_RELATIVE_L1)

# ------------------------------------------------------------ one stage
# None of these lemmas needs a smooth P (Remark 3.3): gamma > 0 is not among their assumptions.
NOT_SMOOTH = "Remark 3.3: P need not be smooth"
CONVEX = (mu > 0,)
ACCELERATED_NEEDS = (mu > 0, sp.Ge(prox_weight, 2 * mu))
PROXIMAL_OBJECTIVE = "f(w) = P(w) + (prox_weight/2)||w - s||^2"
V = "P(x) - P* + (mu/4)||v - w*||^2"
U = "(1 + rho^(-1/2)) (P(x) - P*) + (mu/4)||v - w*||^2"

STAGES = (
    lemma(
        "appa",
        "lemma 3.1",
        value=EXACT_FACTOR,
        side="dual",
        vectors=True,
        assumptions=CONVEX,
        source=f"{PAPER}, Lemma 3.1; {NOT_SMOOTH}",
        target=f"f* - P*, {PROXIMAL_OBJECTIVE}, is at most P(s) - P* times this",
    ),
    lemma(
        "appa",
        "lemma 2.3",
        value=INEXACT_FACTOR.subs(accuracy, (mu + prox_weight) / (inexactness * mu)),
        side="dual",
        vectors=True,
        assumptions=(*CONVEX, sp.Le(inexactness, 1)),
        source=f"{PAPER}, Lemma 2.3; {NOT_SMOOTH}",
        target="P(x) - P* is at most P(s) - P* times this if x is found by an oracle of accuracy "
        "(prox_weight + mu)/(inexactness mu)",
    ),
    lemma(
        "appa",
        "lemma 3.2",
        value=INEXACT_FACTOR,
        side="dual",
        vectors=True,
        assumptions=CONVEX,
        source=f"{PAPER}, Lemma 3.2; {NOT_SMOOTH}",
        target=f"P(x) - P* is at most P(s) - P* times this if f(x) - f* <= (f(s) - f*)/accuracy, {PROXIMAL_OBJECTIVE}",
    ),
    lemma(
        "acc_appa",
        "exact prox",
        value=1 - 1 / ACC_EXACT_K,
        side="dual",
        vectors=True,
        assumptions=ACCELERATED_NEEDS,
        source=f"{PAPER}, Algorithm 2; corrected: the proximal step is taken at y; {NOT_SMOOTH}",
        target=f"a stage with an exact proximal step leaves this part of {V}",
    ),
    lemma(
        "acc_appa",
        "inexact prox, a stage",
        value=1 - 1 / ACC_K,
        side="dual",
        vectors=True,
        assumptions=ACCELERATED_NEEDS,
        source=f"{PAPER}, Algorithm 2; corrected: the oracle works around y, and starts at x; re-derived; {NOT_SMOOTH}",
        target="a stage that ends at an x' with f(x') - f* <= (f(x) - f(x'))/((1 + rho) rho^(1/2)), f around y and "
        f"rho = 1 + 2 prox_weight/mu, leaves this part of {U}",
    ),
    lemma(
        "dual_appa",
        "dual oracle, a stage",
        value=1 - 1 / APPA_K,
        side="dual",
        vectors=True,
        assumptions=CONVEX,
        source=f"{PAPER}, Dual APPA; r of its (19), (20) re-derived",
        target="a stage leaves this part of P(x) - P* + mu/(4 prox_weight) (f* - D_f(alpha)), f around the centre x",
    ),
)

# ------------------------------------------------------------ one call of an oracle
ORACLES = (
    lemma(
        "appa",
        "theorem 2.2",
        value=nnz * sp.ceiling(R**2 / (gamma * n * (mu + prox_weight))) * sp.log(accuracy),
        side="dual",
        vectors=True,
        assumptions=(gamma > 0, mu > 0),
        kind="asymptotic",
        source=f"{PAPER}, Theorem 2.2; as printed",
        target="nonzeros that SVRG visits to reduce f(w) - f* by the factor accuracy: a primal oracle",
    ),
    lemma(
        "dual_appa",
        "theorem 2.9",
        value=nnz * sp.ceiling(R**2 / (gamma * n * (l2 + prox_weight))) * sp.log(accuracy),
        side="dual",
        vectors=True,
        assumptions=(gamma > 0,),
        kind="asymptotic",
        source=f"{PAPER}, Theorem 2.9; as printed for l2 = 0",
        target="nonzeros that SDCA visits to reduce f* - D_f(alpha) by the factor accuracy: a dual oracle",
    ),
)

# ------------------------------------------------------------ stages times the cost of a stage, and Table 1
# Up to constants and logarithms; kappa_S = ceil(R^2/(gamma n mu)) is their condition number. Table 1 has n d where the
# data are dense: nonzeros here.
SVRG_CALL, SDCA_CALL = (oracle.expr for oracle in ORACLES)
APCG_CALL = nnz * sp.sqrt(1 + R**2 / (gamma * n * (l2 + prox_weight))) * sp.log(accuracy)
DIGITS = sp.log(P0 / eps)


def total(
    method: str, theorem: str, K: sp.Expr, oracle: sp.Expr, c: sp.Expr, weight: sp.Expr = prox_weight, **data: Any
) -> Bound:
    """K ln(.../eps) calls of an oracle of accuracy c, with this proximal weight."""
    stages, call = (part.subs(accuracy, c).subs(prox_weight, weight) for part in (K, oracle))
    free = {"assumptions": (gamma > 0, mu > 0, prox_weight > 0), "defaults": ((prox_weight, EASY_WEIGHT),)}
    data |= free if weight == prox_weight else {"assumptions": (gamma > 0, mu > 0)}
    return asymptotic(method, theorem, count=stages * DIGITS, W=call, step="stage", side="dual", vectors=True, **data)


def table_1_row(method: str, steps: sp.Expr, W: sp.Expr, convexity: sp.Expr = mu, sampling: str = "uniform") -> Bound:
    """A row of Table 1."""
    of = "P plus the regulariser" if convexity == l2 else "P"
    return asymptotic(
        method,
        "frostig table 1",
        sampling,
        count=steps * DIGITS,
        W=W,
        side="dual",
        vectors=True,
        assumptions=(gamma > 0, convexity > 0),
        source=f"{PAPER}, Table 1; condition number of {of}",
    )


def condition(convexity: sp.Expr) -> sp.Expr:
    """The condition number ceil(R^2/(gamma n mu)) for this strong convexity mu."""
    return sp.ceiling(R**2 / (gamma * n * convexity))


kappa_S, kappa_prime = condition(mu), condition(l2)  # the second of P plus the regulariser that SDCA needs
TOTALS = (
    total(
        "appa",
        "theorem 2.4, SVRG inside",
        APPA_K,
        SVRG_CALL,
        ORACLE_ACCURACY,
        source=f"{PAPER}, Theorems 2.4 and 2.2",
    ),
    total(
        "appa",
        "corollary 2.5",
        APPA_K,
        SVRG_CALL,
        ORACLE_ACCURACY,
        weight=mu,
        source=f"{PAPER}, Corollary 2.5; SVRG inside",
    ),
    total(
        "acc_appa",
        "corollary 2.7",
        ACC_K,
        SVRG_CALL,
        ACC_ORACLE_ACCURACY,
        weight=2 * mu + EASY_WEIGHT,
        source=f"{PAPER}, Corollary 2.7; SVRG inside",
    ),
    total("dual_appa", "SDCA inside", APPA_K, SDCA_CALL, SIGMA, source=f"{PAPER}, Theorem 2.9 and Dual APPA"),
    total(
        "dual_appa",
        "corollary 2.11",
        APPA_K,
        APCG_CALL,
        SIGMA,
        weight=mu,
        source=f"{PAPER}, Corollary 2.11, accelerated inner method; corrected: prox_weight is mu, not R^2/(gamma n)",
    ),
    total(
        "dual_appa",
        "corollary 2.11, printed weight",
        APPA_K,
        APCG_CALL,
        SIGMA,
        weight=EASY_WEIGHT,
        source=f"{PAPER}, Corollary 2.11, accelerated inner method, prox_weight R^2/(gamma n) as printed: as many "
        "passes as without acceleration, where the paper claims the square root",
    ),
    table_1_row("gd", n * kappa_S, nnz, sampling="none"),
    table_1_row("agd", sp.sqrt(n * kappa_S), nnz, sampling="none"),
    table_1_row("sag", n * kappa_S, nnz / n),
    table_1_row("svrg", n * kappa_S, nnz / n),
    table_1_row("sdca", n * kappa_prime, nnz / n, l2),
    table_1_row("accprox_sdca", n * sp.sqrt(kappa_prime), nnz / n, l2),
    table_1_row("apcg", n * sp.sqrt(kappa_prime), nnz / n, l2),
    table_1_row("acc_appa", n * sp.sqrt(kappa_S), nnz / n),
    table_1_row("dual_appa", n * sp.sqrt(kappa_S), nnz / n),
)

BOUNDS = (*RUNS, *STAGES, *ORACLES, *TOTALS)
