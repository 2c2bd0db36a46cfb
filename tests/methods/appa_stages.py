"""Outer iterates of the APPA family, and least squares on which exact proximal points are known."""

import numpy as np

import cdlab


def ends_of_stages(P, method, stages, seed=0):
    """The outer iterates x_1, x_2, ..."""
    S, orders = method.init(P, "uniform"), method.orders(P, cdlab.samplings.Uniform(), np.random.default_rng(seed))
    out = []
    while len(out) < stages:
        S = method.epoch(method.view(P), S, next(orders))
        if S.stage.solved:
            out.append(np.array(method.points(P, S).w))
    return np.array(out)


def least_squares(condition, n=40, d=6, seed=1):
    """A squared-loss problem without regulariser whose Hessian X'X/n has eigenvalues 1 to 1/condition; mu and w*."""
    rng = np.random.default_rng(seed)
    U, V = np.linalg.qr(rng.standard_normal((n, d)))[0], np.linalg.qr(rng.standard_normal((d, d)))[0]
    X = np.sqrt(n) * U * np.geomspace(1, condition**-0.5, d) @ V.T
    P = cdlab.Problem(X, X @ rng.standard_normal(d) + 0.5 * rng.standard_normal(n), loss="squared", l2=0.0)
    return P, 1 / condition, np.linalg.lstsq(P.X, P.y, rcond=None)[0]


def prox_point(P, weight, s):
    """The minimiser of P + (weight/2)||w - s||^2, squared loss."""
    return np.linalg.solve(P.X.T @ P.X / P.n + weight * np.eye(P.d), P.X.T @ P.y / P.n + weight * s)
