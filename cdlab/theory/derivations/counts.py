"""From a theorem about one step to the numbers that a user asks for: iterations, passes, operations.

1. A contraction: after t iterations the expected error is at most ``constant (1 - rho)^t``. `iterations` solves
   ``constant (1 - rho)^t = eps`` for t, and weakens it to the papers' form by ``ln(1/(1 - rho)) >= rho``.
2. A sampling p gives ``1/rho = K = max_i s_i/(p_i l2 n)`` and the cost ``W = sum_i p_i c_i`` of an iteration
   (`contraction`). For uniform and importance sampling both are evaluated in closed form.
3. ``T = K W``, and passes = T/nnz.
4. Losses that are only Lipschitz: the 1/t rate (`lipschitz_dual_error` and what follows).
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import sympy as sp

from ..symbols import (
    C_D,
    C_P,
    D0,
    F,
    K,
    L,
    R,
    R_col,
    W,
    c,
    d,
    eps,
    gamma,
    i,
    k,
    l2,
    largest,
    n,
    nnz,
    p,
    power,
    s,
    t,
    v,
)


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


class Contraction(NamedTuple):
    """K = 1/rho and W, the expected cost of an iteration, with their definitions where they stay symbols."""

    K: sp.Expr
    W: sp.Expr
    definitions: tuple[sp.Eq, ...] = ()


# ------------------------------------------------------------ contraction -> iterations
class Count(NamedTuple):
    """Iterations to eps: ``exact`` solves the contraction, ``expr`` >= ``exact`` is the form the papers print."""

    expr: sp.Expr
    exact: sp.Expr


@cache
def _solved() -> tuple[Count, tuple[sp.Symbol, sp.Symbol]]:
    constant, rho = sp.symbols("constant rho", positive=True)
    (count,) = sp.solve(sp.Eq(constant * (1 - rho) ** t, eps), t)  # log(eps/constant) / log(1 - rho)
    exact = count.subs(sp.log(eps / constant), -sp.log(constant / eps))
    # ln(1/(1 - rho)) >= rho: both are 0 at 0, and the derivative of the left side, 1/(1 - rho), is at least 1
    return Count(exact.subs(sp.log(1 - rho), -rho), exact), (constant, rho)


def iterations(constant: sp.Expr, K: sp.Expr) -> Count:
    """Iterations after which ``constant (1 - 1/K)^t <= eps``, from `sympy.solve`.

    >>> from cdlab.theory.symbols import D0, K
    >>> iterations(D0, K)
    Count(expr=K*log(D0/eps), exact=-log(D0/eps)/log(1 - 1/K))
    """
    count, symbols = _solved()
    values = dict(zip(symbols, (constant, 1 / K), strict=True))
    return Count(count.expr.xreplace(values), count.exact.xreplace(values))


def steps(guaranteed: sp.Expr) -> sp.Expr:
    """The number of steps t after which a decreasing guarantee is at most eps, from `sympy.solve`; at least 0.

    Raises
    ------
    ValueError
        If guarantee = eps has not exactly one solution t that can be positive.

    >>> from cdlab.theory.symbols import L_f, t, w2
    >>> steps(2 * L_f * w2 / (t + 1) ** 2)
    Max(0, sqrt(2)*sqrt(L_f)*sqrt(w2)/sqrt(eps) - 1)
    """
    found = [root for root in sp.solve(sp.Eq(guaranteed, eps), t) if not root.is_negative]
    if len(found) != 1:
        raise ValueError(f"{guaranteed} = eps has {len(found)} solutions t; give the count itself")
    return sp.Max(0, sp.expand(found[0]))


def guarantee(constant: sp.Expr, K: sp.Expr) -> sp.Expr:
    """The guarantee of a contraction after t iterations: ``constant (1 - 1/K)^t``."""
    return constant * (1 - 1 / K) ** t


# ------------------------------------------------------------ a sampling -> K and W
def total(f: sp.Expr, side: Side) -> sp.Expr:
    """sum_i f(v_i, c_i) over all coordinates of a side, by linearity of the sum.

    >>> total((v[i] + l2) * c[i], DUAL)
    C_D + l2*nnz
    """
    moments = {sp.S.One: side.size, v[i]: F, c[i]: nnz, c[i] * v[i]: side.C}
    terms = (term.as_independent(v[i], c[i], as_Add=False) for term in sp.Add.make_args(sp.expand(f)))
    return sp.Add(*(factor * moments[moment] for factor, moment in terms))


def greatest(f: sp.Expr, side: Side) -> sp.Expr:
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


def contraction(side: Side, sampling: str) -> Contraction:
    """K and W of serial coordinate descent (Csiba & Richtarik 2016, eqs. (8)-(11)).

    Closed forms for "uniform" and "importance" (their section 5.1 and eq. (14)); for "norms", "lipschitz", "given" and
    samplings of blocks the symbols K and W with their definitions. With blocks, v are the ESO parameters.

    >>> contraction(DUAL, "uniform").K, contraction(DUAL, "importance").K
    (R**2/(gamma*l2) + n, F/(gamma*l2*n) + n)
    """
    smoothness = v[i] / gamma + l2 * n
    if sampling in ("uniform", "importance"):
        weight = sp.S.One if sampling == "uniform" else smoothness
        sum_of_weights = total(weight, side)  # p_i = weight / sum_of_weights
        return Contraction(
            K=neat(greatest(smoothness / (weight / sum_of_weights * l2 * n), side)),
            W=neat(total(weight * c[i], side) / sum_of_weights),
        )
    everyone = (k, 1, side.size)  # an index of its own inside p_i
    probability = {
        "norms": (sp.Eq(p[i], 1 / (2 * side.size) + sp.sqrt(v[i]) / (2 * sp.Sum(sp.sqrt(v[k]), everyone))),),
        "lipschitz": (sp.Eq(p[i], s[i] ** power / sp.Sum(s[k] ** power, everyone)),),
    }.get(sampling, ())  # else the user's own
    return Contraction(
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
def neat(expr: sp.Expr) -> sp.Expr:
    """The shortest of the expression, the cancelled fraction, and the sum of its terms, common factors in front.

    Logarithms stay whole.
    """
    logs = {log: sp.Dummy(positive=True) for log in expr.atoms(sp.log)}
    back = {dummy: log for log, dummy in logs.items()}
    plain = expr.xreplace(logs)
    fraction = sp.cancel(plain)
    shapes = (fraction, sp.factor_terms(sp.expand(fraction)), sp.factor_terms(plain))
    return min(shapes, key=sp.count_ops).xreplace(back)


# ------------------------------------------------------------ losses that are only Lipschitz (uniform sampling)
def lipschitz_start() -> sp.Expr:
    """t0, after which the dual error decays like 1/t: max(0, ceil(n ln(2 l2 n D0 / G))), G = 4 L^2 R^2."""
    return sp.Max(0, sp.ceiling(n * sp.log(2 * l2 * n * D0 / (4 * L**2 * R**2))))


def lipschitz_early_error() -> sp.Expr:
    """The dual error before t0, from the recursion e_(t+1) <= (1 - 1/n) e_t + G/(2 l2 n^2), solved.

    The recursion is the main lemma of Shalev-Shwartz & Zhang 2013 at s = 1.
    """
    e, G = sp.symbols("e G", nonnegative=True)
    shrink, floor = 1 - 1 / n, sp.Symbol("floor", nonnegative=True)
    (fixed_point,) = sp.solve(sp.Eq(e, shrink * e + G / (2 * l2 * n**2)), e)
    return (floor + (D0 - floor) * shrink**t).subs(floor, fixed_point.subs(G, 4 * L**2 * R**2))


def lipschitz_dual_error() -> sp.Expr:
    """E[D* - D] after t iterations: the early recursion before t0, then 2G/(l2 (2n + t - t0))."""
    t0 = lipschitz_start()
    late = 2 * 4 * L**2 * R**2 / (l2 * (2 * n + t - t0))
    return sp.Piecewise((lipschitz_early_error(), t < t0), (late, True))


def lipschitz_dual_count() -> sp.Expr:
    """Iterations to E[D* - D] <= eps: t0, and those after it from the late rate, solved for t."""
    t0 = sp.Symbol("t0", nonnegative=True)
    G = 4 * L**2 * R**2
    (count,) = sp.solve(sp.Eq(2 * G / (l2 * (2 * n + t - t0)), eps), t)
    return lipschitz_start() + sp.Max(0, sp.expand(count - t0))


def lipschitz_gap_count() -> sp.Expr:
    """Iterations to E[gap] <= eps for the average of the iterates after T0.

    Its gap is at most 2G/(l2 (2n + T0 - t0)) + G/(2 l2 (T - T0)) for T - T0 >= n; each term is brought to eps/2.
    """
    t0, T0, length = sp.symbols("t0 T0 length", nonnegative=True)
    G = 4 * L**2 * R**2
    (start,) = sp.solve(sp.Eq(2 * G / (l2 * (2 * n + T0 - t0)), eps / 2), T0)
    start = sp.expand(start) + 2 * n  # the theorem does not use the 2n it could save
    (averaged,) = sp.solve(sp.Eq(G / (2 * l2 * length), eps / 2), length)
    return sp.expand(start + n + averaged).subs(t0, lipschitz_start())
