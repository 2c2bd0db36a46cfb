"""Subgradient methods whose average is bounded: SGD (Pegasos) and regularised dual averaging.

The i of a step is drawn uniformly, which visits nnz/n. L R bounds the subgradients of x -> phi_i(x_i'w).
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from ..bound import Bound
from ..derivations import counts
from ..forms import asymptotic, decay, lemma
from ..symbols import L, P_zero, R, eps, gamma, gamma_r, l1, l2, n, nnz, step, t, w2

METHODS = ("sgd", "rda")

PEGASOS = "Shalev-Shwartz, Singer, Srebro & Cotter 2011, Pegasos"
XIAO = "Xiao 2010, Dual averaging methods for regularized stochastic learning and online optimization"
LIPSCHITZ = (sp.Lt(L, sp.oo), l2 > 0)
STEP = {"W": nnz / n, "side": "dual"}
AVERAGE = STEP | {
    "bounded": "P(w)-P*",
    "target": "the expected suboptimality P(w) - P* of the average of all iterates",
}


# The papers average the points before each step, sgd and rda those after it, w^1 to w^t. Their proofs allow that: the
# sum of Pegasos over the steps 2 to t + 1 telescopes to 2 L^2 R^2 H_(t+1)/(l2 t), and H_(t+1) <= 1 + ln t for t >= 3.
# With one step more, Xiao's becomes L^2 R^2 (5 + H_t)/(2 l2 t), less P(0) - P* >= 0 for the first point.
def logarithmic(method: str, theorem: str, scale: sp.Expr, offset: int, **data: Any) -> Bound:
    """A theorem E[P(average)] - P* <= scale (offset + ln t)/t for t >= 1."""
    promised = scale * (offset + sp.log(t)) / t
    count = counts.logarithmic_steps(scale, offset)
    return decay(
        method,
        theorem,
        guarantee=counts.from_first_step(promised),
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


BOUNDS = (
    logarithmic(
        "sgd",
        "average",
        2 * L**2 * R**2 / l2,
        1,
        assumptions=(*LIPSCHITZ, sp.Eq(l1, 0)),
        source=f"{PEGASOS}, Lemma 1, with subgradients of P bounded by 2 L R; as printed; re-derived for t >= 3",
    ),
    decay(
        "sgd",
        "root steps",
        guarantee=counts.from_first_step(ROOT),
        count=counts.logarithmic_root_steps(ROOT_SCALE, ROOT_OFFSET),
        assumptions=(LIPSCHITZ[0], sp.Eq(l2, 0), sp.Eq(l1, 0), step > 0),
        **AVERAGE,
        source="steps eta t^(-1/2) as in the experiments of Frostig et al. 2015; the guarantee is re-derived",
    ),
    asymptotic(
        "sgd",
        "asymptotic",
        count=R**2 / (gamma * l2 * eps),
        assumptions=(gamma > 0, l2 > 0, sp.Eq(l1, 0)),
        **STEP,
        source="Zhang & Xiao 2015, arXiv:1409.3257, section 1: kappa/(n eps) passes; as printed",
    ),
    logarithmic(
        "rda",
        "strongly convex",
        L**2 * R**2 / (2 * l2),
        6,
        assumptions=LIPSCHITZ,
        source=f"{XIAO}, Theorem 1 with beta_t = 0; as printed",
    ),
    decay(
        "rda",
        "convex",
        guarantee=counts.from_first_step(DUAL_AVERAGING),
        count=sp.Max(1, counts.steps_until(DUAL_AVERAGING)),
        assumptions=(LIPSCHITZ[0], sp.Eq(l2, 0), gamma_r > 0),
        **AVERAGE,
        defaults=((gamma_r, sp.sqrt(2) * L * R * l1 / P_zero),),
        source=f"{XIAO}, Theorem 1 with beta_t = gamma_r sqrt(t); as printed; by default ||w*|| in the best gamma_r is "
        "replaced by its upper bound P(0)/l1",
    ),
    lemma(
        "rda",
        "best gamma_r",
        value=best_weight(),
        assumptions=(LIPSCHITZ[0], sp.Eq(l2, 0)),
        side="dual",
        target="the weight gamma_r that makes the guarantee for l2 = 0 smallest",
        source=f"{XIAO}, Theorem 1 with beta_t = gamma_r sqrt(t); minimised by differentiation",
    ),
)
