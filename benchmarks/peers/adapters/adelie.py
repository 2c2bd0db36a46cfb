"""adelie: lmda (alpha ||w||_1 + (1 - alpha)/2 ||w||^2) beside a mean loss, as here; the budget is a tolerance.

Its metadata ask for numpy < 2, and its wheel runs without: pip install adelie --no-deps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tasks import Kind, Point
from .peer import TOLERANCES, Budget, Package, Peer, by_columns

PACKAGE = Package("adelie", "pip install adelie --no-deps")
MANY = 100_000


def _state(X: Any, y: np.ndarray, loss: str, weights: Any, share: float, intercept: bool, budget: Budget) -> Any:
    import adelie

    columns = by_columns(X)
    is_dense = isinstance(X, np.ndarray)
    matrix = adelie.matrix.dense(columns, method="naive") if is_dense else adelie.matrix.sparse(columns)
    glm = adelie.glm.gaussian(y) if loss == "squared" else adelie.glm.binomial((y > 0).astype(float))
    options = {} if budget is None else {"tol": budget, "irls_tol": budget, "max_iters": MANY, "irls_max_iters": MANY}
    return adelie.grpnet(  # which would end a path early by default
        matrix, glm, lmda_path=weights, alpha=share, intercept=intercept, early_exit=False, adev_tol=1.0,
        progress_bar=False, **options,
    )  # fmt: skip


def _fit(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, intercept: bool, budget: Budget) -> Point:
    state = _state(X, y, loss, [l1 + l2], l1 / (l1 + l2), intercept, budget)
    return Point(state.betas.toarray()[-1], float(np.ravel(state.intercepts)[-1]))


def _path(X: Any, y: np.ndarray, loss: str, l1: np.ndarray, budget: Budget) -> np.ndarray:
    return _state(X, y, loss, l1, 1.0, False, budget).betas.toarray()


BOTH = ("logistic", "squared")
PEERS = [
    Peer("adelie", PACKAGE, _fit, BOTH, ("l2", "l1", "l1+l2"), TOLERANCES, intercepts=True),
    Peer("adelie-path", PACKAGE, _path, BOTH, ("l1",), TOLERANCES, kind=Kind.PATH),
]
