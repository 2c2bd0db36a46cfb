"""The cells of the benchmark: a data set, a loss, l2 = c/n, and l1 as a share of the smallest l1 with w* = 0.

Data are those that `cdlab.datasets` knows, and generated ones in the shapes on which methods differ most. A tenth of
the cells is drawn anew for each release, data and problem, so that nobody tunes on them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from itertools import product
from typing import Any
from zlib import crc32

import numpy as np
import scipy.sparse as sp

from .. import datasets
from .._version import __version__
from ..numerics.checks import did_you_mean
from .tasks import LOSSES, Task, largest_l1

NUM_DRAWN = 11  # a tenth of all cells
MAX_DRAWN_DENSE = 5_000_000  # entries
CELL_PATTERN = re.compile(r"(?P<data>[^/]+)/(?P<loss>\w+)/(?P<c>[^/]+)(?:/l1=(?P<share>[^/]+))?")
CELL_FORMAT = "DATA/LOSS/C with l2 = C/n, as in leu/logistic/0.1, or DATA/LOSS/C/l1=SHARE"


@dataclass(frozen=True)
class Cell:
    """One problem of the benchmark.

    Attributes
    ----------
    data : str
        A name of `RECIPES` or of `cdlab.datasets.names()`.
    loss : str
        A name of `tasks.LOSSES`.
    c : float
        l2 = c/n; 0 is the Lasso.
    share : float, default 0
        l1 is this share of max_j |sum_i phi'(0; y_i) x_ij|/n, from which on w* = 0.
    """

    data: str
    loss: str
    c: float
    share: float = 0.0

    @property
    def name(self) -> str:
        """The cell as it is typed: ``leu/logistic/0.1`` or ``leu/squared/0/l1=0.1``."""
        return f"{self.data}/{self.loss}/{self.c:g}" + (f"/l1={self.share:g}" if self.share else "")

    @property
    def folder(self) -> str:
        """The same as one part of a path."""
        return self.name.replace("/", ",")


def _cells(data: Sequence[str], losses: Sequence[str], cs: Sequence[float], shares: Sequence[float] = (0.0,)) -> list:
    return [Cell(*each) for each in product(data, losses, cs, shares)]


TALL = ("covtype.binary", "mnist.binary", "cov")
TEXT = ("w8a", "a9a", "reuters21578.earnacq", "news20.unigram", "news20.bigram", "rcv", "news")
QUICK_CELLS = [
    *_cells(["mushrooms"], ["logistic"], [1.0]),
    *_cells(["small_text"], ["squared_hinge"], [0.1]),
    *_cells(["small_tall"], ["logistic"], [0.1]),
    *_cells(["abalone_scale"], ["squared"], [0.1]),
    *_cells(["small_text"], ["squared"], [0.0], [0.1]),
]
FULL_CELLS = [
    *_cells(["leu", *TEXT, *TALL], ["logistic", "squared_hinge"], [1.0, 0.1, 0.01]),
    *_cells(["abalone_scale", "space_ga_scale", "cov"], ["squared"], [1.0, 0.1, 0.01]),
    *_cells(["leu", "reuters21578.earnacq", "rcv"], ["logistic"], [0.1, 0.0], [0.1, 0.01]),
    *_cells(["leu", "reuters21578.earnacq", "rcv", "abalone_scale"], ["squared"], [0.1, 0.0], [0.1, 0.01]),
]


def parse_cell(text: str) -> Cell:
    """The cell that is typed so.

    Raises
    ------
    ValueError
        If it is no cell, or its loss is not among `tasks.LOSSES`.

    Examples
    --------
    >>> parse_cell("leu/squared/0/l1=0.1")
    Cell(data='leu', loss='squared', c=0.0, share=0.1)
    """
    found = CELL_PATTERN.fullmatch(text)
    try:
        if found is None:
            raise ValueError
        cell = Cell(found["data"], found["loss"], float(found["c"]), float(found["share"] or 0))
    except ValueError:
        raise ValueError(f"{text!r} is not a cell: write {CELL_FORMAT}") from None
    if cell.loss not in LOSSES:
        raise ValueError(f"{text}: the loss is one of {', '.join(LOSSES)}{did_you_mean(cell.loss, LOSSES)}")
    if not (0 <= cell.c < float("inf") and 0 <= cell.share < 1 and cell.c + cell.share > 0):
        raise ValueError(f"{text}: C must be a number >= 0 and SHARE one between 0 and 1, not both 0")
    return cell


def select_cells(patterns: Sequence[str], among: Sequence[Cell] = tuple(FULL_CELLS)) -> list[Cell]:
    """The cells that match a pattern (``leu/*``, ``*/logistic/0.1``) or are typed in full, each once.

    Raises
    ------
    ValueError
        If a pattern matches none and is no cell either.

    Examples
    --------
    >>> [cell.name for cell in select_cells(["leu/logistic/*"]) if not cell.share]
    ['leu/logistic/1', 'leu/logistic/0.1', 'leu/logistic/0.01']
    """
    found: dict[Cell, None] = {}
    for pattern in patterns:
        matching = [cell for cell in among if fnmatchcase(cell.name, pattern)]
        if not matching and any(sign in pattern for sign in "*?["):
            raise ValueError(
                f"no cell matches {pattern!r}; there are {', '.join(dict.fromkeys(c.data for c in among))}"
            )
        found |= dict.fromkeys(matching or [parse_cell(pattern)])
    return list(found)


# ------------------------------------------------------------ cells that nobody can tune on
def _random_generator(k: int, *what: int) -> np.random.Generator:
    """What draws the k-th of them: another with each release."""
    return np.random.default_rng([crc32(__version__.encode()), k, *what])


def _drawn_data(k: int) -> tuple[Any, np.ndarray]:
    rng = _random_generator(k)
    n, d = (int(10 ** rng.uniform(low, high)) for low, high in ((2, 4.3), (1.5, 4.7)))
    nonzeros = min(d, int(10 ** rng.uniform(1, 2.5)))  # of a row
    is_dense = n * d <= MAX_DRAWN_DENSE and rng.random() < 0.5
    shape = (1.0, 10 ** rng.uniform(0, 4)) if is_dense else (nonzeros / d, 1.0)
    skew, noise, seed = rng.uniform(0, 1.2), rng.uniform(0, 1), int(rng.integers(2**31))
    return datasets.make(n, d, density=shape[0], condition=shape[1], skew=skew, noise=noise, seed=seed)


def _drawn_cell(k: int) -> Cell:
    rng = _random_generator(k, 1)
    loss = str(rng.choice(["logistic", "squared_hinge", "squared"]))
    share = float(rng.choice([0.1, 0.01])) if loss != "squared_hinge" and rng.random() < 0.3 else 0.0
    return Cell(f"drawn{k}", loss, float(rng.choice([1.0, 0.1, 0.01])) if not share else 0.0, share)


DRAWN_CELLS = [_drawn_cell(k) for k in range(NUM_DRAWN)]

# tall and ill-conditioned; wide with rows of 76 words; far wider with rows of 385
RECIPES: dict[str, Callable[[], tuple[Any, np.ndarray]]] = {
    "cov": lambda: datasets.make(200_000, 54, condition=1e4, noise=0.5, seed=1),
    "rcv": lambda: datasets.make(20_000, 47_000, density=76 / 47_000, skew=1.0, seed=2),
    "news": lambda: datasets.make(20_000, 1_000_000, density=385 / 1_000_000, skew=1.0, seed=3),
    "small_tall": lambda: datasets.make(3_000, 30, condition=1e3, noise=0.5, seed=4),
    "small_text": lambda: datasets.make(1_000, 5_000, density=30 / 5_000, skew=1.0, seed=5),
    **{f"drawn{k}": partial(_drawn_data, k) for k in range(NUM_DRAWN)},
}


def load_task(cell: Cell) -> Task:
    """The cell's task: all of its data, rows of norm 1 unless it is a regression set, classes as -1 and +1.

    A matrix is CSR with int32 indices or a row-major array, of float64: the same for every package.

    Raises
    ------
    ValueError, OSError
        If the data are not here, or have more than two classes.
    """
    X, y = load_arrays(cell)
    n = X.shape[0]
    l1 = cell.share * largest_l1(X, y, cell.loss) if cell.share else 0.0
    return Task(X, y, cell.loss, cell.c / n, l1)


def load_arrays(cell: Cell) -> tuple[Any, np.ndarray]:
    """X and y as every package gets them: the same for all cells of a data set.

    Raises
    ------
    ValueError, OSError
        If the data are not here, or have more than two classes.
    """
    if cell.data in RECIPES:
        X, y = RECIPES[cell.data]()
        X = datasets.scaled(X, "unit")
    else:
        regression = datasets.describe(cell.data).task == "regression"
        X, y = datasets.load(cell.data, split="all", scale="none" if regression else "unit")
        if not regression:
            y = _as_signs(cell, y)
    if sp.issparse(X):
        X = sp.csr_matrix(X)
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, np.ascontiguousarray(y, dtype=np.float64)


def _as_signs(cell: Cell, y: np.ndarray) -> np.ndarray:
    classes = np.unique(y)
    if classes.size != 2:
        raise ValueError(f"{cell.name}: {cell.data} has {classes.size} classes, and a cell has two")
    return np.where(y == classes[1], 1.0, -1.0)
