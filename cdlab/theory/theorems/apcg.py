"""Lin, Lu & Xiao 2015: APCG, the accelerated proximal coordinate gradient method, on the dual.

Theorem 2.1 is about blocks of coordinates: with softmax a row of alpha is one.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from ..bound import Bound
from ..derivations import counts
from ..forms import contraction, lemma
from ..symbols import D0, K, L_f, R, a2, gamma, l2, n
from .faceoff import BLOCKS, SERIAL, SMOOTH

METHODS = ("apcg",)

APCG = "Lin, Lu & Xiao 2015, arXiv:1407.1296"

LARGEST_SMOOTHNESS = R**2 / (l2 * n**2) + gamma / n  # max_i L_i, the smoothness of -D along a coordinate
MU = gamma / n / LARGEST_SMOOTHNESS  # strong convexity of -D in the norm sum_i L_i alpha_i^2
UNIFORM = sp.sqrt(sp.expand(n**2 / MU))  # n/sqrt(mu)
START = D0 + MU / 2 * LARGEST_SMOOTHNESS * a2  # sum_i L_i (alpha_0i - alpha*_i)^2 <= max_i L_i a2

# mu belongs to the largest L_i and START bounds all of them by it, so each coordinate's own and the largest are covered
# where all are drawn equally often.
#
# Any sampling, blocks, and any Psi, for min F = f + Psi, Psi = sum_i Psi_i convex, f sigma-strongly convex, with
# E f(y + h_S) <= f(y) + sum_i p_i (f_i h_i + L_i h_i^2/2), f_i the slopes at y: sigma = gamma/n, F = -D here, and
# sigma = l2 on the primal side. Let b_i = a/p_i, a = min_i p_i sqrt(sigma/L_i), so b_i <= 1 and W_i = b_i^2 L_i is at
# most sigma. z+_i is zbar_i = argmin_t { f_i t + Psi_i(t) + (b_i L_i/2)(t - z~_i)^2 } with probability p_i, and else
# z~_i. Write H(z) = sum_i W_i (z_i - x*_i)^2/2. As x+ = y + b (z+ - z~), with a b_i L_i = p_i W_i,
#   E f(x+) <= f(y) + a sum_i [f_i (zbar_i - z~_i) + (b_i L_i/2)(zbar_i - z~_i)^2],
# and by the argmin's own strong convexity, with p_i (zbar_i - x*_i)^2 = E (z+_i - x*_i)^2 - (1 - p_i)(z~_i - x*_i)^2,
#   E f(x+) + a Psi(zbar) + E H(z+) <= f(y) + a sum_i f_i (x*_i - z~_i) + a Psi(x*) + H(z~).
# Now y = (1 - a) x + a z~, so a (x* - z~) = a (x* - y) + (1 - a)(x - y): as f is 1-strongly convex in the norm of 2 H,
# f(y) + a sum_i f_i (x*_i - z~_i) <= a (f(x*) - H(y)) + (1 - a) f(x), and H(z~) <= (1 - a) H(z) + a H(y).
# What Psi costs: z~ = (z + a x)/(1 + a), so x+_i = b_i z+_i - ((b_i - a)/(1 + a)) z_i + ((1 - a b_i)/(1 + a)) x_i, and
# x_i is a mean of z_i and those before, in which z_i has the weight b_i (1 at the start): in x+_i no weight is
# negative. Let Psi^ be the same mean of the Psi_i, which is at least Psi(x). As p_i b_i = a and
# (1 + a) Psi_i(z~_i) <= Psi_i(z_i) + a Psi^_i,
#   E Psi^+ <= a Psi(zbar) + (1 - a) Psi^.
# In all, V = f(x) + Psi^ - F* + H(z) has E V+ <= (1 - a) V. APPROX (acc_rcd with l2 = 0) is the same with theta for a,
# z~ = z and sigma = 0, where W_i = theta^2 L_i/p_i^2, theta <= p_min and theta_+^2 = (1 - theta_+) theta^2:
# (f(x) + Psi^ - F*)/theta^2, of the theta before, plus sum_i L_i (z_i - x*_i)^2/(2 p_i^2) does not rise on average,
# because (1 - theta_+)/theta_+^2 = 1/theta^2; and theta_k <= 2/(k + 2/theta_0).
ANY_SAMPLING = "; own derivation for any probabilities and blocks"
STATED: dict[str, Any] = {"assumptions": SMOOTH, "side": "dual", "vectors": True}

# The step from alpha to alpha + s (u - alpha), u_i = -phi'(x_i'w), gains at least
#   s (P(w) - D) + (s/(2n)) ||u - alpha||^2 (gamma (1 - s) - s gamma L_f/l2)
# because phi* is gamma-strongly convex, g* is (1/l2)-smooth and ||X'(u - alpha)/n||^2 <= gamma L_f ||u - alpha||^2/n.
# With s = 1/(1 + L_f/l2) the second term is 0: P(w) - D <= (1 + L_f/l2)(D* - D).
GAP = 1 + L_f / l2


def rate(sampling: str) -> dict[str, Any]:
    """K and W of a sampling. Where all p_i are equal, 1/K is the same for each coordinate's own L_i and the largest."""
    _, cost, definitions = counts.accelerated_descent(counts.DUAL, sampling)
    neutral = ("smoothness",) if sampling in ("uniform", "tau_nice", "distributed") else ()
    parts = {"K": UNIFORM if sampling == "uniform" else K, "W": cost, "definitions": definitions, "neutral": neutral}
    return {"sampling": sampling, **STATED, **parts}


def theorems(name: str, **data: Any) -> tuple[Bound, ...]:
    """One of the theorems, for each sampling."""
    return tuple(contraction("apcg", name, **data, **rate(sampling)) for sampling in (*SERIAL, *BLOCKS))


BOUNDS = (
    *theorems("dual", constant=START, bounded="D*-D", source=f"{APCG}, Theorem 2.1 on the dual{ANY_SAMPLING}"),
    *theorems(
        "gap",
        constant=GAP * START,
        bounded="P-D",
        source=f"{APCG}, Theorem 2.1 on the dual; carried over to the gap, re-derived, without the primal step"
        + ANY_SAMPLING,
    ),
    *theorems(
        "primal step",
        constant=L_f / l2 * START,
        bounded="P(w)-P*",
        parameters=(("primal_step", True),),
        target="the expected suboptimality P(w) - P* after a proximal gradient step, whose pass is not counted,",
        source=f"{APCG}, Theorem 2.1 on the dual and its primal step; constants as re-derived{ANY_SAMPLING}",
    ),
    lemma(
        "apcg",
        "primal step from a dual point",
        value=L_f / l2 * D0,
        neutral=("smoothness", "convexity"),
        **STATED,
        parameters=(("primal_step", True),),
        target="a proximal gradient step from w = grad g*(X'alpha/n) leaves P(w) - P* at most this, alpha as the start",
        source=f"{APCG}; constants as re-derived from (l2/2)||w - w*||^2 <= D* - D(alpha)",
    ),
    lemma(
        "apcg",
        "gap of a dual point",
        value=GAP * D0,
        neutral=("smoothness", "convexity"),
        **STATED,
        target="at w = grad g*(X'alpha/n) the gap P(w) - D(alpha) is at most this, alpha as the start",
        source="re-derived, as the main lemma of Shalev-Shwartz & Zhang 2013 with all coordinates at once",
    ),
)
