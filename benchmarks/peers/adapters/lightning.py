"""lightning: alpha = l2, twice that for its squared hinge, which has no 1/2. The budget is passes.

It has wheels up to Python 3.10; later versions build it with numpy < 2, cython < 3 and setuptools < 65, without build
isolation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .peer import COUNTS, Budget, Package, Peer

PACKAGE = Package(
    "sklearn-contrib-lightning",
    'pip install --no-build-isolation sklearn-contrib-lightning (after "numpy<2" "cython<3" "setuptools<65")',
)


def _alpha(loss: str, l2: float) -> float:
    return 2 * l2 if loss == "squared_hinge" else l2


def _sdca(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, budget: Budget) -> np.ndarray:
    from lightning.classification import SDCAClassifier
    from lightning.regression import SDCARegressor

    kind = SDCARegressor if loss == "squared" else SDCAClassifier
    model = kind(alpha=_alpha(loss, l2), l1_ratio=0, loss=loss, **_options(budget))
    return model.fit(X, y).coef_.ravel()


def _saga(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, budget: Budget) -> np.ndarray:
    from lightning.classification import SAGAClassifier

    name = "log" if loss == "logistic" else loss
    model = SAGAClassifier(alpha=_alpha(loss, l2), loss=name, **_options(budget))
    return model.fit(X, y).coef_.ravel()


def _cd(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, budget: Budget) -> np.ndarray:
    from lightning.classification import CDClassifier

    name = "log" if loss == "logistic" else loss
    model = CDClassifier(C=1 / len(y), alpha=_alpha(loss, l2), penalty="l2", loss=name, **_options(budget, 1e-300))
    return model.fit(X, y).coef_.ravel()


def _options(budget: Budget, tol: float = 0.0) -> dict[str, Any]:
    return {"random_state": 0} if budget is None else {"random_state": 0, "max_iter": int(budget), "tol": tol}


BOTH, L2 = ("logistic", "squared_hinge"), ("l2",)
PEERS = [
    Peer("lightning-sdca", PACKAGE, _sdca, ("squared_hinge", "squared"), L2, COUNTS),
    Peer("lightning-saga", PACKAGE, _saga, BOTH, L2, COUNTS),
    Peer("lightning-cd", PACKAGE, _cd, BOTH, L2, COUNTS),
]
