"""Gradient descent, FISTA and AGD: deterministic, so that every iterate must obey its bound."""

from functools import cache

import numpy as np
from claims import claim
from problems import problem

import cdlab
from cdlab.methods.agd import AGD
from cdlab.methods.fista import FISTA
from cdlab.methods.gd import GD

STEPS = 60


@cache
def setting(loss, l2, l1):
    """A problem, its optimum (certified by a gap of 1e-13 P(0)), its optimal value, and L_f by numpy's SVD."""
    P = problem(loss, l2=l2, l1=l1)
    best = cdlab.solve(P, FISTA(), tol=1e-13, max_passes=100_000)
    assert best.status in ("tolerance reached", "rounding limit")
    return P, best.w, P.primal(best.w), np.linalg.norm(P.X, 2) ** 2 / (P.n * P.loss.gamma)


def iterates(P, method):
    """States after 1, 2, ... iterations from w = 0."""
    S = method.init(P, "uniform")
    for _ in range(STEPS):
        S = method.epoch(method.view(P), S, np.zeros(1, np.uint64))
        yield S._replace(w=S.w.copy())


def suboptimality(P, method, P_star):
    return np.array([P.primal(S.w) for S in iterates(P, method)]) - P_star


k = np.arange(1, STEPS + 1)


@claim("gd", "Beck & Teboulle 2009, Lemma 2.3: P - P* <= (1 + l2/L)^-k (P_0 - P*); logistic, L1+L2", kind="exact")
def gd_linear(seeds):
    P, _, P_star, L = setting("logistic", 0.1, 0.02)
    return suboptimality(P, GD(step=1 / L), P_star), (1 + P.l2 / L) ** -k * (P.primal(np.zeros(P.d)) - P_star)


@claim("gd", "Beck & Teboulle 2009, Theorem 3.1: P - P* <= L||w_0 - w*||^2/(2k); logistic, L1", kind="exact")
def gd_sublinear(seeds):
    P, w, P_star, L = setting("logistic", 0.0, 0.02)
    return suboptimality(P, GD(step=1 / L), P_star), L * w @ w / (2 * k)


@claim("fista", "Beck & Teboulle 2009, Theorem 4.4: P - P* <= 2L||w_0 - w*||^2/(k + 1)^2; logistic, L1", kind="exact")
def fista(seeds):
    P, w, P_star, L = setting("logistic", 0.0, 0.02)
    return suboptimality(P, FISTA(step=1 / L), P_star), 2 * L * w @ w / (k + 1) ** 2


@claim(
    "fista",
    "Beck 2017, Theorem 10.42: P - P* <= (1 - sqrt(l2/L))^k (P_0 - P* + l2/2||w_0 - w*||^2); squared, L1+L2",
    kind="exact",
)
def fista_strongly_convex(seeds):
    P, w, P_star, L_f = setting("squared", 0.1, 0.02)
    L = L_f + P.l2
    start = P.primal(np.zeros(P.d)) - P_star + P.l2 / 2 * w @ w
    return suboptimality(P, FISTA(step=1 / L), P_star), (1 - np.sqrt(P.l2 / L)) ** k * start


def agd_bound(loss, l2, l1):
    P, w, P_star, _ = setting(loss, l2, l1)
    A = np.array([S.A for S in iterates(P, AGD())])
    return suboptimality(P, AGD(), P_star), w @ w / (2 * A)


@claim("agd", "Nesterov 2013, section 4: P - P* <= ||w_0 - w*||^2/(2 A_k); logistic, L1", kind="exact")
def agd(seeds):
    return agd_bound("logistic", 0.0, 0.02)


@claim("agd", "Nesterov 2013, section 4: P - P* <= ||w_0 - w*||^2/(2 A_k); squared, L1+L2", kind="exact")
def agd_strongly_convex(seeds):
    measured, promised = agd_bound("squared", 0.1, 0.02)
    above = promised > 1e-9  # P* itself is known to 1e-13
    return measured[above], promised[above]


def growth(P):
    return 1 / np.array([S.A for S in iterates(P, AGD())])


@claim(
    "agd",
    "Nesterov 2013, section 4: A_k >= 2/(up L) (1 + sqrt(l2/(2 up L)))^(2(k - 1)); squared, L1+L2",
    kind="exact",
)
def agd_growth(seeds):
    P, _, _, L = setting("squared", 0.1, 0.02)
    up = AGD().up
    return growth(P), up * L / 2 * (1 + np.sqrt(P.l2 / (2 * up * L))) ** (-2 * (k - 1))


@claim("agd", "Nesterov 2013, section 4: A_k >= k^2/(2 up L) where l2 = 0; logistic, L1", kind="exact")
def agd_growth_convex(seeds):
    P, _, _, L = setting("logistic", 0.0, 0.02)
    return growth(P), 2 * AGD().up * L / k**2
