"""Stochastic gradient methods on the primal: averages of subgradient methods, and variance reduction.

The i of a step is drawn uniformly, which visits nnz/n. L R bounds the subgradients of x -> phi_i(x_i'w), and
R^2/gamma is their smoothness.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from ..bound import Bound
from ..build import asymptotic, contraction, decay, lemma
from ..derivations import counts, variance_reduction
from ..derivations.sublinear import from_first_step, logarithmic_root_steps, logarithmic_steps
from ..symbols import P0, F, L, L_f, P_zero, R, eps, g2, gamma, gamma_r, l1, l2, n, nnz, step, t, w2

PEGASOS = "Shalev-Shwartz, Singer, Srebro & Cotter 2011, Pegasos"
XIAO = "Xiao 2010, Dual averaging methods for regularized stochastic learning and online optimization"
SAG = "Schmidt, Le Roux & Bach 2017, Minimizing finite sums with the stochastic average gradient"
SAGA = "Defazio, Bach & Lacoste-Julien 2014, SAGA"
SVRG = "Xiao & Zhang 2014, A proximal stochastic gradient method with progressive variance reduction"
LIPSCHITZ = (sp.Lt(L, sp.oo), l2 > 0)
SMOOTH = (gamma > 0, l2 > 0)
STEP = {"W": nnz / n, "side": "dual"}
AVERAGE = STEP | {
    "bounded": "P(w)-P*",
    "target": "the expected suboptimality P(w) - P* of the average of all iterates",
}


# ------------------------------------------------------------ averages of subgradient methods
# The papers average the points before each step, sgd and rda those after it, w^1 to w^t. Their proofs allow that: the
# sum of Pegasos over the steps 2 to t + 1 telescopes to 2 L^2 R^2 H_(t+1)/(l2 t), and H_(t+1) <= 1 + ln t for t >= 3.
# With one step more, Xiao's becomes L^2 R^2 (5 + H_t)/(2 l2 t), less P(0) - P* >= 0 for the first point.
def logarithmic(method: str, theorem: str, scale: sp.Expr, offset: int, **data: Any) -> Bound:
    """A theorem E[P(average)] - P* <= scale (offset + ln t)/t for t >= 1."""
    promised = scale * (offset + sp.log(t)) / t
    count = logarithmic_steps(scale, offset)
    return decay(
        method,
        theorem,
        guarantee=from_first_step(promised),
        count=count,
        **AVERAGE,
        **data,
    )


# Without a regulariser and with steps eta/sqrt(t), D_t the distance from w* before step t: of
# 2 (P(w) - P*) <= (D_t^2 - D_(t+1)^2)/eta_t + eta_t L^2 R^2 the sum over t + 1 steps is at most
# sqrt(t + 1) (D_1^2/eta + eta L^2 R^2 (H_t + 2)), because E D_s^2 <= D_1^2 + eta^2 L^2 R^2 H_(s-1) for all s. The first
# point is left out, and (t + 1)/t <= 2.
ROOT_SCALE, ROOT_OFFSET = step * L**2 * R**2 / sp.sqrt(2), 3 + w2 / (step * L * R) ** 2
ROOT = ROOT_SCALE * (ROOT_OFFSET + sp.log(t)) / sp.sqrt(t)

DUAL_AVERAGING = (gamma_r * w2 / 2 + L**2 * R**2 / gamma_r) / sp.sqrt(t)


def best_weight() -> sp.Expr:
    """The gamma_r that minimises RDA's guarantee for l2 = 0, by differentiation.

    >>> best_weight()
    sqrt(2)*L*R/sqrt(w2)
    """
    x, lipschitz, distance2 = sp.symbols("x L w2", positive=True)
    slope = sp.diff(DUAL_AVERAGING.subs({gamma_r: x, L: lipschitz, w2: distance2}), x)
    (best,) = sp.solve(slope, x)  # the guarantee is convex in gamma_r > 0
    return best.subs({lipschitz: L, distance2: w2})


# ------------------------------------------------------------ variance reduction
SMOOTHNESS = R**2 / gamma
WITH_L2 = SMOOTHNESS + l2
# At every start f's part of P_0 - P*, the Bregman divergence B_0 of SAGA's constant, is at most P_0 - P* - (l2/2) w2.
# Then w2 + c B_0 is at most c (P_0 - P*) + w2 max(0, 1 - c l2/2), whatever upper bounds stand for P_0 - P* and w2.
TABLE = 2 * n / (3 * SMOOTHNESS)
SHARPER = variance_reduction.saga(SMOOTHNESS)
FILLED = STEP | {
    "bounded": "|w-w*|^2",
    "assumptions": SMOOTH,
    "setup": nnz / 2,
}  # to fill the table: X w is 0

THEOREM_3_1 = f"{SVRG}, Theorem 3.1, for steps 1/(10 L)"
STAGES = {
    "bounded": "P(w)-P*", "step": "stage", "side": "dual",
    "target": "the expected suboptimality P(w) - P* of the average of a stage",
}  # fmt: skip


def spread(c: sp.Expr) -> sp.Expr:
    """The upper bound of ||w_0 - w*||^2 + c B_0 in P_0 - P* and ||w_0 - w*||^2."""
    return c * P0 + w2 * sp.Max(0, 1 - c * l2 / 2)


def largest_weighted(sampling: str) -> sp.Expr:
    """max_i L_i/(n p_i), L_i = ||x_i||^2/gamma: SVRG's L.

    >>> largest_weighted("uniform")
    R**2/gamma
    """
    v = counts.v[counts.i]
    weight = {"uniform": sp.S.One, "importance": v / gamma + l2 * n}[sampling]  # p_i = weight/total
    at_largest = (v / gamma / weight).subs(v, R**2)  # weight/v falls as v grows
    return sp.factor(at_largest * counts.total(weight, counts.DUAL) / n)


def long_stages(sampling: str) -> Bound:
    """Xiao & Zhang's theorem for stages of 100 L/l2 steps: the factor is 5/6 + l2/(150 L), at most 21/25 if l2 <= L."""
    smoothness, W = (
        largest_weighted(sampling),
        counts.contraction(counts.DUAL, sampling).W,
    )
    # weighted by p_i, the mean of L_i/(n p_i) is F/(n gamma), and L is at least that
    enough = sp.Le(gamma * l2, R**2) if sampling == "uniform" else sp.Le(gamma * l2 * n, F)
    x = sp.Symbol("x", positive=True)  # L/l2
    factor = variance_reduction.averaged_stage(x * l2, 100 * x).subs(x, 1)
    return contraction(
        "svrg", "averaged long stages", sampling, K=1 / (1 - factor), W=nnz + sp.ceiling(100 * smoothness / l2) * W,
        constant=P0, assumptions=(*SMOOTH, enough), parameters=(("m", "theory"), ("snapshot", "average")), **STAGES,
        source=f"{THEOREM_3_1} and 100 L/l2 of them in a stage; as printed",
    )  # fmt: skip


BOUNDS = (
    logarithmic(
        "sgd", "average", 2 * L**2 * R**2 / l2, 1, assumptions=(*LIPSCHITZ, sp.Eq(l1, 0)),
        source=f"{PEGASOS}, Lemma 1, with subgradients of P bounded by 2 L R; as printed; re-derived for t >= 3",
    ),
    decay(
        "sgd", "root steps", guarantee=from_first_step(ROOT), count=logarithmic_root_steps(ROOT_SCALE, ROOT_OFFSET),
        assumptions=(LIPSCHITZ[0], sp.Eq(l2, 0), sp.Eq(l1, 0), step > 0), **AVERAGE,
        source="steps eta t^(-1/2) as in the experiments of Frostig et al. 2015; the guarantee is re-derived",
    ),
    asymptotic(
        "sgd", "asymptotic", count=R**2 / (gamma * l2 * eps), assumptions=(*SMOOTH, sp.Eq(l1, 0)), **STEP,
        source="Zhang & Xiao 2015, arXiv:1409.3257, section 1: kappa/(n eps) passes; as printed",
    ),
    logarithmic(
        "rda", "strongly convex", L**2 * R**2 / (2 * l2), 6, assumptions=LIPSCHITZ,
        source=f"{XIAO}, Theorem 1 with beta_t = 0; as printed",
    ),
    decay(
        "rda", "convex", guarantee=from_first_step(DUAL_AVERAGING), count=sp.Max(1, counts.steps(DUAL_AVERAGING)),
        assumptions=(LIPSCHITZ[0], sp.Eq(l2, 0), gamma_r > 0), **AVERAGE,
        defaults=((gamma_r, sp.sqrt(2) * L * R * l1 / P_zero),),
        source=f"{XIAO}, Theorem 1 with beta_t = gamma_r sqrt(t); as printed; by default ||w*|| in the best gamma_r is "
        "replaced by its upper bound P(0)/l1",
    ),
    lemma(
        "rda", "best gamma_r", value=best_weight(), assumptions=(LIPSCHITZ[0], sp.Eq(l2, 0)), side="dual",
        target="the weight gamma_r that makes the guarantee for l2 = 0 smallest",
        source=f"{XIAO}, Theorem 1 with beta_t = gamma_r sqrt(t); minimised by differentiation",
    ),
    contraction(
        "sag", "l2 in the table", K=sp.Max(8 * n, sp.expand(16 * WITH_L2 / l2)),
        constant=sp.Rational(3, 2) * P0 + 4 * WITH_L2 / n * w2 + g2 / (16 * WITH_L2), bounded="P(w)-P*",
        assumptions=(*SMOOTH, sp.Eq(l1, 0)), **STEP,
        source=f"{SAG}, Theorem 1, as printed for l2 w in the table; sag keeps it exact, as the authors recommend, and "
        "for that the bound is checked by our tests, not proven",
    ),
    contraction(
        "saga", "smooth", K=sp.Max(4 * n, sp.expand(3 * WITH_L2 / l2)), constant=spread(TABLE), **FILLED,
        source=f"{SAGA}, Corollary 1; as printed, and with l2 in g as it follows from theorem 'l2 in g'",
    ),
    contraction(
        "saga", "l2 in g", K=SHARPER.K, constant=spread(SHARPER.weight), **FILLED,
        source=f"re-derived after {SAGA}, Theorem 1, with all strong convexity in g: twice the printed rate",
    ),
    long_stages("uniform"),
    long_stages("importance"),
    contraction(
        "svrg", "averaged stages", K=sp.factor(1 / (1 - variance_reduction.averaged_stage(SMOOTHNESS, 2 * n))),
        W=3 * nnz, constant=P0, assumptions=(*SMOOTH, 25 * R**2 < gamma * l2 * (n - 1)), **STAGES,
        parameters=(("m", None), ("snapshot", "average")),
        source=f"{THEOREM_3_1} and 2n of them in a stage; as printed",
    ),
    contraction(
        "svrg", "last points", K=variance_reduction.last_point(SMOOTHNESS, 2 * n), W=3 * nnz, constant=w2,
        bounded="|w-w*|^2", step="stage", side="dual", assumptions=(*SMOOTH, L_f < 19 * l2),
        parameters=(("step", None), ("m", None), ("snapshot", "last")),
        source=f"re-derived after {SVRG}, Theorem 3.1, for what svrg runs by default: where L_f/l2 is 19 or more there "
        "is no theorem about that",
    ),
)  # fmt: skip
