"""Small tasks with known optima, and peers made up for a test."""

from functools import cache

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize

from benchmarks.peers.adapters.peer import Package, Peer
from benchmarks.peers.optimum import optimum
from benchmarks.peers.tasks import REGRESSIONS, SLOPES, Kind, PeerTask, cross_validation_task, largest_l1, path_task

N, D = 80, 6


def task(loss="logistic", penalty="l2", sparse=False, intercept=False):
    rng = np.random.default_rng(7)
    X = rng.standard_normal((N, D)) * (rng.random((N, D)) < 0.7)
    z = X @ rng.standard_normal(D) + rng.standard_normal(N)
    y = z + 3 if loss in REGRESSIONS else np.where(z > -0.7, 1.0, -1.0)
    l2 = 0.5 / N if "l2" in penalty else 0.0
    l1 = 0.05 * largest_l1(X, y, loss) if "l1" in penalty else 0.0
    return PeerTask(sp.csr_matrix(X) if sparse else X, y, loss, l2, l1, intercept=intercept)


def whole(kind, loss="squared", sparse=False):
    """A path or a cross-validation of such a task."""
    t = task(loss, sparse=sparse)
    return (path_task if kind is Kind.PATH else cross_validation_task)(t.X, t.y, loss)


@cache
def reference(kind, loss="squared", sparse=False):
    """Its P*, certified."""
    return optimum(whole(kind, loss, sparse))


def best(t):
    """P* by L-BFGS-B of scipy on w = u - v with u, v >= 0, where l1 is a linear term; of kinks by Clarabel."""
    if t.loss in ("hinge", "absolute"):
        return best_of_kinks(t)

    def value_and_gradient(uvb):
        uv, b = uvb[:-1], uvb[-1] * t.intercept
        w = uv[: t.d] - uv[t.d :]
        slopes = SLOPES[t.loss](t.X @ w + b, t.y) / t.n
        g = t.X.T @ slopes + t.l2 * w
        smooth = t.primal(w, b=b) - t.l1 * np.abs(w).sum()
        return smooth + t.l1 * uv.sum(), np.concatenate([g + t.l1, t.l1 - g, [slopes.sum() * t.intercept]])

    options = {"ftol": 0, "gtol": 1e-11, "maxiter": 10_000, "maxfun": 100_000}
    start, bounds = np.zeros(2 * t.d + 1), [(0, None)] * (2 * t.d) + [(None, None)]
    found = minimize(value_and_gradient, start, jac=True, bounds=bounds, method="L-BFGS-B", options=options)
    return min(found.fun, t.primal(found.x[: t.d] - found.x[t.d : -1], b=found.x[-1] * t.intercept))


def best_of_kinks(t):
    w, b = cp.Variable(t.d), cp.Variable() if t.intercept else 0.0
    z = t.X @ w + b
    loss = cp.pos(1 - cp.multiply(t.y, z)) if t.loss == "hinge" else cp.abs(z - t.y)
    cp.Problem(cp.Minimize(cp.sum(loss) / t.n + t.l2 / 2 * cp.sum_squares(w) + t.l1 * cp.norm1(w))).solve(
        cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12
    )
    return t.primal(w.value, b=float(b.value) if t.intercept else 0.0)


def peer(fit, ladder=(1.0, 0.1, 0.01), name="made-up", **more):
    return Peer(name, Package("numpy"), fit, ("logistic", "squared_hinge", "squared"), ("l2",), ladder, **more)
