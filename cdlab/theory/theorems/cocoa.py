"""CoCoA+ in weights n_k/n with a global step, as `cdlab.distributed.solve` runs it on parts of n/s examples each.

Parts maximise G_k(delta) = -(1/n_k) sum phi*(-alpha_i - delta_i) - g*(v + X_k'delta/n_k). The mean of these with
weights n_k/n is D(alpha) at 0, and by convexity of g* at most D(alpha + delta). With u_i = -phi'(x_i'w), the main lemma
of SDCA for all examples of a part at once gives G_k(q (u - alpha)) - G_k(0) >= q times its share of the gap for
q = l2 gamma n_k/(l2 gamma n_k + ||X_k||^2), and D(alpha + q (u - alpha)) - D >= q (P - D) for the q of all of X.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from ..forms import contraction, lemma
from ..symbols import D0, L_f, R, gamma, l2, local_epochs, n, nnz, nodes
from .faceoff import SMOOTH

METHODS = ("cocoa",)

SOURCE = "own derivation; the smooth case of Ma et al. 2015, arXiv:1502.03508, with g* itself in place of sigma'"
GLOBAL_STEP = l2 / (l2 + L_f)
# ||X_k||^2 is at most n_k R^2, and at most ||X||^2 = n gamma L_f
LOCAL_STEP = l2 / (l2 + sp.Min(R**2 / gamma, nodes * L_f))
LEFT = (1 - 1 / (n / nodes + R**2 / (l2 * gamma))) ** (local_epochs * n / nodes)  # of what a part can gain, by SDCA
FACTS: dict[str, Any] = {"side": "dual", "assumptions": SMOOTH}

BOUNDS = (
    contraction(
        "cocoa",
        "smooth dual",
        K=1 / (1 - (1 - GLOBAL_STEP) * (1 - (1 - LEFT) * LOCAL_STEP)),
        constant=D0,
        bounded="D*-D",
        W=(local_epochs + 1) * nnz,
        defaults=((local_epochs, sp.Integer(1)),),
        source=f"{SOURCE}; a round is the two lemmas, one after the other, and an iteration here",
        **FACTS,
    ),
    lemma(
        "cocoa",
        "local steps",
        value=LOCAL_STEP,
        target="where each part maximises its G_k, D gains at least the gap P - D times this",
        source=SOURCE,
        **FACTS,
    ),
    lemma(
        "cocoa",
        "global step",
        value=GLOBAL_STEP,
        target="the step towards -phi'(X w) that is best by the strong convexity of phi* gains at least the gap P - D "
        "times this",
        source="own derivation, from the main lemma of SDCA for all examples at once",
        **FACTS,
    ),
)
