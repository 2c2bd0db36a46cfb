"""SPAMS: fistaFlat with lambda1 = l1 or l2, times n of its squared loss, which is a sum. The budget is iterations."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..tasks import Point
from .peer import COUNTS, Budget, Package, Peer

PACKAGE = Package("spams-bin")


def _fit(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, intercept: bool, budget: Budget) -> Point:
    import spams

    n, d = X.shape
    scale = n if loss == "squared" else 1  # its logistic loss is a mean
    ones = np.ones((n, 1))
    if intercept:
        X = sp.hstack([X, ones]) if sp.issparse(X) else np.hstack([X, ones])
    columns = sp.csc_matrix(X) if sp.issparse(X) else np.asfortranarray(X)
    weights = {"lambda1": scale * (l1 or l2), "lambda2": scale * l2 if l1 else 0.0}
    options = {} if budget is None else {"max_it": int(budget), "tol": 1e-300}
    w = spams.fistaFlat(
        np.asfortranarray(y[:, None]), columns, np.zeros((d + intercept, 1), order="F"), numThreads=1,
        loss="square" if loss == "squared" else "logistic", intercept=intercept,
        regul="elastic-net" if l1 and l2 else "l1" if l1 else "l2", **weights, **options,
    ).ravel()  # fmt: skip
    return Point(w[:d], float(w[-1]) if intercept else 0.0)


PEERS = [
    Peer("spams-fista", PACKAGE, _fit, ("logistic", "squared"), ("l2", "l1", "l1+l2"), COUNTS, intercepts=True),
]
