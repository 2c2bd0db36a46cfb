"""skglm: alpha = l1 + l2 and l1_ratio = l1/(l1 + l2); its losses are means, as here. The budget is a tolerance."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np

from .peer import TOLERANCES, Package, Peer

PACKAGE = Package("skglm")
MANY = 100_000


@cache
def _compiled(name: str) -> Any:
    """A datafit, compiled once: its arrays are set by each fit."""
    from skglm import datafits
    from skglm.utils.jit_compilation import compiled_clone

    return compiled_clone(getattr(datafits, name)())


def _penalty(l2: float, l1: float) -> Any:
    from skglm.penalties import L1, L2, L1_plus_L2
    from skglm.utils.jit_compilation import compiled_clone

    if l1 and l2:
        return compiled_clone(L1_plus_L2(l1 + l2, l1 / (l1 + l2)))
    return compiled_clone(L1(l1) if l1 else L2(l2))


def _fit(X: Any, y: np.ndarray, loss: str, l2: float, l1: float, budget: float, *, solver: str) -> np.ndarray:
    from skglm import solvers

    columns = np.asfortranarray(X) if isinstance(X, np.ndarray) else X.tocsc()
    options: dict[str, Any] = {"tol": budget, "max_iter": MANY}
    if solver != "LBFGS":
        options["fit_intercept"] = False
    datafit = _compiled("Logistic" if loss == "logistic" else "Quadratic")
    return getattr(solvers, solver)(**options).solve(columns, y, datafit, _penalty(l2, l1))[0]


BOTH = ("logistic", "squared")
PEERS = [
    Peer("skglm-anderson", PACKAGE, partial(_fit, solver="AndersonCD"), BOTH, ("l1", "l1+l2"), TOLERANCES),
    Peer("skglm-prox-newton", PACKAGE, partial(_fit, solver="ProxNewton"), BOTH, ("l1", "l1+l2"), TOLERANCES),
    Peer("skglm-lbfgs", PACKAGE, partial(_fit, solver="LBFGS"), ("logistic",), ("l2",), TOLERANCES),
]
