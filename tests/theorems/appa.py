"""APPA and Accelerated APPA (Frostig, Ge, Kakade & Sidford 2015): what each stage and all of them promise.

Everything is on the scale of the mean loss, and the optima are exact: the normal equations for the squared loss,
Newton's method for the logistic one. Stages end by the oracle's certificate, so that the promises hold in every run,
not only in the mean.
"""

from functools import cache

import numpy as np
from claims import claim
from problems import data

import cdlab
from cdlab.methods.acc_appa import AccAPPA
from cdlab.methods.appa import APPA

RUNS = 5


class Exact:
    """P(w) = mean loss + (l2/2)||w||^2 and P + (lam/2)||w - s||^2, with their minimisers."""

    def __init__(self, loss, l2, condition=None):
        X, y = data(n=40, d=6, seed=1)
        if condition is not None:  # Hessian X'X/n with eigenvalues 1 to 1/condition
            U, _, Vt = np.linalg.svd(X, full_matrices=False)
            X = np.sqrt(40) * U * np.geomspace(1, condition**-0.5, 6) @ Vt
        self.X, self.y, self.loss, self.l2 = X, y, loss, l2
        self.problem = cdlab.Problem(X, y, loss=loss, l2=l2)
        self.n, self.d = X.shape
        self.mu = l2 + (np.linalg.eigvalsh(X.T @ X / self.n)[0] if loss == "squared" else 0.0)
        self.best = self.P(self.argmin(0.0, np.zeros(self.d)))

    def P(self, w, lam=0.0, s=0.0):
        z = self.X @ w
        loss = (z - self.y) ** 2 / 2 if self.loss == "squared" else np.logaddexp(0, -self.y * z)
        return loss.mean() + self.l2 / 2 * w @ w + lam / 2 * ((w - s) ** 2).sum()

    def argmin(self, lam, s):
        X, n, ridge = self.X, self.n, (self.l2 + lam) * np.eye(self.d)
        if self.loss == "squared":
            return np.linalg.solve(X.T @ X / n + ridge, X.T @ self.y / n + lam * s)
        w = np.zeros(self.d)
        for _ in range(30):
            p = 1 / (1 + np.exp(self.y * (X @ w)))
            slope = -X.T @ (self.y * p) / n + self.l2 * w + lam * (w - s)
            w = w - np.linalg.solve(X.T * (p * (1 - p)) @ X / n + ridge, slope)
        return w

    def smallest(self, lam, s):
        return self.P(self.argmin(lam, s), lam, s)


@cache
def case(loss):
    return Exact("squared", 0.0, condition=50) if loss == "squared" else Exact("logistic", 0.01)


def centers(E, count, seed=0):
    rng = np.random.default_rng(seed)
    best = E.argmin(0.0, np.zeros(E.d))
    slow = np.linalg.eigh(E.X.T @ E.X)[1][:, 0]  # the direction of least curvature
    for k in range(count):
        yield best + (slow if k % 2 else rng.standard_normal(E.d)) * rng.exponential()


# ------------------------------------------------------------ the lemmas
def lemma_3_1(loss):
    E, measured, promised = case(loss), [], []
    for lam in (0.1 * E.mu, E.mu, 10 * E.mu, 100 * E.mu):
        for s in centers(E, 50):
            measured.append(E.smallest(lam, s) - E.best)
            promised.append(lam / (E.mu + lam) * (E.P(s) - E.best))
    return measured, promised


def with_error(E, lam, s, error, direction):
    """A point whose inner suboptimality is exactly `error`, in this direction from the inner minimiser."""
    best, least = E.argmin(lam, s), E.smallest(lam, s)
    low, high = 0.0, 1.0
    while E.P(best + high * direction, lam, s) - least < error:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if E.P(best + middle * direction, lam, s) - least > error else (middle, high)
    return best + low * direction


def oracle_at_its_limit(loss, c_of, bound):
    """P(x') - P* for oracles of accuracy c whose error is all that they are allowed, and what bounds it."""
    E, measured, promised = case(loss), [], []
    rng = np.random.default_rng(1)
    for lam in (0.3 * E.mu, E.mu, 10 * E.mu):
        for s in centers(E, 12):
            for share in (0.25, 0.5, 1.0):
                c = c_of(lam, E.mu, share)
                error = (E.P(s) - E.smallest(lam, s)) / c
                x = with_error(E, lam, s, error, s - E.argmin(0.0, s) + 0.1 * rng.standard_normal(E.d))
                measured.append(E.P(x) - E.best)
                promised.append(bound(lam, E.mu, share, c) * (E.P(s) - E.best))
    return measured, promised


def lemma_2_3(loss):
    return oracle_at_its_limit(
        loss,
        c_of=lambda lam, mu, share: (lam + mu) / (share * mu),
        bound=lambda lam, mu, share, c: (lam + share * mu) / (lam + mu),
    )


def lemma_3_2(loss):
    return oracle_at_its_limit(
        loss, c_of=lambda lam, mu, share: 8 * share, bound=lambda lam, mu, share, c: 1 / c + lam / (mu + lam)
    )


# ------------------------------------------------------------ whole runs
def stages(E, method, seed, count):
    """(method, state) at the end of each stage."""
    S = method.init(E.problem, "uniform")
    orders = method.orders(E.problem, cdlab.samplings.Uniform(), np.random.default_rng(seed))
    while count > 0:
        S = method.epoch(method.view(E.problem), S, next(orders))
        if S.stage.solved:
            count -= 1
            yield S


def values(E, method, seeds, count):
    """P(x_k) - P* after k = 1, 2, ... stages, one row a run."""
    runs = [stages(E, method, seed, count) for seed in list(seeds)[:RUNS]]
    return np.array([[E.P(method.points(E.problem, S).w) - E.best for S in run] for run in runs])


def theorem_2_4(loss, seeds):
    E, k = case(loss), np.arange(1, 41)
    lam = 3 * E.mu
    measured = values(E, APPA(prox_weight=lam, mu=E.mu, accuracy="theory"), seeds, k.size)
    promised = (1 - E.mu / (2 * (lam + E.mu))) ** k * (E.P(np.zeros(E.d)) - E.best)
    return measured.ravel(), np.tile(promised, RUNS)


def relative(loss, seeds, cls):
    """The rate of exact steps, by stages that end once their gap is small beside how far they have moved."""
    E, k = case(loss), np.arange(1, 41)
    lam = 3 * E.mu
    measured = values(E, cls(prox_weight=lam), seeds, k.size)
    promised = (lam / (lam + E.mu)) ** k * (E.P(np.zeros(E.d)) - E.best)
    compared = promised > 1e-11 * promised[0]
    return measured[:, compared].ravel(), np.tile(promised[compared], RUNS)


def in_one_step(loss, seeds, ratio):
    """The inequality of V = P(x) - P* + (mu/4)||v - w*||^2 at any x and v, for steps that are as wrong as they like."""
    E, rng = case(loss), np.random.default_rng(0)
    mu, lam, best = E.mu, ratio * E.mu, E.argmin(0.0, np.zeros(E.d))
    rho, zeta = 1 + 2 * ratio, 2 / mu + 1 / lam
    r, measured, promised = rho**-0.5, [], []
    for x, v in zip(centers(E, 60, 1), centers(E, 60, 2), strict=True):
        y = (x + r * v) / (1 + r)
        exact = E.argmin(lam, y)
        new = exact + rng.exponential(0.3) * np.linalg.norm(y - exact) * rng.standard_normal(E.d)
        error = E.P(new, lam, y) - E.P(exact, lam, y)
        moved = (1 - r) * v + r * (y - zeta * lam * (y - new))
        V, after = (E.P(at) - E.best + mu / 4 * ((m - best) ** 2).sum() for at, m in ((x, v), (new, moved)))
        measured.append(after + lam / 2 * (((new - y) ** 2).sum() + r * ((x - y) ** 2).sum()))
        promised.append((1 - r) * V + (1 + rho) * error)
    return measured, promised


def accelerated(loss, seeds, ratio, accuracy=None):
    E, k = case(loss), np.arange(1, 61)
    lam = ratio * E.mu
    r = (1 + 2 * ratio) ** -0.5
    start = E.argmin(0.0, np.zeros(E.d))
    measured = values(E, AccAPPA(prox_weight=lam, mu=E.mu, accuracy=accuracy), seeds, k.size)
    first = E.P(np.zeros(E.d)) - E.best + E.mu / 4 * start @ start
    promised = (1 - r / (1 + r * (accuracy == "theory"))) ** k * first
    compared = promised > 1e-11 * first  # below it an exact solve is a matter of rounding
    return measured[:, compared].ravel(), np.tile(promised[compared], RUNS)


# ------------------------------------------------------------ claims
PAPER = "Frostig et al. 2015"
for name in ("squared", "logistic"):
    for theorem, measure in (("Lemma 3.1", lemma_3_1), ("Lemma 2.3", lemma_2_3), ("Lemma 3.2", lemma_3_2)):
        claim("appa", f"{PAPER}, {theorem}, {name}", kind="exact")(lambda seeds, f=measure, loss=name: f(loss))
    claim("appa", f"{PAPER}, Theorem 2.4, {name}", kind="exact")(lambda seeds, loss=name: theorem_2_4(loss, seeds))
    claim("appa", f"after {PAPER}, relative gaps, {name}", kind="exact")(
        lambda seeds, loss=name: relative(loss, seeds, APPA)
    )
    for ratio_ in (2, 10):
        setting = f"lambda = {ratio_} mu, {name}"
        claim("acc_appa", f"{PAPER}, Accelerated APPA, {setting}", kind="exact")(
            lambda seeds, loss=name, ratio=ratio_: accelerated(loss, seeds, ratio, accuracy="theory")
        )
        claim("acc_appa", f"{PAPER}, Accelerated APPA, exact solves, {setting}", kind="exact")(
            lambda seeds, loss=name, ratio=ratio_: accelerated(loss, seeds, ratio, accuracy=1e11)
        )
        claim("acc_appa", f"after {PAPER}, Accelerated APPA, relative gaps, {setting}", kind="exact")(
            lambda seeds, loss=name, ratio=ratio_: accelerated(loss, seeds, ratio)
        )
        claim("acc_appa", f"after {PAPER}, Accelerated APPA, one inexact step, {setting}", kind="exact")(
            lambda seeds, loss=name, ratio=ratio_: in_one_step(loss, seeds, ratio)
        )
