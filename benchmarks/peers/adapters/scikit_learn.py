"""scikit-learn: C = 1/(l2 n), half of it for its squared hinge, which has no 1/2; alpha = l2 n of Ridge."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from packaging.version import Version

from ..tasks import ChosenPoint, Kind, Point, has_intercept
from .peer import COUNTS, ONCE, TOLERANCES, Budget, Package, Peer, by_columns

PACKAGE = Package("scikit-learn")
MANY = 1_000_000  # So many iterations let the tolerance decide.


def iterations(budget: Budget) -> dict[str, Any]:
    """The options of a solver whose budget is iterations."""
    return {} if budget is None else {"max_iter": int(budget), "tol": 0.0}


def tolerance(budget: Budget) -> dict[str, Any]:
    """The options of a solver whose budget is a tolerance."""
    return {} if budget is None else {"max_iter": MANY, "tol": budget}


def point(model: Any) -> Point:
    """The answer of a fitted model."""
    return Point(model.coef_.ravel(), float(np.ravel(model.intercept_)[0]))


def _logistic(
    X: Any, y: np.ndarray, loss: str, l2: float, l1: float, intercept: bool, budget: Budget, *, solver: str,
    options: Callable[[Budget], dict[str, Any]],
) -> Point:  # fmt: skip
    import sklearn
    from sklearn.linear_model import LogisticRegression

    weight = l1 + l2
    share: dict[str, Any] = {"l1_ratio": l1 / weight} if l1 else {}
    if l1 and Version(sklearn.__version__) < Version("1.8"):  # which deprecated to name a penalty
        share["penalty"] = "elasticnet"
    model = LogisticRegression(
        C=1 / (weight * len(y)), solver=solver, fit_intercept=intercept, random_state=0, **share, **options(budget)
    )
    return point(model.fit(X, y))


def _quantile(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, intercept: bool, budget: Budget) -> Point:
    from sklearn.linear_model import QuantileRegressor

    return point(QuantileRegressor(quantile=0.5, alpha=l1 / 2, fit_intercept=intercept).fit(X, y))


def _liblinear(
    X: Any, y: np.ndarray, loss: str, l2: float, l1: float, intercept: bool, budget: Budget, *, dual: bool
) -> Point:
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC, LinearSVR

    C, common = 1 / (l2 * len(y)), {"dual": dual, "fit_intercept": False, "random_state": 0, **tolerance(budget)}
    if loss == "logistic":
        model = LogisticRegression(C=C, solver="liblinear", **common)
    elif loss == "absolute":
        model = LinearSVR(C=C, loss="epsilon_insensitive", **common)
    else:
        model = LinearSVC(C=C / 2 if loss == "squared_hinge" else C, loss=loss, **common)
    return point(model.fit(X, y))


def _ridge(
    X: Any, y: np.ndarray, loss: str, l2: float, l1: float, intercept: bool, budget: Budget, *, solver: str
) -> Point:
    from sklearn.linear_model import Ridge

    options = {"solver": solver, "fit_intercept": intercept, "random_state": 0, **tolerance(budget)}
    model = Ridge(alpha=l2 * len(y), **options)
    return point(model.fit(X, y))


def _elastic_net(
    X: Any, y: np.ndarray, loss: str, l2: float, l1: float, intercept: bool, budget: Budget, *, gram: bool
) -> Point:
    from sklearn.linear_model import ElasticNet

    weight = l1 + l2
    options = {"precompute": gram, "fit_intercept": intercept, **tolerance(budget)}
    return point(ElasticNet(alpha=weight, l1_ratio=l1 / weight, **options).fit(X, y))


def _lasso_path(X: Any, y: np.ndarray, loss: str, l1: np.ndarray, budget: Budget) -> np.ndarray:
    from sklearn.linear_model import lasso_path

    return lasso_path(by_columns(X), y, alphas=l1, **tolerance(budget))[1].T


def _lasso_cv(X: Any, y: np.ndarray, loss: str, l1: np.ndarray, folds: Any, budget: Budget) -> ChosenPoint:
    from sklearn.linear_model import LassoCV

    model = LassoCV(alphas=l1, cv=folds, **tolerance(budget)).fit(X, y)
    return ChosenPoint(float(model.alpha_), model.coef_, float(model.intercept_))


def _logistic_cv(X: Any, y: np.ndarray, loss: str, l1: np.ndarray, folds: Any, budget: Budget) -> ChosenPoint:
    import sklearn
    from sklearn.linear_model import LogisticRegressionCV

    # before 1.8 it is named by its penalty, and has no such attributes to choose
    older = Version(sklearn.__version__) < Version("1.8")
    named: dict[str, Any] = {"penalty": "l1"} if older else {"l1_ratios": (1.0,), "use_legacy_attributes": False}
    options = {"cv": folds, "solver": "liblinear", "scoring": "accuracy", "random_state": 0, **tolerance(budget)}
    n = len(y)
    model = LogisticRegressionCV(Cs=1 / (n * l1), fit_intercept=has_intercept(loss), **options, **named).fit(X, y)
    return ChosenPoint(float(1 / (n * np.ravel(model.C_)[0])), model.coef_.ravel(), 0.0)


def _peer(name: str, fit: Any, losses: tuple[str, ...], penalties: tuple[str, ...], *ladder: Any, **kind: Any) -> Peer:
    return Peer(f"sklearn-{name}", PACKAGE, fit, losses, penalties, *ladder, **kind)


LOG, SQUARED, ALL = ("logistic",), ("squared",), ("l2", "l1", "l1+l2")
FREE: dict[str, Any] = {"intercepts": True}
NEW = {"since": "1.10", **FREE}
DUAL = ("logistic", "squared_hinge", "hinge", "absolute")
COUNTED, TO_TOLERANCE = (partial(_logistic, options=options) for options in (iterations, tolerance))
PEERS = [
    _peer("lbfgs", partial(COUNTED, solver="lbfgs"), LOG, ("l2",), COUNTS, **FREE),
    _peer("newton-cg", partial(COUNTED, solver="newton-cg"), LOG, ("l2",), COUNTS, **FREE),
    _peer("newton-cholesky", partial(COUNTED, solver="newton-cholesky"), LOG, ("l2",), COUNTS, 5_000, **FREE),
    _peer("saga", partial(COUNTED, solver="saga"), LOG, ALL, COUNTS),
    _peer("newton-cd", partial(TO_TOLERANCE, solver="newton-cd"), LOG, ALL, TOLERANCES, **NEW),
    _peer("newton-cd-gram", partial(TO_TOLERANCE, solver="newton-cd-gram"), LOG, ALL, TOLERANCES, 5_000, **NEW),
    _peer("liblinear", partial(_liblinear, dual=False), ("logistic", "squared_hinge"), ("l2",), TOLERANCES),
    _peer("liblinear-dual", partial(_liblinear, dual=True), DUAL, ("l2",), TOLERANCES),
    _peer("ridge-cholesky", partial(_ridge, solver="cholesky"), SQUARED, ("l2",), ONCE, 10_000, **FREE),
    _peer("ridge-lsqr", partial(_ridge, solver="lsqr"), SQUARED, ("l2",), TOLERANCES, **FREE),
    _peer("ridge-cg", partial(_ridge, solver="sparse_cg"), SQUARED, ("l2",), TOLERANCES, **FREE),
    _peer("ridge-saga", partial(_ridge, solver="saga"), SQUARED, ("l2",), TOLERANCES),
    _peer("elastic-net", partial(_elastic_net, gram=False), SQUARED, ("l1", "l1+l2"), TOLERANCES, **FREE),
    _peer("elastic-net-gram", partial(_elastic_net, gram=True), SQUARED, ("l1", "l1+l2"), TOLERANCES, 5_000, **FREE),
    _peer("quantile", _quantile, ("absolute",), ("l1",), ONCE, **FREE),
    _peer("lasso-path", _lasso_path, SQUARED, ("l1",), TOLERANCES, kind=Kind.PATH),
    _peer("lasso-cv", _lasso_cv, SQUARED, ("l1",), TOLERANCES, kind=Kind.CV),
    _peer("logistic-cv", _logistic_cv, LOG, ("l1",), TOLERANCES, kind=Kind.CV),
]
