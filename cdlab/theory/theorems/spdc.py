"""Zhang & Xiao 2015: SPDC, the stochastic primal-dual coordinate method, and the methods compared in their Table 1.

w is their x and alpha their -y. What is reported is the better of x and grad g*(X'alpha/n), so what bounds P(x) bounds
P(w) too; distances are those of x.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy as sp

from ..bound import Bound
from ..build import asymptotic, contraction, decay, lemma
from ..derivations import counts
from ..derivations.spdc_perturbation import (
    BOTH,
    LOSS,
    REGULARISER,
    Perturbation,
    cost,
    count,
    count_given,
    finite_L,
    plain,
    rate,
    suboptimality,
)
from ..derivations.spdc_steps import BATCH, NORMS, Scheme, rates, steps, weights
from ..symbols import L, L_f, R, W, a2, a2_p, delta, eps, gamma, l1, l2, m, n, nnz, p, w2

SPDC = "Zhang & Xiao 2015, arXiv:1409.3257"
POSSIBLE = m <= n  # blocks are drawn without replacement
STRONG = (POSSIBLE, gamma > 0, l2 > 0)
PROBABILITIES = tuple(e for e in counts.contraction(counts.DUAL, "norms").definitions if e.lhs in (W, p[counts.i]))
BY_BATCH: dict[str, Any] = {"sampling": "uniform", "W": m * nnz / n, "side": "dual"}
BY_NORMS: dict[str, Any] = {"sampling": "norms", "W": W, "side": "dual", "definitions": PROBABILITIES}
BOTH_DISTANCES = "the larger of the expected squared distances ||w - w*||^2 and ||alpha - alpha*||^2"


# ------------------------------------------------------------ smooth losses and l2 > 0
def strong(theorem: str, scheme: Scheme, constant: sp.Expr, source: str, **data: Any) -> Bound:
    """A consequence of Theorem 1 or 2 that has its rate."""
    free = {"neutral": ("delta", "primal_point")}  # nothing is perturbed here
    data = {"bounded": "|w-w*|^2", "assumptions": STRONG, "source": f"{SPDC}, {source}"} | free | data
    return contraction("spdc", theorem, K=rates(scheme).y, constant=constant, **data)


def distances(scheme: Scheme, source: str, corrected: str, **drawn: Any) -> list[Bound]:
    """The distance, the suboptimality that follows, both distances as in Corollary 1, and the factor of the proof."""
    at = weights(scheme)
    distance = w2 + at.y / at.x * a2
    first = strong("distance", scheme, distance, source, **drawn)
    return [
        replace(first, fallback=fallback(scheme)),
        strong(
            "suboptimality", scheme, (L_f + l2) / 2 * distance, f"{source}; re-derived: P is (L_f + l2)-smooth",
            bounded="P(w)-P*", assumptions=(*STRONG, sp.Eq(l1, 0)), **drawn,
        ),
        strong("both distances", scheme, both_distances(scheme), corrected, target=BOTH_DISTANCES, **drawn),
        lemma(
            "spdc", "one step", value=1 - 1 / rates(scheme).y, assumptions=STRONG, source=f"{SPDC}, proof of {source}",
            target="one iteration multiplies by at most this, in expectation, the distances of w and alpha from the "
            "optimum, weighted as in the theorem and with the proof's cross term",
            neutral=("delta", "primal_point"), **{name: drawn[name] for name in ("sampling", "side")},
        ),
    ]  # fmt: skip


def both_distances(scheme: Scheme, least: sp.Expr | None = None) -> sp.Expr:
    """Corollary 1's C: the weighted distances of the start over the smaller weight of the end."""
    at = weights(scheme, least)
    return (at.x * w2 + at.y * a2) / sp.Min(at.x, at.y_end)


# ------------------------------------------------------------ perturbed problems
NEEDS = {
    LOSS: (POSSIBLE, sp.Eq(gamma, 0), l2 > 0, sp.Lt(L, sp.oo)),
    REGULARISER: (POSSIBLE, gamma > 0, sp.Eq(l2, 0)),
    BOTH: (POSSIBLE, sp.Eq(gamma, 0), sp.Eq(l2, 0), sp.Lt(L, sp.oo)),
}


def perturbed(case: Perturbation, scheme: Scheme, ratio: sp.Expr | None = None, **data: Any) -> Bound:
    """A theorem for a perturbed problem, delta fixed: the count for delta = eps/C_1, the curve for the given delta."""
    at = rate(case, scheme, ratio)
    source = "Corollary 2; corrected: the ratio in C_2" if case is BOTH else "re-derived as Corollary 2"
    data = {
        "theorem": f"perturbed {case.what}",
        "target": f"the expected suboptimality P(w) - P* with delta = {case.delta} throughout",
        "source": f"{SPDC}, {source}; distance of the perturbed optimum re-derived",
        "neutral": ("primal_point",),
    } | data
    return decay(
        "spdc", guarantee=suboptimality(case, at), count=count(case, at), bounded="P(w)-P*", assumptions=NEEDS[case],
        **data,
    )  # fmt: skip


PERTURBED = {
    scheme: [perturbed(case, scheme, **drawn) for case in NEEDS]
    for scheme, drawn in ((BATCH, BY_BATCH), (NORMS, BY_NORMS))
}


def perturbed_by(case: Perturbation, scheme: Scheme, **data: Any) -> Bound:
    """Count and curve for a delta that is given."""
    at = rate(case, scheme)
    return decay(
        "spdc", f"perturbed {case.what}, delta given", guarantee=suboptimality(case, at), count=count_given(case, at),
        bounded="P(w)-P*", assumptions=(*NEEDS[case], delta > 0), **data,
        target="the expected suboptimality P(w) - P* with the given delta throughout",
        source=f"{SPDC}, re-derived as Corollary 2 for any delta; distance of the perturbed optimum re-derived",
        neutral=("primal_point",),
    )  # fmt: skip


GIVEN = {
    scheme: [perturbed_by(case, scheme, **drawn) for case in NEEDS]
    for scheme, drawn in ((BATCH, BY_BATCH), (NORMS, BY_NORMS))
}


def fallback(scheme: Scheme) -> Bound | None:
    """The perturbation for problems that lack curvature, a chain of fallbacks; those for a given delta come last."""
    fitting: Bound | None = None
    for b in reversed((*PERTURBED[scheme], *GIVEN[scheme])):
        fitting = replace(b, fallback=fitting)
    return fitting


def cost_of(case: Perturbation) -> Bound:
    """The suboptimality in P of the perturbed problem's optimum, as a lemma."""
    return lemma(
        "spdc", f"optimum with perturbed {case.what}", value=cost(case),
        assumptions=(sp.Lt(L, sp.oo),) if L in cost(case).free_symbols else (),
        target="the optimum of the perturbed problem has at most this suboptimality in P",
        source=f"{SPDC}, proof of Corollary 2", side="dual",
    )  # fmt: skip


# ------------------------------------------------------------ Table 1
def table_1(theorem: str, expr: sp.Expr, row: int, *assumptions: sp.Basic, **data: Any) -> Bound:
    """A row of Table 1 of Zhang & Xiao (2015), up to constants and logarithms."""
    source = f"{SPDC}, Table 1, row {row}; R, L and ||w*|| kept, printed for 1"
    return asymptotic(
        "spdc", f"table 1: {theorem}", count=expr, assumptions=(POSSIBLE, *assumptions), source=source,
        neutral=("primal_point",),
        **{name: BY_BATCH[name] for name in ("W", "side")}, **data,
    )  # fmt: skip


def table_1_rows() -> list[Bound]:
    """The rate of Theorem 1, with eps/||w*||^2 in place of a missing l2 and eps/L^2 in place of a missing gamma."""
    K, l2_added, smoothed = rates(BATCH).y, {l2: eps / w2}, {gamma: eps / finite_L**2}
    lipschitz = sp.Lt(L, sp.oo)
    return [
        table_1("smooth, strongly convex", K * sp.log(1 / eps), 1, gamma > 0, l2 > 0, K=K),
        table_1("smooth", K.subs(l2_added), 2, gamma > 0),
        table_1("strongly convex", plain(K.subs(smoothed)), 3, l2 > 0, lipschitz),
        table_1("neither", plain(K.subs(l2_added | smoothed)), 4, lipschitz),
    ]


NON_SMOOTH: dict[str, Any] = {
    "source": f"{SPDC}, comparison for losses that are not smooth; R, L and ||w*|| kept, printed for 1",
    "assumptions": (sp.Lt(L, sp.oo),),
}
DIFFICULTY = R * L * sp.sqrt(w2) / eps

BOUNDS = (
    *distances(BATCH, "Theorem 1", "Corollary 1; corrected: the parentheses of C", **BY_BATCH),
    *distances(
        NORMS, "Theorem 2",
        "Theorem 2; corrected: 2 gamma/(n + 1) on the left, from p_i < 1/2 + 1/(2n)", **BY_NORMS,
    ),
    strong(
        "both distances, as printed", NORMS, both_distances(NORMS, least=sp.S(2)),
        "Theorem 2; as printed: 2 gamma/n on the left, which its proof does not give", target=BOTH_DISTANCES,
        **BY_NORMS,
    ),
    strong(
        "distance, each coordinate", NORMS,
        w2 + (a2 / (2 * steps(NORMS).s) + gamma * a2_p) / weights(NORMS).x,
        "Theorem 2; sharper: gamma/(n p_i) for each coordinate instead of the printed 2 gamma", **BY_NORMS,
    ),
    *PERTURBED[BATCH],
    *PERTURBED[NORMS],
    *GIVEN[BATCH],
    *GIVEN[NORMS],
    perturbed(
        BOTH, BATCH, ratio=sp.S.One, theorem="perturbed both, as printed",
        source=f"{SPDC}, Corollary 2; as printed: the ratio in C_2 is 1; distance of the perturbed optimum re-derived",
        **BY_BATCH,
    ),
    *map(cost_of, NEEDS),
    *table_1_rows(),
    asymptotic(
        "agd", "smoothed loss", "none", count=1 + DIFFICULTY, W=nnz, side="primal", **NON_SMOOTH,
    ),
    asymptotic(
        "sgd", "not strongly convex", count=n + DIFFICULTY**2, W=nnz / n, side="dual", **NON_SMOOTH,
    ),
)  # fmt: skip
