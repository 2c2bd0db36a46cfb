"""Around SDCA's theorems: one step, an iterate drawn at random, l1 alone, losses that are almost smooth."""

from __future__ import annotations

import sympy as sp

from ..build import asymptotic, decay, lemma
from ..derivations import counts
from ..symbols import D0, L, P_zero, R, eps, gamma, gap0, l1, l2, n, nnz, nu
from .faceoff import SMOOTH
from .sdca import PROX, SDCA

SLIDES = "Shalev-Shwartz & Zhang, Prox-SDCA (slides)"
ONE_ROW = {"side": "dual", "W": nnz / n, "vectors": True}
PURE_L1 = (gamma > 0, l1 > 0, sp.Eq(l2, 0))
C = counts.contraction(counts.DUAL, "uniform").K


# ------------------------------------------------------------ one step
def gain(gap: sp.Expr, G: sp.Expr) -> sp.Expr:
    """The main lemma at its best: max over q = s/n in [0, 1/n] of q gap - q^2 G/(2 l2), by differentiation.

    >>> gain(gap0, R**2).subs({n: 1, l2: 1, gap0: 1, R: 2})
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
        "sdca", "main lemma", value=1 / C, side="dual", vectors=True, assumptions=SMOOTH,
        target="E[D+] - D is at least the gap P - D times this, the largest s/n for which no term of G is above 0",
        source=MAIN_LEMMA,
    ),
    lemma(
        "sdca", "main lemma, lipschitz", value=gain(gap0, 4 * L**2 * R**2), side="dual", vectors=True,
        assumptions=(sp.Lt(L, sp.oo), l2 > 0),
        target="E[D+] - D is at least this, with the gap P - D here as that of the start: the main lemma at its best s",
        source=f"{MAIN_LEMMA}, G at most 4 L^2 R^2",
    ),
    lemma(
        "sdca", "good dual, bad primal", value=1 - eps, side="dual", assumptions=(),
        target="on separable data, b_i x_i'w_0 >= 1, with the hinge loss and l2 = 2 eps/||w_0||^2, P(w) - P* is at "
        "least this at alpha = 0, where D* - D(alpha) <= eps",
        source=f"{SLIDES}; corrected: margins of at least 1 are needed",
    ),
)  # fmt: skip


# ------------------------------------------------------------ an iterate drawn at random
def drawn_iterate() -> sp.Expr:
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
ADDED = eps * (l1 / P_zero) ** 2


def added_l2() -> sp.Expr:
    """Updates on P + (added/2)||w||^2 until its gap is eps/2 in expectation.

    Then P(w) - P* <= eps/2 + (added/2)||w*||^2 <= eps, because ||w*||_2 <= ||w*||_1 <= P(0)/l1. The dual error to begin
    with is at most P(0) - D(0), which the added l2 does not change.
    """
    rate = sp.Symbol("rate", positive=True)
    return counts.iterations(gap0 * rate, rate).expr.subs(eps, eps / 2).subs(rate, C.subs(l2, ADDED))


RUNS = (
    decay(
        "sdca", "drawn iterate", count=drawn_iterate(), guarantee=None, bounded="P-D", assumptions=SMOOTH, **ONE_ROW,
        target="the expected duality gap of an iterate drawn uniformly from the last n + R^2/(gamma l2)",
        source=f"{SDCA}, Theorem 2, random output; re-derived",
    ),
    decay(
        "sdca", "added l2", count=added_l2(), guarantee=None, bounded="P(w)-P*", assumptions=PURE_L1,
        parameters=(("added_l2", "eps (l1/P(0))^2"),),
        source=f"{PROX}, L1 regularisation through an added l2, SDCA(added_l2=eps (l1/P(0))^2); re-derived", **ONE_ROW,
    ),
    lemma(
        "sdca", "added l2, weight", value=ADDED, side="dual", assumptions=PURE_L1[1:],
        target="an added l2 of at most this costs no more than eps/2", source=f"{PROX}; re-derived",
    ),
)  # fmt: skip

# ------------------------------------------------------------ up to constants and logarithms
ALMOST = asymptotic(
    "sdca", "almost smooth", count=n + L * R**2 / (l2 * (eps / L) ** (1 / (1 + nu))),
    assumptions=(sp.Lt(L, sp.oo), l2 > 0), **ONE_ROW,
    source=f"{SDCA}, almost smooth losses such as the hinge; nu depends on the data",
)  # fmt: skip

BOUNDS = (*ONE_STEP, *RUNS, ALMOST)
