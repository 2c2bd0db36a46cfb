"""Shalev-Shwartz & Zhang 2013: ASDCA, accelerated mini-batch stochastic dual coordinate ascent.

Their phi_i are functions of w, so that softmax is covered.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from ..forms import contraction, lemma
from ..symbols import D0, P0, R, gamma, gap0, l1, l2, m, n, nnz

METHODS = ("asdca",)

ASDCA = "Shalev-Shwartz & Zhang 2013, arXiv:1305.2581, Theorem 1"
ITS_GAMMA = "their gamma, of w -> phi(x_i'w), is gamma/R^2"

k = gamma / R**2 * l2 * n
STEP = (sp.S.One, sp.sqrt(k / m), k, k ** sp.Rational(2, 3) / m ** sp.Rational(1, 3))  # theta is a quarter of the least
K = 4 * sp.Max(*(n / (m * term) for term in STEP))  # n/(m theta)

THEOREM: dict[str, Any] = {
    "K": K,
    "W": m * nnz / n,
    "constant": P0 + n / m * D0,  # of the sum, divided by m
    "assumptions": (m <= n, gamma > 0, l2 > 0, sp.Eq(l1, 0)),
    "side": "dual",
    "vectors": True,
}

BOUNDS = (
    contraction("asdca", "smooth", bounded="P(w)-P*", source=f"{ASDCA}; {ITS_GAMMA}", **THEOREM),
    contraction(
        "asdca",
        "sum",
        bounded="P-D",
        source=f"{ASDCA}, by the sum (P(w) - P*) + (n/m)(D* - D(alpha)) that its proof follows, divided by m: it is at "
        f"least the gap, and at first at most n/m times the gap; {ITS_GAMMA}",
        **THEOREM | {"constant": n / m * gap0},
    ),
    lemma(
        "asdca",
        "one step",
        value=1 - 1 / K,
        sampling="uniform",
        assumptions=THEOREM["assumptions"],
        side="dual",
        vectors=True,
        target="one iteration multiplies the expected m (P(w) - P*) + n (D* - D(alpha)) by at most this",
        source=f"{ASDCA}, proof; {ITS_GAMMA}",
    ),
)
