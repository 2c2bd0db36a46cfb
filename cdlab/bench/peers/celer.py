"""celer: alpha = l1 + l2 and l1_ratio = l1/(l1 + l2); C = 1/(l1 n) of its logistic loss. The budget is a tolerance."""

from __future__ import annotations

from typing import Any

import numpy as np

from .peer import TOLERANCES, Package, Peer

PACKAGE = Package("celer")
MANY = 10_000


def _least_squares(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, budget: float) -> np.ndarray:
    import celer

    columns = np.asfortranarray(X) if isinstance(X, np.ndarray) else X.tocsc()
    common = {"fit_intercept": False, "tol": budget, "max_iter": MANY}
    if l2:
        model = celer.ElasticNet(alpha=l1 + l2, l1_ratio=l1 / (l1 + l2), **common)
    else:
        model = celer.Lasso(alpha=l1, **common)
    return model.fit(columns, y).coef_


def _logistic(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, budget: float) -> np.ndarray:
    import celer

    columns = np.asfortranarray(X) if isinstance(X, np.ndarray) else X.tocsc()
    return celer.LogisticRegression(C=1 / (l1 * len(y)), tol=budget, max_iter=MANY).fit(columns, y).coef_.ravel()


PEERS = [
    Peer("celer", PACKAGE, _least_squares, ("squared",), ("l1", "l1+l2"), TOLERANCES),
    Peer("celer-logistic", PACKAGE, _logistic, ("logistic",), ("l1",), TOLERANCES),
]
