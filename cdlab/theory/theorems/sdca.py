"""Shalev-Shwartz & Zhang: stochastic dual coordinate ascent on smooth and on Lipschitz losses, with or without l1.

Their theorems, and around them: one step, an iterate drawn at random, l1 alone, losses that are almost smooth.
"""

from __future__ import annotations

import sympy as sp

from ..derivations import counts, gaps
from ..forms import asymptotic, decay, lemma
from ..symbols import D0, L, P_zero, R, eps, gamma, gap0, l1, l2, n, nnz, nu, t
from ._exact_steps import halved_bounds, spectral_bounds
from .faceoff import FACE_OFF, PLAIN, SERIAL, SMOOTH, theorem1

METHODS = ("sdca",)

SDCA = "Shalev-Shwartz & Zhang 2013, JMLR 14:567-599"
ZHAO = "Zhao & Zhang 2015, arXiv:1401.2753"
PROX = "Shalev-Shwartz & Zhang 2012, arXiv:1211.2717"
AS_PRINTED_FOR = "printed for R = 1 and D* - D(0) <= 1, both kept here"
SLIDES = "Shalev-Shwartz & Zhang, Prox-SDCA (slides)"

LIPSCHITZ = (sp.Lt(L, sp.oo), l2 > 0)
ONE_ROW = {"side": "dual", "W": nnz / n, "vectors": True}
C = counts.coordinate_descent(counts.DUAL, "uniform").K

# ------------------------------------------------------------ losses that are only Lipschitz
G = 4 * L**2 * R**2
T_0 = sp.Max(0, sp.ceiling(n * sp.log(2 * l2 * n * D0 / G)))  # from here on the dual error decays like 1/t
LATE_ERROR = 2 * G / (l2 * (2 * n + t))  # t counted from T_0


def early_error() -> sp.Expr:
    """The dual error before T_0, from the recursion e_(t+1) <= (1 - 1/n) e_t + G/(2 l2 n^2), solved.

    The recursion is the main lemma of Shalev-Shwartz & Zhang 2013 at s = 1.
    """
    e = sp.Symbol("e", nonnegative=True)
    shrink = 1 - 1 / n
    (floor,) = sp.solve(sp.Eq(e, shrink * e + G / (2 * l2 * n**2)), e)
    return floor + (D0 - floor) * shrink**t


DUAL_ERROR = sp.Piecewise((early_error(), t < T_0), (LATE_ERROR.subs(t, t - T_0), True))


def dual_count() -> sp.Expr:
    """Iterations to E[D* - D] <= eps: T_0, and those after it from the late rate, solved for t."""
    (count,) = sp.solve(sp.Eq(LATE_ERROR, eps), t)
    return T_0 + sp.Max(0, sp.expand(count))


def gap_count() -> sp.Expr:
    """Iterations to E[gap] <= eps for the average of the iterates after some t > T_0.

    Its gap after `length` >= n more is at most the late error + G/(2 l2 length); each term is brought to eps/2.
    """
    length = sp.Symbol("length", nonnegative=True)
    (start,) = sp.solve(sp.Eq(LATE_ERROR, eps / 2), t)
    start = sp.expand(start) + 2 * n  # the theorem does not use the 2n it could save
    (averaged,) = sp.solve(sp.Eq(G / (2 * l2 * length), eps / 2), length)
    return T_0 + sp.expand(start + n + averaged)


RATES = (
    *theorem1(
        "sdca",
        "smooth",
        counts.DUAL,
        lambda K: D0 * K,
        ("uniform",),
        bounded="P-D",
        assumptions=SMOOTH,
        vectors=True,
        source=f"{SDCA}, Theorem 2, and with l1 {PROX}; {AS_PRINTED_FOR}",
    ),
    *theorem1(
        "sdca",
        "smooth",
        counts.DUAL,
        lambda K: D0 * K,
        SERIAL[1:],
        bounded="P-D",
        assumptions=SMOOTH,
        vectors=True,
        source=f"{FACE_OFF}, Theorem 1, eq. (9), and {ZHAO}; {PLAIN}; the exact step gains at least the fixed one's",
    ),
    *theorem1(
        "sdca",
        "smooth dual",
        counts.DUAL,
        lambda K: D0,
        SERIAL,
        bounded="D*-D",
        assumptions=SMOOTH,
        vectors=True,
        source=f"{SDCA}, proof of Theorem 2, and with l1 {PROX}; {FACE_OFF}, Theorem 1, for any probabilities",
    ),
    *halved_bounds("sdca", counts.DUAL, SERIAL),
    *spectral_bounds("sdca", counts.DUAL, SERIAL),
    decay(
        "sdca",
        "lipschitz",
        guarantee=DUAL_ERROR,
        count=gap_count(),
        bounded="D*-D",
        assumptions=LIPSCHITZ,
        target="the expected duality gap of the average of the last iterates",
        source=f"{SDCA}, Theorem 1, and with l1 {PROX}; {AS_PRINTED_FOR}",
        **ONE_ROW,
    ),
    decay(
        "sdca",
        "lipschitz dual",
        guarantee=DUAL_ERROR,
        count=dual_count(),
        bounded="D*-D",
        assumptions=LIPSCHITZ,
        source=f"{SDCA}, proof of Theorem 1, and with l1 {PROX}; {AS_PRINTED_FOR}",
        **ONE_ROW,
    ),
    decay(
        "sdca",
        "last point",
        guarantee=gaps.of_dual_error(DUAL_ERROR),
        count=dual_count().subs(eps, gaps.dual_error_for_gap()),
        bounded="P-D",
        assumptions=LIPSCHITZ,
        source=f"own derivation from {SDCA}, proof of Theorem 1: where D* - D is small, a step towards alpha(w) gains "
        "little, and so the gap is small",
        **ONE_ROW | {"vectors": False},
    ),
)


# ------------------------------------------------------------ one step
def largest_gain(gap: sp.Expr, G: sp.Expr) -> sp.Expr:
    """The main lemma at its best: max over q = s/n in [0, 1/n] of q gap - q^2 G/(2 l2), by differentiation.

    >>> largest_gain(gap0, R**2).subs({n: 1, l2: 1, gap0: 1, R: 2})
    1/8
    """
    q = sp.Symbol("q", nonnegative=True)
    lower = q * gap - q**2 * G / (2 * l2)
    (best,) = sp.solve(sp.diff(lower, q), q)
    return lower.subs(q, sp.Min(1 / n, best))


MAIN_LEMMA = (
    f"{SDCA}, main lemma: E[D+] - D >= (s/n)(P - D) - (s/n)^2 G/(2 l2) for every s in [0, 1], "
    "G = mean_i (||x_i||^2 - gamma (1 - s) l2 n/s)(u_i - alpha_i)^2, u_i = -phi'(x_i'w)"
)
ONE_STEP = (
    lemma(
        "sdca",
        "main lemma",
        value=1 / C,
        side="dual",
        vectors=True,
        assumptions=SMOOTH,
        target="E[D+] - D is at least the gap P - D times this, the largest s/n for which no term of G is above 0",
        source=MAIN_LEMMA,
    ),
    lemma(
        "sdca",
        "main lemma, lipschitz",
        value=largest_gain(gap0, G),
        side="dual",
        vectors=True,
        assumptions=LIPSCHITZ,
        target="E[D+] - D is at least this, with the gap P - D here as that of the start: the main lemma at its best s",
        source=f"{MAIN_LEMMA}, G at most 4 L^2 R^2",
    ),
    lemma(
        "sdca",
        "good dual, bad primal",
        value=1 - eps,
        side="dual",
        assumptions=(),
        target="on separable data, b_i x_i'w_0 >= 1, with the hinge loss and l2 = 2 eps/||w_0||^2, P(w) - P* is at "
        "least this at alpha = 0, where D* - D(alpha) <= eps",
        source=f"{SLIDES}; corrected: margins of at least 1 are needed",
    ),
)


# ------------------------------------------------------------ an iterate drawn at random
def random_iterate_count() -> sp.Expr:
    """T for an iterate drawn uniformly from the last N of T: the N for which T is smallest, by differentiation.

    The main lemma, summed over them, bounds its expected gap by (C/N) E[D_T - D_(T - N)], so by
    (C/N)(1 - 1/C)^(T - N) (D* - D_0). That is eps for T = N + C ln(C (D* - D_0)/(N eps)), least at N = C.
    """
    N = sp.Symbol("N", positive=True)
    rate = sp.Symbol("C", positive=True)
    total = N + rate * sp.log(rate * D0 / (N * eps))
    (best,) = sp.solve(sp.diff(total, N), N)
    return (best + rate * sp.Max(0, sp.log(D0 / eps))).subs(rate, C)  # at least N: there are no fewer iterates


# ------------------------------------------------------------ l1 alone
PURE_L1 = (gamma > 0, l1 > 0, sp.Eq(l2, 0))
ADDED_L2 = eps * (l1 / P_zero) ** 2


def added_l2_count() -> sp.Expr:
    """Updates on P + (added/2)||w||^2 until its gap is eps/2 in expectation.

    Then P(w) - P* <= eps/2 + (added/2)||w*||^2 <= eps, because ||w*||_2 <= ||w*||_1 <= P(0)/l1. The dual error to begin
    with is at most P(0) - D(0), which the added l2 does not change.
    """
    rate = sp.Symbol("rate", positive=True)
    return counts.contraction_steps(gap0 * rate, rate).expr.subs(eps, eps / 2).subs(rate, C.subs(l2, ADDED_L2))


RUNS = (
    decay(
        "sdca",
        "drawn iterate",
        count=random_iterate_count(),
        bounded="P-D",
        assumptions=SMOOTH,
        **ONE_ROW,
        target="the expected duality gap of an iterate drawn uniformly from the last n + R^2/(gamma l2)",
        source=f"{SDCA}, Theorem 2, random output; re-derived",
    ),
    decay(
        "sdca",
        "added l2",
        count=added_l2_count(),
        bounded="P(w)-P*",
        assumptions=PURE_L1,
        parameters=(("added_l2", "eps (l1/P(0))^2"),),
        source=f"{PROX}, L1 regularisation through an added l2, AddedL2(SDCA(), eps (l1/P(0))^2); re-derived",
        **ONE_ROW,
    ),
    lemma(
        "sdca",
        "added l2, weight",
        value=ADDED_L2,
        side="dual",
        assumptions=PURE_L1[1:],
        target="an added l2 of at most this costs no more than eps/2",
        source=f"{PROX}; re-derived",
    ),
)

# ------------------------------------------------------------ up to constants and logarithms
ALMOST = asymptotic(
    "sdca",
    "almost smooth",
    count=n + L * R**2 / (l2 * (eps / L) ** (1 / (1 + nu))),
    assumptions=LIPSCHITZ,
    **ONE_ROW,
    source=f"{SDCA}, almost smooth losses such as the hinge; nu depends on the data",
)

BOUNDS = (*RATES, *ONE_STEP, *RUNS, ALMOST)
