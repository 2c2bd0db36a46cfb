"""Forty fitted models of scikit-learn, with their objectives by hand and the optima of these, without cdlab.

The objectives are summed in 80 bits. Optima: of smooth losses by Newton's method on the support that L-BFGS-B finds, of
the hinge by the equations that Clarabel's active set solves, of softmax by scikit-learn's Newton method at 1e-14.
"""

import warnings
from functools import cache
from typing import NamedTuple

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import ElasticNet, Lasso, LogisticRegression, Ridge, SGDClassifier
from sklearn.svm import SVC, LinearSVC

N, D = 120, 10
rng = np.random.default_rng(7)
DENSE = rng.standard_normal((N, D)) * rng.uniform(0.3, 2, D)
SPARSE = sp.random_array((N, D), density=0.4, rng=rng, format="csr") * 2
TRUTH = rng.standard_normal(D) * (rng.random(D) < 0.7)
TARGETS = {kind: X @ TRUTH + 0.7 + 0.5 * rng.standard_normal(N) for kind, X in (("dense", DENSE), ("sparse", SPARSE))}


class Case(NamedTuple):
    """A model's parameters, and what it minimises: mean loss + l2/2 |w|^2 + l1 |w|_1, where all weights are 1."""

    model: object
    kind: str  # dense or sparse
    loss: str
    l2: float
    l1: float = 0.0
    intercept: str = "none"  # none, free or penalised
    weights: tuple = (1.0, 1.0)  # what examples of the two classes count
    classes: int = 2

    @property
    def X(self):
        return DENSE if self.kind == "dense" else SPARSE

    @property
    def y(self):
        t = TARGETS[self.kind]
        if isinstance(self.model, Ridge | ElasticNet):
            return t
        return np.digitize(t, np.quantile(t, [0.3, 0.7])) if self.classes > 2 else np.where(t > 0.7, 1, -1)

    @property
    def name(self):
        given = ", ".join(f"{key}={value!r}" for key, value in self._changed().items())
        return f"{type(self.model).__name__}({given}) {self.kind}"

    def _changed(self):
        before = type(self.model)().get_params()
        return {key: value for key, value in self.model.get_params().items() if repr(value) != repr(before[key])}

    def fitted(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return clone(self.model).fit(self.X, self.y)


def cases():
    """The forty, in an order in which every fourth is of another kind."""
    found = []
    for kind in ("dense", "sparse"):
        for fit in (True, False):
            free, penalised = ("free", "penalised") if fit else ("none", "none")
            found += [
                Case(LogisticRegression(C=2, fit_intercept=fit, max_iter=15), kind, "logistic", 1 / (2 * N), 0, free),
                Case(
                    LinearSVC(loss="hinge", C=0.5, fit_intercept=fit, random_state=0),
                    kind, "hinge", 2 / N, 0, penalised,
                ),
                Case(Ridge(3, fit_intercept=fit), kind, "squared", 3 / N, 0, free),
                Case(Lasso(0.05, fit_intercept=fit, tol=1e-3), kind, "squared", 0, 0.05, free),
                Case(
                    SGDClassifier(alpha=0.01, fit_intercept=fit, random_state=0, max_iter=50),
                    kind, "hinge", 0.01, 0, free,
                ),
                Case(
                    LinearSVC(C=3, fit_intercept=fit, random_state=0),
                    kind, "squared_hinge", 1 / (6 * N), 0, penalised,
                ),
                Case(
                    LogisticRegression(C=5, fit_intercept=fit, solver="liblinear", l1_ratio=1, random_state=0),
                    kind, "logistic", 0, 1 / (5 * N), penalised,
                ),
                Case(
                    ElasticNet(0.1, l1_ratio=0.3, fit_intercept=fit, tol=1e-6), kind, "squared", 0.07, 0.03, free
                ),
            ]  # fmt: skip
        found += [
            Case(SVC(kernel="linear"), kind, "hinge", 1 / N, 0, "free"),
            Case(
                SVC(kernel="linear", C=0.3, tol=1e-8, class_weight={1: 3}),
                kind, "hinge", 1 / (0.3 * N), 0, "free", (1.0, 3.0),
            ),
            Case(
                SGDClassifier("log_loss", penalty="elasticnet", alpha=0.02, random_state=1, max_iter=200, tol=1e-6),
                kind, "logistic", 0.017, 0.003, "free",
            ),
            Case(LogisticRegression(C=0.7, tol=1e-3), kind, "softmax", 1 / (0.7 * N), 0, "free", classes=3),
        ]  # fmt: skip
    return found


def coefficients(case, model):
    """The model's point: its coefficients, and what it adds to its predictions as a last one."""
    dense = (lambda x: np.asarray(x.toarray() if sp.issparse(x) else x))(model.coef_)
    if case.classes > 2:
        return np.vstack([dense.T, model.intercept_])
    b = [] if case.intercept == "none" else np.reshape(model.intercept_, -1)
    return np.concatenate([dense.reshape(-1), b])


def _parts(case):
    """Rows with what the intercept multiplies, l2 and l1 of each column, weights of sum 1, and labels."""
    A, y = DENSE if case.kind == "dense" else SPARSE.toarray(), case.y
    extra = [] if case.intercept == "none" else [np.ones((N, 1))]
    penalised = np.array([1.0] * D + [float(case.intercept == "penalised")] * len(extra))
    s = np.where(y > 0, case.weights[1], case.weights[0])
    share = N / s.sum()  # sums over examples become means by the sum of their weights
    return np.hstack([A, *extra]), share * case.l2 * penalised, share * case.l1 * penalised, s / s.sum(), y


def objective(case, u):
    """P(u), of which scikit-learn's objective is a multiple, in 80 bits."""
    A, l2, l1, s, y = _parts(case)
    u = u.astype(np.longdouble)
    z = A @ u
    if case.loss == "softmax":
        largest = z.max(axis=1)
        losses = np.log(np.exp(z - largest[:, None]).sum(axis=1)) + largest - z[np.arange(N), y]
        return s @ losses + (l2 @ u**2).sum() / 2
    losses = {
        "logistic": lambda: np.logaddexp(0, -y * z),
        "squared": lambda: (z - y) ** 2 / 2,
        "hinge": lambda: np.maximum(0, 1 - y * z),
        "squared_hinge": lambda: np.maximum(0, 1 - y * z) ** 2 / 2,
    }[case.loss]()
    return s @ losses + l2 @ u**2 / 2 + l1 @ np.abs(u)


def optimum(case):
    """The smallest P that is known, from solvers that are not cdlab's."""
    found = {"hinge": _hinge, "softmax": _softmax}.get(case.loss, _smooth)(case)
    return min(objective(case, u) for u in found)


def _softmax(case):
    exact = LogisticRegression(C=case.model.C, solver="newton-cholesky", tol=1e-14)
    return [coefficients(case, exact.fit(case.X, case.y))]


def _derivatives(case, z, y):
    """phi' and phi'' of every example."""
    if case.loss == "logistic":
        p = expit(-y * z)
        return -y * p, p * (1 - p)
    if case.loss == "squared":
        return z - y, np.ones(N)
    short = np.maximum(0, 1 - y * z)
    return -y * short, 1.0 * (short > 0)


def _smooth(case):
    A, l2, l1, s, y = _parts(case)
    d = A.shape[1]

    def split(pair):  # u = pair[:d] - pair[d:], both >= 0
        u = pair[:d] - pair[d:]
        slope = A.T @ (s * _derivatives(case, A @ u, y)[0]) + l2 * u
        value = float(objective(case, u)) + l1 @ (pair[:d] + pair[d:] - np.abs(u))
        return value, np.concatenate([slope + l1, l1 - slope])

    options = {"maxiter": 5000, "maxfun": 10_000, "ftol": 1e-16, "gtol": 1e-11}
    pair = minimize(
        split, np.zeros(2 * d), jac=True, method="L-BFGS-B", bounds=[(0, None)] * (2 * d), options=options
    ).x
    found = [pair[:d] - pair[d:]]
    on = (np.abs(found[0]) > 1e-6) | (l1 == 0)
    u = np.where(on, found[0], 0.0)
    for _ in range(20):
        first, second = _derivatives(case, A @ u, y)
        slope = A.T @ (s * first) + l2 * u + l1 * np.sign(u)
        hessian = (A.T * (s * second)) @ A + np.diag(l2)
        u = u.copy()
        u[on] -= np.linalg.solve(hessian[np.ix_(on, on)], slope[on])
        found.append(u)
    return found


def _hinge(case):
    A, l2, _, s, y = _parts(case)
    x = cp.Variable(A.shape[1])
    value = s @ cp.pos(1 - cp.multiply(y, A @ x)) + cp.sum(cp.multiply(l2, cp.square(x))) / 2
    tight = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-13)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of inaccurate solutions: the equations make them exact
        cp.Problem(cp.Minimize(value)).solve(solver="CLARABEL", **tight)
    margins = y * (A @ x.value)
    found = [x.value]
    for near in (1e-4, 1e-5, 1e-6, 1e-7, 1e-8):  # with the margins that are 1, all is quadratic
        at, below = np.abs(margins - 1) < near, margins < 1 - near
        rows = y[at, None] * A[at]
        equations = np.block([[np.diag(l2), rows.T], [rows, np.zeros((at.sum(), at.sum()))]])
        right = np.concatenate([A[below].T @ (s * y)[below], np.ones(at.sum())])
        found.append(np.linalg.lstsq(equations, right, rcond=None)[0][: A.shape[1]])
    return found


class Measured(NamedTuple):
    name: str
    primal: float  # P(w)
    distance: float  # P(w) - P*
    at_zero: float  # P(0)
    certified: object  # cdlab.Distance


@cache
def measured(k):
    """The k-th model, its distance from its optimum, and what cdlab says of it."""
    import cdlab

    case = cases()[k]
    model = case.fitted()
    u = coefficients(case, model)
    primal, least = objective(case, u), optimum(case)
    at_zero = objective(case, np.zeros_like(u))
    answer = cdlab.certify(model, case.X, case.y)
    return Measured(case.name, float(primal), float(primal - min(primal, least)), float(at_zero), answer)


def table():
    """One line a model: its distance, the bound, and their ratio."""
    lines = [f"{'P(w) - P*':>10}  {'gap':>8}  {'at least':>8}  ratio  model"]
    for k in range(len(cases())):
        m = measured(k)
        ratio = m.certified.gap / max(m.distance, 1e-12 * m.at_zero)
        lines.append(f"{m.distance:10.1e}  {m.certified.gap:8.1e}  {m.certified.at_least:8.1e}  {ratio:5.1f}  {m.name}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
