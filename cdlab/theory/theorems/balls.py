"""Balls around a point that contain the solution, of a radius that its duality gap gives: what screening relies on."""

from __future__ import annotations

from typing import Any

import sympy as sp

from ..bound import Bound
from ..forms import lemma
from ..symbols import gamma, gap0, l2, n

ALSO_ABOUT = ("sdca", "rcd")

SOURCE = (
    "own derivation: P(w) - P* >= (l2/2)||w - w*||^2 + (gamma/2n)||u - alpha*||^2 with u = -phi'(X w), because phi is "
    "cocoercive; D* - D(alpha) >= (gamma/2n)||alpha - alpha*||^2 + (l2/2)||w(alpha) - w*||^2, because g* is; added up, "
    "one distance counts twice. Each side alone gives sqrt(2) times this radius: Fercoq, Gramfort & Salmon 2015, Mind "
    "the duality gap: safer rules for the Lasso, Theorem 2"
)


def ball(method: str, side: str, radius: sp.Expr, distance: str, **data: Any) -> Bound:
    """The ball that the screening of a method uses; the gap of its center is written as that of the start."""
    target = f"{distance} is at most this, with the gap of this point for P(0) - D(0)"
    return lemma(method, "safe ball", value=radius, target=target, source=SOURCE, side=side, **data)


BOUNDS: tuple[Bound, ...] = (
    ball("sdca", "dual", sp.sqrt(gap0 / l2), "||w - w*|| of any w = w(alpha)", assumptions=(l2 > 0,), vectors=True),
    ball(
        "rcd",
        "primal",
        sp.sqrt(n * gap0 / gamma),
        "||alpha - alpha*|| of alpha = -phi'(X w) for any w",
        assumptions=(gamma > 0, l2 > 0),
    ),
)
