"""Cyanure: lambda_1 = l2, or l1 beside lambda_2 = l2; its losses are those of cdlab. The budget is passes."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..tasks import Point
from .peer import COUNTS, Budget, Package, Peer

PACKAGE = Package("cyanure")
ANY = ("l2", "l1", "l1+l2")
# qning-miso and catalyst-miso with the elastic net end at another point: they are compared with l2 alone;
# acc-svrg does so with an intercept
SOLVERS = {"qning-ista": ANY, "qning-svrg": ANY, "qning-miso": ("l2",), "acc-svrg": ANY, "svrg": ANY, "fista": ANY}
NAMES = {"logistic": "logistic", "squared_hinge": "sqhinge"}


def _fit(
    X: Any, y: np.ndarray, loss: str, l2: float, l1: float, intercept: bool, budget: Budget, *, solver: str
) -> Point:
    from cyanure.estimators import Classifier, Regression

    options: dict[str, Any] = {"penalty": "elasticnet" if l1 and l2 else "l1" if l1 else "l2", "lambda_1": l1 or l2}
    if l1 and l2:
        options["lambda_2"] = l2
    if budget is not None:
        options |= {"max_iter": int(budget), "duality_gap_interval": int(budget), "tol": 1e-300}
    options |= {"solver": solver, "n_threads": 1, "fit_intercept": intercept, "verbose": False, "random_state": 0}
    model = Regression(**options) if loss == "squared" else Classifier(loss=NAMES[loss], **options)
    model.fit(X, y)
    return Point(np.ravel(model.coef_), float(np.ravel(model.intercept_)[0]) if intercept else 0.0)


PEERS = [
    Peer(
        f"cyanure-{solver}",
        PACKAGE,
        partial(_fit, solver=solver),
        (*NAMES, "squared"),
        penalties,
        COUNTS,
        intercepts=solver != "acc-svrg",
    )
    for solver, penalties in SOLVERS.items()
]
