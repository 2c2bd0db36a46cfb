"""Qu, Richtarik, Takac & Fercoq 2016, SDNA: blocks of coordinates that move with their exact curvature.

A block S of m coordinates, all blocks equally likely, maximises D over alpha_S, or takes -(M_S)^-1 grad_S P with
M = X'X/(gamma n) + l2 I. In energy coordinates a step on a quadratic is a projection, so the error falls on average by
at least the smallest eigenvalue of A^(1/2) E[(A_S)^-1] A^(1/2), exactly in the worst direction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import sympy as sp

from ..bound import Bound
from ..derivations import counts
from ..forms import contraction
from ..symbols import D0, P0, W, l1, m, n, nnz, sigma_1
from ._exact_steps import QUADRATIC
from .faceoff import FACE_OFF, SERIAL, SMOOTH, theorem1

METHODS = ("sdna", "primal_sdna")

BLOCK = "tau_nice"
SDNA = "Qu, Richtarik, Takac & Fercoq 2016, SDNA, arXiv:1502.02268"
# Nonzeros that a block visits over those of a line, on average: it reads and writes each, reads m - 1 - k lines for the
# curvature with the k-th, half a visit each, and writes all but one to scratch
VISITS = 2 * m - 1 + m * (m - 1) / 4
GAIN = f"{FACE_OFF}, Theorem 1, eq. (9): a block begins with the step of the ESO model and gains at least as much"


def of_blocks(b: Bound, size: sp.Expr) -> Bound:
    """The theorem with what a block of m visits."""
    rest = tuple(each for each in b.definitions if each.lhs != W)
    return replace(b, W=VISITS * nnz / size, definitions=rest) if b.sampling == BLOCK else b


def exact_curvature(method: str, side: counts.Side, constant: sp.Expr, bounded: str, **data: Any) -> Bound:
    """The rate 1 - sigma_1 of a step."""
    data |= {"constant": constant, "bounded": bounded, "side": side.name}
    return of_blocks(contraction(method, "exact curvature", BLOCK, K=1 / sigma_1, W=W, **data), side.size)


def eso_gain(theorem: str, constant: Callable[[sp.Expr], sp.Expr], bounded: str) -> list[Bound]:
    """The face-off's Theorem 1; with blocks of one for all that draws them."""
    found = theorem1(
        "sdna", theorem, counts.DUAL, constant, (*SERIAL, BLOCK), bounded=bounded, assumptions=SMOOTH, source=GAIN
    )
    return [of_blocks(b, n) for b in found]


BOUNDS = (
    *eso_gain("smooth", lambda K: D0 * K, "P-D"),
    *eso_gain("smooth dual", lambda _: D0, "D*-D"),
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
