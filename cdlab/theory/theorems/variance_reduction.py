"""Variance reduction: SAG, SAGA, prox-SVRG and loopless SVRG.

Where the i of a step is drawn uniformly, it visits nnz/n. R^2/gamma is the smoothness of x -> phi_i(x_i'w).

How much a step of SAGA or loopless SVRG or a stage of SVRG contracts, with the l2-strong convexity in g as the methods
have it.

A step is w+ = prox_{eta g}(w - eta v) with E v = grad f(w). prox_{eta g} shrinks squared distances by
q = 1/(1 + 2 eta l2), and w* = prox_{eta g}(w* - eta grad f(w*)), so with D = ||w - w*||^2
    E[D+] <= q (D - 2 eta <grad f(w) - grad f(w*), w - w*> + eta^2 E||v - grad f(w*)||^2).
Every phi_i(x_i'w) is convex and L-smooth in w, also of K predictions. Let B(w) = f(w) - f(w*) - <grad f(w*), w - w*>
and Q(w) = (1/n) sum_i ||grad phi_i(w) - grad phi_i(w*)||^2. Then Q <= 2 L B, and the inner product is at least B +
Q/(2 L) and at least Q/L. If v takes its derivatives of reference at s, then for every b > 0
    E||v - grad f(w*)||^2 <= (1 + b) Q(w) + (1 + 1/b) Q(s).

Any sampling S, with p_i = Prob(i in S) and its ESO parameters v_i, E||sum_{i in S} h_i x_i||^2 <= sum_i p_i v_i h_i^2:
put h_i = a_i/(n p_i), a_i = phi_i'(x_i'w) - phi_i'(x_i'w*). Then all of this holds with L = max_i v_i/(gamma n p_i) and
Q(w) = sum_i v_i a_i^2/(n^2 p_i): as a_i^2 <= (2/gamma) B_i, B_i that of phi_i, Q <= (gamma L/n) sum_i a_i^2 <= 2 L B,
and the inner product is at least B + (gamma/2n) sum_i a_i^2 and (gamma/n) sum_i a_i^2. Quartz has the same v_i and p_i.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from ..bound import Bound
from ..derivations import counts
from ..forms import contraction
from ..symbols import P0, F, K, L_f, R, g2, gamma, i, l1, l2, largest, n, nnz, p, p_min, s, v_p, w2
from ._exact_steps import rate_and_least_probability

METHODS = ("sag", "saga", "svrg", "lsvrg")

SAG = "Schmidt, Le Roux & Bach 2017, Minimizing finite sums with the stochastic average gradient"
SAGA = "Defazio, Bach & Lacoste-Julien 2014, SAGA"
LSVRG = "Kovalev, Horvath & Richtarik 2020, Don't jump through hoops and remove those loops"
QQR = "Qian, Qu & Richtarik (SAGA with arbitrary sampling, 2019; L-SVRG and L-Katyusha with arbitrary sampling, 2021)"
SVRG = "Xiao & Zhang 2014, A proximal stochastic gradient method with progressive variance reduction"
SMOOTH = (gamma > 0, l2 > 0)
STEP = {"W": nnz / n, "side": "dual"}


class Potential(NamedTuple):
    """E[T+] <= (1 - 1/K) T for T = ||w - w*||^2 + weight (the rest of the potential)."""

    K: sp.Expr
    weight: sp.Expr


def contraction_of_memory(smoothness: sp.Expr, chance: sp.Expr = 1 / n) -> Potential:
    """SAGA or loopless SVRG with eta = 1/(3 L): T = D + weight H, H of the derivatives of reference.

    A snapshot s is taken anew with this chance, H = B(s): a step gives E[H+] = (1 - chance) H + chance B, and Q(s) is
    at most 2 L H. A table has an s_i for each example, taken anew with the chance p_i: put
    H = p_min sum_i B_i(s_i)/(n p_i). Then E[H+] = sum_i (1 - p_i) p_min B_i(s_i)/(n p_i) + p_min B, and Q(s) is at most
    sum_i 2 v_i B_i(s_i)/(gamma n^2 p_i). So with p_min for the chance summand i keeps 1 - p_i/2 or less, and H is at
    most B at the start.

    b is chosen so that Q(w) drops out of E[D+] + weight E[H+], and the weight so that B(w) does. D keeps the factor q,
    and H keeps 1 - chance/2.

    >>> from cdlab.theory.symbols import R
    >>> contraction_of_memory(R)
    Potential(K=Max(2*n, 3*R/(2*l2) + 1), weight=2*n/(3*R + 2*l2))
    """
    L, b, weight, r = sp.symbols("L b weight r", positive=True)
    eta = 1 / (3 * L)
    q = 1 / (1 + 2 * eta * l2)
    (b_best,) = sp.solve(q * (eta**2 * (1 + b) - eta / L), b)  # the factor of Q(w)
    (weight_best,) = sp.solve(weight * r - 2 * eta * q, weight)  # the factor of B(w)
    of_memory = 1 - r + q * eta**2 * (1 + 1 / b_best) * 2 * L / weight_best
    rates = [sp.expand(sp.simplify(1 / (1 - factor))) for factor in (of_memory, q)]
    at = {L: smoothness, r: chance}
    return Potential(*(expr.subs(at) for expr in (sp.Max(*rates), sp.factor(weight_best))))


def averaged_stage_factor(smoothness: sp.Expr, steps: sp.Expr) -> sp.Expr:
    """The factor of P - P* over a stage of m steps eta = 1/(10 L) of prox-SVRG that ends in their average.

    Xiao & Zhang 2014, Theorem 3.1: 1/(l2 eta (1 - 4 L eta) m) + 4 L eta (m + 1)/((1 - 4 L eta) m).

    >>> from cdlab.theory.symbols import R
    >>> averaged_stage_factor(R, 100 * R / l2)
    5/6 + l2/(150*R)
    """
    eta = 1 / (10 * smoothness)
    rest = 1 - 4 * smoothness * eta
    return sp.expand(1 / (l2 * eta * rest * steps) + 4 * smoothness * eta * (steps + 1) / (rest * steps))


def last_point_rate(smoothness: sp.Expr, steps: sp.Expr) -> sp.Expr:
    """K of D over a stage of m steps eta = 1/(10 L) of SVRG that ends in the last point; L_f < 19 l2.

    With b so that Q(w) drops out at 2 eta Q/L, D+ <= q (D + c B(s)), c = 2 L eta^2 (1 + 1/b), where B(s) is at most
    (L_f/2) D_0: s is where the stage began. After m steps D is at most q^m D_0 + (1 - q^m) a D_0,
    a = (c L_f/2) q/(1 - q), so 1/K = (1 - q^m)(1 - a), and Bernoulli's inequality says q^-m >= 1 + 2 eta l2 m.

    >>> from cdlab.theory.symbols import R
    >>> last_point_rate(R, 2 * n)
    (5*R/(2*l2*n) + 1)/(-L_f/(19*l2) + 1)
    """
    L, b = sp.symbols("L b", positive=True)
    eta = 1 / (10 * L)
    (b_best,) = sp.solve(eta**2 * (1 + b) - 2 * eta / L, b)
    q = 1 / (1 + 2 * eta * l2)
    a = sp.simplify(2 * L * eta**2 * (1 + 1 / b_best) * (L_f / 2) * q / (1 - q))
    moved = (1 + 1 / (2 * eta * l2 * steps)).subs(L, smoothness)  # 1/(1 - q^m) is at most this
    return sp.expand(moved) / (1 - a)


SMOOTHNESS = R**2 / gamma
WITH_L2 = SMOOTHNESS + l2
# At every start f's part of P_0 - P*, the Bregman divergence B_0 of SAGA's constant, is at most P_0 - P* - (l2/2) w2.
# Then w2 + c B_0 is at most c (P_0 - P*) + w2 max(0, 1 - c l2/2), whatever upper bounds stand for P_0 - P* and w2.
TABLE = 2 * n / (3 * SMOOTHNESS)
SHARPER = contraction_of_memory(SMOOTHNESS)
WITH_TABLE: dict[str, Any] = STEP | {
    "bounded": "|w-w*|^2",
    "assumptions": SMOOTH,
    "setup": nnz / 2,
    "vectors": True,
}  # to fill the table: X w is 0

THEOREM_3_1 = f"{SVRG}, Theorem 3.1, for steps 1/(10 L)"
STAGES: dict[str, Any] = {
    "bounded": "P(w)-P*",
    "step": "stage",
    "side": "dual",
    "vectors": True,
    "target": "the expected suboptimality P(w) - P* of the average of a stage",
}


def spread(c: sp.Expr) -> sp.Expr:
    """The upper bound of ||w_0 - w*||^2 + c B_0 in P_0 - P* and ||w_0 - w*||^2."""
    return c * P0 + w2 * sp.Max(0, 1 - c * l2 / 2)


def largest_weighted(sampling: str) -> sp.Expr:
    """max_i L_i/(n p_i), L_i = ||x_i||^2/gamma: SVRG's L.

    >>> largest_weighted("uniform")
    R**2/gamma
    """
    v = counts.v[counts.i]
    weight = {"uniform": sp.S.One, "importance": v / gamma + l2 * n}[sampling]  # p_i = weight/total
    at_largest = (v / gamma / weight).subs(v, R**2)  # weight/v falls as v grows
    return sp.factor(at_largest * counts.sum_over_lines(weight, counts.DUAL) / n)


def long_stages(sampling: str) -> Bound:
    """Xiao & Zhang's theorem for stages of 100 L/l2 steps: the factor is 5/6 + l2/(150 L), at most 21/25 if l2 <= L."""
    smoothness, W = (
        largest_weighted(sampling),
        counts.coordinate_descent(counts.DUAL, sampling).W,
    )
    # weighted by p_i, the mean of L_i/(n p_i) is F/(n gamma), and L is at least that
    enough = sp.Le(gamma * l2, R**2) if sampling == "uniform" else sp.Le(gamma * l2 * n, F)
    x = sp.Symbol("x", positive=True)  # L/l2
    factor = averaged_stage_factor(x * l2, 100 * x).subs(x, 1)
    return contraction(
        "svrg",
        "averaged long stages",
        sampling,
        K=1 / (1 - factor),
        W=nnz + sp.ceiling(100 * smoothness / l2) * W,
        constant=P0,
        assumptions=(*SMOOTH, enough),
        parameters=(("m", "theory"), ("snapshot", "average")),
        **STAGES,
        source=f"{THEOREM_3_1} and 100 L/l2 of them in a stage; as printed",
    )


ANY = ("importance", "norms", "lipschitz", "given", "tau_nice", "independent", "bucket", "distributed")


def by_any_sampling(method: str, theorem: str, sampling: str) -> Bound:
    """SAGA, or loopless SVRG with rho = p_min, for p_i and v_i: one K. v_p/gamma, a mean, is at most L."""
    (_, cost, definitions), _ = rate_and_least_probability(counts.DUAL, sampling)
    rate = contraction_of_memory((s[i] - l2 * n) / (n * p[i]), p[i]).K
    renewals = p_min * nnz if method == "lsvrg" else sp.S.Zero
    return contraction(
        method,
        theorem,
        sampling,
        K=K,
        W=cost + renewals,
        constant=spread(contraction_of_memory(v_p / gamma, p_min).weight),
        definitions=(sp.Eq(K, largest(rate)), *(each for each in definitions if each.lhs != K)),
        **{name: part for name, part in WITH_TABLE.items() if name != "W"},
        source=f"re-derived for the box of {QQR}, with all strong convexity in g",
    )


BOUNDS = (
    contraction(
        "sag",
        "l2 in the table",
        K=sp.Max(8 * n, sp.expand(16 * WITH_L2 / l2)),
        constant=sp.Rational(3, 2) * P0 + 4 * WITH_L2 / n * w2 + g2 / (16 * WITH_L2),
        bounded="P(w)-P*",
        assumptions=(*SMOOTH, sp.Eq(l1, 0)),
        **STEP,
        kind="checked",
        source=f"{SAG}, Theorem 1, as printed for l2 w in the table; sag keeps it exact, as the authors recommend, and "
        "for that the bound is checked by our tests, not proven",
    ),
    contraction(
        "saga",
        "smooth",
        K=sp.Max(4 * n, sp.expand(3 * WITH_L2 / l2)),
        constant=spread(TABLE),
        **WITH_TABLE,
        source=f"{SAGA}, Corollary 1; as printed, and with l2 in g as it follows from theorem 'l2 in g'",
    ),
    *(by_any_sampling("saga", "smooth", sampling) for sampling in ANY),
    contraction(
        "saga",
        "l2 in g",
        K=SHARPER.K,
        constant=spread(SHARPER.weight),
        **WITH_TABLE,
        source=f"re-derived after {SAGA}, Theorem 1, with all strong convexity in g: twice the printed rate",
    ),
    contraction(
        "lsvrg",
        "l2 in g",
        K=SHARPER.K,
        constant=spread(SHARPER.weight),
        **WITH_TABLE | {"W": 2 * nnz / n},
        source=f"re-derived for the box of {LSVRG}, with a proximal step and all strong convexity in g",
    ),
    *(by_any_sampling("lsvrg", "l2 in g", sampling) for sampling in ANY),
    long_stages("uniform"),
    long_stages("importance"),
    contraction(
        "svrg",
        "averaged stages",
        K=sp.factor(1 / (1 - averaged_stage_factor(SMOOTHNESS, 2 * n))),
        W=3 * nnz,
        constant=P0,
        assumptions=(*SMOOTH, 25 * R**2 < gamma * l2 * (n - 1)),
        **STAGES,
        parameters=(("m", None), ("snapshot", "average")),
        source=f"{THEOREM_3_1} and 2n of them in a stage; as printed",
    ),
    contraction(
        "svrg",
        "last points",
        K=last_point_rate(SMOOTHNESS, 2 * n),
        W=3 * nnz,
        constant=w2,
        bounded="|w-w*|^2",
        step="stage",
        side="dual",
        vectors=True,
        assumptions=(*SMOOTH, L_f < 19 * l2),
        parameters=(("step", None), ("m", None), ("snapshot", "last")),
        source=f"re-derived after {SVRG}, Theorem 3.1, for what svrg runs by default: where L_f/l2 is 19 or more there "
        "is no theorem about that",
    ),
)
