"""The theorems, as data: one entry per method, theorem and sampling, each the bound on its iterations.

A new method is one more entry: its contraction factor 1/K, cost W, constant, assumptions and source. Counts, passes and
totals follow by `derive`. The first entry of a method is its main theorem with its default sampling.

Notation: the dual lives on the n rows of X, the primal on its d columns (Csiba & Richtarik's X is the transpose), and
gamma = 1/beta.
"""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from . import derive
from .formula import Bound
from .symbols import D0, P0, L, gamma, gap0, l1, l2, n, nnz

SAMPLINGS = ("uniform", "importance", "norms", "lipschitz", "given")
SMOOTH = (gamma > 0, l2 > 0)
TARGETS = {
    "P(w)-P*": "the expected suboptimality P(w) - P*",
    "P-D": "the expected duality gap P(w) - D(alpha)",
    "D*-D": "the expected dual suboptimality D* - D(alpha)",
}

SDCA = "Shalev-Shwartz & Zhang 2013, JMLR 14:567-599"
FACE_OFF = "Csiba & Richtarik 2016, arXiv:1605.08982"
QUARTZ = "Qu, Richtarik & Zhang 2015, arXiv:1411.5873"
ZHAO = "Zhao & Zhang 2015, arXiv:1401.2753"
PROX = "Shalev-Shwartz & Zhang 2012, arXiv:1211.2717"
AS_PRINTED_FOR = "printed for R = 1 and D* - D(0) <= 1, both kept here"
PLAIN = "re-derived; for w = w(alpha) the constant (D* - D(0)) K follows from E[D+] - D >= (P - D)/K, for any l1 >= 0"


def contraction(
    method: str, theorem: str, sampling: str, *, K: sp.Expr, W: sp.Expr, constant: sp.Expr, bounded: str, **data
) -> Bound:
    """The bound of a theorem ``E[bounded] <= constant (1 - 1/K)^t``."""
    count = derive.iterations(constant, K)
    return Bound(
        method,
        theorem,
        sampling,
        quantity="iterations",
        expr=count.expr,
        count=count.expr,
        exact=count.exact,
        guarantee=derive.guarantee(constant, K),
        bounded=bounded,
        target=TARGETS[bounded],
        K=K,
        W=W,
        **data,
    )


def face_off(
    method: str,
    theorem: str,
    side: derive.Side,
    constant: Callable[[sp.Expr], sp.Expr],
    samplings: tuple[str, ...] = SAMPLINGS,
    **data,
) -> list[Bound]:
    """Theorem 1 of Csiba & Richtarik 2016 for each sampling; `constant` may depend on K."""
    found = []
    for sampling in samplings:
        K, W, definitions = derive.contraction(side, sampling)
        found.append(
            contraction(
                method,
                theorem,
                sampling,
                K=K,
                W=W,
                constant=constant(K),
                side=side.name,
                definitions=definitions,
                **data,
            )
        )
    return found


def lipschitz(theorem: str, count: sp.Expr, target: str, source: str) -> Bound:
    """SDCA on losses that are only Lipschitz, uniform sampling."""
    return Bound(
        "sdca",
        theorem,
        "uniform",
        quantity="iterations",
        expr=count,
        count=count,
        guarantee=derive.lipschitz_dual_error(),
        bounded="D*-D",
        target=target,
        assumptions=(sp.Lt(L, sp.oo), l2 > 0),
        source=source,
        side="dual",
        W=nnz / n,
    )


THEOREMS: tuple[Bound, ...] = (
    *face_off(
        "sdca", "smooth", derive.DUAL, lambda K: D0 * K, ("uniform",), bounded="P-D", assumptions=SMOOTH,
        source=f"{SDCA}, Theorem 2, and with l1 {PROX}; {AS_PRINTED_FOR}",
    ),
    *face_off(
        "sdca", "smooth", derive.DUAL, lambda K: D0 * K, SAMPLINGS[1:], bounded="P-D", assumptions=SMOOTH,
        source=f"{FACE_OFF}, Theorem 1, eq. (9), and {ZHAO}; {PLAIN}; the exact step gains at least the fixed one's",
    ),
    lipschitz(
        "lipschitz", derive.lipschitz_gap_count(), "the expected duality gap of the average of the last iterates",
        f"{SDCA}, Theorem 1, and with l1 {PROX}; {AS_PRINTED_FOR}",
    ),
    lipschitz(
        "lipschitz dual", derive.lipschitz_dual_count(), TARGETS["D*-D"],
        f"{SDCA}, proof of Theorem 1, and with l1 {PROX}; {AS_PRINTED_FOR}",
    ),
    *face_off(
        "quartz", "plain", derive.DUAL, lambda K: D0 * K, bounded="P-D", assumptions=SMOOTH,
        source=f"{FACE_OFF}, Theorem 1, eq. (9); {PLAIN}",
    ),
    *face_off(
        "quartz", "averaged", derive.DUAL, lambda K: gap0, bounded="P-D", assumptions=SMOOTH,
        source=f"{FACE_OFF}, Theorem 1, eq. (9), and with l1 {QUARTZ}; re-derived, w averaged",
    ),
    *face_off(
        "rcd", "smooth", derive.PRIMAL, lambda K: P0, bounded="P(w)-P*", assumptions=(*SMOOTH, sp.Eq(l1, 0)),
        source=f"{FACE_OFF}, Theorem 1, eq. (8); re-derived",
    ),
)  # fmt: skip
