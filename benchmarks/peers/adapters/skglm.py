"""skglm: alpha = l1 + l2 and l1_ratio = l1/(l1 + l2); its losses are means, as here. The budget is a tolerance."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np

from ..tasks import Kind, Point
from .peer import TOLERANCES, Budget, Package, Peer, by_columns

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


def _options(budget: Budget) -> dict[str, Any]:
    return {} if budget is None else {"tol": budget, "max_iter": MANY}


def _fit(
    X: Any, y: np.ndarray, loss: str, l2: float, l1: float, intercept: bool, budget: Budget, *, solver: str
) -> Point:
    from skglm import solvers

    options: dict[str, Any] = _options(budget)
    if solver != "LBFGS":
        options["fit_intercept"] = intercept
    datafit = _compiled("Logistic" if loss == "logistic" else "Quadratic")
    w = getattr(solvers, solver)(**options).solve(by_columns(X), y, datafit, _penalty(l2, l1))[0]
    return Point(w[: X.shape[1]], float(w[-1]) if intercept else 0.0)


def _path(X: Any, y: np.ndarray, loss: str, l1: np.ndarray, budget: Budget) -> list[np.ndarray]:
    from skglm import solvers

    columns, w, points = by_columns(X), np.zeros(X.shape[1]), []
    datafit = _compiled("Logistic" if loss == "logistic" else "Quadratic")
    kind = solvers.AndersonCD if loss == "squared" else solvers.ProxNewton
    solver = kind(fit_intercept=False, warm_start=True, **_options(budget))
    for weight in l1:
        w = solver.solve(columns, y, datafit, _penalty(0.0, weight), w_init=w.copy(), Xw_init=np.asarray(X @ w))[0]
        points.append(w.copy())
    return points


BOTH = ("logistic", "squared")
PEERS = [
    Peer(
        "skglm-anderson",
        PACKAGE,
        partial(_fit, solver="AndersonCD"),
        BOTH,
        ("l1", "l1+l2"),
        TOLERANCES,
        intercepts=True,
    ),
    Peer(
        "skglm-prox-newton",
        PACKAGE,
        partial(_fit, solver="ProxNewton"),
        BOTH,
        ("l1", "l1+l2"),
        TOLERANCES,
        intercepts=True,
    ),
    Peer("skglm-path", PACKAGE, _path, BOTH, ("l1",), TOLERANCES, kind=Kind.PATH),
    Peer("skglm-lbfgs", PACKAGE, partial(_fit, solver="LBFGS"), ("logistic",), ("l2",), TOLERANCES),
]
