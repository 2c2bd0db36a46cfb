"""scikit-learn: C = 1/(l2 n), half of it for its squared hinge, which has no 1/2; alpha = l2 n of Ridge."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .peer import COUNTS, ONCE, TOLERANCES, Package, Peer

PACKAGE = Package("scikit-learn", "pip install scikit-learn")
MANY = 1_000_000  # iterations, where the tolerance is to decide


def _logistic(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, budget: float, *, solver: str) -> np.ndarray:
    from sklearn.linear_model import LogisticRegression

    C = 1 / (l2 * len(y))
    model = LogisticRegression(C=C, solver=solver, max_iter=int(budget), tol=0.0, fit_intercept=False, random_state=0)
    return model.fit(X, y).coef_.ravel()


def _saga(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, budget: float) -> np.ndarray:
    import sklearn
    from sklearn.linear_model import LogisticRegression

    weight = l1 + l2
    # before 1.8 a penalty must be named, since then it is deprecated to name one
    older = tuple(int(part) for part in sklearn.__version__.split(".")[:2]) < (1, 8)
    named = {"penalty": "elasticnet"} if older else {}
    model = LogisticRegression(
        C=1 / (weight * len(y)), l1_ratio=l1 / weight, solver="saga", max_iter=int(budget), tol=0.0,
        fit_intercept=False, random_state=0, **named,
    )  # fmt: skip
    return model.fit(X, y).coef_.ravel()


def _liblinear(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, budget: float, *, dual: bool) -> np.ndarray:
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    C, common = 1 / (l2 * len(y)), {"dual": dual, "tol": budget, "max_iter": MANY, "fit_intercept": False}
    if loss == "logistic":
        model = LogisticRegression(C=C, solver="liblinear", random_state=0, **common)
    else:
        model = LinearSVC(C=C / 2, random_state=0, **common)
    return model.fit(X, y).coef_.ravel()


def _ridge(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, budget: float, *, solver: str) -> np.ndarray:
    from sklearn.linear_model import Ridge

    model = Ridge(alpha=l2 * len(y), solver=solver, tol=budget, max_iter=MANY, fit_intercept=False, random_state=0)
    return model.fit(X, y).coef_.ravel()


def _elastic_net(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, budget: float, *, gram: bool) -> np.ndarray:
    from sklearn.linear_model import ElasticNet

    weight = l1 + l2
    model = ElasticNet(
        alpha=weight, l1_ratio=l1 / weight, tol=budget, max_iter=MANY, precompute=gram, fit_intercept=False
    )
    return model.fit(X, y).coef_.ravel()


def _peer(name: str, fit: Any, losses: tuple[str, ...], penalties: tuple[str, ...], *ladder: Any) -> Peer:
    return Peer(f"sklearn-{name}", PACKAGE, fit, losses, penalties, *ladder)


LOG, SQUARED = ("logistic",), ("squared",)
PEERS = [
    _peer("lbfgs", partial(_logistic, solver="lbfgs"), LOG, ("l2",), COUNTS),
    _peer("newton-cg", partial(_logistic, solver="newton-cg"), LOG, ("l2",), COUNTS),
    _peer("newton-cholesky", partial(_logistic, solver="newton-cholesky"), LOG, ("l2",), COUNTS, 5_000),
    _peer("saga", _saga, LOG, ("l2", "l1", "l1+l2"), COUNTS),
    _peer("liblinear", partial(_liblinear, dual=False), ("logistic", "squared_hinge"), ("l2",), TOLERANCES),
    _peer("liblinear-dual", partial(_liblinear, dual=True), ("logistic", "squared_hinge"), ("l2",), TOLERANCES),
    _peer("ridge-cholesky", partial(_ridge, solver="cholesky"), SQUARED, ("l2",), ONCE, 10_000),
    _peer("ridge-lsqr", partial(_ridge, solver="lsqr"), SQUARED, ("l2",), TOLERANCES),
    _peer("ridge-cg", partial(_ridge, solver="sparse_cg"), SQUARED, ("l2",), TOLERANCES),
    _peer("ridge-saga", partial(_ridge, solver="saga"), SQUARED, ("l2",), TOLERANCES),
    _peer("elastic-net", partial(_elastic_net, gram=False), SQUARED, ("l1", "l1+l2"), TOLERANCES),
    _peer("elastic-net-gram", partial(_elastic_net, gram=True), SQUARED, ("l1", "l1+l2"), TOLERANCES, 5_000),
]
