"""Methods around the face-off: acceleration, greedy choices, adaptive probabilities.

adasdca_plus has no theorem: its probabilities belong to an alpha of up to n steps ago and are divided as it goes along;
only its exact steps are sure, with which D never decreases.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from ..bound import Bound
from ..build import contraction, decay, lemma
from ..derivations import counts
from ..symbols import P0, K, R_col, T_D_acc, T_P_acc, W, d, eps, gamma, i, k, l1, l2, largest, n, nnz, p, s, t, v, w2
from .faceoff import FACE_OFF, SERIAL, SMOOTH

STICH = (
    "Nesterov & Stich 2017, Efficiency of the accelerated coordinate descent method on structured optimization problems"
)
ALLEN_ZHU = "Allen-Zhu, Qu, Richtarik & Yuan 2016, Even faster accelerated coordinate descent"
NUTINI = "Nutini, Schmidt, Laradji, Friedlander & Koepke 2015, sections 3 and 6"
ADAPTIVE = "Csiba, Qu & Richtarik 2015, Stochastic dual coordinate ascent with adaptive probabilities"
PRIMAL: dict[str, Any] = {"side": "primal", "assumptions": (*SMOOTH, sp.Eq(l1, 0))}
s_i = v[i] / gamma + l2 * n  # n L_j, L_j the smoothness of P along e_j


# ------------------------------------------------------------ accelerated primal coordinate descent
def accelerated(M2: sp.Expr) -> sp.Expr:
    """K = 1/tau of accelerated coordinate descent, M2 = max_j L_j/p_j^2.

    tau^2 M2 = l2 (1 - tau), so M2 = l2 K (K - 1). With eta = 1/(tau M2) a step contracts the expectation of
    V = (eta/tau)(P(y) - P*) + ((1 + eta l2)/2)||z - w*||^2 by 1 - tau, and (tau/eta) V_0 is P(0) - P* and
    (tau^2 M2 + tau l2)/2, which is l2/2, times ||w_0 - w*||^2.

    >>> accelerated(l2)
    1/2 + sqrt(5)/2
    """
    rate, square = sp.symbols("rate square", positive=True)
    (larger,) = (root for root in sp.solve(sp.Eq(rate * (rate - 1), square), rate) if root.subs(square, 2) == 2)
    return larger.subs(square, counts.neat(M2 / l2))


def accelerated_rcd(sampling: str) -> Bound:
    """In closed form for uniform sampling; else K and W by definitions that hold for any probabilities."""
    plain = counts.contraction(counts.PRIMAL, "given" if sampling == "importance" else sampling)
    rate = {"K": accelerated(counts.greatest(d**2 * s_i / n, counts.PRIMAL)), "W": plain.W}
    if sampling != "uniform":
        of_K = sp.Eq(K, accelerated(largest(s[i] / (n * p[i] ** 2))))
        drawn = (sp.Eq(p[i], s[i] / sp.Sum(s[k], (k, 1, d))),) if sampling == "importance" else ()
        rate = {"K": K, "W": W, "definitions": (of_K, *plain.definitions[1:], *drawn)}
    return contraction(
        "acc_rcd", "smooth", sampling, constant=P0 + l2 / 2 * w2, bounded="P(w)-P*",
        source=f"{ALLEN_ZHU}, and {STICH}; with any probabilities {FACE_OFF}; constants as re-derived",
        **rate, **PRIMAL,
    )  # fmt: skip


# with l1, or l2 = 0: uniform probabilities
LARGEST = counts.greatest(s_i / n, counts.PRIMAL)  # max_j L_j
UNIFORM: dict[str, Any] = {"side": "primal", "bounded": "P(w)-P*", "W": nnz / d}
PROXIMAL = (
    contraction(
        "acc_rcd", "proximal", K=d * sp.sqrt(counts.neat(LARGEST / l2)), constant=P0 + l2 / 2 * w2, **UNIFORM,
        assumptions=(*SMOOTH, l1 > 0),
        source="Lin, Lu & Xiao 2015, arXiv:1407.1296, Theorem 2.1 on the primal, mu = l2/max_j L_j",
    ),
    decay(
        "acc_rcd", "convex", **UNIFORM, assumptions=(gamma > 0, sp.Eq(l2, 0)),
        guarantee=(2 * d / (t - 1 + 2 * d)) ** 2 * (P0 + R_col**2 / (2 * gamma * n) * w2),
        count=sp.Max(0, 2 * d * sp.sqrt((P0 + R_col**2 / (2 * gamma * n) * w2) / eps) + 1 - 2 * d),
        source="Fercoq & Richtarik 2015, arXiv:1312.5799, Theorem 3 for single coordinates; P(0) - P* for its share "
        "1 - 1/d, and max_j L_j for each L_j",
    ),
)  # fmt: skip

BEST = "p_i ~ sqrt(s_i), by Theorem 2 with sqrt(s_i) for s_i, which is sampling lipschitz with power 1/2"
ACCELERATED = (
    *(accelerated_rcd(sampling) for sampling in SERIAL),
    *PROXIMAL,
    lemma(
        "acc_rcd", "best total", value=T_P_acc, source=f"{FACE_OFF}, accelerated totals; re-derived", **PRIMAL,
        target=f"T = K W, up to W, with the best probabilities, {BEST}",
    ),
    lemma(
        "faceoff", "best accelerated total, dual", value=T_D_acc, side="dual", assumptions=SMOOTH,
        source=f"{FACE_OFF}, accelerated totals; re-derived",
        target=f"T = K W, up to W, of acceleration on the dual with the best probabilities, {BEST}",
    ),
)  # fmt: skip


# ------------------------------------------------------------ greedy: nothing is random
def greedy(theorem: str, K: sp.Expr, **data: Any) -> tuple[Bound, Bound]:
    """The rule's rate, with the half pass that the search for j costs and as if j were known.

    A column has at most n nonzeros.
    """
    common = {"K": counts.neat(K), "constant": P0, "bounded": "P(w)-P*", **PRIMAL} | data
    return (
        contraction("greedy", theorem, "none", W=nnz / 2 + n, source=f"{NUTINI}; constants as re-derived", **common),
        contraction(
            "greedy", f"{theorem}, ideal cost", "none", W=n, column="ideal_passes", **common,
            source=f"{NUTINI}; constants as re-derived; of the updates alone, the trace's ideal_passes",
        ),
    )  # fmt: skip


GREEDY = (
    *greedy("gs", d * counts.greatest(s_i, counts.PRIMAL) / (l2 * n)),  # d max L/l2
    *greedy("gsl", counts.total(s_i, counts.PRIMAL) / (l2 * n), parameters=(("rule", "gsl"),)),  # sum L/l2
)

# ------------------------------------------------------------ adaptive probabilities
# theta_1 = l2 n sum r_i^2/sum(r_i^2 s_i/p_i), r = alpha + phi'(Xw), is largest at the p that adasdca takes; at p ~ s_i
# it is importance sampling's rate. Exact steps gain at least what steps of size theta/p_i do, which may exceed 1 for a
# quadratic loss; for other losses theta must not exceed any p_i.
ADAPTED = (
    lemma(
        "adasdca", "one step", value=1 / counts.contraction(counts.DUAL, "importance").K,
        neutral=("step",),
        target="E D(alpha+) - D(alpha) is at least min(theta_1, least p_i > 0) times the gap P(w) - D(alpha), for the "
        "squared loss and exact steps theta_1 times; theta_1 is at least this, the rate of importance sampling",
        source=f"{ADAPTIVE}; re-derived. No rate of a run follows but for the squared loss, because the least p_i can "
        "be as small as you like; a step costs half a pass more than sdca's", side="dual", assumptions=SMOOTH,
    ),
)  # fmt: skip

BOUNDS = (*ACCELERATED, *GREEDY, *ADAPTED)
