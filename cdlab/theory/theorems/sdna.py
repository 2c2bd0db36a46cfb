"""Qu, Richtarik, Takac & Fercoq 2016, SDNA: blocks of coordinates that move with their exact curvature.

A block S of m coordinates, all blocks equally likely, maximises D over alpha_S, or takes -(M_S)^-1 grad_S P with
M = X'X/(gamma n) + l2 I. In energy coordinates a step on a quadratic is a projection, so the error falls on average by
at least the smallest eigenvalue of A^(1/2) E[(A_S)^-1] A^(1/2), exactly in the worst direction.
"""

from __future__ import annotations

import sympy as sp

from ..bound import Bound
from ..derivations import counts
from ..forms import contraction
from ..symbols import D0, P0, K, M, l1, sigma_1
from ._exact_steps import QUADRATIC
from .faceoff import FACE_OFF, SMOOTH, theorem1

METHODS = ("sdna", "primal_sdna")

BLOCK = "tau_nice"
SDNA = "Qu, Richtarik, Takac & Fercoq 2016, SDNA, arXiv:1502.02268"
UPDATES = "ideal_passes"  # what reading for the curvature costs depends on the data, and is left out
SQUARED = (*SMOOTH, sp.Eq(M, 0))  # M = 0: phi'' is constant
# Of other losses the method ends a block after 20 rounds, which need not gain as much.
GAIN = f"{FACE_OFF}, Theorem 1, eq. (9): the best step of a block gains at least what the step of the ESO model gains"


def exact_curvature(method: str, side: counts.Side, constant: sp.Expr, bounded: str, **data: object) -> Bound:
    """The rate 1 - sigma_1 of a step."""
    _, W, definitions = counts.coordinate_descent(side, BLOCK)
    return contraction(
        method,
        "exact curvature",
        BLOCK,
        K=1 / sigma_1,
        W=W,
        constant=constant,
        bounded=bounded,
        side=side.name,
        column=UPDATES,
        definitions=tuple(each for each in definitions if each.lhs not in (K, counts.s[counts.i])),
        **data,
    )


BOUNDS = (
    *theorem1(
        "sdna",
        "smooth",
        counts.DUAL,
        lambda K: D0 * K,
        (BLOCK,),
        bounded="P-D",
        assumptions=SQUARED,
        source=GAIN,
        column=UPDATES,
    ),
    *theorem1(
        "sdna",
        "smooth dual",
        counts.DUAL,
        lambda _: D0,
        (BLOCK,),
        bounded="D*-D",
        assumptions=SQUARED,
        source=GAIN,
        column=UPDATES,
    ),
    exact_curvature(
        "sdna",
        counts.DUAL,
        D0,
        "D*-D",
        assumptions=QUADRATIC,
        source=f"{SDNA}, Theorem 1; re-derived for the dual of the squared loss, A = gamma I + X X'/(l2 n), "
        "sigma_1 = lambda_min(A^(1/2) E[(A_S)^-1] A^(1/2))",
    ),
    exact_curvature(
        "primal_sdna",
        counts.PRIMAL,
        P0,
        "P(w)-P*",
        assumptions=(*SMOOTH, sp.Eq(l1, 0)),
        source=f"{SDNA}, Theorem 1; re-derived for every smooth loss with sigma_1 = l2 lambda_min(E[(M_S)^-1]): "
        "E P(w+) <= P(w) - g'E[(M_S)^-1]g/2 and ||g||^2 >= 2 l2 (P(w) - P*), g = grad P(w)",
    ),
)
