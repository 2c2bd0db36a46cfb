"""scikit-learn: C = 1/(l2 n), half of it for its squared hinge, which has no 1/2; alpha = l2 n of Ridge."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..tasks import ChosenPoint, Kind, has_intercept
from .peer import COUNTS, ONCE, TOLERANCES, Budget, Package, Peer, by_columns

PACKAGE = Package("scikit-learn")
MANY = 1_000_000  # So many iterations let the tolerance decide.


def _iterations(budget: Budget) -> dict[str, Any]:
    return {} if budget is None else {"max_iter": int(budget), "tol": 0.0}


def _tolerance(budget: Budget) -> dict[str, Any]:
    return {} if budget is None else {"max_iter": MANY, "tol": budget}


def _logistic(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, budget: Budget, *, solver: str) -> np.ndarray:
    from sklearn.linear_model import LogisticRegression

    options = {"solver": solver, "fit_intercept": False, "random_state": 0, **_iterations(budget)}
    model = LogisticRegression(C=1 / (l2 * len(y)), **options)
    return model.fit(X, y).coef_.ravel()


def _saga(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, budget: Budget) -> np.ndarray:
    import sklearn
    from sklearn.linear_model import LogisticRegression

    weight = l1 + l2
    # before 1.8 a penalty must be named, since then it is deprecated to name one
    older = tuple(int(part) for part in sklearn.__version__.split(".")[:2]) < (1, 8)
    named = {"penalty": "elasticnet"} if older else {}
    model = LogisticRegression(
        C=1 / (weight * len(y)), l1_ratio=l1 / weight, solver="saga", fit_intercept=False, random_state=0, **named,
        **_iterations(budget),
    )  # fmt: skip
    return model.fit(X, y).coef_.ravel()


def _liblinear(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, budget: Budget, *, dual: bool) -> np.ndarray:
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    C, common = 1 / (l2 * len(y)), {"dual": dual, "fit_intercept": False, **_tolerance(budget)}
    if loss == "logistic":
        model = LogisticRegression(C=C, solver="liblinear", random_state=0, **common)
    else:
        model = LinearSVC(C=C / 2, random_state=0, **common)
    return model.fit(X, y).coef_.ravel()


def _ridge(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, budget: Budget, *, solver: str) -> np.ndarray:
    from sklearn.linear_model import Ridge

    options = {"solver": solver, "fit_intercept": False, "random_state": 0, **_tolerance(budget)}
    model = Ridge(alpha=l2 * len(y), **options)
    return model.fit(X, y).coef_.ravel()


def _elastic_net(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, budget: Budget, *, gram: bool) -> np.ndarray:
    from sklearn.linear_model import ElasticNet

    weight = l1 + l2
    options = {"precompute": gram, "fit_intercept": False, **_tolerance(budget)}
    return ElasticNet(alpha=weight, l1_ratio=l1 / weight, **options).fit(X, y).coef_.ravel()


def _lasso_path(X: Any, y: np.ndarray, loss: str, l1: np.ndarray, budget: Budget) -> np.ndarray:
    from sklearn.linear_model import lasso_path

    return lasso_path(by_columns(X), y, alphas=l1, **_tolerance(budget))[1].T


def _lasso_cv(X: Any, y: np.ndarray, loss: str, l1: np.ndarray, folds: Any, budget: Budget) -> ChosenPoint:
    from sklearn.linear_model import LassoCV

    model = LassoCV(alphas=l1, cv=folds, **_tolerance(budget)).fit(X, y)
    return ChosenPoint(float(model.alpha_), model.coef_, float(model.intercept_))


def _logistic_cv(X: Any, y: np.ndarray, loss: str, l1: np.ndarray, folds: Any, budget: Budget) -> ChosenPoint:
    import sklearn
    from sklearn.linear_model import LogisticRegressionCV

    # before 1.8 it is named by its penalty, and has no such attributes to choose
    older = tuple(int(part) for part in sklearn.__version__.split(".")[:2]) < (1, 8)
    named: dict[str, Any] = {"penalty": "l1"} if older else {"l1_ratios": (1.0,), "use_legacy_attributes": False}
    options = {"cv": folds, "solver": "liblinear", "scoring": "accuracy", "random_state": 0, **_tolerance(budget)}
    n = len(y)
    model = LogisticRegressionCV(Cs=1 / (n * l1), fit_intercept=has_intercept(loss), **options, **named).fit(X, y)
    return ChosenPoint(float(1 / (n * np.ravel(model.C_)[0])), model.coef_.ravel(), 0.0)


def _peer(name: str, fit: Any, losses: tuple[str, ...], penalties: tuple[str, ...], *ladder: Any, **kind: Any) -> Peer:
    return Peer(f"sklearn-{name}", PACKAGE, fit, losses, penalties, *ladder, **kind)


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
    _peer("lasso-path", _lasso_path, SQUARED, ("l1",), TOLERANCES, kind=Kind.PATH),
    _peer("lasso-cv", _lasso_cv, SQUARED, ("l1",), TOLERANCES, kind=Kind.CV),
    _peer("logistic-cv", _logistic_cv, LOG, ("l1",), TOLERANCES, kind=Kind.CV),
]
