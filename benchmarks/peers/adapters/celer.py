"""celer: alpha = l1 + l2 and l1_ratio = l1/(l1 + l2); C = 1/(l1 n) of its logistic loss. The budget is a tolerance.

Its LassoCV cannot be made with scikit-learn 1.7 and later.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tasks import ChosenPoint, Kind, Point
from .peer import TOLERANCES, Budget, Package, Peer, by_columns

PACKAGE = Package("celer")
MANY = 10_000


def _options(budget: Budget) -> dict[str, Any]:
    return {} if budget is None else {"tol": budget, "max_iter": MANY}


def _least_squares(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, intercept: bool, budget: Budget) -> Point:
    import celer

    common = {"fit_intercept": intercept, **_options(budget)}
    if l2:
        model = celer.ElasticNet(alpha=l1 + l2, l1_ratio=l1 / (l1 + l2), **common)
    else:
        model = celer.Lasso(alpha=l1, **common)
    found = model.fit(by_columns(X), y)
    return Point(found.coef_, float(found.intercept_))


def _logistic(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, intercept: bool, budget: Budget) -> Point:
    import celer

    model = celer.LogisticRegression(C=1 / (l1 * len(y)), **_options(budget))
    return Point(model.fit(by_columns(X), y).coef_.ravel())


def _path(X: Any, y: np.ndarray, loss: str, l1: np.ndarray, budget: Budget) -> np.ndarray:
    import celer

    name, weights = ("lasso", l1) if loss == "squared" else ("logreg", l1 * len(y))
    return celer.celer_path(by_columns(X), y, name, alphas=weights, **_options(budget))[1].T


def _cross_validation(X: Any, y: np.ndarray, loss: str, l1: np.ndarray, folds: Any, budget: Budget) -> ChosenPoint:
    import celer

    model = celer.LassoCV(alphas=l1, cv=folds, **_options(budget)).fit(by_columns(X), y)
    return ChosenPoint(float(model.alpha_), model.coef_, float(model.intercept_))


PEERS = [
    Peer("celer", PACKAGE, _least_squares, ("squared",), ("l1", "l1+l2"), TOLERANCES, intercepts=True),
    Peer("celer-logistic", PACKAGE, _logistic, ("logistic",), ("l1",), TOLERANCES),
    Peer("celer-path", PACKAGE, _path, ("squared", "logistic"), ("l1",), TOLERANCES, kind=Kind.PATH),
    Peer("celer-lasso-cv", PACKAGE, _cross_validation, ("squared",), ("l1",), TOLERANCES, kind=Kind.CV),
]
