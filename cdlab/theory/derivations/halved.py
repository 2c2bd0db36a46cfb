"""The classical K of coordinate descent, halved where p_min K is large: (K + 1/p_min)/2, for every smooth loss.

One proof for both sides. Dual: x = alpha, F = D* - D(alpha), c = gamma/n the strong convexity of phi_i*(-alpha_i)/n,
h_i = v_i/(l2 n^2) the smoothness of g*(X'alpha/n) along e_i. Primal: x = w, F = P(w) - P*, c = l2 that of
(l2/2) w_j^2 + l1 |w_j|, h_j = u_j/(gamma n) that of the mean loss. v and u are squared norms, or the ESO parameters
of blocks. The step minimises along i the model slope_i (t - x_i) + (h_i/2)(t - x_i)^2 + psi_i(t). K = max_i
(1 + h_i/c)/p_i.

1. Let m_i <= 0 be what the model changes by. As it is (c + h_i)-strongly convex with minimiser u_i,
   m_i <= slope_i (x*_i - x_i) + psi_i(x*_i) - psi_i(x_i) + (h_i/2)(x_i - x*_i)^2 - ((c + h_i)/2)(u_i - x*_i)^2,
   and the first three terms, summed over i, are at most -F by convexity.
2. E F+ - F <= sum_i p_i m_i <= p_min sum_i m_i.
3. V = F + sum_i (p_min (c + h_i)/(2 p_i))(x_i - x*_i)^2. In E V+ - V the terms with u_i cancel, and what is left is
   `change`, with y = (c/2) ||x - x*||^2.
4. By strong convexity y <= F, and V <= F + p_min K y.

For uniform sampling on the primal: Nesterov 2012, Lu & Xiao 2015. It is tight: on n identical rows, as n grows, (1 -
exact rate) (K + 1/p_min)/2 -> 1.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ..symbols import K, p_min

_F, _y = sp.symbols("F y", positive=True)


def change() -> sp.Expr:
    """Step 3: E V+ - V is at most this, from the coefficients of (u_i - x*_i)^2 and (x_i - x*_i)^2 in steps 1 and 2.

    >>> change()
    -p_min*(F + y)
    """
    c, h, away, away_then = sp.symbols("c h away away_then", positive=True)  # squares at x_i and at u_i, summed
    model = -_F + h / 2 * away - (c + h) / 2 * away_then
    distance = (c + h) / 2 * (away_then - away)  # p_i of the step times p_min/p_i of the weight
    return sp.factor(sp.expand(p_min * (model + distance)).subs(away, 2 * _y / c))


@cache
def halved_rate() -> sp.Expr:
    """K' by step 4: the y in [0, F] at which V falls by the least share.

    The share is monotone in y, since its derivative has one sign, and p_min K >= 1: least at y = F.

    >>> halved_rate()
    K/2 + 1/(2*p_min)
    """
    share = -change() / (_F + p_min * K * _y)
    slope = sp.fraction(sp.cancel(sp.diff(share, _y)))[0]
    assert not slope.has(_y)
    return sp.expand(1 / sp.cancel(share.subs(_y, _F)))


@cache
def start_factor() -> sp.Expr:
    """V_0 <= this times F_0, again by y <= F.

    >>> start_factor()
    K*p_min + 1
    """
    return sp.cancel((_F + p_min * K * _F) / _F)
