"""The best proximal weight and the best perturbation, by differentiation.

A small weight makes few stages, a large one makes each of them easy. Up to logarithms, stages x passes a stage is

    appa, dual_appa    (lambda + mu)/mu x I(lambda)          acc_appa    sqrt((mu + 2 lambda)/mu) x I(lambda)

with lambda = prox_weight and I the passes that the inner method takes on f(w) = P(w) + (lambda/2)||w - x||^2:
1 + R^2/(gamma n h), or its square root if it is accelerated. f is h-strongly convex as the inner method sees it: svrg
with h = mu + lambda, dual methods with h = l2 + lambda.
"""

from __future__ import annotations

from typing import NamedTuple

import sympy as sp

from ..numerics import checks
from .derivations.counts import LambertW
from .symbols import P0, R, eps, gamma, l2, mu, n, prox_weight, w2

ACCELERATED_INNER_METHODS = ("apcg", "accprox_sdca")
INNER_METHODS = ("sdca", "quartz", *ACCELERATED_INNER_METHODS, "svrg")
STAGE_COUNTS = {"appa": "EXACT_K", "acc_appa": "ACC_EXACT_K", "dual_appa": "EXACT_K"}  # the factor above


class Weight(NamedTuple):
    """The proximal weight that makes a total smallest.

    Attributes
    ----------
    best : sympy expression
        That weight.
    total : sympy expression
        Stages times passes a stage, as a function of prox_weight.
    slope : sympy expression
        A polynomial in prox_weight that has the sign of the total's derivative.
    least : sympy expression
        The smallest weight allowed.
    why : str
        The reason, in a sentence.
    """

    best: sp.Expr
    total: sp.Expr
    slope: sp.Expr
    least: sp.Expr
    why: str


def optimal_prox_weight(method: str, inner: str = "sdca") -> Weight:
    """The prox_weight that makes the total of a proximal-point method smallest, up to logarithms.

    The derivative of ln(total) has the sign of a polynomial in prox_weight, of degree 2 or 0, that is positive for
    large weights. So the total is smallest at the larger root, or at the smallest weight allowed (0; acc_appa: 2 mu) if
    that root is smaller or not real. The other root, a maximum, is not in the way: where the polynomial is not negative
    at 2 mu, the mean of acc_appa's roots is below 2 mu. (mu >= l2, because P is at least l2-strongly convex.)

    Parameters
    ----------
    method : "appa", "acc_appa" or "dual_appa"
        The proximal-point method (Frostig et al. 2015).
    inner : "sdca", "quartz", "apcg", "accprox_sdca" or "svrg", default "sdca"
        The method that solves a stage; dual_appa cannot use svrg.

    Returns
    -------
    Weight

    Raises
    ------
    ValueError
        For any other method or inner method.

    Examples
    --------
    Where l2 = 0, SDCA inside wants the geometric mean of mu and R^2/(gamma n), an accelerated method almost mu:

    >>> optimal_prox_weight("dual_appa", "sdca").best.subs({l2: 0, gamma: 1, n: 100})
    R*sqrt(mu)/10
    >>> optimal_prox_weight("dual_appa", "apcg").best.subs({l2: 0, gamma: 1, n: 100, mu: 0.001, R: 10.0})
    0.00099...
    """
    if not checks.is_one_of(method, STAGE_COUNTS):
        raise ValueError(
            f"{checks.short_repr(method)} has no proximal weight to choose: ask for one of {', '.join(STAGE_COUNTS)}"
        )
    allowed = tuple(name for name in INNER_METHODS if (method, name) != ("dual_appa", "svrg"))
    if not checks.is_one_of(inner, allowed):
        raise ValueError(f"{method} cannot use {checks.short_repr(inner)} inside: ask for one of {', '.join(allowed)}")
    convexity = prox_weight + (mu if inner == "svrg" else l2)
    passes = 1 + R**2 / (gamma * n * convexity)
    from .derivations import stages  # it takes sympy a while

    factor = getattr(stages, STAGE_COUNTS[method])
    total = factor * (sp.sqrt(passes) if inner in ACCELERATED_INNER_METHODS else passes)
    least = 2 * mu if method == "acc_appa" else sp.S.Zero
    slope = sp.Poly(sp.fraction(sp.simplify(sp.diff(sp.log(total), prox_weight)))[0], prox_weight)
    if slope.degree() == 0:
        why = "the total grows with the weight: best is the smallest, which for appa is the inner method on P itself"
        return Weight(least, total, slope.as_expr(), least, why)
    a, b, c = slope.all_coeffs()
    root = sp.simplify((-b + sp.sqrt(sp.Max(0, sp.factor(b**2 - 4 * a * c)))) / (2 * a))
    why = f"the larger root of the slope, or the smallest weight allowed, {least}, if that is larger"
    return Weight(sp.Max(least, root), total, slope.as_expr(), least, why)


class Perturbation(NamedTuple):
    """The best division of eps between a perturbation and the solver.

    Attributes
    ----------
    best : sympy expression
        The weight delta of the perturbation.
    share : sympy expression
        The part of eps that the perturbation takes: price x delta/eps.
    condition : sympy equation
        For u = share: where the derivative of the count vanishes.
    """

    best: sp.Expr
    share: sp.Expr
    condition: sp.Eq


def optimal_delta(power: sp.Expr = sp.S.One, price: sp.Expr = w2 / 2, start: sp.Expr = P0) -> Perturbation:
    """The delta with which a problem that lacks strong convexity, or smoothness, takes the fewest iterations to eps.

    Perturbed by delta, the problem takes delta^-power ln(start/(eps - price delta)) iterations: the cost of the
    perturbation, price x delta, is lost to the solver. With u = price delta/eps the derivative in delta vanishes where
    ln(start/(eps (1 - u))) = u/(power (1 - u)), an equation that Lambert's W solves. The papers' even split, u = 1/2,
    gives half of the best delta for small eps, where u tends to 1.

    Parameters
    ----------
    power : number, default 1
        1 for methods whose count grows like 1/delta, 1/2 for accelerated ones.
    price : sympy expression, default w2/2
        w2/2 for added l2 (from w_0 = 0), L**2/2 for a smoothed loss.
    start : sympy expression, default P0
        The error to begin with, above eps.

    Returns
    -------
    Perturbation

    Examples
    --------
    >>> round(float(optimal_delta().share.subs({P0: 1, eps: 1e-6})), 3)
    0.943
    """
    u, z = sp.symbols("u z", positive=True)  # z = 1/(1 - u)
    condition = sp.Eq(sp.log(start / (eps * (1 - u))), u / (power * (1 - u)))
    # z e^(-z/power) = (eps/start) e^(-1/power); of the two solutions the one with z > 1
    z = -power * LambertW(-eps / (power * start) * sp.exp(-1 / power), -1)
    share = 1 - 1 / z
    return Perturbation(share * eps / price, share, condition)
