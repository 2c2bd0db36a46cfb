"""Small problems that many tests share, and referees that know nothing of cdlab's formulas."""

from functools import cache
from itertools import combinations, product

import numpy as np
import scipy.sparse as sp

import cdlab

SMOOTH = ["squared", "logistic", "smooth_hinge", "squared_hinge", "huber"]
NON_SMOOTH = ["hinge", "absolute"]
LOSSES = SMOOTH + NON_SMOOTH


@cache
def data(n=30, d=8, seed=0, density=0.6):
    """Sparse-ish data with a planted, noisy separator and uneven row and column norms."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < density)
    X *= np.exp(0.5 * rng.standard_normal((n, 1))) * np.exp(0.5 * rng.standard_normal(d))
    y = np.where(X @ rng.standard_normal(d) + 0.5 * rng.standard_normal(n) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X, y


def problem(loss="logistic", l2=0.1, l1=0.0, sparse=False, **kwargs):
    X, y = data(**kwargs)
    return cdlab.Problem(sp.csr_matrix(X) if sparse else X, y, loss=loss, l2=l2, l1=l1)


def loss_by_definition(name, z, y):
    """The losses written out once more, with numpy, from the papers' definitions."""
    m, r = y * z, z - y
    return {
        "squared": lambda: r**2 / 2,
        "logistic": lambda: np.logaddexp(0, -m),
        "hinge": lambda: np.maximum(0, 1 - m),
        "smooth_hinge": lambda: np.where(m >= 1, 0, np.where(m <= 0, 0.5 - m, (1 - m) ** 2 / 2)),
        "squared_hinge": lambda: np.maximum(0, 1 - m) ** 2 / 2,
        "absolute": lambda: np.abs(r),
        "huber": lambda: np.where(np.abs(r) <= 1, r**2 / 2, np.abs(r) - 0.5),
    }[name]()


def objective(name, X, y, l2, l1, w):
    return loss_by_definition(name, X @ w, y).mean() + l2 / 2 * w @ w + l1 * np.abs(w).sum()


@cache
def optimum(name, l2, l1, **kwargs):
    """P* of `problem` by an interior-point method (cvxpy with Clarabel), evaluated by definition."""
    import cvxpy as cp

    X, y = data(**kwargs)
    n, d = X.shape
    w = cp.Variable(d)
    z = X @ w
    m, r = cp.multiply(y, z), z - y
    loss = {
        "squared": lambda: cp.sum_squares(r) / 2,
        "logistic": lambda: cp.sum(cp.logistic(-m)),
        "hinge": lambda: cp.sum(cp.pos(1 - m)),
        "smooth_hinge": lambda: cp.sum(cp.huber(cp.pos(1 - m), 1)) / 2,  # cvxpy's huber is twice the usual one
        "squared_hinge": lambda: cp.sum_squares(cp.pos(1 - m)) / 2,
        "absolute": lambda: cp.sum(cp.abs(r)),
        "huber": lambda: cp.sum(cp.huber(r, 1)) / 2,
    }[name]()
    objective_ = loss / n + l2 / 2 * cp.sum_squares(w) + l1 * cp.norm1(w)
    tight = {"tol_gap_abs": 1e-12, "tol_gap_rel": 1e-12, "tol_feas": 1e-12}
    cp.Problem(cp.Minimize(objective_)).solve(solver=cp.CLARABEL, **tight)
    return objective(name, X, y, l2, l1, w.value)


def pairwise(*axes):
    """A small set of combinations in which every pair of values from two axes occurs (greedy)."""
    missing = {
        (i, a, j, b)
        for i, j in combinations(range(len(axes)), 2)
        for a, b in product(range(len(axes[i])), range(len(axes[j])))
    }
    candidates = list(product(*(range(len(axis)) for axis in axes)))

    def covers(c):
        return {(i, c[i], j, c[j]) for i, j in combinations(range(len(axes)), 2)}

    chosen = []
    while missing:
        best = max(candidates, key=lambda c: len(covers(c) & missing))
        missing -= covers(best)
        chosen.append(tuple(axis[k] for axis, k in zip(axes, best, strict=True)))
    return chosen
