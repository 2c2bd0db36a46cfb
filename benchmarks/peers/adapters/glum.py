"""glum: alpha = l1 + l2 and l1_ratio = l1/(l1 + l2); half a deviance is the loss here. The budget is iterations."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..tasks import Point
from .peer import COUNTS, Budget, Package, Peer

PACKAGE = Package("glum")


def _fit(
    X: Any, y: np.ndarray, loss: str, l2: float, l1: float, intercept: bool, budget: Budget, *, solver: str
) -> Point:
    from glum import GeneralizedLinearRegressor

    options = {} if budget is None else {"max_iter": int(budget), "gradient_tol": 1e-16}
    model = GeneralizedLinearRegressor(
        family="binomial" if loss == "logistic" else "normal", alpha=l1 + l2, l1_ratio=l1 / (l1 + l2),
        solver=solver, fit_intercept=intercept, **options,
    )  # fmt: skip
    model.fit(X, (y + 1) / 2 if loss == "logistic" else y)
    return Point(model.coef_, float(model.intercept_))


BOTH, FEATURES = ("logistic", "squared"), 5_000
PEERS = [
    Peer("glum-irls-ls", PACKAGE, partial(_fit, solver="irls-ls"), BOTH, ("l2",), COUNTS, FEATURES, intercepts=True),
    Peer(
        "glum-irls-cd",
        PACKAGE,
        partial(_fit, solver="irls-cd"),
        BOTH,
        ("l2", "l1", "l1+l2"),
        COUNTS,
        FEATURES,
        intercepts=True,
    ),
    Peer("glum-lbfgs", PACKAGE, partial(_fit, solver="lbfgs"), BOTH, ("l2",), COUNTS, intercepts=True),
]
