"""scikit-learn-intelex: oneDAL behind scikit-learn's names and scalings; on arrays, elsewhere it is scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tasks import Point
from .peer import COUNTS, ONCE, Budget, Package, Peer
from .scikit_learn import iterations, point

PACKAGE = Package("scikit-learn-intelex")


def _logistic(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, intercept: bool, budget: Budget) -> Point:
    from sklearnex.linear_model import LogisticRegression

    model = LogisticRegression(C=1 / (l2 * len(y)), fit_intercept=intercept, n_jobs=1, **iterations(budget))
    return point(model.fit(X, y))


def _ridge(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, intercept: bool, budget: Budget) -> Point:
    from sklearnex.linear_model import Ridge

    return point(Ridge(alpha=l2 * len(y), fit_intercept=intercept).fit(X, y))


FREE: dict[str, Any] = {"intercepts": True}
PEERS = [
    Peer("sklearnex-lbfgs", PACKAGE, _logistic, ("logistic",), ("l2",), COUNTS, **FREE),
    Peer("sklearnex-ridge", PACKAGE, _ridge, ("squared",), ("l2",), ONCE, 10_000, **FREE),
]
