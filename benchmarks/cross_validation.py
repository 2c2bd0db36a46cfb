"""Ten-fold cross-validation over 50 weights beside other packages: CPU seconds of one thread, and the choice.

    OPENBLAS_NUM_THREADS=1 CDLAB_DATA=FOLDER python benchmarks/cross_validation.py [SET ...]

All get the same folds and weights, from l1_max to l1_max/100, and the relative tolerance 1e-4, which cdlab certifies
for each weight. Regression has an intercept; classification has none, since liblinear would penalise it. Packages that
are not installed are left out. celer 0.7.4's LassoCV cannot be made with scikit-learn 1.7 and later: `--packages
celer.LassoCV` runs it alone, with an earlier one.
"""

import argparse
import importlib.util
import os
import time
import warnings
from collections.abc import Callable
from typing import Any

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402  # after the number of threads
import scipy.sparse as sp  # noqa: E402
from sklearn.linear_model import LassoCV, LogisticRegressionCV  # noqa: E402
from sklearn.model_selection import KFold, StratifiedKFold  # noqa: E402

import cdlab  # noqa: E402

SETS = {"leu": "leu", "reuters": "reuters21578.earnacq"}
WEIGHTS, RATIO, FOLDS, TOL = 50, 0.01, 10, 1e-4
Fit = Callable[[Any, np.ndarray, np.ndarray, Any], float]  # X, y, weights, folds -> the weight that is chosen


def cdlab_regression(X: Any, y: np.ndarray, a: np.ndarray, folds: Any) -> float:
    return cdlab.CDRegressorCV(weights=a, cv=folds, tol=TOL).fit(X, y).weight_


def lasso_cv(X: Any, y: np.ndarray, a: np.ndarray, folds: Any) -> float:
    return float(LassoCV(alphas=a, cv=folds, tol=TOL, max_iter=100_000).fit(X, y).alpha_)


def celer_cv(X: Any, y: np.ndarray, a: np.ndarray, folds: Any) -> float:
    import celer

    X = sp.csc_matrix(X) if sp.issparse(X) else np.asfortranarray(X)
    return float(celer.LassoCV(alphas=a, cv=folds, tol=TOL).fit(X, y).alpha_)


def cdlab_classification(X: Any, y: np.ndarray, a: np.ndarray, folds: Any) -> float:
    return cdlab.CDClassifierCV(weights=a, cv=folds, tol=TOL, fit_intercept=False).fit(X, y).weight_


def logistic_cv(X: Any, y: np.ndarray, a: np.ndarray, folds: Any) -> float:
    model = LogisticRegressionCV(
        Cs=1 / (len(y) * a), cv=folds, l1_ratios=(1.0,), solver="liblinear", fit_intercept=False, tol=TOL,
        max_iter=10_000, scoring="accuracy", use_legacy_attributes=False,
    )  # fmt: skip
    return float(1 / (len(y) * model.fit(X, y).C_))


TASKS: dict[str, tuple[str, Any, dict[str, tuple[str, Fit]]]] = {
    "squared": ("squared", KFold(FOLDS, shuffle=True, random_state=0), {
        "cdlab": ("cdlab", cdlab_regression), "LassoCV": ("sklearn", lasso_cv), "celer.LassoCV": ("celer", celer_cv),
    }),
    "logistic": ("logistic", StratifiedKFold(FOLDS, shuffle=True, random_state=0), {
        "cdlab": ("cdlab", cdlab_classification), "LogisticRegressionCV": ("sklearn", logistic_cv),
    }),
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=list(SETS))
    parser.add_argument("--packages", nargs="*", default=["cdlab", "LassoCV", "LogisticRegressionCV"])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| set | loss | package | CPU s | weight chosen, of 50 |\n|---|---|---|---|---|")
    for name in options.sets:
        X, y = cdlab.datasets.load(SETS[name], split="all")
        for loss, splitter, packages in TASKS.values():
            largest = cdlab.paths.largest_l1(cdlab.Problem(X, y, loss, l2=0.0, intercept=loss == "squared"))
            weights = np.geomspace(largest, RATIO * largest, WEIGHTS)
            folds = list(splitter.split(X, y))
            for package, (module, fit) in packages.items():
                if package not in options.packages or importlib.util.find_spec(module) is None:
                    continue
                fit(X, y, weights[:2], folds)  # compile
                begun = time.process_time()
                chosen = fit(X, y, weights, folds)
                place = int(np.argmin(np.abs(weights - chosen))) + 1
                print(f"| {name} | {loss} | {package} | {time.process_time() - begun:.2f} | {place} |", flush=True)


if __name__ == "__main__":
    main()
