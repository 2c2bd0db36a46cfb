"""adelie: lmda (alpha ||w||_1 + (1 - alpha)/2 ||w||^2) beside a mean loss, as here; the budget is a tolerance.

Its metadata ask for numpy < 2, and its wheel runs without: pip install adelie --no-deps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .peer import TOLERANCES, Package, Peer

PACKAGE = Package("adelie", "pip install adelie --no-deps")
MANY = 100_000


def _fit(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, budget: float) -> np.ndarray:
    import adelie

    columns = X.tocsc() if sp.issparse(X) else np.asfortranarray(X)
    matrix = adelie.matrix.sparse(columns) if sp.issparse(X) else adelie.matrix.dense(columns, method="naive")
    glm = adelie.glm.gaussian(y) if loss == "squared" else adelie.glm.binomial((y > 0).astype(float))
    state = adelie.grpnet(
        matrix, glm, lmda_path=[l1 + l2], alpha=l1 / (l1 + l2), intercept=False, early_exit=False, adev_tol=1.0,
        tol=budget, irls_tol=budget, max_iters=MANY, irls_max_iters=MANY, progress_bar=False,
    )  # fmt: skip
    return state.betas.toarray()[-1]


PEERS = [Peer("adelie", PACKAGE, _fit, ("logistic", "squared"), ("l2", "l1", "l1+l2"), TOLERANCES)]
