"""Exact steps on a quadratic, one coordinate drawn at a time: rates from eigenvalues of its Hessian.

The squared loss without l1. A is the Hessian, D its diagonal, G = D^(-1/2) A D^(-1/2), e = D^(1/2)(x - x*): the error
is e'Ge/2, up to a factor, and drawing i turns e into (I - e_i e_i'G) e. For an error e'Me the expectation after a step
is e'L(M)e with L(M) = M - B - B' + G diag(p_i M_ii) G, B = M P G, P = diag(p).
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ..symbols import G_max, G_min, lam_p, n, p_min

_x = sp.Symbol("x", positive=True)  # an eigenvalue


@cache
def spectral_rate() -> sp.Expr:
    """K, from the error with M = p_min P^-1 + G.

    diag(p_i M_ii) = p_min I + P, so L(M) - M = -2 p_min G - 2 G P G + G (p_min I + P) G
    = -2 p_min G + G (p_min I - P) G <= -2 p_min G, as p_min <= p_i. Conjugated by P^(1/2), G has the eigenvalues
    x >= lam_p and M has p_min + x: the smallest share 2 p_min x/(p_min + x) is that of lam_p, as it grows with x.

    >>> spectral_rate()
    1/(2*p_min) + 1/(2*lam_p)
    """
    share = 2 * p_min * _x / (p_min + _x)
    assert sp.diff(share, _x).simplify().is_positive
    return sp.expand(1 / share.subs(_x, lam_p))


@cache
def spectral_start() -> sp.Expr:
    """G <= M <= (1 + p_min/lam_p) G, so the error is at most this times the first one, and the rate.

    >>> spectral_start()
    1 + p_min/lam_p
    """
    return sp.expand((p_min + _x) / _x).subs(_x, lam_p)


@cache
def spectral_rate_below() -> sp.Expr:
    """No K below this: E[ee'] - E[e] E[e]' has no negative eigenvalue, and E[e+] = (I - P G) e.

    Its largest eigenvalue is 1 - lam_p, and an error falls at most by its square.

    >>> spectral_rate_below()
    1/(lam_p*(2 - lam_p))
    """
    return sp.factor(1 / sp.expand(1 - (1 - lam_p) ** 2)).subs(-lam_p * (lam_p - 2), lam_p * (2 - lam_p))


@cache
def worst_case() -> tuple[sp.Expr, sp.Expr]:
    """r = n/K and theta of uniform sampling for the worst G with all eigenvalues from G_min to G_max.

    M = I + theta G has n (L(M) - M) = -2 G + (1 - theta) G^2, and n (L(M) - M) + r M <= 0 holds where the convex
    quadratic (1 - theta) x^2 - 2 x + r (1 + theta x) has the zeros G_min and G_max. By Vieta these have the product
    r/(1 - theta) and the sum (2 - r theta)/(1 - theta), which leaves a quadratic in r; theta is in [0, 1] for its
    smaller root if G_min + G_max >= 2. G = G_min I + (1 - G_min) 1 1' attains r.

    >>> at = {G_min: sp.Rational(1, 2), G_max: 2}
    >>> [round(float(part.subs(at)), 12) for part in worst_case()]
    [0.719223593596, 0.280776406404]
    """
    r, theta = sp.symbols("r theta", positive=True)
    total, product = G_min + G_max, G_min * G_max
    (of_r,) = sp.solve(sp.Eq(product, r / (1 - theta)), theta)
    equation = sp.Poly(sp.fraction(sp.together(total * (1 - of_r) - (2 - r * of_r)))[0], r)
    square, minus_sum, last = (sp.cancel(c) for c in equation.all_coeffs())
    half = -minus_sum / square / 2
    smaller = last / square / (half + sp.sqrt(half**2 - last / square))  # no digits cancel
    return sp.factor_terms(smaller), of_r.subs(r, smaller)


@cache
def worst_case_rate() -> sp.Expr:
    """K = n/r."""
    return n / worst_case()[0]


@cache
def worst_case_start() -> sp.Expr:
    """G <= a M with a = G_max/(1 + theta G_max), M <= b G with b = (1 + theta G_min)/G_min: a b times the start's."""
    _, theta = worst_case()
    return G_max / (1 + theta * G_max) * (1 + theta * G_min) / G_min
