"""From a theorem about one step to the numbers that a user asks for: iterations, passes, operations.

1. A contraction: after t iterations the expected error is at most ``constant (1 - rho)^t``. `contraction_steps` solves
   ``constant (1 - rho)^t = eps`` for t, and weakens it to the papers' form by ``ln(1/(1 - rho)) >= rho``.
2. A guarantee that falls like a power of t: `steps_until` and its like find the t at which it reaches eps.
3. A sampling p gives ``1/rho = K = max_i s_i/(p_i l2 n)`` and the cost ``W = sum_i p_i c_i`` of an iteration
   (`coordinate_descent`). For uniform and importance sampling both are evaluated in closed form. ``T = K W``, and
   passes = T/nnz.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from ..symbols import C_D, C_P, P0, F, K, R, R_col, W, c, d, eps, gamma, i, k, l2, largest, n, nnz, p, power, s, t, v


@cache
def shortest(expr: sp.Expr) -> sp.Expr:
    """The shortest of the expression, the cancelled fraction, and the sum of its terms, common factors in front.

    Logarithms stay whole.
    """
    logs = {log: sp.Dummy(positive=True) for log in expr.atoms(sp.log)}
    back = {dummy: log for log, dummy in logs.items()}
    plain = expr.xreplace(logs)
    fraction = sp.cancel(plain)
    shapes = (fraction, sp.factor_terms(sp.expand(fraction)), sp.factor_terms(plain))
    return min(shapes, key=sp.count_ops).xreplace(back)


# ------------------------------------------------------------ a contraction -> iterations
class Count(NamedTuple):
    """Iterations to eps: ``exact`` solves the contraction, ``expr`` >= ``exact`` is the form the papers print."""

    expr: sp.Expr
    exact: sp.Expr


@cache
def _solve_contraction() -> tuple[Count, tuple[sp.Symbol, sp.Symbol]]:
    constant, rho = sp.symbols("constant rho", positive=True)
    (count,) = sp.solve(sp.Eq(constant * (1 - rho) ** t, eps), t)  # log(eps/constant) / log(1 - rho)
    exact = count.subs(sp.log(eps / constant), -sp.log(constant / eps))
    # ln(1/(1 - rho)) >= rho: both are 0 at 0, and the derivative of the left side, 1/(1 - rho), is at least 1
    return Count(exact.subs(sp.log(1 - rho), -rho), exact), (constant, rho)


def contraction_steps(constant: sp.Expr, K: sp.Expr) -> Count:
    """Iterations after which ``constant (1 - 1/K)^t <= eps``, from `sympy.solve`.

    >>> from cdlab.theory.symbols import D0, K
    >>> contraction_steps(D0, K)
    Count(expr=K*log(D0/eps), exact=-log(D0/eps)/log(1 - 1/K))
    """
    count, symbols = _solve_contraction()
    values = dict(zip(symbols, (constant, 1 / K), strict=True))
    return Count(count.expr.xreplace(values), count.exact.xreplace(values))


# ------------------------------------------------------------ a guarantee that falls like a power of t -> iterations
def steps_until(guarantee: sp.Expr) -> sp.Expr:
    """The number of steps t after which a decreasing guarantee is at most eps, from `sympy.solve`; at least 0.

    Raises
    ------
    ValueError
        If guarantee = eps has not exactly one solution t that can be positive.

    >>> from cdlab.theory.symbols import L_f, t, w2
    >>> steps_until(2 * L_f * w2 / (t + 1) ** 2)
    Max(0, sqrt(2)*sqrt(L_f)*sqrt(w2)/sqrt(eps) - 1)
    """
    found = [root for root in sp.solve(sp.Eq(guarantee, eps), t) if not root.is_negative]
    if len(found) != 1:
        raise ValueError(f"{guarantee} = eps has {len(found)} solutions t; give the count itself")
    return sp.Max(0, sp.expand(found[0]))


class LambertW(sp.LambertW):
    """Solutions u of u e^u = x as sympy has them, with values on arrays of numbers too."""

    @staticmethod
    def _imp_(x: Any, branch: int = 0) -> np.ndarray:
        from scipy.special import lambertw

        x = np.asarray(x, dtype=float)
        # at -1/e, where the branches meet, scipy has NaN
        return np.where(x <= -np.exp(-1), -1.0, lambertw(x, branch).real)


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


# ------------------------------------------------------------ a sampling -> K and W
class Side(NamedTuple):
    """The coordinates of one side, and the sums of X that the closed forms need.

    Attributes
    ----------
    name : "dual" or "primal"
    size : sympy expression
        Number of coordinates.
    v_max : sympy expression
        Largest squared norm v_i of a coordinate's row or column.
    C : sympy expression
        Sum of c_i v_i, with c_i the nonzeros of a coordinate.
    """

    name: str
    size: sp.Expr
    v_max: sp.Expr
    C: sp.Expr


DUAL = Side("dual", n, R**2, C_D)
PRIMAL = Side("primal", d, R_col**2, C_P)


class RateAndCost(NamedTuple):
    """K = 1/rho and W, the expected cost of an iteration, with their definitions where they stay symbols."""

    K: sp.Expr
    W: sp.Expr
    definitions: tuple[sp.Eq, ...] = ()


def sum_over_lines(f: sp.Expr, side: Side) -> sp.Expr:
    """sum_i f(v_i, c_i) over all coordinates of a side, by linearity of the sum.

    >>> sum_over_lines((v[i] + l2) * c[i], DUAL)
    C_D + l2*nnz
    """
    moments = {sp.S.One: side.size, v[i]: F, c[i]: nnz, c[i] * v[i]: side.C}
    terms = (term.as_independent(v[i], c[i], as_Add=False) for term in sp.Add.make_args(sp.expand(f)))
    return sp.Add(*(factor * moments[moment] for factor, moment in terms))


def largest_over_lines(f: sp.Expr, side: Side) -> sp.Expr:
    """max_i f(v_i) over all coordinates: f itself if it does not depend on i, f(v_max) if it increases in v_i.

    Raises
    ------
    ValueError
        If f decreases in v_i.
    """
    f = sp.cancel(f)
    slope, _ = sp.posify(sp.diff(f, v[i]))
    if not slope.is_nonnegative:
        raise ValueError(f"the largest {f} over the coordinates is not at the largest v_i")
    return f.subs(v[i], side.v_max)


@cache
def coordinate_descent(side: Side, sampling: str) -> RateAndCost:
    """K and W of serial coordinate descent (Csiba & Richtarik 2016, eqs. (8)-(11)).

    Closed forms for "uniform" and "importance" (their section 5.1 and eq. (14)); for "norms", "lipschitz", "given" and
    samplings of blocks the symbols K and W with their definitions. With blocks, v are the ESO parameters.

    >>> coordinate_descent(DUAL, "uniform").K, coordinate_descent(DUAL, "importance").K
    (R**2/(gamma*l2) + n, F/(gamma*l2*n) + n)
    """
    smoothness = v[i] / gamma + l2 * n
    if sampling in ("uniform", "importance"):
        weight = sp.S.One if sampling == "uniform" else smoothness
        sum_of_weights = sum_over_lines(weight, side)  # p_i = weight / sum_of_weights
        return RateAndCost(
            K=shortest(largest_over_lines(smoothness / (weight / sum_of_weights * l2 * n), side)),
            W=shortest(sum_over_lines(weight * c[i], side) / sum_of_weights),
        )
    everyone = (k, 1, side.size)  # an index of its own inside p_i
    probability = {
        "norms": (sp.Eq(p[i], 1 / (2 * side.size) + sp.sqrt(v[i]) / (2 * sp.Sum(sp.sqrt(v[k]), everyone))),),
        "lipschitz": (sp.Eq(p[i], s[i] ** power / sp.Sum(s[k] ** power, everyone)),),
    }.get(sampling, ())  # else the user's own
    return RateAndCost(
        K,
        W,
        (
            sp.Eq(K, largest(s[i] / (p[i] * l2 * n))),
            sp.Eq(W, sp.Sum(p[i] * c[i], (i, 1, side.size))),
            sp.Eq(s[i], smoothness),
            *probability,
        ),
    )


@cache
def accelerated_descent(side: Side, sampling: str) -> RateAndCost:
    """K = max_i sqrt(s_i/(l2 n))/p_i and W of coordinate descent with momentum; v are the ESO parameters of blocks."""
    plain = coordinate_descent(side, "given" if sampling == "importance" else sampling)
    if sampling == "uniform":
        root = sp.sqrt(shortest(largest_over_lines((v[i] / gamma + l2 * n) / (l2 * n), side)))
        return RateAndCost(side.size * root, plain.W)
    drawn = (sp.Eq(p[i], s[i] / sp.Sum(s[k], (k, 1, side.size))),) if sampling == "importance" else ()
    rate = sp.Eq(K, largest(sp.sqrt(s[i] / (l2 * n)) / p[i]))
    return RateAndCost(K, W, (rate, *plain.definitions[1:], *drawn))
