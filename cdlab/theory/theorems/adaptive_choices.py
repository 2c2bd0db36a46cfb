"""Choices that look at the state: greedy coordinate descent, and SDCA with adaptive probabilities.

adasdca_plus has no theorem: its probabilities belong to an alpha of up to n steps ago and are divided as it goes along;
only its exact steps are sure, with which D never decreases.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from ..bound import Bound
from ..derivations import counts
from ..forms import contraction, lemma
from ..symbols import P0, d, gamma, i, l1, l2, n, nnz, v
from .faceoff import SMOOTH

METHODS = ("greedy", "adasdca")

NUTINI = "Nutini, Schmidt, Laradji, Friedlander & Koepke 2015, sections 3 and 6"
ADAPTIVE = "Csiba, Qu & Richtarik 2015, Stochastic dual coordinate ascent with adaptive probabilities"
PRIMAL: dict[str, Any] = {"side": "primal", "assumptions": (*SMOOTH, sp.Eq(l1, 0))}
S_I = v[i] / gamma + l2 * n  # n L_j, L_j the smoothness of P along e_j


# ------------------------------------------------------------ greedy: nothing is random
def greedy(theorem: str, K: sp.Expr, **data: Any) -> tuple[Bound, Bound]:
    """The rule's rate, with the half pass that the search for j costs and as if j were known.

    A column has at most n nonzeros.
    """
    common = {"K": counts.shortest(K), "constant": P0, "bounded": "P(w)-P*", **PRIMAL} | data
    return (
        contraction("greedy", theorem, "none", W=nnz / 2 + n, source=f"{NUTINI}; constants as re-derived", **common),
        contraction(
            "greedy",
            f"{theorem}, ideal cost",
            "none",
            W=n,
            column="ideal_passes",
            **common,
            source=f"{NUTINI}; constants as re-derived; of the updates alone, the trace's ideal_passes",
        ),
    )


GREEDY = (
    *greedy("gs", d * counts.largest_over_lines(S_I, counts.PRIMAL) / (l2 * n)),  # d max L/l2
    *greedy("gsl", counts.sum_over_lines(S_I, counts.PRIMAL) / (l2 * n), parameters=(("rule", "gsl"),)),  # sum L/l2
)

# ------------------------------------------------------------ adaptive probabilities
# theta_1 = l2 n sum r_i^2/sum(r_i^2 s_i/p_i), r = alpha + phi'(Xw), is largest at the p that adasdca takes; at p ~ s_i
# it is importance sampling's rate. Exact steps gain at least what steps of size theta/p_i do, which may exceed 1 for a
# quadratic loss; for other losses theta must not exceed any p_i.
ADAPTED = (
    lemma(
        "adasdca",
        "one step",
        value=1 / counts.coordinate_descent(counts.DUAL, "importance").K,
        neutral=("step",),
        target="E D(alpha+) - D(alpha) is at least min(theta_1, least p_i > 0) times the gap P(w) - D(alpha), for the "
        "squared loss and exact steps theta_1 times; theta_1 is at least this, the rate of importance sampling",
        source=f"{ADAPTIVE}; re-derived. No rate of a run follows but for the squared loss, because the least p_i can "
        "be as small as you like; a step costs half a pass more than sdca's",
        side="dual",
        assumptions=SMOOTH,
    ),
)

BOUNDS = (*GREEDY, *ADAPTED)
