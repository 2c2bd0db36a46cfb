"""SPDC (Zhang & Xiao 2015): step sizes and rate from what one iteration does to two distances, and perturbed problems.

Both proofs follow A_x ||x - x*||^2 + A_y ||y - y*||^2 (y = -alpha), up to a cross term. In one iteration, in
expectation, the proximal step takes l2 ||x - x*||^2 away from the first term, and picking examples takes
(gamma/n) ||y - y*||^2 away from the second. With A_x = 1/(2 tau) + l2 and A_y = 1/(2 s m) + gamma N/n, where 1/N is the
smallest probability that an example is picked, the two terms shrink by 1 - 1/K_x and 1 - 1/K_y:

    K_x = A_x/l2 = 1 + 1/(2 tau l2),   K_y = A_y n/gamma = N + n/(2 s m gamma).

The cross term asks for 4 tau s M^2 = 1. What remains is one free step; it is chosen such that K_x - 1 = K_y - N. Since
N >= 1, the slower of the two is y, and 1 - 1/K_y is the factor theta.

Perturbed problems. Where the loss is not smooth, phi* gets (delta/2) y^2; where l2 = 0, g gets (delta/2)||x||^2 (their
section on non-smooth or non-strongly convex functions; both at once is Corollary 2). x_d, y_d is the perturbed optimum,
G = L R + l1 sqrt(d), and runs start from x = 0, y = 0.

Cost      P(x_d) - P* <= delta C_1/2, C_1 = L^2 (loss), ||x*||^2 (regulariser), or their sum (both).
Distance  The saddle operator is monotone: with (x*, y*) inserted at (x_d, y_d) and a perturbed loss
              l2 ||x_d - x*||^2 <= -(delta/n) y_d'(y_d - y*) <= delta ||y*||^2/(4n), and ||y_d|| <= ||y*||;
          with a perturbed regulariser (gamma/n)||y_d - y*||^2 <= delta ||x*||^2/4, and ||x_d|| <= ||x*||;
          with both ||x_d||^2 + ||y_d||^2/n <= ||x*||^2 + ||y*||^2/n.
Slope     P(x) - P(x_d) <= slope ||x - x_d|| + (curvature/2)||x - x_d||^2: both: G, 0; loss: G + l2 ||x_d|| with
          l2 ||x_d|| <= L R, and l2; regulariser: grad f(x_d) = -delta x_d - l1 (a subgradient of ||.||_1 at x_d), so
          delta ||x*|| + 2 l1 sqrt(d), and L_f.
Count     delta = eps/C_1 leaves eps/2 for the last line, which bounds the distance that SPDC must reach.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import sympy as sp

from ..symbols import L, L_f, R, Rbar, a2, d, delta, eps, gamma, l1, l2, m, n, t, w2


class Scheme(NamedTuple):
    """Scheme by which examples are drawn.

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


# ------------------------------------------------------------ perturbed problems
finite_L = sp.Symbol("finite_L", positive=True)  # sqrt(L^2) is L only if sympy knows that L is finite


def in_vocabulary(expr: sp.Expr) -> sp.Expr:
    """The expression in the vocabulary's L."""
    return expr.xreplace({finite_L: L})


class Perturbation(NamedTuple):
    """A perturbed part of the problem, and what follows from it before SPDC enters; expressions in delta.

    Attributes
    ----------
    what : "loss", "regulariser" or "both"
    delta : str
        eps/C_1 in words.
    gamma, l2 : sympy expression
        Those of the perturbed loss and of the perturbed regulariser.
    C_1 : sympy expression
        The optimum costs delta C_1/2.
    slope, curvature : sympy expression
        Bounds on the growth of P around the perturbed optimum, see above.
    x : sympy expression or None
        At least ||x_d||^2; None where x and y are only bounded together.
    y : sympy expression
        At least ||y_d||^2, or ||y_d||^2 + n ||x_d||^2.
    """

    what: str
    delta: str
    gamma: sp.Expr
    l2: sp.Expr
    C_1: sp.Expr
    slope: sp.Expr
    curvature: sp.Expr
    x: sp.Expr | None
    y: sp.Expr


LIPSCHITZ = finite_L * R + l1 * sp.sqrt(d)
LOSS = Perturbation(
    "loss", "eps/L^2", delta, l2, finite_L**2, LIPSCHITZ + finite_L * R, l2,
    (sp.sqrt(w2) + sp.sqrt(delta * a2 / (n * l2)) / 2) ** 2, a2,
)  # fmt: skip
REGULARISER = Perturbation(
    "regulariser", "eps/||w*||^2", gamma, delta, w2, delta * sp.sqrt(w2) + 2 * l1 * sp.sqrt(d), L_f,
    w2, (sp.sqrt(a2) + sp.sqrt(n * delta * w2 / gamma) / 2) ** 2,
)  # fmt: skip
BOTH = Perturbation(
    "both", "eps/(||w*||^2 + L^2)", delta, delta, w2 + finite_L**2, LIPSCHITZ, sp.S.Zero,
    None, n * w2 + a2,
)  # fmt: skip


class PerturbedRate(NamedTuple):
    """E||x_t - x_d||^2 <= start (1 - 1/K)^t."""

    K: sp.Expr
    start: sp.Expr


@cache
def perturbed_rate(case: Perturbation, scheme: Scheme, ratio: sp.Expr | None = None) -> PerturbedRate:
    """Theorem 1 or 2 on the perturbed problem.

    `ratio` is A_y m/A_x, the number in Corollary 2's C_2; derived from the weights by default. If x and y are only
    bounded together, A_x ||x_d||^2 + A_y ||y_d||^2 <= A_y (n ||x_d||^2 + ||y_d||^2), because n A_y >= A_x there.
    """
    perturbed = {gamma: case.gamma, l2: case.l2}
    at = weights(scheme)
    of_y = (at.y / at.x).xreplace(perturbed) if ratio is None else ratio / scheme.m
    return PerturbedRate(rates(scheme).y.xreplace(perturbed), (0 if case.x is None else case.x) + of_y * case.y)


def suboptimality(case: Perturbation, at: PerturbedRate) -> sp.Expr:
    """E[P(x_t) - P*] for a fixed delta."""
    distance2 = at.start * (1 - 1 / at.K) ** t
    return in_vocabulary(delta / 2 * case.C_1 + case.slope * sp.sqrt(distance2) + case.curvature / 2 * distance2)


def perturbation_cost(case: Perturbation) -> sp.Expr:
    """P(x_d) - P*."""
    return in_vocabulary(delta / 2 * case.C_1)


def reachable_distance(case: Perturbation, left: sp.Expr = eps / 2) -> sp.Expr:
    """The distance to x_d that costs `left`: the root of slope q + (curvature/2) q^2 = left, also for curvature 0."""
    return 2 * left / (case.slope + sp.sqrt(case.slope**2 + 2 * case.curvature * left))


def perturbed_count(case: Perturbation, at: PerturbedRate) -> sp.Expr:
    """Iterations to E[P(x_t) - P*] <= eps with delta = eps/C_1: start (1 - 1/K)^t <= reach^2."""
    logarithm = sp.log(at.start / reachable_distance(case) ** 2)
    return in_vocabulary((at.K * logarithm).xreplace({delta: eps / case.C_1}))


def count_for_given_delta(case: Perturbation, at: PerturbedRate) -> sp.Expr:
    """The same for a given delta, whose cost is lost: no eps of at most delta C_1/2 is guaranteed."""
    left = eps - delta / 2 * case.C_1
    finite = at.K * sp.Max(0, sp.log(at.start / reachable_distance(case, left) ** 2))
    return in_vocabulary(sp.Piecewise((finite, left > 0), (sp.oo, True)))
