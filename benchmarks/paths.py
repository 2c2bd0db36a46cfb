"""Paths of 50 weights against other packages: CPU time of one thread from (X, y) to a suboptimality of every weight.

    OPENBLAS_NUM_THREADS=1 CDLAB_DATA=FOLDER python benchmarks/paths.py [CELL ...] [--repeats 3]

Weights fall from l1_max to l1_max/100. A package is given the loosest of its tolerances at which the worst of the 50
points is within the level, (P(w) - P*)/max(P(0) - P*, 1e-6 P(0)), P* by the dual of a path that cdlab certifies to
1e-9. cdlab is given the level itself and proves it. Packages that are not installed are left out: adelie asks for
numpy < 2, and runs without it, too (pip install adelie --no-deps).
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import sys
import time
import warnings

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402  # after the number of threads
import scipy.sparse as sp  # noqa: E402

import cdlab  # noqa: E402

WEIGHTS, RATIO = 50, 0.01
LEVELS = (1e-4, 1e-6)
TOLERANCES = tuple(10.0 ** (-k / 2) for k in range(4, 29))
REFERENCE_TOL = 1e-9


# ------------------------------------------------------------ data
def loaded(name):
    return lambda: cdlab.datasets.load(name, split="all")


def correlated(n: int, d: int, support: int, decay: float = 0.9, seed: int = 0):
    """Features of a stationary sequence, neighbours correlated by `decay`; a sparse target with noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    for j in range(1, d):
        X[:, j] = decay * X[:, j - 1] + np.sqrt(1 - decay**2) * X[:, j]
    w = np.zeros(d)
    w[rng.choice(d, support, replace=False)] = rng.standard_normal(support)
    y = X @ w
    return X, y + 0.1 * np.linalg.norm(y) / np.sqrt(n) * rng.standard_normal(n)


def expressed(n: int = 100, d: int = 10_000, factors: int = 20, seed: int = 0):
    """Like gene expression: features that follow a few factors, standardised; a target of few features."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, factors)) @ rng.standard_normal((factors, d)) + 2 * rng.standard_normal((n, d))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    w = np.zeros(d)
    w[rng.choice(d, 30, replace=False)] = rng.standard_normal(30)
    y = X @ w
    return X, y + 0.3 * np.std(y) * rng.standard_normal(n)


CELLS = {
    "leu": (loaded("leu"), "squared"),
    "expressed": (expressed, "squared"),
    "correlated-500": (lambda: correlated(500, 5_000, 100), "squared"),
    "correlated-2000": (lambda: correlated(2_000, 20_000, 100), "squared"),
    "reuters": (loaded("reuters21578.earnacq"), "squared"),
    "news20": (loaded("news20.unigram"), "squared"),
    "rcv1": (loaded("rcv1_vw1000"), "squared"),
    "abalone": (loaded("abalone_scale"), "squared"),
    "mushrooms": (loaded("mushrooms"), "logistic"),
    "w8a": (loaded("w8a"), "logistic"),
}


# ------------------------------------------------------------ packages
def by_columns(X):
    return X.tocsc() if sp.issparse(X) else np.asfortranarray(X)


def cdlab_path(X, y, loss, l1, tol):
    return [s.w for s in cdlab.path(cdlab.Problem(X, y, loss, l2=0.0), l1=l1, tol=tol)]


def adelie_path(X, y, loss, l1, tol):
    import adelie

    columns = by_columns(X)
    matrix = adelie.matrix.sparse(columns) if sp.issparse(columns) else adelie.matrix.dense(columns, method="naive")
    glm = adelie.glm.gaussian(y) if loss == "squared" else adelie.glm.binomial((y > 0).astype(float))
    state = adelie.grpnet(
        matrix, glm, lmda_path=l1, intercept=False, early_exit=False, tol=tol, irls_tol=tol,
        adev_tol=1.0, progress_bar=False,
    )  # fmt: skip
    return list(state.betas.toarray())


def scikit_learn_path(X, y, loss, l1, tol):
    from sklearn.linear_model import lasso_path

    return list(lasso_path(by_columns(X), y, alphas=l1, tol=tol, max_iter=100_000)[1].T)


def celer_path(X, y, loss, l1, tol):
    import celer

    name, weights = ("lasso", l1) if loss == "squared" else ("logreg", l1 * len(y))
    return list(celer.celer_path(by_columns(X), y, name, alphas=weights, tol=tol, max_iter=1000)[1].T)


def skglm_path(X, y, loss, l1, tol):
    from skglm import datafits, penalties, solvers
    from skglm.utils.jit_compilation import compiled_clone

    columns, w, found = by_columns(X), np.zeros(X.shape[1]), []
    if not DATAFITS:  # compiled once
        DATAFITS.update(squared=compiled_clone(datafits.Quadratic()), logistic=compiled_clone(datafits.Logistic()))
    solver = (solvers.AndersonCD if loss == "squared" else solvers.ProxNewton)(
        tol=tol, max_iter=1000, fit_intercept=False, warm_start=True
    )
    for weight in l1:
        start = {"w_init": w.copy(), "Xw_init": np.asarray(X @ w)}
        w = solver.solve(columns, y, DATAFITS[loss], compiled_clone(penalties.L1(weight)), **start)[0]
        found.append(w.copy())
    return found


DATAFITS: dict = {}


PACKAGES = {
    "cdlab": (cdlab_path, "cdlab", ("squared", "logistic")),
    "adelie": (adelie_path, "adelie", ("squared", "logistic")),
    "scikit-learn": (scikit_learn_path, "sklearn", ("squared",)),
    "celer": (celer_path, "celer", ("squared", "logistic")),
    "skglm": (skglm_path, "skglm", ("squared", "logistic")),
}


# ------------------------------------------------------------ measuring
class Race:
    """One cell: the data, the weights, and the optimal value at each."""

    def __init__(self, name: str) -> None:
        make, self.loss = CELLS[name]
        self.X, self.y = make()
        self.problem = cdlab.Problem(self.X, self.y, self.loss, l2=0.0)
        self.y = self.problem.y
        largest = np.abs(self.problem.v(self.problem.alpha(np.zeros(self.problem.d)))).max()
        self.l1 = np.geomspace(largest, RATIO * largest, WEIGHTS)
        best = cdlab.path(self.problem, l1=self.l1, tol=REFERENCE_TOL)
        self.lower = [s.trace.records[-1].dual for s in best]
        self.at_zero = self.problem.at_zero

    def error(self, points) -> float:
        """The largest relative suboptimality of the 50 points."""
        worst = 0.0
        for weight, lower, w in zip(self.l1, self.lower, points, strict=True):
            above = self.problem.with_(l1=weight).primal(np.ascontiguousarray(w)) - lower
            worst = max(worst, above / max(self.at_zero - lower, 1e-6 * self.at_zero))
        return worst

    def runs(self, package: str) -> bool:
        """Whether the package is here and has this loss."""
        _, module, losses = PACKAGES[package]
        return self.loss in losses and importlib.util.find_spec(module) is not None

    def run(self, package: str, tol: float):
        """CPU seconds and points."""
        fit = PACKAGES[package][0]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            begun = time.process_time()
            points = fit(self.X, self.y, self.loss, self.l1, tol)
            return time.process_time() - begun, points

    def cheapest(self, package: str, level: float, repeats: int, limit: float):
        """Median CPU seconds at the loosest tolerance that reaches the level, that tolerance, and the error there."""
        for tol in (level,) if package == "cdlab" else TOLERANCES:
            seconds, points = self.run(package, tol)
            if len(points) < WEIGHTS:
                return None
            error = self.error(points)
            if error <= level:
                again = [self.run(package, tol)[0] for _ in range(repeats if seconds < limit else 0)]
                return statistics.median(again or [seconds]), tol, error
            if seconds > limit:
                return None
        return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cells", nargs="*", default=list(CELLS))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--packages", nargs="*", default=list(PACKAGES))
    parser.add_argument("--limit", type=float, default=60.0, help="CPU seconds after which a package is given up")
    options = parser.parse_args()
    print("| cell | level | " + " | ".join(options.packages) + " | ratio |")
    print("|---|---|" + "---|" * (len(options.packages) + 1))
    for name in options.cells:
        race = Race(name)
        packages = [package for package in options.packages if race.runs(package)]
        for package in packages:  # compile
            race.run(package, 1e-2)
        for level in LEVELS:
            found = {package: race.cheapest(package, level, options.repeats, options.limit) for package in packages}
            seconds = {package: each[0] for package, each in found.items() if each is not None}
            best = min((s for package, s in seconds.items() if package != "cdlab"), default=np.nan)
            row = [f"{1e3 * seconds[package]:.0f}" if package in seconds else "" for package in options.packages]
            print(f"| {name} | {level:.0e} | {' | '.join(row)} | {seconds['cdlab'] / best:.2f} |", flush=True)
            reached = ", ".join(f"{package} {each[2]:.0e} by {each[1]:.0e}" for package, each in found.items() if each)
            print(f"  {name}: worst of {WEIGHTS}: {reached}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
