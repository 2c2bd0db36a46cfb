"""glmnet-rs, glmnet in Rust: lambda (alpha ||w||_1 + (1 - alpha)/2 ||w||^2) beside a mean loss, of an array.

With the squared loss it divides y by its scale, and lambda with it, also that of ||w||^2: it gets a y of scale 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..tasks import Kind, Point
from .peer import TOLERANCES, Budget, Package, Peer

PACKAGE = Package("glmnet-rs")
MANY = 10_000_000


def _path_of(X: Any, y: np.ndarray, loss: str, weights: Any, share: float, intercept: bool, budget: Budget) -> Any:
    import glmnetrs

    dense = X.toarray() if sp.issparse(X) else X
    binomial = loss == "logistic"
    options: dict[str, Any] = {} if budget is None else {"thresh": budget, "maxit": MANY}
    return glmnetrs.glmnet(
        dense, (y > 0).astype(float) if binomial else y, family="binomial" if binomial else "gaussian", alpha=share,
        lambda_=np.asarray(weights, dtype=float), standardize=False, intercept=intercept, **options,
    )  # fmt: skip


def _fit(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, intercept: bool, budget: Budget) -> Point:
    scale = 1.0
    if loss == "squared":
        scale = float(np.std(y) if intercept else np.sqrt(np.mean(y**2)))
        y, l1 = y / scale, l1 / scale
    found = _path_of(X, y, loss, [l1 + l2], l1 / (l1 + l2), intercept, budget)
    return Point(scale * found.beta[:, -1], scale * float(found.a0[-1]))


def _path(X: Any, y: np.ndarray, loss: str, l1: np.ndarray, budget: Budget) -> np.ndarray:
    return _path_of(X, y, loss, l1, 1.0, False, budget).beta.T


BOTH, ENTRIES = ("logistic", "squared"), 1e7
PEERS = [
    Peer("glmnet-rs", PACKAGE, _fit, BOTH, ("l2", "l1", "l1+l2"), TOLERANCES, intercepts=True, most_entries=ENTRIES),
    Peer("glmnet-rs-path", PACKAGE, _path, BOTH, ("l1",), TOLERANCES, kind=Kind.PATH, most_entries=ENTRIES),
]
