"""Small tasks with known optima, and peers made up for a test."""

from functools import cache

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize

from benchmarks.peers.adapters.peer import Package, Peer
from benchmarks.peers.optimum import optimum
from benchmarks.peers.tasks import SLOPES, Kind, PeerTask, cross_validation_task, largest_l1, path_task

N, D = 80, 6


def task(loss="logistic", penalty="l2", sparse=False):
    rng = np.random.default_rng(7)
    X = rng.standard_normal((N, D)) * (rng.random((N, D)) < 0.7)
    z = X @ rng.standard_normal(D) + rng.standard_normal(N)
    y = z if loss == "squared" else np.where(z > 0, 1.0, -1.0)
    l2 = 0.5 / N if "l2" in penalty else 0.0
    l1 = 0.05 * largest_l1(X, y, loss) if "l1" in penalty else 0.0
    return PeerTask(sp.csr_matrix(X) if sparse else X, y, loss, l2, l1)


def whole(kind, loss="squared", sparse=False):
    """A path or a cross-validation of such a task."""
    t = task(loss, sparse=sparse)
    return (path_task if kind is Kind.PATH else cross_validation_task)(t.X, t.y, loss)


@cache
def reference(kind, loss="squared", sparse=False):
    """Its P*, certified."""
    return optimum(whole(kind, loss, sparse))


def best(t):
    """P* by L-BFGS-B of scipy on w = u - v with u, v >= 0, where l1 is a linear term."""

    def value_and_gradient(uv):
        w = uv[: t.d] - uv[t.d :]
        g = t.X.T @ SLOPES[t.loss](t.X @ w, t.y) / t.n + t.l2 * w
        smooth = t.primal(w) - t.l1 * np.abs(w).sum()
        return smooth + t.l1 * uv.sum(), np.concatenate([g + t.l1, t.l1 - g])

    options = {"ftol": 0, "gtol": 1e-11, "maxiter": 10_000, "maxfun": 100_000}
    start, bounds = np.zeros(2 * t.d), [(0, None)] * (2 * t.d)
    found = minimize(value_and_gradient, start, jac=True, bounds=bounds, method="L-BFGS-B", options=options)
    return min(found.fun, t.primal(found.x[: t.d] - found.x[t.d :]))


def peer(fit, ladder=(1.0, 0.1, 0.01), name="made-up", **more):
    return Peer(name, Package("numpy"), fit, ("logistic", "squared_hinge", "squared"), ("l2",), ladder, **more)
