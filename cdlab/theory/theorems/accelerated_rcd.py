"""Accelerated coordinate descent on the primal, of any sampling: with l1, or without l2; the proof is in apcg.py."""

from __future__ import annotations

from typing import Any

import sympy as sp

from ..bound import Bound
from ..derivations import counts
from ..forms import contraction, decay, lemma
from ..symbols import P0, K, T_P_acc, W, d, eps, gamma, i, l1, l2, largest, n, p, s, t, v, w2, w2_p
from ._exact_steps import rate_and_least_probability
from .faceoff import BEST_PROBABILITIES, BLOCKS, FACE_OFF, SERIAL, SMOOTH

METHODS = ("acc_rcd",)

STICH = (
    "Nesterov & Stich 2017, Efficiency of the accelerated coordinate descent method on structured optimization problems"
)
ALLEN_ZHU = "Allen-Zhu, Qu, Richtarik & Yuan 2016, Even faster accelerated coordinate descent"
PRIMAL: dict[str, Any] = {"side": "primal", "assumptions": (*SMOOTH, sp.Eq(l1, 0))}
ANY_SAMPLING = ", for uniform sampling; own derivation for any probabilities and blocks"
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
    """Derive it in closed form for uniform sampling; else K and W by definitions that hold for any sampling."""
    _, of_W, definitions = counts.accelerated_descent(counts.PRIMAL, sampling)
    rate = {"K": accelerated(counts.largest_over_lines(d**2 * S_I / n, counts.PRIMAL)), "W": of_W}
    if sampling != "uniform":
        of_K = sp.Eq(K, accelerated(largest(s[i] / (n * p[i] ** 2))))
        rate = {"K": K, "W": W, "definitions": (of_K, *definitions[1:])}
    return contraction(
        "acc_rcd",
        "smooth",
        sampling,
        constant=P0 + l2 / 2 * w2,
        bounded="P(w)-P*",
        source=f"{ALLEN_ZHU}, and {STICH}; with any probabilities {FACE_OFF}; constants as re-derived, blocks by the "
        "same proof",
        **rate,
        **PRIMAL,
    )


# with l1, or l2 = 0
def proximal(sampling: str) -> Bound:
    """The rate of APCG."""
    rate, cost, definitions = counts.accelerated_descent(counts.PRIMAL, sampling)
    return contraction(
        "acc_rcd",
        "proximal",
        sampling,
        K=rate,
        W=cost,
        definitions=definitions,
        constant=P0 + l2 / 2 * w2,
        bounded="P(w)-P*",
        **PRIMAL | {"assumptions": (*SMOOTH, l1 > 0)},
        source=f"Lin, Lu & Xiao 2015, arXiv:1407.1296, Theorem 2.1 on the primal, mu = l2/max_j L_j{ANY_SAMPLING}",
    )


def convex(sampling: str) -> Bound:
    """The rate of APPROX, 1/t^2."""
    (_, cost, definitions), least = rate_and_least_probability(counts.PRIMAL, sampling)
    constant = P0 + least * w2_p / 2
    return decay(
        "acc_rcd",
        "convex",
        sampling,
        W=cost,
        definitions=tuple(each for each in definitions if each.lhs != K),
        side="primal",
        bounded="P(w)-P*",
        assumptions=(gamma > 0, sp.Eq(l2, 0)),
        guarantee=((2 / least) / (t - 1 + 2 / least)) ** 2 * constant,
        count=sp.Max(0, 2 / least * sp.sqrt(constant / eps) + 1 - 2 / least),
        source="Fercoq & Richtarik 2015, arXiv:1312.5799, Theorem 3 for single coordinates; P(0) - P* for its share "
        f"1 - p_min, and the largest of what bounds each (w_0j - w*_j)^2{ANY_SAMPLING}",
    )


BOUNDS = (
    *(prove(sampling) for prove in (accelerated_rcd, proximal, convex) for sampling in (*SERIAL, *BLOCKS)),
    lemma(
        "acc_rcd",
        "best total",
        value=T_P_acc,
        source=f"{FACE_OFF}, accelerated totals; re-derived",
        **PRIMAL,
        target=f"T = K W, up to W, with the best probabilities, {BEST_PROBABILITIES}",
    ),
)
