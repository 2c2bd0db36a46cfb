"""Shalev-Shwartz & Zhang, Accelerated mini-batch stochastic dual coordinate ascent (2013), Theorem 1: for l1 = 0

E[m (P(x_t) - P*) + n (D* - D(alpha_t))] <= (1 - theta m/n)^t (its value at t = 0),

theta = min{1, sqrt(k/m), k, k^(2/3)/m^(1/3)}/4, k = gamma l2 n/R^2. The paper's three regimes are k ~ 1/m, 1 and m.
"""

from itertools import combinations, islice

import numpy as np
from claims import claim
from multiclass import classes
from problems import data

import cdlab
from cdlab.methods.asdca import ASDCA
from cdlab.samplings import Batches, TauNice

PAPER = "Shalev-Shwartz & Zhang 2013b, Theorem 1"
RECORDS = 16


def problem(loss, k, n, d=5):
    """gamma l2 n/R^2 = k."""
    X, y = classes(n=n, d=d, seed=2) if loss == "softmax" else data(n=n, d=d, seed=2)
    free = cdlab.Problem(X, y, loss=loss)
    return cdlab.Problem(X, y, loss=loss, l2=k * free.R**2 / (free.loss.gamma * n))


def theta_of(P, m):
    k = P.loss.gamma / (P.X**2).sum(1).max() * P.l2 * P.n
    return min(1, np.sqrt(k / m), k, k ** (2 / 3) / m ** (1 / 3)) / 4


def optimal_value(P):
    """P* = D*, to rounding."""
    s = cdlab.solve(P, "sdca", sampling="permutation", tol=0, max_passes=1500)
    assert s.gap <= 1e-14
    return P.dual(s.alpha)


def potential(P, m, best, points):
    return m * (P.primal(points.w) - best) + P.n * (best - P.dual(points.alpha))


def theorem(loss, k, m, n=20):
    def measure(seeds):
        P = problem(loss, k, n)
        best, rate = optimal_value(P), theta_of(P, m) * m / n
        epochs = int(np.ceil(5 / (rate * np.ceil(n / m) * RECORDS)))  # between records; e^-5 at the end
        measured = np.empty((len(seeds), RECORDS))
        for row, seed in zip(measured, seeds, strict=True):
            method = ASDCA(batch_size=m)
            S, view = method.init(P, "uniform"), method.view(P)
            orders = method.orders(P, cdlab.samplings.resolve("uniform"), np.random.default_rng(seed))
            for record in range(RECORDS):
                for order in islice(orders, epochs):
                    S = method.epoch(view, S, order)
                row[record] = potential(P, m, best, method.points(P, S))
        t = np.arange(1, RECORDS + 1) * epochs * np.ceil(n / m)
        return measured, (1 - rate) ** t * (m * (P.primal(P.zeros(P.d)) - best) + n * (best - P.dual(P.zeros(n))))

    return measure


def one_step(loss, m, n=8):
    """All subsets of m examples, from points along a run and from arbitrary ones."""

    def measure(_):
        measured, promised = [], []
        for k in (1 / m, 1.0, m):
            P = problem(loss, k, n)
            best, rate, method = optimal_value(P), theta_of(P, m) * m / n, ASDCA(batch_size=m)
            view, rng = method.view(P), np.random.default_rng(0)
            for _ in range(4):
                start = cdlab.methods.Points(*(f(rng.standard_normal(P.zeros(P.d).shape)) for f in (np.array, P.alpha)))
                for S in (method.init(P, "uniform"), method.init(P, "uniform", start)):
                    for order in islice(TauNice(m).batches(P.coordinates("dual"), rng), 3):
                        S = method.epoch(view, S, order)
                    after = []
                    for chosen in combinations(range(n), m):
                        block = Batches(np.array(chosen, np.uint64), np.array([0, m], np.uint64))
                        copy = S._replace(alpha=S.alpha.copy(), v=S.v.copy(), x=S.x.copy())
                        after.append(potential(P, m, best, method.points(P, method.epoch(view, copy, block))))
                    measured.append(np.mean(after))
                    promised.append((1 - rate) * potential(P, m, best, method.points(P, S)))
        return measured, promised

    return measure


for _loss, _regime, _k in (
    ("logistic", "1/m", lambda m: 1 / m),
    ("smooth_hinge", "1", lambda m: 1.0),
    ("squared", "m", lambda m: m),
    ("softmax", "1", lambda m: 1.0),
):
    for _m in (1, 4, 20):
        _name = f"{PAPER}: n = 20, m = {_m}, gamma l2 n/R^2 = {_regime}, {_loss}"
        claim("asdca", _name)(theorem(_loss, _k(_m), _m))

for _loss, _m in (("squared", 1), ("logistic", 2), ("smooth_hinge", 4), ("squared", 8), ("softmax", 2)):
    claim("asdca", f"{PAPER}, one step: n = 8, m = {_m}, {_loss}", kind="exact")(one_step(_loss, _m))
