"""Guarantees that fall like a power of t: the t at which one reaches eps, and its value before the first step."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from ..symbols import P0, eps, t


class LambertW(sp.LambertW):
    """Solutions u of u e^u = x as sympy has them, with values on arrays of numbers too."""

    @staticmethod
    def _imp_(x: Any, branch: int = 0) -> np.ndarray:
        from scipy.special import lambertw

        x = np.asarray(x, dtype=float)
        return np.where(
            x <= -np.exp(-1), -1.0, lambertw(x, branch).real
        )  # at -1/e, where the branches meet, scipy has NaN


def from_first_step(bound: sp.Expr) -> sp.Expr:
    """A theorem about t >= 1 as a guarantee that never rises, from t = 0 on: there P(0) - P*, or more.

    >>> from cdlab.theory.symbols import w2
    >>> from_first_step(w2 / t)
    Piecewise((Max(P0, w2), t < 1), (w2/t, True))
    """
    return sp.Piecewise((sp.Max(P0, bound.subs(t, 1)), t < 1), (bound, True))


def logarithmic_root_steps(scale: sp.Expr, offset: sp.Expr) -> sp.Expr:
    """A t >= 1 from which ``scale (offset + ln t)/sqrt(t) <= eps`` holds, for an offset >= 2.

    With r = sqrt(t), b = 2 scale/eps, c = offset/2 + ln b and u = r/b this is u = c + ln u, of which the larger root is
    at most c + sqrt(2 (c - 1)) (Chatzigeorgiou 2013, of Lambert's function): no exponential of a large offset. The
    guarantee falls for all t >= 1; a b below 2/offset asks for one step.

    >>> from cdlab.theory.symbols import w2
    >>> float(logarithmic_root_steps(w2, sp.Integer(2)).subs({w2: 1, eps: 2}))
    1.0
    """
    b = sp.Max(2 / offset, 2 * scale / eps)
    c = offset / 2 + sp.log(b)
    return (b * (c + sp.sqrt(2 * (c - 1)))) ** 2


def logarithmic_steps(scale: sp.Expr, offset: int) -> sp.Expr:
    """The t >= 1 from which ``scale (offset + ln t)/t <= eps`` holds, for a whole offset >= 1.

    With b = scale/eps and u = t/b this is u = offset + ln b + ln u, so -u e^-u = -e^-offset/b, which `sympy.solve`
    finds. (offset + ln t)/t falls from t = e^(1 - offset) <= 1 on, where u = 1: the larger root, u >= 1, is Lambert's
    branch -1. It is at t >= 1 if b >= 1/offset; a smaller b asks for one step.

    >>> from cdlab.theory.symbols import w2
    >>> logarithmic_steps(w2, 1)
    -LambertW(-exp(-1)/Max(1, w2/eps), -1)*Max(1, w2/eps)
    """
    b, at = sp.symbols("b t", positive=True)
    (root,) = sp.solve(sp.Eq(b * (offset + sp.log(at)), at), at)
    larger = root.replace(sp.LambertW, lambda x: LambertW(x, -1))
    return larger.subs(b, sp.Max(sp.Rational(1, offset), scale / eps))
