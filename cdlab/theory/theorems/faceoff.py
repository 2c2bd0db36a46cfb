"""Csiba & Richtarik 2016, Coordinate descent face-off: primal or dual? (arXiv:1605.08982): Theorem 1 on both sides.

On the primal side it holds with l1, where Richtarik & Takac (2014) have uniform sampling, and for l2 = 0 there is the
1/t rate of Lu & Xiao (2015) beside it.

Notation: the dual lives on the n rows of X, the primal on its d columns (the paper's X is the transpose), and
gamma = 1/beta.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from ..bound import Bound
from ..derivations import counts
from ..forms import contraction, decay
from ..symbols import D0, P0, K, R, gamma, gap0, i, l1, l2, largest, n, p, p_min, s, t, w2_p
from ._exact_steps import halved_bounds, rate_and_least_probability, spectral_bounds

METHODS = ("quartz", "rcd")
ASCENT = (("step", ("fixed", "local")),)  # steps of which each gains in the dual what the theorem says

SERIAL = ("uniform", "importance", "norms", "lipschitz", "given")
BLOCKS = ("tau_nice", "independent", "bucket", "distributed")
SMOOTH = (gamma > 0, l2 > 0)
FACE_OFF = "Csiba & Richtarik 2016, arXiv:1605.08982"
PROXIMAL = "Richtarik & Takac 2014, arXiv:1107.2848"
LU = "Lu & Xiao 2015, arXiv:1305.4723"
QUARTZ = "Qu, Richtarik & Zhang 2015, arXiv:1411.5873"
DUAL_FREE = "Shalev-Shwartz 2016, SDCA without duality, regularization, and individual convexity, arXiv:1602.01582"
PLAIN = "re-derived; for w = w(alpha) the constant (D* - D(0)) K follows from E[D+] - D >= (P - D)/K, for any l1 >= 0"

# of accelerated coordinate descent
BEST_PROBABILITIES = "p_i ~ sqrt(s_i), by Theorem 2 with sqrt(s_i) for s_i, which is sampling lipschitz with power 1/2"


def theorem1(
    method: str,
    theorem: str,
    side: counts.Side,
    constant: Callable[[sp.Expr], sp.Expr],
    samplings: tuple[str, ...] = (*SERIAL, *BLOCKS),
    **data: Any,
) -> list[Bound]:
    """Theorem 1 of Csiba & Richtarik (2016) for each sampling; `constant` is a function of K."""
    found = []
    for sampling in samplings:
        K, W, definitions = counts.coordinate_descent(side, sampling)
        rate = {"K": K, "W": W, "constant": constant(K), "definitions": definitions}
        found.append(contraction(method, theorem, sampling, side=side.name, **rate, **data))
    return found


# The step minimises the separable ESO model of E P(w + h_S), so it is as good as h_j = theta/p_j (w*_j - w_j)
# with theta = min_j p_j l2/L_j <= min_j p_j: by convexity E P+ - P <= theta (P* - P - (l2/2)||w - w*||^2)
# + sum_j (theta^2 L_j/(2 p_j)) (w_j - w*_j)^2 <= -theta (P - P*).
WITH_L1 = f"with l1 {PROXIMAL}, strongly convex composite functions, for uniform sampling; re-derived for any"

# The same step minimises f_j t + (H_j/2)(t - w_j)^2 + psi(t), f_j the slope of the mean loss, H_j = beta u_j/n and
# psi = (l2/2) t^2 + l1 |t|. This model changes by m_j <= 0, so p_j m_j <= p_min m_j, and m_j <= f_j (w*_j - w_j)
# + psi(w*_j) - psi(w_j) + (H_j/2) ((w_j - w*_j)^2 - (w_j+ - w*_j)^2). So V = P - P* + sum_j (p_min H_j/(2 p_j))
# (w_j - w*_j)^2 has E V+ <= V - p_min (P - P*), and E P never rises: (1 + p_min t) E[P - P*] <= V_0.
V_0 = P0 + p_min * w2_p / 2


def convex(sampling: str) -> Bound:
    """The 1/t rate of proximal coordinate descent, which does not need l2 > 0.

    With p_j ~ H_j^a the distance is ||w_0 - w*||^2 in the norm of Nesterov (2012), with weights H_j^(1 - a).
    """
    (_, W, definitions), least = rate_and_least_probability(counts.PRIMAL, sampling)
    return decay(
        "rcd",
        "convex",
        sampling,
        bounded="P(w)-P*",
        side="primal",
        assumptions=(gamma > 0,),
        guarantee=V_0.xreplace({p_min: least}) / (1 + least * t),
        W=W,
        definitions=tuple(each for each in definitions if each.lhs != K),
        source=f"{LU}, Theorem 1, for uniform sampling; re-derived for any; for p_j ~ H_j^a the distance is in the "
        "norm of Nesterov 2012, Efficiency of coordinate descent methods",
    )


# A step of s_i = theta/p_i moves alpha_i by -s_i k_i, k_i = phi'(x_i'w) + alpha_i, and w by -(theta/l2) grad P on
# average. With u_i = -phi'(x_i'w), A = (gamma/n) sum_i (alpha_i - alpha*_i)^2 changes by
# -theta A + (gamma theta/n) sum_i ((u_i - alpha*_i)^2 - (1 - s_i) k_i^2), and B = (l2/2)||w - w*||^2 by at most
# -theta (w - w*)'grad P + (1/(2 l2 n^2)) sum_i p_i v_i s_i^2 k_i^2. As phi' is 1/gamma-Lipschitz, (w - w*)'grad P is
# at least 2 B + (gamma/n) sum_i (u_i - alpha*_i)^2: these terms cancel, and those with k_i are at most 0 if
# s_i <= l2 n/(v_i/(2 gamma) + l2 n). So E[A+ + B+] <= (1 - theta)(A + B). At the start A + B <= 2 (D* - D(alpha)),
# since -D is a sum of n (gamma/n)-strongly convex functions and (1/(2 l2))||v||^2.
def dual_free(sampling: str) -> Bound:
    """The distances to w* and alpha*, by gradients alone: nothing is said of the dual's values."""
    definitions: tuple[sp.Eq, ...] = ()
    rate, W, of_sampling = counts.coordinate_descent(counts.DUAL, sampling)
    if sampling == "uniform":
        rate = n + R**2 / (2 * gamma * l2)
    else:
        rule = sp.Eq(K, largest((s[i] + l2 * n) / (2 * p[i] * l2 * n)))
        definitions = (rule, *(each for each in of_sampling if each.lhs != K))
    return contraction(
        "quartz",
        "dual-free",
        sampling,
        K=rate,
        W=W,
        constant=4 * D0 / l2,
        bounded="|w-w*|^2",
        definitions=definitions,
        side="dual",
        parameters=(("step", "long"),),
        assumptions=(*SMOOTH, sp.Eq(l1, 0)),
        source=f"{DUAL_FREE}, where steps are those of quartz with uniform sampling; re-derived for steps up to twice "
        "as long, any probabilities and blocks",
    )


BOUNDS = (
    *theorem1(
        "quartz",
        "plain",
        counts.DUAL,
        lambda K: D0 * K,
        bounded="P-D",
        assumptions=SMOOTH,
        neutral=ASCENT,
        source=f"{FACE_OFF}, Theorem 1, eq. (9); {PLAIN}",
    ),
    *theorem1(
        "quartz",
        "plain dual",
        counts.DUAL,
        lambda K: D0,
        bounded="D*-D",
        assumptions=SMOOTH,
        neutral=ASCENT,
        source=f"{FACE_OFF}, Theorem 1, eq. (9); re-derived",
    ),
    *theorem1(
        "quartz",
        "averaged",
        counts.DUAL,
        lambda K: gap0,
        bounded="P-D",
        assumptions=SMOOTH,
        parameters=(("averaged_primal", True),),
        source=f"{FACE_OFF}, Theorem 1, eq. (9), and with l1 {QUARTZ}; re-derived, w averaged",
    ),
    *map(dual_free, ("uniform", "norms", "given", *BLOCKS)),
    *theorem1(
        "rcd",
        "smooth",
        counts.PRIMAL,
        lambda K: P0,
        bounded="P(w)-P*",
        assumptions=SMOOTH,
        source=f"{FACE_OFF}, Theorem 1, eq. (8); {WITH_L1}",
    ),
    *halved_bounds("rcd", counts.PRIMAL, (*SERIAL, *BLOCKS)),
    *spectral_bounds("rcd", counts.PRIMAL, SERIAL),
    *map(convex, SERIAL),
)
