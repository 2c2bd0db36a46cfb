"""Methods around the face-off: acceleration, adaptive probabilities, greedy choices.

acc_rcd   Allen-Zhu, Qu, Richtarik & Yuan 2016, for any p: with M = max_j sqrt(L_j)/p_j,
          tau = 2/(1 + sqrt(1 + 4 M^2/l2)), eta = 1/(tau M^2) and
          V = (eta/tau)(P(y) - P*) + ((1 + eta l2)/2)||z - w*||^2:  E V+ <= (1 - tau) V
adasdca   Csiba, Qu & Richtarik 2015: E D(alpha+) - D(alpha) >= theta (P(w) - D(alpha)), with
          r = alpha + phi'(Xw), p ~ |r_i| sqrt(||x_i||^2 + l2 n gamma),
          theta = min(l2 n gamma sum r^2/sum r^2 (||x_i||^2 + l2 n gamma)/p, min p over r != 0)
greedy    Nutini et al. 2015: P(w+) - P* <= (1 - l2/(d max L)) (P(w) - P*) for gs, (1 - l2/sum L) for gsl
"""

import numpy as np
from claims import claim
from faceoff import CURVATURE, SKEWED, copy, curve, marginals, primal, setting

import cdlab
from cdlab.methods import Points
from cdlab.methods.acc_rcd import AccRCD
from cdlab.methods.adasdca import AdaSDCA
from cdlab.methods.greedy import Greedy


# ---------------------------------------------------------------- acc_rcd
def smoothness(P):
    return (P.beta * (P.X**2).sum(0) + P.l2 * P.n) / P.n


def steps_of(P, scheme):
    M2 = (smoothness(P) / marginals(P, "primal", scheme) ** 2).max()
    tau = 2 / (1 + np.sqrt(1 + 4 * M2 / P.l2))
    return tau, 1 / (tau * M2)


def lyapunov(P, best, scheme, y, z):
    tau, eta = steps_of(P, scheme)
    return eta / tau * (P.primal(y) - P.primal(best)) + (1 + eta * P.l2) / 2 * ((z - best) ** 2).sum()


def both(S):
    """y and z of acc_rcd's state."""
    m, q = S.mq[:, 0], S.r * S.mq[:, 1]
    return m + (1 - S.a) * q, m - S.a * q


def accelerated_step(scheme):
    """All coordinates, from points along a run and from y and z that have nothing to do with each other."""

    def measure(seeds):
        method, measured, promised = AccRCD(), [], []
        for loss in CURVATURE:
            P, best = setting(loss)
            view, rng = method.view(P), np.random.default_rng(0)
            p, (tau, _) = marginals(P, "primal", scheme), steps_of(P, scheme)
            S = method.init(P, scheme, Points(rng.standard_normal(P.d), None))
            apart = copy(S)
            apart.mq[:, 1] = rng.standard_normal(P.d)
            method.refresh(P, apart)
            for state in (S, apart):
                for _ in range(8):
                    after = 0.0
                    for j in range(P.d):
                        moved = method.epoch(view, copy(state), np.array([j], np.uint64))
                        after += p[j] * lyapunov(P, best, scheme, *both(moved))
                    measured.append(after)
                    promised.append((1 - tau) * lyapunov(P, best, scheme, *both(state)))
                    state = method.epoch(view, state, rng.integers(P.d, size=3, dtype=np.uint64))
        return measured, promised

    return measure


def accelerated_curve(scheme, epochs=60):
    def measure(seeds):
        P, best = setting("logistic", n=30, d=10, l2=0.01)
        tau, eta = steps_of(P, scheme)
        curves = np.array([curve(P, AccRCD(), scheme, seed, epochs, primal) for seed in seeds]) - P.primal(best)
        first = tau / eta * lyapunov(P, best, scheme, np.zeros(P.d), np.zeros(P.d))
        return curves[:, 1:], (1 - tau) ** (P.d * np.arange(1, epochs + 1)) * first

    return measure


for name, sampling in (("uniform", "uniform"), ("sqrt(L)", cdlab.samplings.Lipschitz(0.5)), ("given p", SKEWED)):
    claim("acc_rcd", f"Allen-Zhu et al. 2016, one step, {name}", kind="exact")(accelerated_step(sampling))
for name, sampling in (("uniform", "uniform"), ("sqrt(L)", cdlab.samplings.Lipschitz(0.5))):
    claim("acc_rcd", f"Allen-Zhu et al. 2016, rate, {name}")(accelerated_curve(sampling))


# ---------------------------------------------------------------- adasdca
def adaptive_step(step):
    def measure(_):
        method, measured, promised = AdaSDCA(step=step), [], []
        for loss, l1 in (("squared", 0.0), ("logistic", 0.0), ("squared_hinge", 0.0), ("logistic", 0.05)):
            P, _ = setting(loss, l1=l1)
            view, rng = method.view(P), np.random.default_rng(0)
            for w in (np.zeros(P.d), *rng.standard_normal((5, P.d))):
                alpha = P.alpha(w)
                r = alpha - P.alpha(P.w(alpha))
                s = (P.X**2).sum(1) + P.l2 * P.n * P.loss.gamma
                p = np.abs(r) * np.sqrt(s) / (np.abs(r) * np.sqrt(s)).sum()
                live = r != 0
                ratio = P.l2 * P.n * P.loss.gamma * (r**2).sum() / (r[live] ** 2 * s[live] / p[live]).sum()
                theta, after = min(ratio, p[live].min()), 0.0
                for i in np.flatnonzero(live):
                    S, uniform = method.init(P, "uniform", Points(None, alpha)), p[:i].sum() + p[i] / 2
                    S = method.epoch(view, S, np.array([uniform]))
                    assert np.flatnonzero(S.alpha != alpha).tolist() in ([i], [])
                    after += p[i] * P.dual(S.alpha)
                measured.append(theta * P.gap(P.w(alpha), alpha))
                promised.append(after - P.dual(alpha))
        return measured, promised

    return measure


for step in ("exact", "fixed"):
    claim(f"adasdca {step}", "Csiba, Qu & Richtarik 2015, one step", kind="exact")(adaptive_step(step))


# ---------------------------------------------------------------- greedy
def greedy_steps(rule):
    def measure(_):
        method, measured, promised = Greedy(rule), [], []
        for loss in CURVATURE:
            P, best = setting(loss)
            L, view, least = smoothness(P), method.view(P), P.primal(best)
            rate = 1 - P.l2 / (P.d * L.max() if rule == "gs" else L.sum())
            for start in np.random.default_rng(0).standard_normal((3, P.d)):
                S = method.init(P, "uniform", Points(start, None))
                for _ in range(20):
                    promised.append(rate * (P.primal(S.w) - least))
                    S = method.epoch(view, S, np.zeros(1, np.uint64))
                    measured.append(P.primal(S.w) - least)
        return measured, promised

    return measure


for rule in ("gs", "gsl"):
    claim(f"greedy {rule}", "Nutini et al. 2015, every step", kind="exact")(greedy_steps(rule))
