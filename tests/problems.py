"""Small problems that many tests share, and referees that know nothing of cdlab's formulas."""

import warnings
from functools import cache
from itertools import combinations, product

import numpy as np
import scipy.sparse as sp

import cdlab
from cdlab import losses
from cdlab.testing import small

# Every registered loss of one prediction; one of several (softmax) has its own tests.
LOSSES = [name for name in losses.LOSSES if not losses.is_vector(losses.resolve(name))]
SMOOTH = [name for name in LOSSES if losses.resolve(name).gamma > 0]
NON_SMOOTH = [name for name in LOSSES if name not in SMOOTH]


data = cache(small.small_data)


def problem(loss="logistic", l2=0.1, l1=0.0, sparse=False, **kwargs):
    X, y = data(**kwargs)
    return cdlab.Problem(sp.csr_matrix(X) if sparse else X, y, loss=loss, l2=l2, l1=l1)


class Referees(dict):
    """A table with a line for each registered loss of one prediction."""

    def __missing__(self, name):
        raise AssertionError(f"loss {name}: what is registered needs a line in both tables of tests/problems.py")


# A loss that is registered needs its referee: one line in each of the two tables.
DEFINITIONS = Referees(
    {  # from the papers, of the margin m = y z or the residual r = z - y, with numpy
        "squared": lambda m, r: r**2 / 2,
        "logistic": lambda m, r: np.logaddexp(0, -m),
        "hinge": lambda m, r: np.maximum(0, 1 - m),
        "smooth_hinge": lambda m, r: np.where(m >= 1, 0, np.where(m <= 0, 0.5 - m, (1 - m) ** 2 / 2)),
        "squared_hinge": lambda m, r: np.maximum(0, 1 - m) ** 2 / 2,
        "absolute": lambda m, r: np.abs(r),
        "huber": lambda m, r: np.where(np.abs(r) <= 1, r**2 / 2, np.abs(r) - 0.5),
        "pinball": lambda m, r: np.abs(r) / 2,
        "epsilon_insensitive": lambda m, r: np.maximum(0, np.abs(r) - 0.1),
        "squared_epsilon_insensitive": lambda m, r: np.maximum(0, np.abs(r) - 0.1) ** 2 / 2,
    }
)
CONVEX = Referees(
    {  # their sums, in cvxpy's words
        "squared": lambda cp, m, r: cp.sum_squares(r) / 2,
        "logistic": lambda cp, m, r: cp.sum(cp.logistic(-m)),
        "hinge": lambda cp, m, r: cp.sum(cp.pos(1 - m)),
        "smooth_hinge": lambda cp, m, r: cp.sum(cp.huber(cp.pos(1 - m), 1)) / 2,  # its huber is twice the usual one
        "squared_hinge": lambda cp, m, r: cp.sum_squares(cp.pos(1 - m)) / 2,
        "absolute": lambda cp, m, r: cp.sum(cp.abs(r)),
        "huber": lambda cp, m, r: cp.sum(cp.huber(r, 1)) / 2,
        "pinball": lambda cp, m, r: cp.sum(cp.abs(r)) / 2,
        "epsilon_insensitive": lambda cp, m, r: cp.sum(cp.pos(cp.abs(r) - 0.1)),
        "squared_epsilon_insensitive": lambda cp, m, r: cp.sum_squares(cp.pos(cp.abs(r) - 0.1)) / 2,
    }
)


def loss_by_definition(name, z, y):
    """The losses written out once more, with numpy, from the papers' definitions."""
    return DEFINITIONS[name](y * z, z - y)


def objective(name, X, y, l2, l1, w):
    return loss_by_definition(name, X @ w, y).mean() + l2 / 2 * w @ w + l1 * np.abs(w).sum()


def optimum(name, l2, l1, **kwargs):
    """P* of `problem` by an interior-point method, evaluated by definition."""
    return objective(name, *data(**kwargs), l2, l1, minimiser(name, l2, l1, **kwargs))


@cache
def minimiser(name, l2, l1, **kwargs):
    """w* of `problem` by an interior-point method (cvxpy with Clarabel)."""
    import cvxpy as cp

    X, y = data(**kwargs)
    n, d = X.shape
    w = cp.Variable(d)
    z = X @ w
    loss = CONVEX[name](cp, cp.multiply(y, z), z - y)
    objective_ = loss / n + l2 / 2 * cp.sum_squares(w) + l1 * cp.norm1(w)
    minimise(objective_)
    return w.value


def minimise(objective, tol=1e-12):
    """Solve a convex problem of cvxpy by Clarabel to a gap of `tol`.

    On some processors the last digit is not to be had: then 100 tol is enough, or where steps become too short for that
    the tenfold of both; anything above raises SolverError.
    """
    import cvxpy as cp

    def solve(tol):
        names = ("tol_gap_abs", "tol_gap_rel", "tol_feas")
        limits = dict.fromkeys(names, tol) | dict.fromkeys([f"reduced_{name}" for name in names], 100 * tol)
        cp.Problem(cp.Minimize(objective)).solve(solver=cp.CLARABEL, **limits)

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Solution may be inaccurate")
        try:
            solve(tol)
        except cp.SolverError:
            solve(10 * tol)


def pairwise(*axes):
    """A small set of combinations in which every pair of values from two axes occurs.

    Each pair of the two longest axes once; the other values are chosen to meet as many pairs not yet met as they can.
    """
    *others, second, first = sorted(range(len(axes)), key=lambda k: len(axes[k]))
    missing = {
        (i, a, j, b)
        for i, j in combinations(range(len(axes)), 2)
        for a, b in product(range(len(axes[i])), range(len(axes[j])))
    }
    rest = list(product(*(range(len(axes[k])) for k in others)))

    def met(c):
        return {(i, c[i], j, c[j]) for i, j in combinations(range(len(axes)), 2)}

    def best(among):
        return max(among, key=lambda c: len(met(c) & missing))

    def row(a, b, values):
        at = {first: a, second: b, **dict(zip(others, values, strict=True))}
        return tuple(at[k] for k in range(len(axes)))

    chosen = []
    for a, b in product(range(len(axes[first])), range(len(axes[second]))):
        chosen.append(best([row(a, b, values) for values in rest]))
        missing -= met(chosen[-1])
    while missing:  # pairs of the shorter axes that found no room
        chosen.append(best(product(*(range(len(axis)) for axis in axes))))
        missing -= met(chosen[-1])
    return [tuple(axis[k] for axis, k in zip(axes, c, strict=True)) for c in chosen]
