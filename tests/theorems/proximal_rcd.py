"""Proximal randomized coordinate descent: Richtarik & Takac (2014), Lu & Xiao (2015), for any sampling.

With p the marginals of a sampling, u its ESO parameters, H_j = beta u_j/n and L_j = H_j + l2, from any w in one step:

l2 > 0     E P(w+) - P* <= (1 - rho)(P(w) - P*), rho = min_j p_j l2/L_j
l2 >= 0    E V(w+) <= V(w) - p_min (P(w) - P*),  V(w) = P(w) - P* + sum_j (p_min H_j/(2 p_j)) (w_j - w*_j)^2
           hence E[P(w_t)] - P* <= V(w_0)/(1 + p_min t)
"""

from functools import cache

import numpy as np
from claims import claim
from faceoff import SCHEMES, M, curve, marginals, mean_after, outcomes, primal, rho_of
from problems import data

import cdlab
from cdlab.methods import Points
from cdlab.methods.rcd import RCD

PAPER = "Richtarik & Takac 2014"
LU = "Lu & Xiao 2015, Theorem 1"
L1 = 0.03


@cache
def setting(loss, l2, n=M, d=M):
    """A problem with l1 and its optimum, to rounding."""
    P = cdlab.Problem(*data(n=n, d=d, seed=4), loss=loss, l2=l2, l1=L1)
    s = cdlab.solve(P, "rcd", sampling="cyclic", tol=1e-13, max_passes=100_000)
    assert s.gap <= 1e-13
    return P, s.w


def starts(P, best):
    return np.zeros(P.d), best + 1e-3, *np.random.default_rng(1).standard_normal((4, P.d))


def after(P, scheme, w, value):
    return mean_after(P, RCD(), RCD().init(P, scheme, Points(w, None)), outcomes(P, "primal", scheme), value)


def strongly_convex(scheme):
    def measure(_):
        measured, promised = [], []
        for loss in ("squared", "logistic", "squared_hinge"):
            P, best = setting(loss, 0.1)
            for w in starts(P, best):
                measured.append(after(P, scheme, w, primal) - P.primal(best))
                promised.append((1 - rho_of(P, scheme)) * (P.primal(w) - P.primal(best)))
        return measured, promised

    return measure


def potential(P, scheme, best):
    p = marginals(P, "primal", scheme)
    H = P.beta * cdlab.eso(P, scheme, side="primal") / P.n
    return p.min(), lambda w: P.primal(w) - P.primal(best) + (p.min() * H / (2 * p)) @ (w - best) ** 2


def convex(scheme):
    def measure(_):
        measured, promised = [], []
        for loss, l2 in (("squared", 0.0), ("logistic", 0.0), ("squared_hinge", 0.1)):
            P, best = setting(loss, l2)
            least, V = potential(P, scheme, best)
            for w in starts(P, best):
                measured.append(after(P, scheme, w, lambda P, at, V=V: V(at.w)))
                promised.append(V(w) - least * (P.primal(w) - P.primal(best)))
        return measured, promised

    return measure


for _name, _scheme in SCHEMES.items():
    claim("rcd", f"{PAPER}, strongly convex with l1, one step, {_name}", kind="exact")(strongly_convex(_scheme))
    claim("rcd", f"{LU} with l1, one step, {_name}", kind="exact")(convex(_scheme))


def decay(scheme, epochs=60):
    def measure(seeds):
        P, best = setting("logistic", 0.0, n=30, d=10)
        least, V = potential(P, scheme, best)
        curves = np.array([curve(P, RCD(), scheme, seed, epochs, primal) for seed in seeds]) - P.primal(best)
        return curves[:, 1:], V(np.zeros(P.d)) / (1 + least * P.d * np.arange(1, epochs + 1))

    return measure


for _name in ("uniform", "importance"):
    claim("rcd", f"{LU} with l1, l2 = 0, {_name}")(decay(_name))
