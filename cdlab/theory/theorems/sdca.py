"""Shalev-Shwartz & Zhang: stochastic dual coordinate ascent on smooth and on Lipschitz losses, also in blocks.

Their theorems, and around them: one step, an iterate drawn at random, l1 alone, losses that are almost smooth.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from ..bound import Bound
from ..derivations import counts, gaps
from ..forms import asymptotic, decay, lemma
from ..symbols import D0, K, L, P_zero, R, eps, gamma, gap0, i, l1, l2, n, nnz, nu, p, p_min, t, v, v_p
from ._exact_steps import halved_bounds, rate_and_least_probability, spectral_bounds
from .faceoff import BLOCKS, FACE_OFF, PLAIN, SERIAL, SMOOTH, theorem1

METHODS = ("sdca",)

SDCA = "Shalev-Shwartz & Zhang 2013, JMLR 14:567-599"
ZHAO = "Zhao & Zhang 2015, arXiv:1401.2753"
TAKAC = "Takac, Bijral, Richtarik & Srebro 2013, Mini-batch primal and dual methods for SVMs"
PROX = "Shalev-Shwartz & Zhang 2012, arXiv:1211.2717"
AS_PRINTED_FOR = "printed for R = 1 and D* - D(0) <= 1, both kept here"
SLIDES = "Shalev-Shwartz & Zhang, Prox-SDCA (slides)"

LIPSCHITZ = (sp.Lt(L, sp.oo), l2 > 0)
ONE_ROW = {"side": "dual", "W": nnz / n, "vectors": True}
C = counts.coordinate_descent(counts.DUAL, "uniform").K


# ------------------------------------------------------------ losses that are only Lipschitz
# The main lemma for any probabilities and blocks: with s_i = q/p_i, 0 <= q <= p_min, an exact step gains at least what
# alpha_i += s_i (u_i - alpha_i) does in the ESO model, so E[D+] - D >= q (P - D) - q^2 G/(2 l2),
# G = (1/n^2) sum_i (v_i/p_i)(u_i - alpha_i)^2 <= 4 L^2 v_p. For uniform sampling 1/p_min = n and v_p <= R^2.
class Fall(NamedTuple):
    """How the dual error falls: N = 1/p_min, and G of the main lemma at most 4 L^2 times V."""

    N: sp.Expr
    G: sp.Expr

    @property
    def start(self) -> sp.Expr:
        """T_0: from here on the dual error decays like 1/t."""
        return sp.Max(0, sp.ceiling(self.N * sp.log(2 * l2 * self.N * D0 / self.G)))

    @property
    def late_error(self) -> sp.Expr:
        """The dual error after T_0, with t counted from there."""
        return 2 * self.G / (l2 * (2 * self.N + t))

    def early_error(self) -> sp.Expr:
        """The dual error before T_0, from the recursion e_(t+1) <= (1 - 1/N) e_t + G/(2 l2 N^2), solved.

        The recursion is the main lemma of Shalev-Shwartz & Zhang 2013 at its largest s.
        """
        e = sp.Symbol("e", nonnegative=True)
        shrink = 1 - 1 / self.N
        (floor,) = sp.solve(sp.Eq(e, shrink * e + self.G / (2 * l2 * self.N**2)), e)
        return floor + (D0 - floor) * shrink**t

    @property
    def dual_error(self) -> sp.Expr:
        """E[D* - D] after t iterations."""
        return sp.Piecewise((self.early_error(), t < self.start), (self.late_error.subs(t, t - self.start), True))

    def dual_count(self) -> sp.Expr:
        """Iterations to E[D* - D] <= eps: T_0, and those after it from the late rate, solved for t."""
        (count,) = sp.solve(sp.Eq(self.late_error, eps), t)
        return self.start + sp.Max(0, sp.expand(count))

    def gap_count(self) -> sp.Expr:
        """Iterations to E[gap] <= eps for the average of the iterates after some t > T_0.

        Its gap after `length` >= N more is at most the late error + G/(2 l2 length); each term is brought to eps/2.
        """
        length = sp.Symbol("length", nonnegative=True)
        (begin,) = sp.solve(sp.Eq(self.late_error, eps / 2), t)
        begin = sp.expand(begin) + 2 * self.N  # the theorem does not use the 2N it could save
        (averaged,) = sp.solve(sp.Eq(self.G / (2 * l2 * length), eps / 2), length)
        return self.start + sp.expand(begin + self.N + averaged)


UNIFORM = Fall(n, 4 * L**2 * R**2)
ANY = Fall(1 / p_min, 4 * L**2 * v_p)


def lipschitz_bounds(fall: Fall, sampling: str, source: str, **data: Any) -> list[Bound]:
    """The dual error, the gap of the average and that of the last point, for losses that are only Lipschitz."""
    data = {"bounded": "D*-D", "assumptions": LIPSCHITZ, "side": "dual", **data}
    error, count = fall.dual_error, fall.dual_count()
    average = "the expected duality gap of the average of the last iterates"
    last = "where D* - D is small, a step towards alpha(w) gains little, and so the gap is small"
    return [
        decay(
            "sdca", "lipschitz", sampling, guarantee=error, count=fall.gap_count(), target=average, vectors=True,
            source=f"{SDCA}, Theorem 1, and with l1 {PROX}; {source}", **data,
        ),
        decay(
            "sdca", "lipschitz dual", sampling, guarantee=error, count=count, vectors=True,
            source=f"{SDCA}, proof of Theorem 1, and with l1 {PROX}; {source}", **data,
        ),
        decay(
            "sdca", "last point", sampling, guarantee=gaps.of_dual_error(error),
            count=count.subs(eps, gaps.dual_error_for_gap()),
            source=f"own derivation from {SDCA}, proof of Theorem 1: {last}", **data | {"bounded": "P-D"},
        ),
    ]  # fmt: skip


def lipschitz_bounds_of_any(sampling: str) -> list[Bound]:
    """The same for probabilities that differ, and for blocks."""
    (_, W, definitions), least = rate_and_least_probability(counts.DUAL, sampling)
    definitions = tuple(each for each in definitions if each.lhs != K)
    return lipschitz_bounds(
        ANY._replace(N=1 / least),
        sampling,
        f"of blocks of the hinge {TAKAC}; re-derived for any probabilities, exact steps on the ESO's model",
        W=W,
        definitions=(*definitions, sp.Eq(v_p, sp.Sum(v[i] / p[i], (i, 1, n)) / n**2)),
    )


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
        (*SERIAL[1:], *BLOCKS),
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
        bounded="D*-D",
        assumptions=SMOOTH,
        vectors=True,
        source=f"{SDCA}, proof of Theorem 2, and with l1 {PROX}; {FACE_OFF}, Theorem 1, for any probabilities",
    ),
    *halved_bounds("sdca", counts.DUAL, (*SERIAL, *BLOCKS)),
    *spectral_bounds("sdca", counts.DUAL, SERIAL),
    *lipschitz_bounds(UNIFORM, "uniform", AS_PRINTED_FOR, W=nnz / n),
    *(bound for sampling in ("norms", "given", *BLOCKS) for bound in lipschitz_bounds_of_any(sampling)),
)


# ------------------------------------------------------------ one step
def largest_gain(gap: sp.Expr, fall: Fall) -> sp.Expr:
    """The main lemma at its best: max over q in [0, 1/N] of q gap - q^2 G/(2 l2), by differentiation.

    >>> largest_gain(gap0, Fall(n, R**2)).subs({n: 1, l2: 1, gap0: 1, R: 2})
    1/8
    """
    q = sp.Symbol("q", nonnegative=True)
    lower = q * gap - q**2 * fall.G / (2 * l2)
    (best,) = sp.solve(sp.diff(lower, q), q)
    return lower.subs(q, sp.Min(1 / fall.N, best))


MAIN_LEMMA = (
    f"{SDCA}, main lemma: E[D+] - D >= (s/n)(P - D) - (s/n)^2 G/(2 l2) for every s in [0, 1], "
    "G = mean_i (||x_i||^2 - gamma (1 - s) l2 n/s)(u_i - alpha_i)^2, u_i = -phi'(x_i'w)"
)
GAIN = "E[D+] - D is at least this, with the gap P - D here as that of the start: the main lemma at its best s"
LEMMA: dict[str, Any] = {"side": "dual", "vectors": True, "assumptions": LIPSCHITZ}
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
        value=largest_gain(gap0, UNIFORM),
        target=GAIN,
        source=f"{MAIN_LEMMA}, G at most 4 L^2 R^2",
        **LEMMA,
    ),
    *(
        lemma(
            "sdca",
            "main lemma, lipschitz",
            value=largest_gain(gap0, ANY),
            sampling=sampling,
            target=GAIN,
            source=f"{MAIN_LEMMA}; re-derived for any probabilities and blocks: q in place of s/n, at most p_min, and "
            "G = (1/n^2) sum_i (v_i/p_i)(u_i - alpha_i)^2, at most 4 L^2 v_p",
            **LEMMA,
        )
        for sampling in ("given", "tau_nice")
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
