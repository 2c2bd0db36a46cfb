"""From a bound on one side's suboptimality, or on a distance, to one on the duality gap that certifies it.

P = f + g with f(w) = mean phi_i(x_i'w), phi_i 1/gamma-smooth, and g l2-strongly convex (L2, with or without l1).
L_P = lambda_max(X'X)/(gamma n) + l2. For every w, with alpha(w)_i = -phi_i'(x_i'w), and for every alpha, with
w(alpha) = grad g*(X'alpha/n):

    P(w) - D(alpha(w)) <= (L_P/l2) (P(w) - P*),    P(w(alpha)) - D(alpha) <= (L_P/l2) (D* - D(alpha)).

Both are tight. No intercept: a g with a free coordinate is not strongly convex.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ..symbols import L_P, bend, eps, gamma, l2, n


def of_dual_error(error: sp.Expr) -> sp.Expr:
    """What the gap at alpha and w(alpha) is at most where D* - D is this, whether or not the loss is smooth.

    D(alpha + s (u - alpha)) >= D(alpha) + s gap - s^2 H/2 for s in [0, 1] and u = alpha(w(alpha)): phi* is convex, with
    Fenchel-Young at u the linear part is the gap, g* is 1/l2-smooth, and ||X'(u - alpha)/n|| is at most Delta times the
    mean row norm, and times ||X||_2/sqrt(n). So the gap is at most the least of error/s + s H/2, at s = sqrt(2 error/H)
    or 1: sqrt(2 H error) up to error = H/2, and error + H/2 beyond. It is concave in the error, so of means, too.

    >>> u = sp.Symbol("u", positive=True)
    >>> [of_dual_error(u).subs({bend: 4, u: at}) for at in (2, 5)]
    [4, 7]
    """
    small = sp.Min(error, bend / 2)
    return sp.sqrt(2 * bend * small) + error - small


def dual_error_for_gap() -> sp.Expr:
    """The D* - D from which on the gap is at most eps: the inverse of `of_dual_error`."""
    small = sp.Min(eps, bend)
    return small**2 / (2 * bend) + eps - small


@cache
def of_primal() -> sp.Expr:
    """The factor for P(w) - P*, by the step of length theta towards w+ that gains most for certain.

    With v = -grad f(w), h(u) = g(u) - v'u and w+ = argmin h = grad g*(v), the gap is h(w) - h(w+): the phi_i meet
    Fenchel-Young with equality. At u = w + theta (w+ - w), f's smoothness L_P - l2 and g's strong convexity give
    P(u) - P(w) <= -theta gap + (theta/2)(L_P theta - l2) ||w+ - w||^2, and P(u) >= P*. The largest theta for which the
    second term is not positive is l2/L_P.

    >>> of_primal()
    L_P/l2
    """
    return _factor(smoothness=L_P - l2, convexity=l2)


@cache
def of_dual() -> sp.Expr:
    """The factor for D* - D(alpha): the same step from alpha towards alpha(w(alpha)).

    Here g*(X'alpha/n) is lambda_max(X'X)/(l2 n^2)-smooth in alpha, and mean phi_i*(-alpha_i) gamma/n-strongly convex.

    >>> of_dual()
    L_P/l2
    """
    square = (L_P - l2) * gamma * n  # lambda_max(X'X)
    return _factor(smoothness=square / (l2 * n**2), convexity=gamma / n)


def _factor(smoothness: sp.Expr, convexity: sp.Expr) -> sp.Expr:
    """1/theta for the theta at which theta^2 smoothness = theta (1 - theta) convexity."""
    theta = sp.Symbol("theta", positive=True)
    (longest,) = sp.solve(sp.Eq(theta * smoothness, (1 - theta) * convexity), theta)
    return sp.cancel(1 / longest)


@cache
def of_distance() -> sp.Expr:
    """The factor for ||w - w*||^2 without l1: P(w) - P* <= (L_P/2) ||w - w*||^2, as grad P(w*) = 0.

    >>> of_distance()
    L_P**2/(2*l2)
    """
    return of_primal() * primal_of_distance()


def primal_of_distance() -> sp.Expr:
    """The factor by which ||w - w*||^2 bounds P(w) - P*, without l1."""
    return L_P / 2


@cache
def of_distance_with_l1() -> sp.Expr:
    """The factor for ||w - w*||^2 with or without l1, of the gap at alpha(w) and w~ = grad g*(X'alpha(w)/n).

    With l1, P(w) - P* can be of the order of ||w - w*||, but the dual point is smooth in w. With v = -grad f(w) and
    v* = -grad f(w*), by Fenchel-Young D* - D(alpha(w)) = B_f(w*, w) + B_g*(v, v*), Bregman divergences of an L_f- and
    a 1/l2-smooth function, L_f = L_P - l2, and ||v - v*|| <= L_f ||w - w*||. From alpha(w) `of_dual` leads to the gap.

    >>> of_distance_with_l1()
    L_P**2*(L_P - l2)/(2*l2**2)
    """
    L_f = L_P - l2
    return of_dual() * L_f * L_P / (2 * l2)  # L_f/2 + L_f^2/(2 l2), times the factor of D* - D
