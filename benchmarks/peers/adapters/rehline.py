"""ReHLine: C = 1/(l2 n), twice that for the absolute loss, which is twice its check loss of 1/2."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tasks import Point
from .peer import TOLERANCES, Budget, Package, Peer

PACKAGE = Package("rehline")
MANY = 1_000_000


def _fit(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, intercept: bool, budget: Budget) -> Point:
    from rehline import plqERM_Ridge

    hinge = loss == "hinge"
    named = {"name": "svm"} if hinge else {"name": "QR", "qt": 0.5}
    options: dict[str, Any] = {} if budget is None else {"tol": budget, "max_iter": MANY}
    model = plqERM_Ridge(loss=named, C=(1 if hinge else 2) / (l2 * len(y)), **options)
    return Point(model.fit(X, y).coef_)


PEERS = [Peer("rehline", PACKAGE, _fit, ("hinge", "absolute"), ("l2",), TOLERANCES)]
