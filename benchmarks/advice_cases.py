"""The problems of benchmarks/advice.py, and which of them are for tuning.

The parts were fixed before anything was measured: the eight data sets of REPORTING and every second synthetic problem
are for reporting; so is one part of the classes of problems in advice_classes.py, which were added later. All others
are for tuning, and numbers in cdlab/advice are chosen by those alone.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import scipy.sparse as sp
from advice_classes import FEW, MADE, REAL, SEEDS
from sklearn.datasets import load_diabetes

import cdlab

MADE_BY = ("make-", "arrow-", *(f"{part}-" for part in SEEDS))  # what names of made data begin with


@dataclass
class Case:
    """One problem, not built yet."""

    name: str
    about: str  # how the data are made
    part: str  # "tuning" or "reporting"
    data: Callable[[], tuple]
    loss: str
    l2n: float  # l2 n
    l1: float = 0.0
    kind: str = "first selection"  # the class of problems

    @property
    def real(self) -> bool:
        return not self.name.startswith(MADE_BY)

    def build(self) -> cdlab.Problem:
        X, y = self.data()
        return cdlab.Problem(X, y, loss=self.loss, l2=self.l2n / X.shape[0], l1=self.l1)


L2N = (1.0, 0.1, 0.01)
CLASSIFICATION = ("logistic", "squared_hinge", "smooth_hinge")
REPORTING = {  # name: (scale, every k-th row): the two largest are thinned, so that all of it takes an afternoon
    "mushrooms": ("mean", 1),
    "leu": ("mean", 1),
    "rcv1_vw1000": ("unit", 1),
    "a9a": ("mean", 1),
    "w8a": ("mean", 1),
    "mnist.binary": ("unit", 6),
    "covtype.binary": ("unit", 20),
}
TUNING = {
    "reuters21578.earnacq": ("mean", 1),
    "news20.unigram": ("unit", 1),
}
REGRESSION = {"abalone_scale": "mean", "housing_scale": "mean", "bodyfat_scale": "mean", "space_ga_scale": "mean"}

SYNTHETIC = [  # (arguments of datasets.make, loss, l2 n, l1); alternately for tuning and for reporting
    ({"n": 20000, "d": 50}, "logistic", 1.0, 0),
    ({"n": 10000, "d": 100}, "logistic", 0.1, 0),
    ({"n": 20000, "d": 40, "condition": 1e4}, "logistic", 1.0, 0),
    ({"n": 15000, "d": 60, "condition": 1e3}, "logistic", 0.1, 0),
    ({"n": 20000, "d": 30, "condition": 1e3}, "squared_hinge", 0.1, 0),
    ({"n": 10000, "d": 50, "condition": 1e4}, "smooth_hinge", 0.1, 0),
    ({"n": 20000, "d": 300, "density": 0.04, "skew": 1.0, "values": "binary"}, "logistic", 0.1, 0),
    ({"n": 20000, "d": 200, "density": 0.05, "skew": 0.7, "values": "binary"}, "logistic", 0.1, 0),
    ({"n": 10000, "d": 500, "density": 0.02, "skew": 1.2, "values": "binary"}, "squared_hinge", 0.01, 0),
    ({"n": 15000, "d": 300, "density": 0.03, "skew": 1.0, "values": "binary"}, "smooth_hinge", 0.1, 0),
    ({"n": 100, "d": 5000}, "logistic", 0.1, 0),
    ({"n": 60, "d": 8000}, "logistic", 0.1, 0),
    ({"n": 200, "d": 4000, "condition": 100}, "squared_hinge", 0.01, 0),
    ({"n": 150, "d": 5000, "condition": 100}, "smooth_hinge", 0.01, 0),
    ({"n": 5000, "d": 20000, "density": 0.002, "skew": 1.1}, "logistic", 0.1, 0),
    ({"n": 8000, "d": 30000, "density": 0.001, "skew": 1.0}, "logistic", 0.1, 0),
    ({"n": 5000, "d": 50000, "density": 0.001, "skew": 1.1}, "smooth_hinge", 0.01, 0),
    ({"n": 6000, "d": 20000, "density": 0.002, "skew": 0.8}, "squared_hinge", 0.01, 0),
    ({"n": 3000, "d": 1000, "density": 0.05, "row_spread": 1.0}, "squared", 0.1, 0),
    ({"n": 4000, "d": 800, "density": 0.05, "row_spread": 1.0}, "squared", 0.1, 0),
    ({"n": 2000, "d": 500, "condition": 1e3}, "squared", 0.01, 0),
    ({"n": 3000, "d": 300, "condition": 1e3}, "squared", 0.01, 0),
    ({"n": 1000, "d": 1000}, "smooth_hinge", 1.0, 0),
    ({"n": 1200, "d": 800}, "logistic", 1.0, 0),
    ({"n": 1000, "d": 2000, "density": 0.1, "row_spread": 1.5}, "logistic", 0.1, 0),
    ({"n": 1500, "d": 1500, "density": 0.1, "row_spread": 1.5}, "logistic", 0.1, 0),
    ({"n": 300, "d": 10000, "density": 0.01, "skew": 1.0}, "squared_hinge", 0.1, 0),
    ({"n": 500, "d": 20000, "density": 0.01, "skew": 1.0}, "squared_hinge", 0.1, 0),
    ({"n": 30000, "d": 20}, "squared_hinge", 1.0, 0),
    ({"n": 25000, "d": 25}, "smooth_hinge", 1.0, 0),
    ({"n": 5000, "d": 500, "density": 0.02, "skew": 1.0}, "logistic", 0.1, 1e-3),
    ({"n": 4000, "d": 800, "density": 0.02, "skew": 1.0}, "logistic", 0.1, 1e-3),
    ({"n": 200, "d": 3000, "condition": 10}, "squared", 0.1, 1e-2),
    ({"n": 150, "d": 4000, "condition": 10}, "squared", 0.1, 1e-2),
    ({"n": 20000, "d": 60, "condition": 100}, "logistic", 0.1, 1e-4),
    ({"n": 15000, "d": 80, "condition": 100}, "logistic", 0.1, 1e-4),
    ({"n": 3000, "d": 10000, "density": 0.005, "skew": 1.0}, "smooth_hinge", 0.1, 1e-4),
    ({"n": 4000, "d": 12000, "density": 0.004, "skew": 1.0}, "smooth_hinge", 0.1, 1e-4),
    ({"n": 10000, "d": 20, "condition": 1e6}, "squared", 0.1, 0),
    ({"n": 12000, "d": 15, "condition": 1e5}, "squared", 0.1, 0),
    ({"n": 50, "d": 50}, "logistic", 0.01, 0),
    ({"n": 60, "d": 40}, "logistic", 0.01, 0),
    ({"n": 30000, "d": 120, "density": 0.12, "skew": 0.5, "values": "binary"}, "logistic", 0.01, 0),
    ({"n": 25000, "d": 150, "density": 0.1, "skew": 0.5, "values": "binary"}, "logistic", 0.01, 0),
    ({"n": 20000, "d": 100, "condition": 1e3}, "smooth_hinge", 0.01, 0),
    ({"n": 15000, "d": 80, "condition": 1e3}, "squared_hinge", 0.01, 0),
    ({"n": 8000, "d": 400, "density": 0.25, "skew": 0.3}, "logistic", 0.01, 0),
    ({"n": 6000, "d": 500, "density": 0.2, "skew": 0.3}, "squared_hinge", 0.01, 0),
    ({"n": 40, "d": 7000, "condition": 1e3}, "logistic", 0.01, 0),
    ({"n": 50, "d": 6000, "condition": 1e3}, "smooth_hinge", 0.01, 0),
    ({"n": 2000, "d": 300, "density": 0.05}, "hinge", 1.0, 0),
    ({"n": 3000, "d": 400, "density": 0.05}, "hinge", 1.0, 0),
    ({"n": 200, "d": 2000}, "hinge", 0.1, 0),
    ({"n": 150, "d": 2500}, "hinge", 0.1, 0),
]
ARROWS = [  # (arguments of datasets.arrow, loss, l2 n)
    ({"d": 300, "n": 3000, "a": 0.05, "b": 1.0, "c": 1.0}, "logistic", 0.1),
    ({"d": 200, "n": 4000, "a": 0.1, "b": 1.0, "c": 1.0}, "logistic", 0.1),
    ({"d": 3000, "n": 300, "a": 0.05, "b": 1.0, "c": 1.0}, "squared", 0.1),
    ({"d": 4000, "n": 200, "a": 0.1, "b": 1.0, "c": 1.0}, "squared", 0.1),
]


def _real(name: str, scale: str, keep: int) -> Callable[[], tuple]:
    def data():
        if name.startswith("diabetes"):
            X, y = load_diabetes(return_X_y=True)
            return X / np.sqrt((X**2).sum(1).mean()), (y - y.mean()) / y.std() if name.endswith("/z") else y
        X, y = cdlab.datasets.load(name, split="all", scale=scale)
        return X[::keep], y[::keep]

    return data


def _dense(data: Callable[[], tuple]) -> Callable[[], tuple]:
    def as_array():
        X, y = data()
        return X.toarray() if sp.issparse(X) else X, y

    return as_array


def _rescaled_maker(build: Callable, arguments: dict, seed: int = 1) -> Callable[[], tuple]:
    def data():
        X, y = build(**arguments, seed=seed)
        return X / np.sqrt(np.asarray(X.multiply(X).sum(1) if hasattr(X, "multiply") else (X**2).sum(1)).mean()), y

    return data


def cases() -> Iterator[Case]:
    """All problems."""
    yield from _synthetic(cdlab.datasets.make, SYNTHETIC)
    yield from _synthetic(cdlab.datasets.arrow, [(*row, 0) for row in ARROWS])
    for name, scale in REGRESSION.items():
        for loss, l2n in product(("squared", "huber"), L2N):
            yield Case(f"{name} {loss} {l2n:g}/n", f"scale={scale}", "tuning", _real(name, scale, 1), loss, l2n)
    for part, sets in (("reporting", REPORTING), ("tuning", TUNING)):
        for name, (scale, keep) in sets.items():
            for loss, l2n in product(CLASSIFICATION, L2N):
                called, data = f"{name} {_problem_name(loss, l2n, 0)}", _real(name, scale, keep)
                yield Case(called, _scaling_text(scale, keep), part, data, loss, l2n)
    for part in SEEDS:
        yield from _classes(part)


def _classes(part: str) -> Iterator[Case]:
    """The problems of advice_classes.py, those of the made data first, of the real the smallest."""
    for number, (kind, arguments, loss, l2n, l1) in enumerate(MADE[part]):
        task = {"task": "regression"} if loss in ("squared", "huber") else {}
        name = f"{part}-{number + 1} {_problem_name(loss, l2n, l1)}"
        data = _rescaled_maker(cdlab.datasets.make, arguments | task, SEEDS[part])
        yield Case(name, _arguments_text(arguments), part, data, loss, l2n, l1, kind)
    for name, scale, keep, kind, losses, l2ns, l1 in REAL[part]:
        thin = f"/{keep}" if keep > 1 else ""
        data = _real(name, scale, keep)
        for loss, l2n in product(losses, l2ns):
            called = f"{name}{thin} {_problem_name(loss, l2n, l1)}"
            stored = _dense(data) if kind == FEW else data
            yield Case(called, _scaling_text(scale, keep), part, stored, loss, l2n, l1, kind)


def _problem_name(loss: str, l2n: float, l1: float) -> str:
    return f"{loss} {l2n:g}/n" + (f" l1={l1:g}" if l1 else "")


def _arguments_text(arguments: dict) -> str:
    return ", ".join(f"{key}={value:g}" if key != "values" else value for key, value in arguments.items())


def _scaling_text(scale: str, keep: int) -> str:
    return f"scale={scale}" + (f", every {keep}th row" if keep > 1 else "")


def _synthetic(build: Callable, rows: list[tuple]) -> Iterator[Case]:
    for number, (arguments, loss, l2n, l1) in enumerate(rows):
        task = {"task": "regression"} if build is cdlab.datasets.make and loss == "squared" else {}
        name = f"{build.__name__}-{number + 1} {_problem_name(loss, l2n, l1)}"
        part = "reporting" if number % 2 else "tuning"
        yield Case(name, _arguments_text(arguments), part, _rescaled_maker(build, arguments | task), loss, l2n, l1)
