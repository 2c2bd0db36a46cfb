"""Csiba & Richtarik, Coordinate descent face-off: primal or dual? (2016).

With p, q the marginals of a sampling S and u, v its ESO parameters on the primal and dual side, g = grad P(w),
M = (beta/n) X'X + l2 I, u'_j = (beta/n) u_j + l2, rho = min_j p_j l2/u'_j, theta = min_i q_i l2 n/(beta v_i + l2 n):

Lemma 7    P(w) + g'h + (l2/2)||h||^2 <= P(w + h) <= P(w) + g'h + h'M h/2
Lemma 8    E P(w + h_S) <= P(w) + sum_j p_j g_j h_j + (1/2) sum_j p_j u'_j h_j^2
Theorem 1  (8) E[P(w_t) - P*] <= (1 - rho)^t (P(w_0) - P*)
           (9) plain: E D(alpha+) - D(alpha) >= theta (P(w) - D(alpha)) in one step, hence
           E[D* - D(alpha_t)] <= (1 - theta)^t (D* - D(alpha_0)) and
           E[P(w_t) - D(alpha_t)] <= (1 - theta)^t (D* - D(alpha_0))/theta;
           averaged: E[P(w_t) - D(alpha_t)] <= (1 - theta)^t (P(w_0) - D(alpha_0)) for any w_0
"""

from functools import cache
from itertools import islice

import numpy as np
from claims import claim
from listed_blocks import every_block
from problems import data

import cdlab
from cdlab import samplings
from cdlab.methods import Points
from cdlab.methods.quartz import Quartz
from cdlab.methods.rcd import RCD
from cdlab.samplings import Batches, Bucket, Distributed, Independent, TauNice

PAPER = "Csiba & Richtarik 2016"
M = 8  # examples and features of what is enumerated
SKEWED = np.array([0.9, 0.2, 0.5, 1.0, 0.3, 0.7, 0.1, 0.6])
SCHEMES = {
    "uniform": "uniform",
    "importance": "importance",
    "given p": SKEWED,
    "tau_nice(1)": TauNice(1),
    "tau_nice(3)": TauNice(3),
    "tau_nice(8)": TauNice(M),
    "independent": Independent(SKEWED),
    "bucket": Bucket([[4, 0, 7], [1, 3, 5], [2, 6]], SKEWED),
    "distributed": Distributed(2, 2),
}
CURVATURE = {
    "squared": lambda m: np.ones_like(m),
    "logistic": lambda m: 1 / (2 + 2 * np.cosh(m)),
    "squared_hinge": lambda m: (m < 1).astype(float),
}


@cache
def setting(loss, n=M, d=M, l1=0.0, l2=0.1):
    """A problem and, without l1, its w* by Newton's method in full steps, to rounding."""
    X, y = data(n=n, d=d, seed=4)
    P = cdlab.Problem(X, y, loss=loss, l2=l2, l1=l1)
    w = np.zeros(d)
    for _ in range(30):
        H = (X.T * CURVATURE[loss](y * (X @ w))) @ X / n + l2 * np.eye(d)
        w -= np.linalg.solve(H, P.gradient(w))
    assert l1 > 0 or np.abs(P.gradient(w)).max() < 1e-15
    return P, w


def outcomes(P, side, scheme):
    """Every block that a sampling can draw, as `epoch` is fed with it, and its probability."""
    sampling, c = samplings.resolve(scheme), P.coordinates(side)
    if sampling.serial:
        return [(np.array([j], np.uint64), p) for j, p in enumerate(sampling.probabilities(c))]
    blocks = every_block(sampling, c.m)
    return [(Batches(np.array(block, np.uint64), np.array([0, len(block)], np.uint64)), p) for block, p in blocks]


def copy(S):
    return S._make(field.copy() if isinstance(field, np.ndarray) else field for field in S)


def mean_after(P, method, S, fed, value):
    """E value(P, points) after one step from S: over (what epoch is fed with, its probability)."""
    view = method.view(P)
    return sum(p * value(P, method.points(P, method.epoch(view, copy(S), order))) for order, p in fed)


def primal(P, points):
    return P.primal(points.w)


def dual(P, points):
    return P.dual(points.alpha)


def gap(P, points):
    return P.primal(points.w) - P.dual(points.alpha)


def marginals(P, side, scheme):
    return samplings.resolve(scheme).probabilities(P.coordinates(side))


def theta_of(P, scheme):
    return (marginals(P, "dual", scheme) / (P.beta * cdlab.eso(P, scheme, side="dual") / (P.l2 * P.n) + 1)).min()


def rho_of(P, scheme):
    u = P.beta / P.n * cdlab.eso(P, scheme, side="primal") + P.l2
    return (marginals(P, "primal", scheme) * P.l2 / u).min()


# ---------------------------------------------------------------- Lemmas 7 and 8
def around(P):
    """(w, h) near and far."""
    rng = np.random.default_rng(0)
    for scale in (1e-2, 1.0, 10.0):
        for _ in range(5):
            yield rng.standard_normal(P.d), scale * rng.standard_normal(P.d)


@claim("rcd", f"{PAPER}, Lemma 7", kind="exact")
def lemma_7(_):
    measured, promised = [], []
    for loss in CURVATURE:
        P, _ = setting(loss)
        for w, h in around(P):
            linear = P.primal(w) + P.gradient(w) @ h
            above = linear + P.beta / P.n / 2 * ((P.X @ h) ** 2).sum() + P.l2 / 2 * h @ h
            measured += [P.primal(w + h), linear + P.l2 / 2 * h @ h]
            promised += [above, P.primal(w + h)]
    return np.array(measured) / np.abs(promised), np.sign(promised)


def lemma_8(scheme):
    def measure(_):
        measured, promised = [], []
        for loss in CURVATURE:
            P, _ = setting(loss)
            p, u = marginals(P, "primal", scheme), P.beta / P.n * cdlab.eso(P, scheme, side="primal") + P.l2
            for w, h in around(P):
                after = 0.0
                for order, probability in outcomes(P, "primal", scheme):
                    S = (order.indices if isinstance(order, Batches) else order).astype(int)
                    moved = w.copy()
                    moved[S] += h[S]
                    after += probability * P.primal(moved)
                measured.append(after)
                promised.append(P.primal(w) + p * P.gradient(w) @ h + (p * u) @ h**2 / 2)
        return np.array(measured) / promised, np.ones(len(promised))

    return measure


# ---------------------------------------------------------------- Theorem 1, one step
def primal_step(scheme):
    def measure(_):
        measured, promised = [], []
        for loss in CURVATURE:
            P, best = setting(loss)
            rng, least = np.random.default_rng(1), P.primal(best)
            for w in (np.zeros(P.d), best + 1e-3, *rng.standard_normal((4, P.d))):
                S = RCD().init(P, scheme, Points(w, None))
                fed = outcomes(P, "primal", scheme)
                measured.append(mean_after(P, RCD(), S, fed, primal) - least)
                promised.append((1 - rho_of(P, scheme)) * (P.primal(w) - least))
        return measured, promised

    return measure


def dual_step(scheme, step):
    def measure(_):
        method, measured, promised = Quartz(step=step), [], []
        for loss, l1 in (("squared", 0.0), ("logistic", 0.0), ("squared_hinge", 0.0), ("logistic", 0.05)):
            P, _ = setting(loss, l1=l1)
            rng, theta, fed = np.random.default_rng(1), theta_of(P, scheme), outcomes(P, "dual", scheme)
            for w in (np.zeros(P.d), *rng.standard_normal((5, P.d))):
                alpha = P.alpha(w)
                after = mean_after(P, method, method.init(P, scheme, Points(None, alpha)), fed, dual)
                measured.append(theta * P.gap(P.w(alpha), alpha))
                promised.append(after - P.dual(alpha))
        return measured, promised

    return measure


def averaged_step(scheme):
    def measure(_):
        method, measured, promised = Quartz(averaged_primal=True), [], []
        for loss, l1 in (("squared", 0.0), ("logistic", 0.0), ("squared_hinge", 0.0), ("logistic", 0.05)):
            P, _ = setting(loss, l1=l1)
            rng, theta, fed = np.random.default_rng(1), theta_of(P, scheme), outcomes(P, "dual", scheme)
            for away in (0.0, 1e-2, 1.0):
                S = method.init(P, scheme, Points(None, P.alpha(rng.standard_normal(P.d))))
                S.e[:] = away * rng.standard_normal(P.d)  # w = w(alpha) + r e
                measured.append(mean_after(P, method, S, fed, gap))
                promised.append((1 - theta) * gap(P, method.points(P, S)))
        return measured, promised

    return measure


for name, sampling in SCHEMES.items():
    claim("rcd", f"{PAPER}, Lemma 8, {name}", kind="exact")(lemma_8(sampling))
    claim("rcd", f"{PAPER}, Theorem 1 (8), one step, {name}", kind="exact")(primal_step(sampling))
    for step in ("fixed", "local"):
        claim(f"quartz {step}", f"{PAPER}, Theorem 1 (9), one step, {name}", kind="exact")(dual_step(sampling, step))
    claim("quartz averaged", f"{PAPER}, Theorem 1 (9), one step, {name}", kind="exact")(averaged_step(sampling))


# ---------------------------------------------------------------- Theorem 1, curves
def curve(P, method, scheme, seed, epochs, value):
    """value(P, points) at the start and after every epoch."""
    sampling, S = samplings.resolve(scheme), method.init(P, scheme)
    out = [value(P, method.points(P, S))]
    for order in islice(method.orders(P, sampling, np.random.default_rng(seed)), epochs):
        S = method.epoch(method.view(P), S, order)
        out.append(value(P, method.points(P, S)))
    return np.array(out)


def primal_curve(scheme, epochs=60):
    def measure(seeds):
        P, best = setting("logistic", n=30, d=10)
        curves = np.array([curve(P, RCD(), scheme, seed, epochs, primal) for seed in seeds]) - P.primal(best)
        return curves[:, 1:], (1 - rho_of(P, scheme)) ** (P.d * np.arange(1, epochs + 1)) * curves[0, 0]

    return measure


def dual_curve(scheme, averaged, value, epochs=60):
    def measure(seeds):
        P, best = setting("logistic", n=30, d=10)
        curves = np.array([curve(P, Quartz(averaged_primal=averaged), scheme, seed, epochs, value) for seed in seeds])
        theta, first = theta_of(P, scheme), curves[0, 0]
        if value is dual:
            curves, first = P.primal(best) - curves, P.primal(best) - first
        elif not averaged:
            first = (P.primal(best) - P.dual(np.zeros(P.n))) / theta
        return curves[:, 1:], (1 - theta) ** (P.n * np.arange(1, epochs + 1)) * first

    return measure


for name in ("uniform", "importance"):
    claim("rcd", f"{PAPER}, Theorem 1 (8), {name}")(primal_curve(name))
    claim("quartz", f"{PAPER}, Theorem 1 (9), plain, D* - D, {name}")(dual_curve(name, False, dual))
    claim("quartz", f"{PAPER}, Theorem 1 (9), plain, P - D, {name}")(dual_curve(name, False, gap))
    claim("quartz averaged", f"{PAPER}, Theorem 1 (9), P - D, {name}")(dual_curve(name, True, gap))
