"""Accelerated coordinate descent on the primal: with any probabilities, with l1, or without l2."""

from __future__ import annotations

from typing import Any

import sympy as sp

from ..bound import Bound
from ..derivations import counts
from ..forms import contraction, decay, lemma
from ..symbols import P0, K, R_col, T_P_acc, W, d, eps, gamma, i, k, l1, l2, largest, n, nnz, p, s, t, v, w2
from .faceoff import BEST_PROBABILITIES, FACE_OFF, SERIAL, SMOOTH

METHODS = ("acc_rcd",)

STICH = (
    "Nesterov & Stich 2017, Efficiency of the accelerated coordinate descent method on structured optimization problems"
)
ALLEN_ZHU = "Allen-Zhu, Qu, Richtarik & Yuan 2016, Even faster accelerated coordinate descent"
PRIMAL: dict[str, Any] = {"side": "primal", "assumptions": (*SMOOTH, sp.Eq(l1, 0))}
S_I = v[i] / gamma + l2 * n  # n L_j, L_j the smoothness of P along e_j


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
    return larger.subs(square, counts.shortest(M2 / l2))


def accelerated_rcd(sampling: str) -> Bound:
    """Derive it in closed form for uniform sampling; else K and W by definitions that hold for any probabilities."""
    plain = counts.coordinate_descent(counts.PRIMAL, "given" if sampling == "importance" else sampling)
    rate = {"K": accelerated(counts.largest_over_lines(d**2 * S_I / n, counts.PRIMAL)), "W": plain.W}
    if sampling != "uniform":
        of_K = sp.Eq(K, accelerated(largest(s[i] / (n * p[i] ** 2))))
        drawn = (sp.Eq(p[i], s[i] / sp.Sum(s[k], (k, 1, d))),) if sampling == "importance" else ()
        rate = {"K": K, "W": W, "definitions": (of_K, *plain.definitions[1:], *drawn)}
    return contraction(
        "acc_rcd",
        "smooth",
        sampling,
        constant=P0 + l2 / 2 * w2,
        bounded="P(w)-P*",
        source=f"{ALLEN_ZHU}, and {STICH}; with any probabilities {FACE_OFF}; constants as re-derived",
        **rate,
        **PRIMAL,
    )


# with l1, or l2 = 0: uniform probabilities
LARGEST_SMOOTHNESS = counts.largest_over_lines(S_I / n, counts.PRIMAL)  # max_j L_j
UNIFORM: dict[str, Any] = {"side": "primal", "bounded": "P(w)-P*", "W": nnz / d}
PROXIMAL = (
    contraction(
        "acc_rcd",
        "proximal",
        K=d * sp.sqrt(counts.shortest(LARGEST_SMOOTHNESS / l2)),
        constant=P0 + l2 / 2 * w2,
        **UNIFORM,
        assumptions=(*SMOOTH, l1 > 0),
        source="Lin, Lu & Xiao 2015, arXiv:1407.1296, Theorem 2.1 on the primal, mu = l2/max_j L_j",
    ),
    decay(
        "acc_rcd",
        "convex",
        **UNIFORM,
        assumptions=(gamma > 0, sp.Eq(l2, 0)),
        guarantee=(2 * d / (t - 1 + 2 * d)) ** 2 * (P0 + R_col**2 / (2 * gamma * n) * w2),
        count=sp.Max(0, 2 * d * sp.sqrt((P0 + R_col**2 / (2 * gamma * n) * w2) / eps) + 1 - 2 * d),
        source="Fercoq & Richtarik 2015, arXiv:1312.5799, Theorem 3 for single coordinates; P(0) - P* for its share "
        "1 - 1/d, and max_j L_j for each L_j",
    ),
)

BOUNDS = (
    *(accelerated_rcd(sampling) for sampling in SERIAL),
    *PROXIMAL,
    lemma(
        "acc_rcd",
        "best total",
        value=T_P_acc,
        source=f"{FACE_OFF}, accelerated totals; re-derived",
        **PRIMAL,
        target=f"T = K W, up to W, with the best probabilities, {BEST_PROBABILITIES}",
    ),
)
