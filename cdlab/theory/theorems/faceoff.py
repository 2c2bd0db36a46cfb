"""Csiba & Richtarik 2016, Coordinate descent face-off: primal or dual? (arXiv:1605.08982): Theorem 1 on both sides.

Notation: the dual lives on the n rows of X, the primal on its d columns (the paper's X is the transpose), and
gamma = 1/beta.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from ..bound import Bound
from ..build import contraction
from ..derivations import counts
from ..symbols import D0, P0, gamma, gap0, l1, l2

SERIAL = ("uniform", "importance", "norms", "lipschitz", "given")
BLOCKS = ("tau_nice", "independent", "bucket", "distributed")
SMOOTH = (gamma > 0, l2 > 0)
FACE_OFF = "Csiba & Richtarik 2016, arXiv:1605.08982"
QUARTZ = "Qu, Richtarik & Zhang 2015, arXiv:1411.5873"
PLAIN = "re-derived; for w = w(alpha) the constant (D* - D(0)) K follows from E[D+] - D >= (P - D)/K, for any l1 >= 0"


def theorem1(
    method: str,
    theorem: str,
    side: counts.Side,
    constant: Callable[[sp.Expr], sp.Expr],
    samplings: tuple[str, ...] = (*SERIAL, *BLOCKS),
    **data: Any,
) -> list[Bound]:
    """Theorem 1 of Csiba & Richtarik (2016) for each sampling; `constant` is a function of K."""
    found = []
    for sampling in samplings:
        K, W, definitions = counts.contraction(side, sampling)
        rate = {"K": K, "W": W, "constant": constant(K), "definitions": definitions}
        found.append(contraction(method, theorem, sampling, side=side.name, **rate, **data))
    return found


BOUNDS = (
    *theorem1(
        "quartz", "plain", counts.DUAL, lambda K: D0 * K, bounded="P-D", assumptions=SMOOTH, neutral=("step",),
        source=f"{FACE_OFF}, Theorem 1, eq. (9); {PLAIN}",
    ),
    *theorem1(
        "quartz", "averaged", counts.DUAL, lambda K: gap0, bounded="P-D", assumptions=SMOOTH,
        parameters=(("averaged", True),),
        source=f"{FACE_OFF}, Theorem 1, eq. (9), and with l1 {QUARTZ}; re-derived, w averaged",
    ),
    *theorem1(
        "rcd", "smooth", counts.PRIMAL, lambda K: P0, bounded="P(w)-P*", assumptions=(*SMOOTH, sp.Eq(l1, 0)),
        source=f"{FACE_OFF}, Theorem 1, eq. (8); re-derived",
    ),
)  # fmt: skip
