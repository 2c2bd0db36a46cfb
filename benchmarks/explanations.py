"""Whether what `cdlab.explain` says of a race is so.

python benchmarks/explanations.py            all 60 races; CDLAB_DATA names the folder of real data
python benchmarks/explanations.py PATTERN    those whose line contains it

The races were written down before any of them had run: 20 with what `explain` once refused (losses that are not smooth,
l1, batches, methods of other kinds), 20 on real data, 20 drawn with `DRAWN_SEED`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

import cdlab
from cdlab.samplings import TauNice

RACE = {"seeds": (0, 1, 2), "tol": 1e-6}
MAX_PASSES, MIN_PASSES, MAX_NONZEROS = 2000, 40, 1e8  # of each run of a race
DRAWN_SEED = 20261129


class Case(NamedTuple):
    """Data (a set and its scaling, or a call of a generator), loss, l2 times n, entries, and l1 as a share of l1_max."""

    data: str
    loss: str
    l2n: float
    entries: Sequence[Any]
    l1: float = 0.0

    def __str__(self) -> str:
        l1 = f" l1 {self.l1:g} of its largest" if self.l1 else ""
        return f"{self.data} {self.loss} {self.l2n:g}/n{l1} {' / '.join(map(_label, self.entries))}"

    def problem(self) -> cdlab.Problem:
        """Labels of a regression are standardised."""
        name, scale = self.data.split()
        X, y = cdlab.datasets.load(name)
        X = X if scale == "none" else cdlab.datasets.scaled(X, scale)
        if self.loss in ("squared", "huber") and np.unique(y).size > 2:
            y = (y - y.mean()) / y.std()
        P = cdlab.Problem(X, y, self.loss, l2=self.l2n / X.shape[0])
        if not self.l1:
            return P
        largest = np.abs(P.X.T @ P.alpha(np.zeros(P.d))).max() / P.n
        return cdlab.Problem(X, y, self.loss, l2=P.l2, l1=self.l1 * largest)


def _label(entry: Any) -> str:
    if isinstance(entry, str):
        return entry
    name, options = entry
    return f"{name}({', '.join(f'{key}={value}' for key, value in options.items())})"


SQUARE = "synthetic:n=150,d=150,density=0.3,skew=1.0,row_spread=0.5,seed=11 none"
TALL = "synthetic:n=400,d=60,density=1.0,condition=100,seed=12 unit"
WIDE = "synthetic:n=80,d=400,density=0.2,skew=1.0,seed=13 unit"
UNEVEN = "synthetic:n=300,d=100,density=0.2,row_spread=1.0,seed=14 none"

REFUSED = (
    Case(TALL, "hinge", 1.0, ("sdca", "spdc")),
    Case(UNEVEN, "hinge", 1.0, ("sdca", "sdca@permutation")),
    Case(SQUARE, "squared", 0.3, ("rcd", "sdca"), 0.1),
    Case(WIDE, "logistic", 0.3, ("rcd", "sdca@importance"), 0.1),
    Case(SQUARE, "logistic", 1.0, ("sdca", ("quartz", {"sampling": TauNice(8)}))),
    Case(WIDE, "squared", 1.0, ("rcd", ("rcd", {"sampling": TauNice(8)}))),
    Case(TALL, "logistic", 0.1, ("sdca", "spdc")),
    Case(UNEVEN, "squared", 1.0, ("rcd", ("spdc", {"batch_size": 8}))),
    Case(TALL, "squared_hinge", 0.1, ("sdca", ("asdca", {"batch_size": 8}))),
    Case(SQUARE, "logistic", 1.0, ("svrg", "sdca")),
    Case(TALL, "squared", 0.3, ("svrg", "saga")),
    Case(UNEVEN, "logistic", 1.0, ("rcd", "saga")),
    Case(TALL, "logistic", 0.3, ("agd", "rcd")),
    Case(WIDE, "squared", 0.1, ("rcd", "acc_rcd")),
    Case(TALL, "squared", 0.1, ("sdca", "apcg")),
    Case(SQUARE, "smooth_hinge", 0.1, ("acc_rcd", "apcg")),
    Case(TALL, "squared", 0.1, ("sdca", "appa")),
    Case(TALL, "logistic", 0.3, ("rcd", "lbfgs")),
    Case(WIDE, "squared", 0.3, ("lbfgs", "agd", "sdca")),
    Case(UNEVEN, "squared", 0.3, ("sdca", ("sdna", {"batch_size": 8}))),
)

REAL = (
    Case("mushrooms unit", "logistic", 1.0, ("rcd", "sdca")),
    Case("mushrooms none", "squared", 1.0, ("rcd", "sdca@permutation")),
    Case("mushrooms unit", "hinge", 1.0, ("sdca", "sdca@cyclic")),
    Case("a9a.t unit", "logistic", 1.0, ("rcd", "sdca")),
    Case("a9a.t unit", "squared_hinge", 10.0, ("rcd@importance", "quartz")),
    Case("w8a none", "logistic", 10.0, ("sdca", "sdca@importance")),
    Case("w8a none", "logistic", 10.0, ("rcd", "rcd@importance")),
    Case("abalone_scale mean", "squared", 1.0, ("rcd", "sdca")),
    Case("abalone_scale mean", "huber", 10.0, ("rcd@cyclic", "sdca@permutation")),
    Case("housing_scale mean", "squared", 0.1, ("rcd", "apcg")),
    Case("housing_scale mean", "squared", 1.0, ("rcd", "sdca@importance"), 0.05),
    Case("bodyfat_scale mean", "squared", 1.0, ("acc_rcd", "sdca")),
    Case("space_ga_scale mean", "squared", 1.0, ("rcd", "lbfgs")),
    Case("leu mean", "logistic", 1.0, ("rcd", "sdca")),
    Case("leu.t mean", "squared", 0.1, ("rcd@permutation", "sdca@permutation")),
    Case("leu mean", "squared", 0.3, ("sdca", "spdc")),
    Case("rcv1_vw1000 unit", "logistic", 0.1, ("rcd", "sdca")),
    Case("rcv1_vw1000 unit", "squared_hinge", 1.0, ("sdca", "svrg")),
    Case("rcv1_vw1000 unit", "logistic", 1.0, ("rcd", "sdca@permutation"), 0.2),
    Case("reuters21578.earnacq unit", "smooth_hinge", 1.0, ("rcd", "sdca@permutation")),
)


def drawn() -> Iterator[Case]:
    """Twenty races on made data."""
    rng = np.random.default_rng(DRAWN_SEED)
    draws = ("uniform", "importance", "permutation", "cyclic")
    for k in range(20):
        n, d = rng.integers(30, 300, size=2)
        density, skew, spread = rng.choice([0.05, 0.3, 1.0]), rng.choice([0.0, 1.0]), rng.choice([0.0, 0.5, 1.0])
        data = f"synthetic:n={n},d={d},density={density},skew={skew},row_spread={spread},seed={k} none"
        loss = str(rng.choice(["squared", "logistic", "smooth_hinge", "squared_hinge"]))
        pairs = (("rcd", "sdca"), ("rcd", "quartz"), ("rcd", "rcd"), ("sdca", "sdca"))
        methods = pairs[rng.choice(4, p=[0.4, 0.2, 0.2, 0.2])]
        same = methods[0] == methods[1]
        taken = rng.choice(4, size=2, replace=not same)
        entries = tuple(f"{method}@{draws[i]}" for method, i in zip(methods, taken, strict=True))
        yield Case(data, loss, float(round(10 ** rng.uniform(-1, 1), 3)), entries)


GROUPS = {"refused before": REFUSED, "real": REAL, "drawn": tuple(drawn())}
