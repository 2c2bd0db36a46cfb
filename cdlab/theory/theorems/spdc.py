"""Zhang & Xiao 2015: SPDC, the stochastic primal-dual coordinate method, and the methods compared in their Table 1.

w is their x and alpha their -y. What is reported is the better of x and grad g*(X'alpha/n), so what bounds P(x) bounds
P(w) too; distances are those of x.

The paper writes of one prediction an example. The proofs are the same for softmax, with Euclidean norms of x (d, K) and
y_k (K,): they use phi* and g by their convexity alone, and of X that |<y_k, x'a_k>| <= ||a_k|| ||x|| ||y_k||. Only on
perturbed problems nothing is said of softmax: l1||.||_1 is l1 sqrt(d)-Lipschitz for one prediction.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy as sp

from ..bound import Bound
from ..derivations import counts
from ..derivations.spdc import (
    BATCH,
    BOTH,
    LOSS,
    NORMS,
    NORMS_BLOCKS,
    REGULARISER,
    Perturbation,
    Scheme,
    count_for_given_delta,
    finite_L,
    in_vocabulary,
    perturbation_cost,
    perturbed_count,
    perturbed_rate,
    rates,
    steps,
    suboptimality,
    weights,
)
from ..forms import asymptotic, contraction, decay, lemma
from ..symbols import C_D, L, L_f, R, Rbar, W, a2, a2_p, delta, eps, gamma, l1, l2, m, n, nnz, p, w2

METHODS = ("spdc",)
ALSO_ABOUT = ("agd", "sgd")

SPDC = "Zhang & Xiao 2015, arXiv:1409.3257"
BATCH_FITS = m <= n  # blocks are drawn without replacement
STRONG = (BATCH_FITS, gamma > 0, l2 > 0)
PROBABILITIES = tuple(
    e for e in counts.coordinate_descent(counts.DUAL, "norms").definitions if e.lhs in (W, p[counts.i])
)
BY_BATCH: dict[str, Any] = {"sampling": "uniform", "W": m * nnz / n, "side": "dual"}
BY_NORMS: dict[str, Any] = {"sampling": "norms", "W": W, "side": "dual", "definitions": PROBABILITIES}
UNPERTURBED = ("delta", "primal_point")  # parameters that do nothing where nothing is perturbed
BOTH_DISTANCES = "the larger of the expected squared distances ||w - w*||^2 and ||alpha - alpha*||^2"


# ------------------------------------------------------------ smooth losses and l2 > 0
def strongly_convex_bound(theorem: str, scheme: Scheme, constant: sp.Expr, source: str, **data: Any) -> Bound:
    """A consequence of Theorem 1 or 2 that has its rate."""
    stated = {"bounded": "|w-w*|^2", "assumptions": STRONG, "source": f"{SPDC}, {source}", "neutral": UNPERTURBED}
    return contraction("spdc", theorem, K=rates(scheme).y, constant=constant, vectors=True, **stated | data)


def distance(scheme: Scheme) -> sp.Expr:
    """The weighted distances of the start over the weight of ||w - w*||^2."""
    at = weights(scheme)
    return w2 + at.y / at.x * a2


def suboptimality_bound(scheme: Scheme, source: str, **by: Any) -> Bound:
    """The suboptimality that follows from the distance."""
    return strongly_convex_bound(
        "suboptimality",
        scheme,
        (L_f + l2) / 2 * distance(scheme),
        source,
        bounded="P(w)-P*",
        assumptions=(*STRONG, sp.Eq(l1, 0)),
        **by,
    )


def one_step_lemma(scheme: Scheme, source: str, sampling: str) -> Bound:
    """The factor of the proof."""
    return lemma(
        "spdc",
        "one step",
        value=1 - 1 / rates(scheme).y,
        assumptions=STRONG,
        source=f"{SPDC}, proof of {source}",
        target="one iteration multiplies by at most this, in expectation, the distances of w and alpha from the "
        "optimum, weighted as in the theorem and with the proof's cross term",
        side="dual",
        vectors=True,
        sampling=sampling,
        neutral=UNPERTURBED,
    )


def consequences(scheme: Scheme, source: str, corrected: str, **by: Any) -> list[Bound]:
    """The distance, the suboptimality that follows, both distances as in Corollary 1, and the factor of the proof."""
    first = strongly_convex_bound("distance", scheme, distance(scheme), source, **by)
    return [
        replace(first, fallback=fallback(scheme)),
        suboptimality_bound(scheme, f"{source}; re-derived: P is (L_f + l2)-smooth", **by),
        strongly_convex_bound("both distances", scheme, both_distances(scheme), corrected, target=BOTH_DISTANCES, **by),
        one_step_lemma(scheme, source, by["sampling"]),
    ]


def both_distances(scheme: Scheme, least: sp.Expr | None = None) -> sp.Expr:
    """Corollary 1's C: the weighted distances of the start over the smaller weight of the end."""
    at = weights(scheme, least)
    return (at.x * w2 + at.y * a2) / sp.Min(at.x, at.y_end)


# ------------------------------------------------------------ perturbed problems
NEEDS_OF_CASE = {
    LOSS: (BATCH_FITS, sp.Eq(gamma, 0), l2 > 0, sp.Lt(L, sp.oo)),
    REGULARISER: (BATCH_FITS, gamma > 0, sp.Eq(l2, 0)),
    BOTH: (BATCH_FITS, sp.Eq(gamma, 0), sp.Eq(l2, 0), sp.Lt(L, sp.oo)),
}


def perturbed_bound(case: Perturbation, scheme: Scheme, ratio: sp.Expr | None = None, **data: Any) -> Bound:
    """A theorem for a perturbed problem, delta fixed: the count for delta = eps/C_1, the curve for the given delta."""
    at = perturbed_rate(case, scheme, ratio)
    source = "Corollary 2; corrected: the ratio in C_2" if case is BOTH else "re-derived as Corollary 2"
    stated = {
        "theorem": f"perturbed {case.what}",
        "count": perturbed_count(case, at),
        "assumptions": NEEDS_OF_CASE[case],
        "target": f"the expected suboptimality P(w) - P* with delta = {case.delta} throughout",
        "source": f"{SPDC}, {source}; distance of the perturbed optimum re-derived",
        "neutral": ("primal_point",),
    }
    return decay("spdc", guarantee=suboptimality(case, at), bounded="P(w)-P*", **stated | data)


def perturbed_bound_given_delta(case: Perturbation, scheme: Scheme, **data: Any) -> Bound:
    """Count and curve for a delta that is given."""
    return perturbed_bound(
        case,
        scheme,
        theorem=f"perturbed {case.what}, delta given",
        count=count_for_given_delta(case, perturbed_rate(case, scheme)),
        assumptions=(*NEEDS_OF_CASE[case], delta > 0),
        target="the expected suboptimality P(w) - P* with the given delta throughout",
        source=f"{SPDC}, re-derived as Corollary 2 for any delta; distance of the perturbed optimum re-derived",
        **data,
    )


SCHEMES = {BATCH: BY_BATCH, NORMS: BY_NORMS}
PERTURBED = {scheme: [perturbed_bound(case, scheme, **by) for case in NEEDS_OF_CASE] for scheme, by in SCHEMES.items()}
PERTURBED_GIVEN_DELTA = {
    scheme: [perturbed_bound_given_delta(case, scheme, **by) for case in NEEDS_OF_CASE]
    for scheme, by in SCHEMES.items()
}


def fallback(scheme: Scheme) -> Bound | None:
    """The perturbation for problems that lack curvature, a chain of fallbacks; those for a given delta come last."""
    fitting: Bound | None = None
    for b in reversed((*PERTURBED[scheme], *PERTURBED_GIVEN_DELTA[scheme])):
        fitting = replace(b, fallback=fitting)
    return fitting


def perturbation_lemma(case: Perturbation) -> Bound:
    """The suboptimality in P of the perturbed problem's optimum, as a lemma."""
    return lemma(
        "spdc",
        f"optimum with perturbed {case.what}",
        value=perturbation_cost(case),
        assumptions=(sp.Lt(L, sp.oo),) if L in perturbation_cost(case).free_symbols else (),
        target="the optimum of the perturbed problem has at most this suboptimality in P",
        source=f"{SPDC}, proof of Corollary 2",
        side="dual",
        vectors=True,
    )


# ------------------------------------------------------------ Table 1
def table_1(theorem: str, expr: sp.Expr, row: int, *assumptions: sp.Basic, **data: Any) -> Bound:
    """A row of Table 1 of Zhang & Xiao (2015), up to constants and logarithms."""
    source = f"{SPDC}, Table 1, row {row}; R, L and ||w*|| kept, printed for 1"
    return asymptotic(
        "spdc",
        f"table 1: {theorem}",
        count=expr,
        assumptions=(BATCH_FITS, *assumptions),
        source=source,
        neutral=("primal_point",),
        vectors=True,
        **{name: BY_BATCH[name] for name in ("W", "side")},
        **data,
    )


def table_1_rows() -> list[Bound]:
    """The rate of Theorem 1, with eps/||w*||^2 in place of a missing l2 and eps/L^2 in place of a missing gamma."""
    K, l2_added, smoothed = rates(BATCH).y, {l2: eps / w2}, {gamma: eps / finite_L**2}
    lipschitz = sp.Lt(L, sp.oo)
    return [
        table_1("smooth, strongly convex", K * sp.log(1 / eps), 1, gamma > 0, l2 > 0, K=K),
        table_1("smooth", K.subs(l2_added), 2, gamma > 0),
        table_1("strongly convex", in_vocabulary(K.subs(smoothed)), 3, l2 > 0, lipschitz),
        table_1("neither", in_vocabulary(K.subs(l2_added | smoothed)), 4, lipschitz),
    ]


# ------------------------------------------------------------ losses that are not smooth
NON_SMOOTH: dict[str, Any] = {
    "source": f"{SPDC}, comparison for losses that are not smooth; R, L and ||w*|| kept, printed for 1",
    "assumptions": (sp.Lt(L, sp.oo),),
}
DIFFICULTY = R * L * sp.sqrt(w2) / eps

# ------------------------------------------------------------ Algorithm 2 in batches
# m draws by Algorithm 2's probabilities, of which each example counts once.
#
# The proof of Theorems 1 and 2 carries over to blocks of at most m examples with any marginals pi_i, for the steps
# 1/s_i = pi_i n/(m s) and 4 tau s M^2 = 1, where M >= m ||x_i||/(pi_i n) for all i. It only uses that, for the changes
# Delta of y in a block K, ||sum_K Delta_i x_i/(pi_i n)||^2 <= (M^2/m) sum_K Delta_i^2, and that ||X'(y - y*)/n||^2 is
# at most (M^2/m) ||y - y*||^2, which follows from sum pi_i <= m.
EXTENDED_THEOREM = "Theorem 2, extended to batches; re-derived, not in the paper"
# m sum p_i c_i, with sum ||x_i|| c_i <= sqrt(C_D nnz); an example that is drawn twice is visited once
VISITS_OF_A_BATCH = m * (nnz + sp.sqrt(C_D * nnz) / Rbar) / (2 * n)
BY_BLOCKS: dict[str, Any] = {"sampling": "norms_blocks", "W": VISITS_OF_A_BATCH, "side": "dual"}

BOUNDS = (
    *consequences(BATCH, "Theorem 1", "Corollary 1; corrected: the parentheses of C", **BY_BATCH),
    *consequences(
        NORMS,
        "Theorem 2",
        "Theorem 2; corrected: 2 gamma/(n + 1) on the left, from p_i < 1/2 + 1/(2n)",
        **BY_NORMS,
    ),
    strongly_convex_bound(
        "both distances, as printed",
        NORMS,
        both_distances(NORMS, least=sp.S(2)),
        "Theorem 2; as printed: 2 gamma/n on the left, which its proof does not give",
        target=BOTH_DISTANCES,
        **BY_NORMS,
    ),
    strongly_convex_bound(
        "distance, each coordinate",
        NORMS,
        w2 + (a2 / (2 * steps(NORMS).s) + gamma * a2_p) / weights(NORMS).x,
        "Theorem 2; sharper: gamma/(n p_i) for each coordinate instead of the printed 2 gamma",
        **BY_NORMS,
    ),
    *PERTURBED[BATCH],
    *PERTURBED[NORMS],
    *PERTURBED_GIVEN_DELTA[BATCH],
    *PERTURBED_GIVEN_DELTA[NORMS],
    perturbed_bound(
        BOTH,
        BATCH,
        ratio=sp.S.One,
        theorem="perturbed both, as printed",
        source=f"{SPDC}, Corollary 2; as printed: the ratio in C_2 is 1; distance of the perturbed optimum re-derived",
        **BY_BATCH,
    ),
    *map(perturbation_lemma, NEEDS_OF_CASE),
    *table_1_rows(),
    strongly_convex_bound("distance", NORMS_BLOCKS, distance(NORMS_BLOCKS), EXTENDED_THEOREM, **BY_BLOCKS),
    suboptimality_bound(NORMS_BLOCKS, EXTENDED_THEOREM, **BY_BLOCKS),
    one_step_lemma(NORMS_BLOCKS, EXTENDED_THEOREM, "norms_blocks"),
    asymptotic(
        "agd",
        "smoothed loss",
        "none",
        count=1 + DIFFICULTY,
        W=nnz,
        side="primal",
        **NON_SMOOTH,
    ),
    asymptotic(
        "sgd",
        "not strongly convex",
        count=n + DIFFICULTY**2,
        W=nnz / n,
        side="dual",
        **NON_SMOOTH,
    ),
)
