"""Shalev-Shwartz & Zhang: stochastic dual coordinate ascent on smooth and on Lipschitz losses, with or without l1."""

from __future__ import annotations

import sympy as sp

from ..build import TARGETS, decay
from ..derivations import counts
from ..symbols import D0, L, l2, n, nnz
from .faceoff import FACE_OFF, PLAIN, SERIAL, SMOOTH, theorem1

SDCA = "Shalev-Shwartz & Zhang 2013, JMLR 14:567-599"
ZHAO = "Zhao & Zhang 2015, arXiv:1401.2753"
PROX = "Shalev-Shwartz & Zhang 2012, arXiv:1211.2717"
AS_PRINTED_FOR = "printed for R = 1 and D* - D(0) <= 1, both kept here"

LIPSCHITZ = {
    "guarantee": counts.lipschitz_dual_error(),
    "bounded": "D*-D",
    "assumptions": (sp.Lt(L, sp.oo), l2 > 0),
    "side": "dual",
    "W": nnz / n,
    "vectors": True,
}

BOUNDS = (
    *theorem1(
        "sdca", "smooth", counts.DUAL, lambda K: D0 * K, ("uniform",), bounded="P-D", assumptions=SMOOTH, vectors=True,
        source=f"{SDCA}, Theorem 2, and with l1 {PROX}; {AS_PRINTED_FOR}",
    ),
    *theorem1(
        "sdca", "smooth", counts.DUAL, lambda K: D0 * K, SERIAL[1:], bounded="P-D", assumptions=SMOOTH, vectors=True,
        source=f"{FACE_OFF}, Theorem 1, eq. (9), and {ZHAO}; {PLAIN}; the exact step gains at least the fixed one's",
    ),
    decay(
        "sdca", "lipschitz", count=counts.lipschitz_gap_count(), **LIPSCHITZ,
        target="the expected duality gap of the average of the last iterates",
        source=f"{SDCA}, Theorem 1, and with l1 {PROX}; {AS_PRINTED_FOR}",
    ),
    decay(
        "sdca", "lipschitz dual", count=counts.lipschitz_dual_count(), **LIPSCHITZ, target=TARGETS["D*-D"],
        source=f"{SDCA}, proof of Theorem 1, and with l1 {PROX}; {AS_PRINTED_FOR}",
    ),
)  # fmt: skip
