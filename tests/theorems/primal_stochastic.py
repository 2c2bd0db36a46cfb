"""SGD and RDA (their averaged iterates), SAG and SAGA, SVRG (stages, and one step by enumeration)."""

from functools import cache
from itertools import islice

import numpy as np
from claims import claim
from multiclass import classes
from problems import data

import cdlab
from cdlab.methods import Points
from cdlab.methods.rda import RDA
from cdlab.methods.sag import SAG
from cdlab.methods.saga import SAGA
from cdlab.methods.sgd import SGD
from cdlab.methods.svrg import SVRG

EPOCHS = 40


@cache
def setting(loss, l2, l1, n=20, d=5, unit=True):
    """A problem, its rows of norm 1 unless they shall differ, w* and P*; by SAGA if l2 = 0, as sdca needs l2 > 0."""
    X, y = classes(n=n, d=d) if loss == "softmax" else data(n=n, d=d)
    P = cdlab.Problem(X / np.linalg.norm(X, axis=1, keepdims=True) if unit else X, y, loss, l2, l1)
    method = "sdca" if l2 > 0 else SAGA()
    best = cdlab.solve(P, method, tol=1e-13 if P.loss.gamma > 0 else 1e-9, max_passes=None, max_seconds=20, every=20)
    assert best.status in ("tolerance reached", "rounding limit")
    return P, best.w, P.primal(best.w)


def measured(P, method, seeds, quantity, epochs=EPOCHS):
    """quantity(w) after each epoch, a row for each seed; and the numbers of steps."""
    rows = []
    for seed in seeds:
        run = cdlab.iterate(P, method, seed=seed)
        next(run)
        rows.append([quantity(run.w) for _ in islice(run, epochs)])
        assert run.trace.records[-1].iteration == epochs * P.n
    return np.array(rows), np.arange(1, epochs + 1) * P.n


def suboptimality(P, best):
    return lambda w: P.primal(w) - best


# ---------------------------------------------------------------- averages of subgradient methods, phi 1-Lipschitz
def sgd(loss, seeds):
    P, _, best = setting(loss, 0.1, 0.0)
    values, T = measured(P, SGD(), seeds, suboptimality(P, best))
    return values, 2 * P.R**2 * (1 + np.log(T)) / (P.l2 * T)


@claim("sgd", "Shalev-Shwartz et al. 2011, Lemma 1: 2 L^2 R^2 (1 + ln T)/(l2 T); hinge")
def sgd_hinge(seeds):
    return sgd("hinge", seeds)


@claim("sgd", "Shalev-Shwartz et al. 2011, Lemma 1: 2 L^2 R^2 (1 + ln T)/(l2 T); logistic")
def sgd_logistic(seeds):
    return sgd("logistic", seeds)


def rda(loss, l1, seeds):
    P, _, best = setting(loss, 0.1, l1)
    values, t = measured(P, RDA(), seeds, suboptimality(P, best))
    return values, P.R**2 * (6 + np.log(t)) / (2 * P.l2 * t)


@claim("rda", "Xiao 2010, l2 > 0: L^2 R^2 (6 + ln t)/(2 l2 t); absolute")
def rda_l2(seeds):
    return rda("absolute", 0.0, seeds)


@claim("rda", "Xiao 2010, l2 > 0: L^2 R^2 (6 + ln t)/(2 l2 t); hinge, L1+L2")
def rda_elastic_net(seeds):
    return rda("hinge", 0.02, seeds)


def rda_without_l2(seeds, gamma_r=None):
    P, w, best = setting("logistic", 0.0, 0.05)
    gamma_r = gamma_r or np.sqrt(2) * P.R / np.linalg.norm(w)
    values, t = measured(P, RDA(gamma_r=gamma_r), seeds, suboptimality(P, best))
    return values, (gamma_r * w @ w / 2 + P.R**2 / gamma_r) / np.sqrt(t)


@claim("rda", "Xiao 2010, l2 = 0: (gamma_r ||w*||^2/2 + L^2 R^2/gamma_r)/sqrt t; logistic, L1, best gamma_r")
def rda_l1(seeds):
    return rda_without_l2(seeds)


@claim("rda", "Xiao 2010, l2 = 0: (gamma_r ||w*||^2/2 + L^2 R^2/gamma_r)/sqrt t; logistic, L1, default gamma_r")
def rda_l1_default(seeds):
    P, _, _ = setting("logistic", 0.0, 0.05)
    return rda_without_l2(seeds, gamma_r=np.sqrt(2) * P.R * P.l1 / P.primal(np.zeros(P.d)))


# ---------------------------------------------------------------- tables of derivatives
def slopes(P, w):
    return np.array([P.loss.grad_phi(z, b) for z, b in zip(P.X @ w, P.y, strict=True)])


def sag(loss, seeds):
    P, w, best = setting(loss, 0.1, 0.0, unit=False)
    values, k = measured(P, SAG(), seeds, suboptimality(P, best), epochs=100)
    L, n = P.R**2 / P.loss.gamma + P.l2, P.n
    at_optimum = ((slopes(P, w)[:, None] * P.X + P.l2 * w) ** 2).sum(1).mean()  # f_i' = phi_i' x_i + l2 w
    C0 = 1.5 * (P.primal(np.zeros(P.d)) - best) + 4 * L / n * w @ w + at_optimum / (16 * L)
    return values, (1 - min(P.l2 / (16 * L), 1 / (8 * n))) ** k * C0


@claim("sag", "Schmidt, Le Roux & Bach 2017, Theorem 1 (exact l2 term: checked, not proven); logistic")
def sag_logistic(seeds):
    return sag("logistic", seeds)


@claim("sag", "Schmidt, Le Roux & Bach 2017, Theorem 1 (exact l2 term: checked, not proven); squared")
def sag_squared(seeds):
    return sag("squared", seeds)


def saga(loss, l1, seeds):
    P, w, _ = setting(loss, 0.1, l1, unit=False)
    values, k = measured(P, SAGA(), seeds, lambda u: ((u - w) ** 2).sum(), epochs=100)
    L, n, zero = P.R**2 / P.loss.gamma, P.n, np.zeros(P.d)

    def f(u):  # the mean loss
        return P.primal(u) - P.l2 / 2 * u @ u - P.l1 * np.abs(u).sum()

    bregman = f(zero) - f(w) + (P.X.T @ slopes(P, w) / n) @ w
    return values, (1 - min(1 / (4 * n), P.l2 / (3 * (L + P.l2)))) ** k * (w @ w + 2 * n / (3 * L) * bregman)


@claim("saga", "Defazio, Bach & Lacoste-Julien 2014, Corollary 1 (l2 in g: checked, not proven); logistic")
def saga_logistic(seeds):
    return saga("logistic", 0.0, seeds)


@claim("saga", "Defazio, Bach & Lacoste-Julien 2014, Corollary 1 (l2 in g: checked, not proven); squared, L1+L2")
def saga_squared(seeds):
    return saga("squared", 0.02, seeds)


# ---------------------------------------------------------------- full gradients at snapshots
def svrg(loss, l2, l1, sampling, seeds, stages=6):
    """Stages of m = 100 L/l2 steps of length 0.1/L, L = max_i L_i/(n p_i)."""
    P, _, best = setting(loss, l2, l1, unit=sampling == "uniform")
    method = SVRG(m="theory", snapshot="average")
    p = method.probabilities(P, sampling)
    L = ((P.X**2).sum(1) / (P.loss.gamma * P.n * p)).max()
    eta, m = 0.1 / L, int(np.ceil(100 * L / P.l2))
    values = []
    for seed in seeds:
        rng, S, row = np.random.default_rng(seed), method.init(P, sampling), []
        for _ in range(stages):
            S = method.epoch(method.view(P), S, rng.choice(P.n, size=m, p=p).astype(np.uint64))
            row.append(P.primal(method.points(P, S).w) - best)
        values.append(row)
    rest = 1 - 4 * L * eta
    rho = 1 / (P.l2 * eta * rest * m) + 4 * L * eta * (m + 1) / (rest * m)
    return np.array(values), rho ** np.arange(1, stages + 1) * (P.primal(P.zeros(P.d)) - best)


@claim("svrg", "Xiao & Zhang 2014, Theorem 3.1: rho a stage; logistic")
def svrg_uniform(seeds):
    return svrg("logistic", 1.0, 0.0, "uniform", seeds)


@claim("svrg", "Xiao & Zhang 2014, Theorem 3.1: rho a stage; smooth hinge, L1+L2, importance sampling")
def svrg_importance(seeds):
    return svrg("smooth_hinge", 1.0, 0.05, "importance", seeds)


@claim("svrg", "Xiao & Zhang 2014, Theorem 3.1: rho a stage; softmax, L1+L2")
def svrg_softmax(seeds):
    return svrg("softmax", 1.0, 0.02, "uniform", seeds)


STEP = (
    "Xiao & Zhang 2014, proof of Theorem 3.1: E||w' - w*||^2 <= ||w - w*||^2 - 2 eta E(P(w') - P*)"
    " + 8 L eta^2 (P(w) - P* + P(s) - P*)"
)


@claim("svrg", f"{STEP}; squared, L1+L2, norms", kind="exact")
def svrg_step_of_squares(seeds):
    return svrg_step("squared")


@claim("svrg", f"{STEP}; softmax, L1+L2, norms", kind="exact")
def svrg_step_of_softmax(seeds):
    return svrg_step("softmax")


def svrg_step(loss):
    P, w_star, best = setting(loss, 0.1, 0.05, n=12, d=5, unit=False)
    rng, method = np.random.default_rng(0), SVRG()
    p = method.probabilities(P, "norms")
    L = ((P.X**2).sum(1) / (P.loss.gamma * P.n * p)).max()
    eta = 0.1 / L
    left, right = [], []
    for _ in range(20):
        size = 10.0 ** rng.uniform(-3, 1)
        snapshot = w_star + size * rng.standard_normal(w_star.shape)
        path = rng.integers(P.n, size=5)
        before = _after(P, method, snapshot, path)
        ends = [_after(P, method, snapshot, [*path, i]) for i in range(P.n)]
        distance = p @ [((w - w_star) ** 2).sum() for w in ends]
        gain = p @ [P.primal(w) - best for w in ends]
        left.append(distance + 2 * eta * gain)
        noise = P.primal(before) - best + P.primal(snapshot) - best
        right.append(((before - w_star) ** 2).sum() + 8 * L * eta**2 * noise)
    return np.array(left), np.array(right)


def _after(P, method, start, path):
    S = method.init(P, "norms", start=Points(start, P.zeros(P.n)))
    return method.points(P, method.epoch(method.view(P), S, np.array(path, np.uint64))).w
