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

from ..symbols import L_P, gamma, l2, n


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
    return of_primal() * L_P / 2
