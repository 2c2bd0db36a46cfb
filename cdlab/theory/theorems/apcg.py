"""Lin, Lu & Xiao 2015: APCG, the accelerated proximal coordinate gradient method, on the dual.

Theorem 2.1 is about blocks of coordinates: with softmax a row of alpha is one.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from ..forms import contraction, lemma
from ..symbols import D0, L_f, R, a2, gamma, l2, n, nnz
from .faceoff import SMOOTH

METHODS = ("apcg",)

APCG = "Lin, Lu & Xiao 2015, arXiv:1407.1296"

LARGEST_SMOOTHNESS = R**2 / (l2 * n**2) + gamma / n  # max_i L_i, the smoothness of -D along a coordinate
MU = gamma / n / LARGEST_SMOOTHNESS  # strong convexity of -D in the norm sum_i L_i alpha_i^2
K = sp.sqrt(sp.expand(n**2 / MU))  # n/sqrt(mu)
START = D0 + MU / 2 * LARGEST_SMOOTHNESS * a2  # sum_i L_i (alpha_0i - alpha*_i)^2 <= max_i L_i a2

# mu belongs to the largest L_i and START bounds all of them by it, so each coordinate's own and the largest are covered
STATED: dict[str, Any] = {"assumptions": SMOOTH, "side": "dual", "vectors": True}
THEOREM: dict[str, Any] = {"K": K, "W": nnz / n, "neutral": ("smoothness",)} | STATED

# The step from alpha to alpha + s (u - alpha), u_i = -phi'(x_i'w), gains at least
#   s (P(w) - D) + (s/(2n)) ||u - alpha||^2 (gamma (1 - s) - s gamma L_f/l2)
# because phi* is gamma-strongly convex, g* is (1/l2)-smooth and ||X'(u - alpha)/n||^2 <= gamma L_f ||u - alpha||^2/n.
# With s = 1/(1 + L_f/l2) the second term is 0: P(w) - D <= (1 + L_f/l2)(D* - D).
GAP = 1 + L_f / l2

BOUNDS = (
    contraction("apcg", "dual", constant=START, bounded="D*-D", source=f"{APCG}, Theorem 2.1 on the dual", **THEOREM),
    contraction(
        "apcg",
        "gap",
        constant=GAP * START,
        bounded="P-D",
        source=f"{APCG}, Theorem 2.1 on the dual; carried over to the gap, re-derived, without the primal step",
        **THEOREM,
    ),
    contraction(
        "apcg",
        "primal step",
        constant=L_f / l2 * START,
        bounded="P(w)-P*",
        parameters=(("primal_step", True),),
        target="the expected suboptimality P(w) - P* after a proximal gradient step, whose pass is not counted,",
        source=f"{APCG}, Theorem 2.1 on the dual and its primal step; constants as re-derived",
        **THEOREM,
    ),
    lemma(
        "apcg",
        "primal step from a dual point",
        value=L_f / l2 * D0,
        neutral=("smoothness", "convexity"),
        **STATED,
        parameters=(("primal_step", True),),
        target="a proximal gradient step from w = grad g*(X'alpha/n) leaves P(w) - P* at most this, alpha as the start",
        source=f"{APCG}; constants as re-derived from (l2/2)||w - w*||^2 <= D* - D(alpha)",
    ),
    lemma(
        "apcg",
        "gap of a dual point",
        value=GAP * D0,
        neutral=("smoothness", "convexity"),
        **STATED,
        target="at w = grad g*(X'alpha/n) the gap P(w) - D(alpha) is at most this, alpha as the start",
        source="re-derived, as the main lemma of Shalev-Shwartz & Zhang 2013 with all coordinates at once",
    ),
)
