"""SPDC's step sizes and rate, from what one iteration does to the two distances (Zhang & Xiao 2015).

Both proofs follow A_x ||x - x*||^2 + A_y ||y - y*||^2 (y = -alpha), up to a cross term. In one iteration, in
expectation, the proximal step takes l2 ||x - x*||^2 away from the first term, and picking examples takes
(gamma/n) ||y - y*||^2 away from the second. With A_x = 1/(2 tau) + l2 and A_y = 1/(2 s m) + gamma N/n, where 1/N is the
smallest probability that an example is picked, the two terms shrink by 1 - 1/K_x and 1 - 1/K_y:

    K_x = A_x/l2 = 1 + 1/(2 tau l2),   K_y = A_y n/gamma = N + n/(2 s m gamma).

The cross term asks for 4 tau s M^2 = 1. What remains is one free step; it is chosen such that K_x - 1 = K_y - N. Since
N >= 1, the slower of the two is y, and 1 - 1/K_y is the factor theta.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import sympy as sp

from ..symbols import R, Rbar, gamma, l2, m, n


class Scheme(NamedTuple):
    """How examples are drawn.

    Attributes
    ----------
    M : sympy expression
        Bound on the effect of one example, in row norms.
    N, least : sympy expression
        The largest and the smallest 1/(probability that an iteration picks a given example).
    m : sympy expression
        Examples that an iteration picks.
    cross : sympy expression
        The share of 1/s that the cross term takes from the weight of y at the end.
    """

    M: sp.Expr
    N: sp.Expr
    least: sp.Expr
    m: sp.Expr
    cross: sp.Expr


BATCH = Scheme(R, n / m, n / m, m, 1 / (4 * m))  # Algorithm 1
# Algorithm 2: p_i = 1/(2n) + ||x_i||/(2 n Rbar), so 1/(2n) <= p_i < 1/2 + 1/(2n)
NORMS = Scheme(2 * Rbar, 2 * n, 2 * n / (n + 1), sp.S.One, sp.Rational(1, 16))

# Batches by Algorithm 2's probabilities, m draws of which each example counts once: pi = 1 - (1 - p)^m is at least
# m p/(1 + (m - 1) p) and at most 1. Its proof takes as much of the weight of y as Algorithm 1's.
NORMS_BLOCKS = Scheme(2 * Rbar + (m - 1) * R / n, (2 * n + m - 1) / m, sp.S.One, m, 1 / (4 * m))


class Steps(NamedTuple):
    """tau and s, the primal and the dual step."""

    tau: sp.Expr
    s: sp.Expr


class Weights(NamedTuple):
    """The weights of ||x - x*||^2, and of ||y - y*||^2 at the start and at the end."""

    x: sp.Expr
    y: sp.Expr
    y_end: sp.Expr


@cache
def steps(scheme: Scheme) -> Steps:
    """The steps that solve 4 tau s M^2 = 1 and K_x - 1 = K_y - N.

    >>> steps(BATCH).tau
    sqrt(gamma)*sqrt(m)/(2*R*sqrt(l2)*sqrt(n))
    """
    square, strong, smooth = sp.symbols("square strong smooth", positive=True)  # square: tau^2
    # 1/(2 tau l2) = n/(2 s m gamma) with s = 1/(4 tau M^2), times tau
    balance = sp.Eq(1 / (2 * strong), n * 4 * square * scheme.M**2 / (2 * scheme.m * smooth))
    (found,) = sp.solve(balance, square)
    tau = sp.sqrt(found).subs({strong: l2, smooth: gamma})
    return Steps(tau, 1 / (4 * tau * scheme.M**2))


@cache
def weights(scheme: Scheme, least: sp.Expr | None = None) -> Weights:
    """A_x, and A_y at the start and at the end, where the cross term has taken its share and p_i can be large.

    `least` replaces the scheme's own smallest 1/p_i (the paper prints 2 for Algorithm 2).
    """
    tau, s = steps(scheme)
    least = scheme.least if least is None else least
    y = 1 / (2 * s * scheme.m)
    return Weights(1 / (2 * tau) + l2, y + gamma * scheme.N / n, y - scheme.cross / s + gamma * least / n)


class Rates(NamedTuple):
    """1/(1 - factor) for the x part and for the y part of the potential."""

    x: sp.Expr
    y: sp.Expr


@cache
def rates(scheme: Scheme) -> Rates:
    """K_x and K_y; the theorems' K = 1/(1 - theta) is the latter.

    >>> rates(BATCH).y
    R*sqrt(n)/(sqrt(gamma)*sqrt(l2)*sqrt(m)) + n/m
    """
    at = weights(scheme)
    return Rates(sp.expand(at.x / l2), sp.expand(at.y * n / gamma))
