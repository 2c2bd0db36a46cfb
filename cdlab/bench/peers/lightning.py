"""lightning: alpha = l2, twice that for its squared hinge, which has no 1/2. The budget is passes.

It has wheels up to Python 3.10; later versions build it with numpy < 2, cython < 3 and setuptools < 65, without build
isolation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .peer import COUNTS, Package, Peer

PACKAGE = Package(
    "sklearn-contrib-lightning",
    'pip install --no-build-isolation sklearn-contrib-lightning (after "numpy<2" "cython<3" "setuptools<65")',
)


def _alpha(loss: str, l2: float) -> float:
    return 2 * l2 if loss == "squared_hinge" else l2


def _sdca(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, budget: float) -> np.ndarray:
    from lightning.classification import SDCAClassifier
    from lightning.regression import SDCARegressor

    kind = SDCARegressor if loss == "squared" else SDCAClassifier
    model = kind(alpha=_alpha(loss, l2), l1_ratio=0, loss=loss, max_iter=int(budget), tol=0, random_state=0)
    return model.fit(X, y).coef_.ravel()


def _saga(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, budget: float) -> np.ndarray:
    from lightning.classification import SAGAClassifier

    name = "log" if loss == "logistic" else loss
    model = SAGAClassifier(alpha=_alpha(loss, l2), loss=name, max_iter=int(budget), tol=0, random_state=0)
    return model.fit(X, y).coef_.ravel()


def _cd(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, budget: float) -> np.ndarray:
    from lightning.classification import CDClassifier

    model = CDClassifier(
        C=1 / len(y), alpha=_alpha(loss, l2), penalty="l2", loss="log" if loss == "logistic" else loss,
        max_iter=int(budget), tol=1e-300, random_state=0,
    )  # fmt: skip
    return model.fit(X, y).coef_.ravel()


BOTH, L2 = ("logistic", "squared_hinge"), ("l2",)
PEERS = [
    Peer("lightning-sdca", PACKAGE, _sdca, ("squared_hinge", "squared"), L2, COUNTS),
    Peer("lightning-saga", PACKAGE, _saga, BOTH, L2, COUNTS),
    Peer("lightning-cd", PACKAGE, _cd, BOTH, L2, COUNTS),
]
