"""Seconds of quantile regression, and the certified gap of what came out: cdlab beside HiGHS and ReHLine.

python benchmarks/quantiles.py              abalone, made data 20,000 x 50 and 5,000 x 20,000 with 20 entries a row
python benchmarks/quantiles.py abalone      only these

With l1 and a free intercept beside scikit-learn's QuantileRegressor, whose linear program HiGHS gets a time limit; with
a ridge, which in ReHLine (if it is installed) is on a column of ones, too. Gaps are relative to P(0) - P*, certified by
`cdlab.certify`; abalone is in the folder that CDLAB_DATA names, or comes with cdlab.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import QuantileRegressor

import cdlab

QUANTILES, LIMIT, TOL = (0.5, 0.9), 120.0, 1e-6  # LIMIT in seconds
SETS: dict[str, Callable[[], Any]] = {
    "abalone": lambda: cdlab.datasets.load("abalone_scale"),
    "tall": lambda: cdlab.datasets.make(n=20_000, d=50, seed=0, task="regression"),
    "wide": lambda: cdlab.datasets.make(n=5_000, d=20_000, density=1e-3, seed=0, task="regression"),
}


def by_cdlab(X: Any, y: np.ndarray, quantile: float, l2: float, l1: float) -> Any:
    """The coefficients and the intercept, or None where it is the coefficient of a column of ones."""
    P = cdlab.Problem(X, y, cdlab.losses.Pinball(quantile), l2, l1, intercept=l1 > 0)
    s = cdlab.solve(P, tol=TOL, max_passes=10**6, max_seconds=LIMIT)
    return s.w, s.intercept if l1 > 0 else None


def by_highs(X: Any, y: np.ndarray, quantile: float, l2: float, l1: float) -> Any:
    """The same of a linear program, without l2."""
    model = QuantileRegressor(quantile=quantile, alpha=l1, solver_options={"time_limit": LIMIT}).fit(X, y)
    return model.coef_, model.intercept_


def by_rehline(X: Any, y: np.ndarray, quantile: float, l2: float, l1: float) -> Any:
    """The same with l2 alone."""
    from rehline import plqERM_Ridge

    loss = {"name": "QR", "qt": quantile}
    return plqERM_Ridge(loss, C=1 / (l2 * len(y)), max_iter=10**6, tol=TOL).fit(X, y).coef_, None


def measured(name: str, quantile: float) -> None:
    """Print a line for each way to solve it, with l1 and with l2."""
    X, y = SETS[name]()
    ones = np.ones((len(y), 1))
    with_ones = sp.hstack([X, ones]).tocsr() if sp.issparse(X) else np.hstack([X, ones])
    l1 = 0.01 * cdlab.paths.largest_l1(cdlab.Problem(X, y, cdlab.losses.Huber(1e-3), 0.0, intercept=True))
    ridge = [by_cdlab, *([by_rehline] if find_spec("rehline") else [])]
    for data, weights, among in ((X, (0.0, l1), [by_cdlab, by_highs]), (with_ones, (1 / len(y), 0.0), ridge)):
        for by in among:
            began, gap = time.perf_counter(), "no coefficients"
            try:
                w, b = by(data, y, quantile, *weights)
            except TypeError:  # HiGHS at its limit, of which scikit-learn reads coefficients that are None
                w = None
            seconds = time.perf_counter() - began
            if w is not None:
                found = cdlab.certify(w, data, y, cdlab.losses.Pinball(quantile), *weights, intercept=b)
                gap = f"{found.relative_gap:.1e}"
            print(
                f"| {name} {X.shape} | {quantile} | {'l1' if data is X else 'ridge'} | {by.__name__[3:]} |",
                f"{seconds:.2f} | {gap} |",
                flush=True,
            )


def main() -> None:
    """A table."""
    warnings.simplefilter("ignore")
    X, y = cdlab.datasets.make(n=50, d=5, seed=0, task="regression")
    for data in (X, sp.csr_matrix(X)):  # kernels are compiled before the clock runs
        by_cdlab(data, y, 0.5, 0.1, 0.0)
        by_cdlab(data, y, 0.5, 0.0, 0.01)
    print("| data | quantile | penalty | by | seconds | relative gap |\n|---|---|---|---|---|---|")
    for name in sys.argv[1:] or SETS:
        for quantile in QUANTILES:
            measured(name, quantile)


if __name__ == "__main__":
    main()
