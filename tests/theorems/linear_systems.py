"""Kaczmarz, its accelerated form, and accelerated coordinate descent for least squares.

One step is enumerated over all coordinates, from points that a run visits and from the worst directions.
"""

import numpy as np
from claims import claim
from problems import data

import cdlab
from cdlab.methods import Points
from cdlab.methods.acc_cd import AccCD
from cdlab.methods.acc_kaczmarz import AccKaczmarz
from cdlab.methods.kaczmarz import Kaczmarz


def system(n, d, noise=0.0, seed=0):
    """X w = X w_true + noise."""
    rng = np.random.default_rng(seed)
    X = data(n=n, d=d, seed=seed)[0]
    X = X[:, np.abs(X).sum(0) > 0]
    y = X @ rng.standard_normal(X.shape[1]) + noise * rng.standard_normal(n)
    return cdlab.Problem(X, y, loss="squared", l2=0.0), np.linalg.lstsq(X, y, rcond=None)[0]


def one_step(P, method, S, i):
    """The state after a step along coordinate i; S stays as it is."""
    S = type(S)(*(field.copy() if isinstance(field, np.ndarray) else field for field in S))
    return method.epoch(method.view(P), S, np.array([i], dtype=np.uint64))


# ---------------------------------------------------------------- Kaczmarz
EPOCHS = 30


def runs(P, method, measure, seeds):
    """measure(S) at the start, and after 1, 2, ... epochs for each seed."""
    sampling, measured = cdlab.samplings.Uniform(), []
    for seed in seeds:
        S, orders = method.init(P, sampling), method.orders(P, sampling, np.random.default_rng(seed))
        measured.append([])
        for _ in range(EPOCHS):
            S = method.epoch(method.view(P), S, next(orders))
            measured[-1].append(measure(S))
    return measure(method.init(P, sampling)), np.array(measured)


@claim("kaczmarz", "Strohmer & Vershynin 2009, Theorem 2: E||w - w*||^2 <= (1 - sigma^2/||X||_F^2)^t ||w_0 - w*||^2")
def kaczmarz(seeds):
    P, w_star = system(30, 8)
    start, measured = runs(P, Kaczmarz(), lambda S: np.sum((S.w - w_star) ** 2), seeds)
    sigma = np.linalg.svd(P.X, compute_uv=False).min()
    return measured, (1 - sigma**2 / np.sum(P.X**2)) ** (P.n * np.arange(1, EPOCHS + 1)) * start


@claim("kaczmarz", "Strohmer & Vershynin 2009, Theorem 2, one step", kind="exact")
def kaczmarz_one_step(seeds):
    """From the worst direction, the smallest singular vector, the bound is attained."""
    P, w_star = system(12, 5)
    directions = np.vstack([np.linalg.svd(P.X)[2], np.random.default_rng(0).standard_normal((10, P.d))])
    p = (P.X**2).sum(1) / np.sum(P.X**2)
    sigma = np.linalg.svd(P.X, compute_uv=False).min()
    method, expected = Kaczmarz(), []
    for e in directions:
        S = method.init(P, "uniform", start=Points(w_star + e, None))
        after = [np.sum((one_step(P, method, S, i).w - w_star) ** 2) for i in range(P.n)]
        expected.append(p @ after)
    return np.array(expected), (1 - sigma**2 / np.sum(P.X**2)) * (directions**2).sum(1)


# ---------------------------------------------------------------- momentum: Phi(x, v)
def x_and_v(S):
    q, p = S.qp.T
    return S.s * p + q, q - S.s * p


def one_step_and_bound(P, method, potential, mu, lines):
    """E Phi after one step, and (1 - sqrt(mu)/lines) Phi, at the states that a run visits."""
    measured, promised = [], []
    S, rng = method.init(P, "uniform"), np.random.default_rng(1)
    for _ in range(40):
        measured.append(np.mean([potential(*x_and_v(one_step(P, method, S, i))) for i in range(lines)]))
        promised.append((1 - np.sqrt(mu) / lines) * potential(*x_and_v(S)))
        S = one_step(P, method, S, rng.integers(lines))
    return np.array(measured), np.array(promised)


def mean_and_bound(P, method, potential, mu, lines, seeds):
    start, measured = runs(P, method, lambda S: potential(*x_and_v(S)), seeds)
    return measured, (1 - np.sqrt(mu) / lines) ** (lines * np.arange(1, EPOCHS + 1)) * start


def row_potential(P, w_star):
    """Phi = ||v - x*||^2_(A'A)^+ + ||x - x*||^2/mu with normalised rows A."""
    A = P.X / np.linalg.norm(P.X, axis=1, keepdims=True)
    eigenvalues = np.linalg.eigvalsh(A.T @ A)
    mu, inverse = eigenvalues[eigenvalues > 1e-10].min(), np.linalg.pinv(A.T @ A, rcond=1e-10)
    return lambda x, v: (v - w_star) @ inverse @ (v - w_star) + np.sum((x - w_star) ** 2) / mu, mu


def column_potential(P, w_star):
    """Phi = ||v - x*||^2 + ||C (x - x*)||^2/mu with normalised columns C, x* = ||X_:j|| w*_j."""
    norms = np.linalg.norm(P.X, axis=0)
    C, x_star = P.X / norms, norms * w_star
    mu = np.linalg.svd(C, compute_uv=False).min() ** 2
    return lambda x, v: np.sum((v - x_star) ** 2) + np.sum((C @ (x - x_star)) ** 2) / mu, mu


ROWS = "Lee & Sidford 2013 with constant parameters: ||v - x*||^2_(A'A)^+ + ||x - x*||^2/mu shrinks by 1 - sqrt(mu)/n"
COLUMNS = "Lee & Sidford 2013 with constant parameters: ||v - x*||^2 + ||C(x - x*)||^2/mu shrinks by 1 - sqrt(mu)/d"


@claim("acc_kaczmarz", f"{ROWS}; one step", kind="exact")
def acc_kaczmarz_one_step(seeds):
    P, w_star = system(12, 5)
    return one_step_and_bound(P, AccKaczmarz(), *row_potential(P, w_star), P.n)


@claim("acc_kaczmarz", f"{ROWS}; one step, n < d", kind="exact")
def acc_kaczmarz_one_step_wide(seeds):
    P, w_star = system(6, 9)
    return one_step_and_bound(P, AccKaczmarz(), *row_potential(P, w_star), P.n)


@claim("acc_kaczmarz", ROWS)
def acc_kaczmarz(seeds):
    P, w_star = system(30, 8)
    return mean_and_bound(P, AccKaczmarz(), *row_potential(P, w_star), P.n, seeds)


@claim("acc_cd", f"{COLUMNS}; one step", kind="exact")
def acc_cd_one_step(seeds):
    P, w_star = system(12, 6, noise=0.5)
    return one_step_and_bound(P, AccCD(), *column_potential(P, w_star), P.d)


@claim("acc_cd", COLUMNS)
def acc_cd(seeds):
    P, w_star = system(30, 8, noise=0.5)
    return mean_and_bound(P, AccCD(), *column_potential(P, w_star), P.d, seeds)
