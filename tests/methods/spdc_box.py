"""SPDC as the papers' boxes print it, in plain numpy, and steps of the real one to compare it with."""

import numpy as np
import pytest
import scipy.sparse as sp

from cdlab.methods.spdc import SPDC, X, arrive_all
from cdlab.samplings import Batches

KINDS = [
    (SPDC(), "uniform"),
    (SPDC(), "norms"),
    (SPDC(batch_size=4), "uniform"),
    (SPDC(batch_size=30), "uniform"),
    (SPDC(batch_size=4), "norms"),
]
every_kind = pytest.mark.parametrize(("method", "sampling"), KINDS, ids=["one", "norms", "four", "all", "norms-four"])


def dense(P):
    return P.X.toarray() if sp.issparse(P.X) else P.X


def blocks(n, m, count, seed=0):
    rng = np.random.default_rng(seed)
    chosen = np.array([rng.permutation(n)[:m] for _ in range(count)], np.uint64)
    return Batches(chosen.ravel(), m * np.arange(count + 1, dtype=np.uint64))


def after(P, method, order, sampling="uniform", start=None):
    return method.epoch(method.view(P), method.init(P, sampling, start), order)


def primal(S):
    rows = S.rows.copy()
    arrive_all(S, rows)
    return rows[:, X]


def soft(x, t):
    return np.sign(x) * np.maximum(abs(x) - t, 0)


def naive(P, order, S, weighted=False, start=None, u_divides_by=None):
    """The box as it stands, in O(n + d) an iteration, with the parameters of S: x, y."""
    A, n, tau, s, m, l2 = dense(P), P.n, S.table.tau, S.s, S.m, S.reg.l2
    x, y = (np.zeros(P.d), np.zeros(n)) if start is None else (start.w.copy(), -start.alpha)
    xbar, u = x.copy(), A.T @ y / n
    for b in range(order.size):
        K = order.indices[order.starts[b] : order.starts[b + 1]].astype(int)
        Delta, over = np.zeros(P.d), np.zeros(P.d)  # of u, and of x
        for k, z in [(k, A[k] @ xbar) for k in K]:
            many = S.p[k] * n if weighted else m
            q = many / m / s
            new = P.loss.dualprox(z, q / (q + S.delta) * y[k], q + S.delta, P.y[k])
            Delta += (new - y[k]) * A[k]
            over += (new - y[k]) * A[k] / many
            y[k] = new
        moved = soft(x - tau * (u + over), tau * P.l1) / (1 + tau * l2)
        u += Delta / (n if u_divides_by is None else u_divides_by(K[0]))
        xbar, x = moved + S.theta * (moved - x), moved
    return x, y
