"""Linear systems that several tests share."""

import numpy as np
import scipy.sparse as sp
from problems import data

import cdlab


def system(shape=(30, 8), noise=0.0, sparse=False, seed=0):
    """X w = X w_true + noise, and the solution of least norm."""
    X = data(n=max(shape[0], 2), d=shape[1], seed=seed)[0][: shape[0]]
    if not X.any():
        X = X + 2.0
    rng = np.random.default_rng(seed)
    y = X @ rng.standard_normal(shape[1]) + noise * rng.standard_normal(shape[0])
    P = cdlab.Problem(sp.csr_matrix(X) if sparse else X, y, loss="squared", l2=0.0)
    return P, np.linalg.lstsq(X, y, rcond=None)[0]


def after(P, method, order, start=None):
    S = method.init(P, "uniform", start=start)
    return method.epoch(method.view(P), S, np.asarray(order, dtype=np.uint64))
