"""Lin, Lu & Xiao, An accelerated randomized proximal coordinate gradient method (2015), on the dual: F = -D.

Theorem 2.1  E[D* - D(x_k)] <= (1 - sqrt(mu)/n)^k (D* - D(x_0) + (mu/2) sum_i L_i (x_0i - alpha*_i)^2)
             L_i = ||x_i||^2/(l2 n^2) + gamma/n, or the largest of them for every i;  mu = (gamma/n)/max_i L_i
Its proof    in one step, for the squared loss (whose Psi is linear), at every x and z:
             E V(x+, z+) <= (1 - sqrt(mu)/n) V(x, z),  V = D* - D(x) + (mu/2) sum_i L_i (z_i - alpha*_i)^2
Primal step  w = prox_{g/L_f}(w(x) - grad f(w(x))/L_f):  P(w) - P* <= (L_f/2) ||w(x) - w*||^2 <= (L_f/l2) (D* - D(x))
"""

from functools import cache

import numpy as np
from claims import claim
from multiclass import softmax_problem
from problems import problem

import cdlab
from cdlab.methods.apcg import APCG

PAPER = "Lin, Lu & Xiao 2015"
RECORDS = 40


@cache
def setting(loss, l2, l1, n=20):
    """A problem and its dual optimum, to rounding."""
    size = {"n": n, "d": 6, "seed": 3}
    P = softmax_problem(l2, l1, **size) if loss == "softmax" else problem(loss, l2=l2, l1=l1, **size)
    s = cdlab.solve(P, "sdca", sampling="permutation", tol=0, max_passes=4000)
    assert s.gap <= 1e-13
    return P, s.alpha


def lipschitz(P, smoothness):
    L = (P.X**2).sum(1) / (P.l2 * P.n**2) + P.loss.gamma / P.n
    mu = P.loss.gamma / P.n / L.max()
    return (L if smoothness == "individual" else np.full(P.n, L.max())), mu


def run(P, method, seed, steps, record):
    """What `record` says of the points after every `steps` updates."""
    S, view, rng = method.init(P, "uniform"), method.view(P), np.random.default_rng(seed)
    out = []
    for _ in range(RECORDS):
        S = method.epoch(view, S, rng.integers(P.n, size=steps, dtype=np.uint64))
        out.append(record(method.points(P, S)))
    return np.array(out)


def theorem(loss, l2, l1, smoothness):
    def measure(seeds):
        P, best = setting(loss, l2, l1)
        D, (L, mu) = P.dual(best), lipschitz(P, smoothness)
        method, steps = APCG(smoothness=smoothness), 2 * P.n
        measured = [run(P, method, seed, steps, lambda points: D - P.dual(points.alpha)) for seed in seeds]
        k, squares = steps * np.arange(1, RECORDS + 1), (best**2).reshape(P.n, -1).sum(axis=1)
        return measured, (1 - np.sqrt(mu) / P.n) ** k * (D - P.dual(P.zeros(P.n)) + mu / 2 * L @ squares)

    return measure


def one_step(l1, smoothness, n=8):
    """All coordinates, at points along a run."""

    def measure(_):
        P, best = setting("squared", 0.02, l1, n)
        (L, mu), method = lipschitz(P, smoothness), APCG(smoothness=smoothness)

        def V(S):
            z = S.v - S.r * S.u
            return P.dual(best) - P.dual(method.points(P, S).alpha) + mu / 2 * L @ (z - best) ** 2

        view, rng = method.view(P), np.random.default_rng(0)
        S = method.init(P, "uniform", cdlab.methods.Points(None, rng.standard_normal(n)))
        measured, promised = [], []
        for _ in range(40):
            after = []
            for i in range(n):
                copy = S._replace(u=S.u.copy(), v=S.v.copy(), qp=S.qp.copy())
                after.append(V(method.epoch(view, copy, np.array([i], np.uint64))))
            measured.append(np.mean(after))
            promised.append((1 - np.sqrt(mu) / n) * V(S))
            S = method.epoch(view, S, rng.integers(n, size=2, dtype=np.uint64))
        return measured, promised

    return measure


def primal_step(part, loss, l1):
    """The inequalities of the primal step at points x of one run."""

    def measure(_):
        P, best = setting(loss, 0.2, l1)
        D, L_f, w_best = P.dual(best), np.linalg.norm(P.X, 2) ** 2 / (P.n * P.loss.gamma), P.w(best)

        def record(points):
            loss_of_w, loss_of_x = P.primal(points.w) - D, D - P.dual(points.alpha)
            distance = ((P.w(points.alpha) - w_best) ** 2).sum()
            return {
                "w(x)": (P.l2 / 2 * distance, loss_of_x),
                "step": (loss_of_w, L_f / 2 * distance),
                "both": (loss_of_w, L_f / P.l2 * loss_of_x),
            }[part]

        return run(P, APCG(primal_step=True), 0, 3, record).T

    return measure


for _loss, _l2, _l1, _smoothness in (
    ("logistic", 0.02, 0.0, "individual"),
    ("squared", 0.02, 0.0, "uniform"),
    ("smooth_hinge", 0.1, 0.02, "individual"),
    ("huber", 0.02, 0.02, "uniform"),
    ("softmax", 0.02, 0.0, "individual"),
    ("softmax", 0.1, 0.02, "uniform"),
):
    _name = f"{PAPER}, Theorem 2.1: {_loss}, l1 = {_l1}, {_smoothness} L_i"
    claim("apcg", _name)(theorem(_loss, _l2, _l1, _smoothness))

for _l1, _smoothness in ((0.0, "individual"), (0.02, "uniform")):
    _name = f"{PAPER}, Theorem 2.1 in one step: squared, l1 = {_l1}, {_smoothness} L_i"
    claim("apcg", _name, kind="exact")(one_step(_l1, _smoothness))

for _loss, _l1 in (("logistic", 0.0), ("smooth_hinge", 0.02), ("softmax", 0.0)):
    for _part, _statement in (
        ("w(x)", "(l2/2) ||w(x) - w*||^2 <= D* - D(x)"),
        ("step", "P(w) - P* <= (L_f/2) ||w(x) - w*||^2"),
        ("both", "P(w) - P* <= (L_f/l2) (D* - D(x))"),
    ):
        _name = f"{PAPER}, primal step: {_statement}: {_loss}, l1 = {_l1}"
        claim("apcg", _name, kind="exact")(primal_step(_part, _loss, _l1))
