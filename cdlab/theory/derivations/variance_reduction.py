"""How much a step of SAGA or a stage of SVRG contracts, with the l2-strong convexity in g as the methods have it.

A step is w+ = prox_{eta g}(w - eta v) with E v = grad f(w). prox_{eta g} shrinks squared distances by
q = 1/(1 + 2 eta l2), and w* = prox_{eta g}(w* - eta grad f(w*)), so with D = ||w - w*||^2
    E[D+] <= q (D - 2 eta <grad f(w) - grad f(w*), w - w*> + eta^2 E||v - grad f(w*)||^2).
Every phi_i(x_i'w) is convex and L-smooth in w. Let B(w) = f(w) - f(w*) - <grad f(w*), w - w*> and
Q(w) = (1/n) sum_i ||grad phi_i(w) - grad phi_i(w*)||^2. Then Q <= 2 L B, and the inner product is at least B + Q/(2 L)
and at least Q/L. If v takes its derivatives of reference at s, then for every b > 0
    E||v - grad f(w*)||^2 <= (1 + b) Q(w) + (1 + 1/b) Q(s).
"""

from __future__ import annotations

from typing import NamedTuple

import sympy as sp

from ..symbols import L_f, l2, n


class Potential(NamedTuple):
    """E[T+] <= (1 - 1/K) T for T = ||w - w*||^2 + weight (the rest of the potential)."""

    K: sp.Expr
    weight: sp.Expr


def saga(smoothness: sp.Expr) -> Potential:
    """SAGA with eta = 1/(3 L): T = D + weight H, H the mean of the B of each phi_i where its table entry was taken.

    A step gives E[H+] = (1 - 1/n) H + B/n, and Q(s) above is at most 2 L H. b is chosen so that Q(w) drops out of
    E[D+] + weight E[H+], and the weight so that B(w) does. D keeps the factor q, and H keeps 1 - 1/(2n).

    >>> from cdlab.theory.symbols import R
    >>> saga(R)
    Potential(K=Max(2*n, 3*R/(2*l2) + 1), weight=2*n/(3*R + 2*l2))
    """
    L, b, weight = sp.symbols("L b weight", positive=True)
    eta = 1 / (3 * L)
    q = 1 / (1 + 2 * eta * l2)
    (b_best,) = sp.solve(q * (eta**2 * (1 + b) - eta / L), b)  # the factor of Q(w)
    (weight_best,) = sp.solve(weight / n - 2 * eta * q, weight)  # the factor of B(w)
    of_table = 1 - 1 / n + q * eta**2 * (1 + 1 / b_best) * 2 * L / weight_best
    rates = [sp.expand(sp.simplify(1 / (1 - factor))) for factor in (of_table, q)]
    return Potential(*(expr.subs(L, smoothness) for expr in (sp.Max(*rates), sp.factor(weight_best))))


def averaged_stage(smoothness: sp.Expr, steps: sp.Expr) -> sp.Expr:
    """The factor of P - P* over a stage of m steps eta = 1/(10 L) of prox-SVRG that ends in their average.

    Xiao & Zhang 2014, Theorem 3.1: 1/(l2 eta (1 - 4 L eta) m) + 4 L eta (m + 1)/((1 - 4 L eta) m).

    >>> from cdlab.theory.symbols import R
    >>> averaged_stage(R, 100 * R / l2)
    5/6 + l2/(150*R)
    """
    eta = 1 / (10 * smoothness)
    rest = 1 - 4 * smoothness * eta
    return sp.expand(1 / (l2 * eta * rest * steps) + 4 * smoothness * eta * (steps + 1) / (rest * steps))


def last_point(smoothness: sp.Expr, steps: sp.Expr) -> sp.Expr:
    """K of D over a stage of m steps eta = 1/(10 L) of SVRG that ends in the last point; L_f < 19 l2.

    With b so that Q(w) drops out at 2 eta Q/L, D+ <= q (D + c B(s)), c = 2 L eta^2 (1 + 1/b), where B(s) is at most
    (L_f/2) D_0: s is where the stage began. After m steps D is at most q^m D_0 + (1 - q^m) a D_0,
    a = (c L_f/2) q/(1 - q), so 1/K = (1 - q^m)(1 - a), and Bernoulli's inequality says q^-m >= 1 + 2 eta l2 m.

    >>> from cdlab.theory.symbols import R
    >>> last_point(R, 2 * n)
    (5*R/(2*l2*n) + 1)/(-L_f/(19*l2) + 1)
    """
    L, b = sp.symbols("L b", positive=True)
    eta = 1 / (10 * L)
    (b_best,) = sp.solve(eta**2 * (1 + b) - 2 * eta / L, b)
    q = 1 / (1 + 2 * eta * l2)
    a = sp.simplify(2 * L * eta**2 * (1 + 1 / b_best) * (L_f / 2) * q / (1 - q))
    moved = (1 + 1 / (2 * eta * l2 * steps)).subs(L, smoothness)  # 1/(1 - q^m) is at most this
    return sp.expand(moved) / (1 - a)
