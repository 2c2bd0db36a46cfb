"""Shalev-Shwartz & Zhang, Stochastic dual coordinate ascent (2013), with uniform sampling; with l1 > 0 and for vector
losses Proximal stochastic dual coordinate ascent (2012). L2 stands for l2 > 0 = l1, L1 for l2, l1 > 0.

One step (main lemma, any s in [0, 1]): E[D+ - D] >= (s/n)(P - D) - (s/n)^2 G/(2 l2) with
G = (1/n) sum_i (||x_i||^2 - gamma (1 - s) l2 n/s) ||u_i - alpha_i||^2, u_i = -phi'(x_i'w).

Smooth losses, C = n + R^2/(l2 gamma):   E[D* - D_t] <= (1 - 1/C)^t (D* - D_0) and E[P_t - D_t] <= C times that.
L-Lipschitz losses, G = 4 L^2 R^2, t0 = max(0, n ln(2 l2 n (D* - D_0)/G)):   E[D* - D_t] <= 2G/(l2 (2n + t - t0)), and
for the average over the steps T0 < t <= T, T - T0 >= n, T0 >= t0:   2G/(l2 (2n + T0 - t0)) + G/(2 l2 (T - T0)).
"""

from functools import cache
from itertools import islice

import numpy as np
from claims import claim
from multiclass import classes
from problems import data, optimum, problem

import cdlab
from cdlab.methods import SDCA, Averaged, Quartz
from cdlab.problems.proximal import ProximalProblem

SMOOTH = "Shalev-Shwartz & Zhang 2013, Theorem 2"
LIPSCHITZ = "Shalev-Shwartz & Zhang 2013, Theorem 1"
EPOCHS = 40
REGULARISERS = {"L2": 0.0, "L1": 0.02}


@cache
def unit_rows(loss, l2, l1, n=24):
    """Rows of norm 1: the constants then are those of the paper."""
    X, y = classes(n=n) if loss == "softmax" else data(n=n)
    return cdlab.Problem(X / np.linalg.norm(X, axis=1, keepdims=True), y, loss=loss, l2=l2, l1=l1)


@cache
def dual_optimum(P):
    s = cdlab.solve(P, "sdca", sampling="permutation", tol=0, max_passes=3000)
    assert s.gap <= (1e-14 if P.loss.gamma > 0 else 1e-8)
    return P.primal(s.w) if P.loss.gamma == 0 else P.dual(s.alpha)  # P(w) >= D*: no slack for what is claimed


def dual_error_at_start(P):
    return dual_optimum(P) - P.dual(P.zeros(P.n))


# ---------------------------------------------------------------- one step
def one_step(P, S, i):
    S = S._replace(alpha=S.alpha.copy(), v=S.v.copy())
    return SDCA().epoch(P.by_rows, S, np.array([i], dtype=np.uint64))


def main_lemma(loss, l1):
    def measure(_):
        P = unit_rows(loss, 0.05, l1, n=8)
        n, gamma, norms2 = P.n, P.loss.gamma, (P.X**2).sum(axis=1)
        best_s = P.l2 * n * gamma / (1 + P.l2 * n * gamma)  # 1/C = s/n
        S, lower, exact = SDCA().init(P, "uniform"), [], []
        for i in np.random.default_rng(0).integers(n, size=12):
            w, before = P.w(S.alpha), P.dual(S.alpha)
            gain = np.mean([P.dual(one_step(P, S, k).alpha) - before for k in range(n)])
            distances2 = ((P.alpha(w) - S.alpha).reshape(n, -1) ** 2).sum(axis=1)
            for s in (1e-3, 0.03, 0.1, 0.3, 0.6, 1.0, *([best_s] if best_s else [])):
                G = ((norms2 - gamma * (1 - s) * P.l2 * n / s) * distances2).mean()
                lower.append(s / n * (P.primal(w) - before) - (s / n) ** 2 * G / (2 * P.l2))
                exact.append(gain)
            S = one_step(P, S, i)
        return lower, exact

    return measure


for loss in ("squared", "logistic", "smooth_hinge", "softmax", "hinge", "absolute"):
    for name, l1 in REGULARISERS.items():
        claim("sdca", f"Shalev-Shwartz & Zhang 2013, main lemma: {loss}, {name}", "exact")(main_lemma(loss, l1))


# ---------------------------------------------------------------- smooth losses
def traces(P, method, seeds):
    """The records after 1, 2, ... epochs: at t = 0 bounds are equalities and say nothing."""
    return [list(islice(cdlab.iterate(P, method, seed=seed), 1, EPOCHS + 1)) for seed in seeds]


def smooth(P, method, quantity):
    def measure(seeds):
        C, t = P.n + P.R**2 / (P.l2 * P.loss.gamma), P.n * np.arange(1, EPOCHS + 1)
        bound = (1 - 1 / C) ** t * dual_error_at_start(P)
        if quantity == "gap":
            return [[r.primal - r.dual for r in records] for records in traces(P, method, seeds)], C * bound
        return [[dual_optimum(P) - r.dual for r in records] for records in traces(P, method, seeds)], bound

    return measure


for loss in ("squared", "logistic", "smooth_hinge", "softmax"):
    for name, l1 in REGULARISERS.items():
        P = unit_rows(loss, 0.05, l1)
        for quantity in ("dual", "gap"):
            claim("sdca", f"{SMOOTH}, {quantity}: {loss}, {name}")(smooth(P, SDCA(), quantity))
for name, l1 in REGULARISERS.items():
    for quantity in ("dual", "gap"):
        fixed_fraction = smooth(unit_rows("logistic", 0.05, l1), Quartz(step="local"), quantity)
        claim("quartz", f"{SMOOTH}, {quantity}, steps of a fixed fraction: logistic, {name}")(fixed_fraction)


def drawn_iterate(loss, l1, n=3, T=6):
    """The gap at a step drawn uniformly from T0 + 1, ..., T: E gap <= C/(T - T0) E[D_T - D_T0], over all n^T runs."""

    def measure(_):
        P = unit_rows(loss, 0.2, l1, n=n)
        C, level, gaps, duals = P.n + P.R**2 / (P.l2 * P.loss.gamma), [SDCA().init(P, "uniform")], [], []
        for _ in range(T + 1):
            duals.append(np.mean([P.dual(S.alpha) for S in level]))
            gaps.append(np.mean([P.gap(P.w(S.alpha), S.alpha) for S in level]))
            level = [one_step(P, S, i) for S in level for i in range(n)] if len(duals) <= T else []
        windows = [(first, last) for last in range(1, T + 1) for first in range(last)]
        measured = [np.mean(gaps[first:last]) for first, last in windows]
        return measured, [C / (last - first) * (duals[last] - duals[first]) for first, last in windows]

    return measure


for loss in ("squared", "logistic"):
    for name, l1 in REGULARISERS.items():
        claim("sdca", f"{SMOOTH}, a step drawn at random: {loss}, {name}", "exact")(drawn_iterate(loss, l1))


# ---------------------------------------------------------------- Lipschitz losses
def lipschitz_constants(P):
    G = 4 * P.loss.lipschitz**2 * P.R**2
    return G, max(0, np.ceil(P.n * np.log(2 * P.l2 * P.n * dual_error_at_start(P) / G)))


def lipschitz_dual(P):
    def measure(seeds):
        (G, t0), t = lipschitz_constants(P), P.n * np.arange(1, EPOCHS + 1)
        later = t >= t0
        errors = [[dual_optimum(P) - r.dual for r in records] for records in traces(P, "sdca", seeds)]
        return np.array(errors)[:, later], (2 * G / (P.l2 * (2 * P.n + t - t0)))[later]

    return measure


def averaged_gap(P, average):
    def measure(seeds):
        (G, t0), epochs = lipschitz_constants(P), np.arange(1, EPOCHS + 1)
        T0 = P.n * (0 if average == "all" else 1) * (2 ** np.floor(np.log2(epochs)) // 2)
        covered = T0 >= t0
        gaps = [[r.primal - r.dual for r in records] for records in traces(P, Averaged(SDCA(), average), seeds)]
        bound = 2 * G / (P.l2 * (2 * P.n + T0 - t0)) + G / (2 * P.l2 * (P.n * epochs - T0))
        return np.array(gaps)[:, covered], bound[covered]

    return measure


for loss in ("hinge", "absolute"):
    for name, l1 in REGULARISERS.items():
        P = unit_rows(loss, 0.05, l1)
        claim("sdca", f"{LIPSCHITZ}, dual: {loss}, {name}")(lipschitz_dual(P))
        claim("sdca", f"{LIPSCHITZ}, average of all: {loss}, {name}")(averaged_gap(P, "all"))
        claim("sdca", f"{LIPSCHITZ}, average of the last half: {loss}, {name}")(averaged_gap(P, "half"))
    P = unit_rows(loss, 1.0, 0.0)
    claim("sdca", f"{LIPSCHITZ}, dual, t0 > 0: {loss}, L2")(lipschitz_dual(P))
    claim("sdca", f"{LIPSCHITZ}, average of the last half, t0 > 0: {loss}, L2")(averaged_gap(P, "half"))


# ---------------------------------------------------------------- pure L1
def added_l2(loss):
    """With l2 = eps (l1/P(0))^2 added and that problem solved to eps/2: P(w) - P* <= eps."""

    def measure(_):
        P = problem(loss, l2=0.0, l1=0.05)
        best, found, levels = optimum(loss, 0.0, 0.05), [], [0.3, 0.1, 0.03, 0.01]
        for eps in levels:
            Q = ProximalProblem(P, eps * (0.05 / P.primal(np.zeros(P.d))) ** 2, np.zeros(P.d))
            run = cdlab.iterate(Q, "sdca")
            while next(run).gap > eps / 2:
                pass
            found.append(P.primal(run.w) - best)
        return found, levels

    return measure


for loss in ("logistic", "squared", "hinge"):
    claim("sdca", f"Shalev-Shwartz & Zhang 2012, pure L1 through an added l2: {loss}", "exact")(added_l2(loss))
