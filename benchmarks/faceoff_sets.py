"""The problems that faceoff.py races: real sets, parts of real sets (named as such), and the paper's own families."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

import cdlab

PAPER = (
    "mushrooms", "a9a", "w8a", "leu", "rcv1_vw1000", "covtype.binary", "mnist.binary", "news20.bigram",
)  # fmt: skip
FURTHER = ("leukemia72.raw", "news20.unigram", "reuters21578.earnacq")
REGRESSION = ("abalone_scale", "space_ga_scale", "housing_scale", "bodyfat_scale")  # squared loss; n >> d
# Parts by one rule, chosen before anything ran: of a set with n > d as many rows as half its features, so that n < d;
# of a set with n < d half as many features as rows, so that n > d, and a thousand rows. Drawn by one seed.
TURNED = ("mushrooms", "a9a", "mnist.binary", "covtype.binary", "leu", "news20.unigram", "reuters21578.earnacq")
THOUSAND = ("news20.unigram", "reuters21578.earnacq", "news20.bigram")
SLOW = ("mushrooms", "a9a", "w8a", "covtype.binary", "mnist.binary", "news20.bigram, 1000 rows")

# (b, c) of arrows with a = 1, and (d, n, alpha) of binary matrices
ARROWS = [(d, n, 1.0, b, c) for b, c in ((0.05, 1.0), (1.0, 0.05)) for d, n in ((60, 60), (60, 240), (200, 60))]
WORST_DUAL = [(40, 40, 200), (40, 200, 600), (40, 400, 1200), (100, 100, 500), (100, 300, 1500), (100, 1000, 5000)]
WORST_PRIMAL = [(100, 40, 500), (300, 40, 1500)]


@dataclass(frozen=True)
class Data:
    """A set, whole or a part of it, divided by its mean row norm."""

    name: str
    kind: str  # "paper", "further", "regression" or "part"
    X: np.ndarray | sp.csr_matrix
    y: np.ndarray

    @property
    def loss(self) -> str:
        return "squared" if self.kind == "regression" else "logistic"

    def problem(self, l2n: float = 1.0, loss: str | None = None) -> cdlab.Problem:
        return cdlab.Problem(self.X, self.y, loss=loss or self.loss, l2=l2n / self.X.shape[0])


def real() -> Iterator[Data]:
    """All sets, and the parts of them."""
    for kind, names in (("paper", PAPER), ("further", FURTHER), ("regression", REGRESSION)):
        for name in names:
            yield Data(name, kind, *cdlab.datasets.load(name, scale="mean"))
    for name in TURNED:
        X, y = cdlab.datasets.load(name)
        n, d = X.shape
        rng = np.random.default_rng(0)
        if n > d:
            rows = np.sort(rng.permutation(n)[: d // 2])
            yield part(f"{name}, {rows.size} rows", X[rows], y[rows])
        else:
            columns = np.sort(rng.permutation(d)[: n // 2])
            yield part(f"{name}, {columns.size} features", X[:, columns], y)
    for name in THOUSAND:
        X, y = cdlab.datasets.load(name)
        rows = np.sort(np.random.default_rng(0).permutation(X.shape[0])[:1000])
        yield part(f"{name}, 1000 rows", X[rows], y[rows])


def part(name: str, X: np.ndarray | sp.csr_matrix, y: np.ndarray) -> Data:
    return Data(name, "part", X / mean_norm(X), y)


def family(builder: str, arguments: Sequence[float]) -> cdlab.Problem:
    X, y = getattr(cdlab.datasets, builder)(*arguments)
    return cdlab.Problem(X / mean_norm(X), y, loss="logistic", l2=1 / X.shape[0])


def mean_norm(X: np.ndarray | sp.csr_matrix) -> float:
    squares = X.multiply(X) if sp.issparse(X) else X * X
    return float(np.sqrt(np.asarray(squares.sum(axis=1))).mean())


def families() -> list[tuple[str, Sequence[float]]]:
    built = (("arrow", ARROWS), ("worst_dual", WORST_DUAL), ("worst_primal", WORST_PRIMAL))
    return [(builder, each) for builder, cases in built for each in cases]
