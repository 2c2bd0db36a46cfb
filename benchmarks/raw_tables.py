"""The tables of raw_data.py beside its verdicts: times of methods, passes against the offset, scikit-learn's scores."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from raw_sets import LOSSES, OFFSETS, SEED, WEIGHTS, Data, all_sets, bundled, targets
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, QuantileRegressor
from sklearn.svm import SVC, LinearSVC

import cdlab

METHODS = ("newton_cd", "lbfgs", "agd", "fista", "rcd", "ssnal")
FLAT = ("rcd", "agd", "fista", "lbfgs", "newton_cd", "ssnal", "auto")
SOLVED = ("tolerance reached", "rounding limit")
LIMIT, SHORT, SLOWEST, REPEATS = 3.0, 0.1, 4.0, 3  # seconds of a method in the race; times auto's; fits


def raced(data: Data, loss: str, weights: dict[str, float]) -> tuple[float, str, float]:
    """CPU seconds of auto, the fastest of the methods that reach the tolerance, and its seconds; inf where missed.

    A method that takes SLOWEST times as long as auto is out.
    """
    y, known = targets(data, loss)[-1], {}
    P = cdlab.Problem(data.X, y, loss, intercept=True, **weights)
    able = [m for m in METHODS if cdlab.methods.resolve(m).refusal(P, cdlab.samplings.Uniform()) is None]
    limit = LIMIT
    for method in ("auto", *able):
        taken = []
        for _ in range(REPEATS + 1):  # the first may compile
            begun = time.process_time()
            P = cdlab.Problem(data.X, y, loss, intercept=True, **weights)
            s = cdlab.solve(P, method, max_passes=None, max_seconds=limit)
            taken.append(time.process_time() - begun)
            if s.status not in SOLVED:
                taken = [np.inf]
            if taken[-1] > 1:
                break
        known[method] = min(taken[1:] or taken)
        limit = min(LIMIT, max(SHORT, SLOWEST * known["auto"]))
    mine = known.pop("auto")
    best = min(known, key=known.__getitem__, default="")
    return mine, best, known.get(best, np.inf)


def race(wanted_sets: str, wanted: str) -> None:
    """CPU time of auto over that of the best method, without a limit on passes."""
    ratios = []
    print(f"{'set':34}{'loss':15}{'':4}{'auto, ms':>10}{'best, ms':>10}{'ratio':>7}")
    for data in all_sets(wanted_sets):
        for loss in (each for each in LOSSES[data.task] if wanted in each):
            for weights in WEIGHTS:
                mine, best, least = raced(data, loss, weights)
                ratios.append(mine / least if min(mine, least) < np.inf else np.nan)
                print(f"{data.name:34}{loss:15}{'l1' if weights['l1'] else 'l2':4}{1e3 * mine:10.1f}{1e3 * least:10.1f}"
                      f"{ratios[-1]:7.2f}  {best if least < np.inf else 'none in time'}", flush=True)  # fmt: skip
    kept = np.array([r for r in ratios if not np.isnan(r)])
    print(f"{len(ratios) - kept.size} without auto or another in time; of {kept.size} median {np.median(kept):.2f}, "
          + ", ".join(f"{np.mean(kept <= most):.1%} within {most:g}" for most in (1.5, 2, 3, 5, 10)))  # fmt: skip


def passes_by_offset() -> None:
    """Passes of each method against the offset of dense data, and of sparse data by density."""
    losses = {"logistic": "l2", "squared": "l2", "squared l1": "l1", "hinge": "l2", "absolute": "l2"}
    print(f"{'data':16}{'loss':12}{'method':11}" + "".join(f"{o:>10g}" for o in OFFSETS) + "  passes at each offset")
    for kind in ("dense", 0.1, 0.45, 0.55, 0.9, "full, sparse"):
        for words in losses:
            for method in FLAT:
                cells = [passes(kind, words, method, offset) for offset in OFFSETS]
                if any(cells):
                    print(f"{kind!s:16}{words:12}{method:11}" + "".join(f"{c or '-':>10}" for c in cells), flush=True)


def passes(kind: Any, words: str, method: str, offset: float) -> str:
    """Passes to 1e-6 on 300 x 20; ! where it was not reached, ~ at the rounding limit; "" where the method refuses."""
    rng, n, d = np.random.default_rng(SEED), 300, 20
    S, w = rng.standard_normal((n, d)), rng.standard_normal(d) / np.sqrt(d)
    mask = rng.random((n, d)) < (kind if isinstance(kind, float) else 1.0)
    X = (S + offset) * mask
    t = (S * mask) @ w + 0.5 * rng.standard_normal(n)
    loss, weights = words.split()[0], {"l2": 0.0, "l1": 1e-3} if "l1" in words else {"l2": 1e-3, "l1": 0.0}
    y = t if loss in ("squared", "absolute") else np.sign(t)
    P = cdlab.Problem(X if kind == "dense" else sp.csr_matrix(X), y, loss, intercept=True, **weights)
    if cdlab.methods.resolve(method).refusal(P, cdlab.samplings.Uniform()) is not None and method != "auto":
        return ""
    s = cdlab.solve(P, method, max_passes=3000, max_seconds=20)
    mark = {"tolerance reached": "", "rounding limit": "~"}.get(s.status, "!")
    return f"{s.trace.records[-1].passes:.0f}{mark}"


def peers() -> None:
    """Milliseconds (CPU, the median of 5 fits) and training scores beside scikit-learn's at their defaults."""
    print(f"{'set':16}{'model':44}{'ms':>10}{'score':>9}")
    for name in ("iris", "wine", "breast_cancer", "diabetes"):
        X, y = bundled(name)[1:3]
        of_median = (cdlab.CDRegressor("absolute"), cdlab.CDRegressor("absolute", l2=0, l1=1.0), QuantileRegressor())
        of_classes = (cdlab.CDClassifier("hinge"), LinearSVC(loss="hinge"), SVC(kernel="linear"), cdlab.CDClassifier(),
                      LogisticRegression())  # fmt: skip
        models: tuple[Any, ...] = of_median if name == "diabetes" else of_classes
        for model in models:
            taken = []
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                for _ in range(6):
                    begun = time.process_time()
                    model.fit(X, y)
                    taken.append(time.process_time() - begun)
            warned = ", warns" if any(issubclass(c.category, ConvergenceWarning) for c in caught) else ""
            error = f", mean |r| {np.mean(np.abs(model.predict(X) - y)):.3f}" if name == "diabetes" else ""
            ms = 1e3 * np.median(taken[1:])
            print(f"{name:16}{model!r:44}{ms:10.1f}{model.score(X, y):9.4f}{error}{warned}", flush=True)
