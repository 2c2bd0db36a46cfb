"""The sixty sets of raw_data.py, as they are: 6 of scikit-learn's, 14 of the catalogue's, 40 generated.

SEED was written down before any result was seen.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import sklearn.datasets

import cdlab

SEED = 20261128
OFFSETS = (0.0, 1.0, 10.0, 1e3, 1e6, 1e9)  # standard deviations
BUNDLED = ("iris", "wine", "breast_cancer", "digits", "diabetes", "linnerud")
CATALOGUE = {  # and the most rows that are taken, evenly spread: the referee's matrices are dense
    "mushrooms": 2000,
    "a9a": 2000,
    "w8a": 2000,
    "covtype": 2000,
    "mnist.binary": 600,
    "rcv1_vw1000": 1000,
    "reuters21578.earnacq": 1000,
    "leu": 38,
    "leu.t": 34,
    "leukemia72.raw": 72,
    "abalone_scale": 4177,
    "housing_scale": 506,
    "bodyfat_scale": 252,
    "space_ga_scale": 3107,
}
REGRESSION = ("diabetes", "linnerud", "abalone_scale", "housing_scale", "bodyfat_scale", "space_ga_scale")
GENERATED = (  # (kind, number, task): 40 in all
    *(("offset", o, task) for o in OFFSETS for task in ("regression", "binary")),
    *(("mixed scales", k, task) for k in (0, 1) for task in ("regression", "binary", "classes")),
    *(("scale", s, task) for s in (1e-6, 1e6) for task in ("regression", "binary")),
    *(("rare class", o, "binary") for o in (0.0, 1e3, 1e6)),
    *(("rare class", o, "classes") for o in (0.0, 1e3)),
    *(("days since 1970", 0.0, task) for task in ("regression", "binary")),
    *(("Unix seconds", 0.0, task) for task in ("regression", "binary")),
    ("Unix seconds as y", 0.0, "regression"),
    *(("prices", 0.0, task) for task in ("regression", "binary", "classes")),
    ("fill value", -999.0, "binary"),
    ("fill value", 9999.0, "regression"),
    ("fill value", 1e20, "binary"),
    ("fill value", 1e30, "regression"),
    ("fill value", 1e30, "classes"),
)
LOSSES = {
    "regression": ("squared", "huber", "absolute"),
    "binary": ("logistic", "squared_hinge", "smooth_hinge", "hinge"),
    "classes": ("softmax", "squared_hinge", "smooth_hinge", "hinge"),
}
WEIGHTS = ({"l2": 1e-3, "l1": 0.0}, {"l2": 0.0, "l1": 1e-3})
RARE, DAY = 0.02, 86400.0


class Data(NamedTuple):
    """A set with its name and its task: "regression", "binary" or "classes"."""

    name: str
    X: object
    y: np.ndarray
    task: str


def bundled(name: str) -> Data:
    X, y = getattr(sklearn.datasets, f"load_{name}")(return_X_y=True)
    if name == "linnerud":
        y = y[:, 0]  # the weight
    task = "regression" if name in REGRESSION else "binary" if np.unique(y).size == 2 else "classes"
    return Data(name, X, y, task)


def of_catalogue(name: str) -> Data:
    X, y = cdlab.datasets.load(name)
    rows = np.unique(np.linspace(0, X.shape[0] - 1, min(CATALOGUE[name], X.shape[0])).astype(int))
    task = "regression" if name in REGRESSION else "binary"
    y = y[rows]
    if name == "covtype":
        y = (y == 2).astype(int)
    return Data(name, X[rows], y, task)


def generated(k: int) -> Data:
    """Standard normal features, correlated in pairs, made raw by the kind of the set; y from before that."""
    kind, number, task = GENERATED[k]
    rng = np.random.default_rng([SEED, k])
    n, d = int(rng.integers(80, 600)), int(rng.integers(2, 15))
    S = rng.standard_normal((n, d))
    S[:, 1:] = 0.8 * S[:, 1:] + 0.6 * S[:, :-1]
    classes = 3 if task == "classes" else 1
    signal = S @ rng.standard_normal((d, classes)) / np.sqrt(d)
    noise = rng.standard_normal((n, classes))
    t = signal + (0.3 if task == "regression" else 0.5) * noise
    offset, scale = np.full(d, number if kind in ("offset", "rare class") else 0.0), np.ones(d)
    if kind == "mixed scales":
        offset, scale = 10 ** rng.uniform(-1, 6, d), 10 ** rng.uniform(-6, 6, d)
    elif kind == "scale":
        offset, scale = rng.uniform(-3, 3, d), np.full(d, number)
    X = (S + offset) * scale
    if kind == "days since 1970":
        X[:, 0] = np.round(19000 + 400 * S[:, 0])
    elif kind.startswith("Unix seconds"):
        X[:, 0] = np.round((19000 + 400 * S[:, 0]) * DAY)
    elif kind == "prices":
        X = np.round(np.exp(S + rng.uniform(0, 10, d)), 2)
    elif kind == "fill value":
        for j in rng.choice(d, size=max(1, d // 3), replace=False):
            X[rng.choice(n, size=max(2, n // 50), replace=False), j] = number
    if task == "regression":
        y = t[:, 0]
        y = (y + number) if kind == "offset" else np.round(np.exp(8 + y), 2) if kind == "prices" else y
        y = np.round((19000 + 400 * y) * DAY) if kind == "Unix seconds as y" else y
    elif task == "binary":
        y = np.where(t[:, 0] > np.quantile(t[:, 0], 1 - RARE if kind == "rare class" else 0.5), 1, -1)
    else:
        y = t.argmax(axis=1)
        if kind == "rare class":
            y[(y == 2) & (rng.random(n) > RARE)] = 0
            y[:2] = 2
    number_text = f" {number:g}" if kind in ("offset", "scale", "rare class", "fill value", "mixed scales") else ""
    return Data(f"{kind}{number_text}, {task}", X, y, task)


def all_sets(only: str = "") -> Iterator[Data]:
    """Every set whose name contains this, as far as its file is here."""
    for name in BUNDLED:
        if only in name:
            yield bundled(name)
    for name in CATALOGUE:
        if only in name:
            try:
                yield of_catalogue(name)
            except (FileNotFoundError, OSError, ValueError) as absent:
                print(f"{name} is left out: {absent}")
    for k in range(len(GENERATED)):
        data = generated(k)
        if only in data.name:
            yield data


def targets(data: Data, loss: str) -> list[np.ndarray]:
    """What the problems of this estimator have for y: one, or one a class."""
    if data.task == "regression":
        return [np.asarray(data.y, dtype=float)]
    classes, codes = np.unique(data.y, return_inverse=True)
    if loss == "softmax":
        return [codes]
    return [np.where(codes == k, 1.0, -1.0) for k in (range(classes.size) if classes.size > 2 else (1,))]
