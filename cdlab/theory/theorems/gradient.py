"""Gradient descent, and the accelerated methods of Nesterov and of Beck & Teboulle: a step takes all examples.

L_f = ||X||_2^2/(n gamma), the smoothness of the mean loss, is their L. A gradient is one pass: X w and X'r are half a
pass each. With l2 = 0 the theorems speak from the first step on.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from ..bound import Bound
from ..derivations import counts
from ..forms import contraction, decay
from ..symbols import P0, F, L_f, R, R_col, d, gamma, l2, n, nnz, norm_passes, t, w2

METHODS = ("gd", "agd", "fista")

BECK = "Beck & Teboulle 2009, A fast iterative shrinkage-thresholding algorithm"
NESTEROV = "Nesterov 2013, Gradient methods for minimizing composite functions, section 4"
SMOOTH = (gamma > 0,)
ALL: dict[str, Any] = {"sampling": "none", "bounded": "P(w)-P*", "side": "primal", "vectors": True}
GRADIENT = ALL | {"W": nnz, "setup": norm_passes * nnz}  # for L_f

# ------------------------------------------------------------ agd: P(w_k) - P* <= w2/(2 A_k)
INCREASE = DECREASE = 2  # agd's factors of its trial L
A = 2 / (INCREASE * L_f) * (1 + sp.sqrt(l2 / (2 * INCREASE * L_f))) ** (2 * (t - 1))  # the least A_t, t >= 1
A_CONVEX = t**2 / (2 * INCREASE * L_f)
# N trials in k steps multiply L by INCREASE^(N - k) and by DECREASE^-k, from L_0 to at most L_f: N is at most
# 2k + log2(L_f/L_0). A trial takes two gradients. L_0 is the largest lower bound of L_f that costs nothing.
TRIALS = 1 + sp.log(DECREASE) / sp.log(INCREASE)
L_0 = sp.Max(R**2, R_col**2, F / sp.Min(n, d)) / (n * gamma)
LINE_SEARCH = ALL | {"W": 2 * TRIALS * nnz, "setup": 2 * sp.log(L_f / L_0, INCREASE) * nnz}


def accelerated() -> dict[str, sp.Expr]:
    """The geometric growth of A_k as a contraction, with w2/(2 A_k) continued to k = 0, or P0 if that is more."""
    shrink = A.subs(t, 1) / A.subs(t, 2)
    constant = sp.factor(sp.simplify(w2 / (2 * A.subs(t, 0))))
    return {
        "K": sp.factor(sp.simplify(1 / (1 - shrink))),
        "constant": sp.Max(P0, constant),
    }


def convex(method: str, promised: sp.Expr, **data: Any) -> Bound:
    """A theorem about every t >= 1 that does not need l2 > 0."""
    further = counts.steps_until(promised.subs(t, t + 1))  # after the first step: the larger of 0 and some root
    count = sp.Max(*(steps + 1 for steps in further.args))
    return decay(method, "convex", guarantee=counts.from_first_step(promised), count=count, **data)


BOUNDS = (
    contraction(
        "gd",
        "strongly convex",
        K=1 + L_f / l2,
        constant=P0,
        assumptions=(*SMOOTH, l2 > 0),
        **GRADIENT,
        source=f"{BECK}, Lemma 2.3; re-derived with the l2-strongly convex g, at u = w + l2/(L_f + l2) (w* - w)",
    ),
    convex(
        "gd",
        L_f * w2 / (2 * t),
        assumptions=SMOOTH,
        **GRADIENT,
        source=f"{BECK}, Theorem 3.1; as printed",
    ),
    contraction(
        "agd",
        "strongly convex",
        **accelerated(),
        assumptions=(*SMOOTH, l2 > 0),
        **LINE_SEARCH,
        source=f"{NESTEROV}: P - P* <= ||w_0 - w*||^2/(2 A_k) and the growth of A_k; as printed, the count re-derived",
    ),
    convex(
        "agd",
        sp.simplify(w2 / (2 * A_CONVEX)),
        assumptions=SMOOTH,
        **LINE_SEARCH,
        source=f"{NESTEROV}: P - P* <= ||w_0 - w*||^2/(2 A_k) and A_k >= k^2/(4 L_f); as printed",
    ),
    contraction(
        "fista",
        "strongly convex",
        K=sp.sqrt(1 + L_f / l2),
        constant=P0 + l2 / 2 * w2,
        assumptions=(*SMOOTH, l2 > 0),
        **GRADIENT,
        source="Beck 2017, First-order methods in optimization, Theorem 10.42 (V-FISTA), with l2 in the smooth part of "
        "smoothness L_f + l2; as printed",
    ),
    convex(
        "fista",
        2 * L_f * w2 / (t + 1) ** 2,
        assumptions=(*SMOOTH, sp.Eq(l2, 0)),
        **GRADIENT,
        source=f"{BECK}, Theorem 4.4; as printed",
    ),
)
