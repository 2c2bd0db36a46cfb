"""Proximal Newton: one iteration near the optimum. No count follows: how soon w is near enough is not known."""

from __future__ import annotations

import sympy as sp

from ..bound import Bound
from ..forms import lemma
from ..symbols import L_f, M, R, gamma, l2

METHODS = ("newton_cd",)

# |phi''(x_i'w) - phi''(x_i'u)| <= M R ||w - u||, so the Hessian changes by at most M R ||w - u|| times ||X||_2^2/n
HESSIAN = M * R * gamma * L_f

BOUNDS: tuple[Bound, ...] = (
    lemma(
        "newton_cd",
        "quadratic",
        value=HESSIAN / (2 * l2),
        neutral=("inner",),
        sampling="none",
        vectors=True,
        target="||w+ - w*||/||w - w*||^2 of an iteration that minimises its model exactly and takes t = 1, as near w* "
        "it does; with the squared loss 0: one iteration",
        source="Lee, Sun & Saunders 2014, Proximal Newton-type methods for minimizing composite functions, Theorem "
        "3.4, with the Lipschitz constant M R gamma L_f of the Hessian and strong convexity l2; re-derived. Inexact "
        "models with eta -> 0 make it superlinear (Theorem 3.7). No curve: it speaks of one step, and from w = 0 the "
        "line search gives no rate",
        side="primal",
        assumptions=(gamma > 0, l2 > 0, sp.Lt(M, sp.oo)),
    ),
)
