"""Small problems of several classes, and referees that know nothing of cdlab's formulas."""

from functools import cache

import numpy as np
import scipy.sparse as sp
from problems import data, minimise
from scipy.special import logsumexp

import cdlab


@cache
def classes(n=30, d=8, K=3, seed=0, **kwargs):
    """The X of `problems.data` with noisy linear class labels 1, 4, 7, ...; every class occurs."""
    X, _ = data(n=n, d=d, seed=seed, **kwargs)
    rng = np.random.default_rng(seed + 100)
    z = X @ rng.standard_normal((d, K)) + 0.5 * rng.gumbel(size=(n, K))
    k = z.argmax(axis=1)
    k[:K] = np.arange(K)
    return X, 3 * k + 1


def softmax_problem(l2=0.1, l1=0.0, sparse=False, **kwargs):
    X, y = classes(**kwargs)
    return cdlab.Problem(sp.csr_matrix(X) if sparse else X, y, loss="softmax", l2=l2, l1=l1)


def softmax_objective(X, y, l2, l1, W):
    """P(W) by definition; y: indices of the classes."""
    Z = X @ W
    losses = logsumexp(Z, axis=1) - Z[np.arange(y.size), y.astype(int)]
    return losses.mean() + l2 / 2 * (W**2).sum() + l1 * np.abs(W).sum()


@cache
def softmax_optimum(l2, l1, **kwargs):
    """P* by an interior-point method (cvxpy with Clarabel), evaluated by definition."""
    import cvxpy as cp

    X, y = classes(**kwargs)
    k = np.unique(y, return_inverse=True)[1]
    W = cp.Variable((X.shape[1], k.max() + 1))
    Z = X @ W
    own = cp.sum(cp.multiply(Z, np.eye(k.max() + 1)[k]))
    loss = (cp.sum(cp.log_sum_exp(Z, axis=1)) - own) / y.size
    minimise(loss + l2 / 2 * cp.sum_squares(W) + l1 * cp.sum(cp.abs(W)))
    return softmax_objective(X, k, l2, l1, W.value)
