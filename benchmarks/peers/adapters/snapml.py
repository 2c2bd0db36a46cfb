"""Snap ML, which is proprietary: regularizer = l2 n (twice that for its squared hinge, which has no 1/2), or l1 n.

Its hinge ends a thousandth above P*, and its intercept is penalised: neither is compared.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tasks import Point
from .peer import COUNTS, Budget, Package, Peer

PACKAGE = Package("snapml", "pip install snapml (proprietary licence of IBM, hence in no extra of cdlab)")


def _fit(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, intercept: bool, budget: Budget) -> Point:
    import snapml

    weight = (l1 or l2) * len(y)
    common: dict[str, Any] = {"n_jobs": 1, "fit_intercept": False, "random_state": 0}
    if budget is not None:
        common |= {"max_iter": int(budget), "tol": 1e-300}
    if loss == "squared_hinge":
        model = snapml.SupportVectorMachine(loss=loss, regularizer=2 * weight, **common)
    else:
        kind = snapml.LogisticRegression if loss == "logistic" else snapml.LinearRegression
        model = kind(penalty="l1" if l1 else "l2", dual=not l1, regularizer=weight, **common)
    return Point(np.ravel(model.fit(X, y).coef_))


PEERS = [
    Peer("snapml", PACKAGE, _fit, ("logistic", "squared"), ("l2", "l1"), COUNTS),
    Peer("snapml-svm", PACKAGE, _fit, ("squared_hinge",), ("l2",), COUNTS),
]
