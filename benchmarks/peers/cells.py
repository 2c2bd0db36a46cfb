"""The cells of the comparison: a data set, a loss, and what is asked for.

That is a point for one pair of weights, l2 = c/n and l1 as a share of the smallest l1 with w* = 0; a path of 50 weights
l1; or the weight that ten folds choose among these. Data are those that `cdlab.datasets` knows, and generated ones
(generated.py), of which whoever names a new seed draws some (drawn.py), data and problem.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import product
from typing import Any

import numpy as np
import scipy.sparse as sp

from cdlab import datasets
from cdlab.numerics.checks import did_you_mean

from .drawn import DRAWN, draw_problem
from .generated import generator_of
from .tasks import LOSSES, Kind, PeerTask, best_constant, cross_validation_task, largest_l1, path_task

NUM_DRAWN = 60  # A seed draws so many cells.

CELL_PATTERN = re.compile(r"(?P<data>[^/]+)/(?P<loss>\w+)/(?P<c>[^/]+)(?:/l1=(?P<share>[^/]+))?(?P<b>/b)?")
CELL_FORMAT = (
    "DATA/LOSS/C with l2 = C/n, as in leu/logistic/0.1, DATA/LOSS/C/l1=SHARE, with /b behind them for an intercept, "
    "DATA/LOSS/path or DATA/LOSS/cv"
)


@dataclass(frozen=True)
class Cell:
    """A problem of the comparison, or a path or a cross-validation of such problems.

    Attributes
    ----------
    data : str
        A name of `generated.GENERATED` or of `cdlab.datasets.names()`, or ``drawn:SEED:K``.
    loss : str
        A name of `tasks.LOSSES`.
    c : float
        l2 = c/n; 0 is the Lasso.
    share : float, default 0
        l1 is this share of max_j |sum_i phi'(0; y_i) x_ij|/n, from which on w* = 0.
    kind : Kind, default one weight
        Of a path and a cross-validation, the weights are made of the data, and c and share are 0.
    intercept : bool, default False
        Of one weight: whether there is one, which costs nothing.
    """

    data: str
    loss: str
    c: float
    share: float = 0.0
    kind: Kind = Kind.WEIGHT
    intercept: bool = False

    @property
    def name(self) -> str:
        """The cell as it is typed: ``leu/logistic/0.1``, ``leu/squared/0/l1=0.1`` or ``leu/squared/path``."""
        if self.kind is not Kind.WEIGHT:
            return f"{self.data}/{self.loss}/{self.kind}"
        share = f"/l1={self.share:g}" if self.share else ""
        return f"{self.data}/{self.loss}/{self.c:g}{share}" + "/b" * self.intercept

    @property
    def key(self) -> str:
        """The name, as the scheduler asks for it: a single process works on a cell."""
        return self.name

    @property
    def scale(self) -> str:
        """The scaling of rows: norm 1 for one weight and classes, else none, as users leave them."""
        as_they_are = is_drawn(self.data) or _is_regression(self.data) or self.kind is not Kind.WEIGHT
        return "none" if as_they_are else "unit"


QUICK = """
mushrooms/logistic/1
small_text/squared_hinge/0.1
small_tall/logistic/0.1
abalone_scale/squared/0.1|path|cv
small_text/squared/0/l1=0.1
"""
FULL = """
leu|w8a|a9a|reuters21578.earnacq|news20.unigram|news20.bigram|rcv|news/logistic|squared_hinge/1|0.1|0.01
covtype.binary|mnist.binary|cov/logistic|squared_hinge/1|0.1|0.01
abalone_scale|space_ga_scale|cov/squared/1|0.1|0.01
leu|reuters21578.earnacq|rcv/logistic|squared/0.1|0/l1=0.1|l1=0.01
abalone_scale/squared/0.1|0/l1=0.1|l1=0.01
leu|expressed|correlated-500|correlated-2000|reuters21578.earnacq/squared/path
news20.unigram|rcv1_vw1000|abalone_scale/squared/path
mushrooms|w8a/logistic/path
leu|reuters21578.earnacq/squared|logistic/cv
"""


def parse_cell(text: str) -> Cell:
    """The cell that is typed so.

    Raises
    ------
    ValueError
        If it is no cell, or its loss is not among `tasks.LOSSES`.

    Examples
    --------
    >>> parse_cell("leu/squared/0/l1=0.1")
    Cell(data='leu', loss='squared', c=0.0, share=0.1, kind=<Kind.WEIGHT: 'weight'>, intercept=False)
    """
    found = CELL_PATTERN.fullmatch(text)
    try:
        if found is None:
            raise ValueError
        intercept = bool(found["b"])
        if found["c"] in (Kind.PATH, Kind.CV) and not (found["share"] or intercept):
            cell = Cell(found["data"], found["loss"], 0.0, 0.0, Kind(found["c"]))
        else:
            cell = Cell(
                found["data"], found["loss"], float(found["c"]), float(found["share"] or 0), intercept=intercept
            )
    except ValueError:
        raise ValueError(f"{text!r} is not a cell: write {CELL_FORMAT}") from None
    if cell.loss not in LOSSES:
        raise ValueError(f"{text}: the loss is one of {', '.join(LOSSES)}{did_you_mean(cell.loss, LOSSES)}")
    if cell.kind is Kind.WEIGHT and not (
        0 <= cell.c < float("inf") and 0 <= cell.share < 1 and cell.c + cell.share > 0
    ):
        raise ValueError(f"{text}: C must be a number >= 0 and SHARE one between 0 and 1, not both 0")
    return cell


def _cells(table: str) -> list[Cell]:
    """The cells of a table, in each line of which the parts between slashes have alternatives."""
    lines = [product(*(part.split("|") for part in line.split("/"))) for line in table.split()]
    return [parse_cell("/".join(each)) for line in lines for each in line]


QUICK_CELLS, FULL_CELLS = _cells(QUICK), _cells(FULL)


def select_cells(patterns: Sequence[str], among: Sequence[Cell] = tuple(FULL_CELLS)) -> list[Cell]:
    """The cells that match a pattern (``leu/*``, ``*/logistic/0.1``) or are typed in full, each once.

    Raises
    ------
    ValueError
        If a pattern matches none and is no cell either.

    Examples
    --------
    >>> [cell.name for cell in select_cells(["leu/logistic/*"]) if not cell.share]
    ['leu/logistic/1', 'leu/logistic/0.1', 'leu/logistic/0.01', 'leu/logistic/cv']
    """
    found: dict[Cell, None] = {}
    for pattern in patterns:
        matching = [cell for cell in among if fnmatchcase(cell.name, pattern)]
        if not matching and any(sign in pattern for sign in "*?["):
            raise ValueError(
                f"no cell matches {pattern!r}; there are {', '.join(dict.fromkeys(c.data for c in among))}; "
                "--draw SEED draws others"
            )
        found |= dict.fromkeys(matching or [parse_cell(pattern)])
    return list(found)


def drawn_cells(seed: int, count: int = NUM_DRAWN) -> list[Cell]:
    """So many cells that are drawn from a seed, data and problem.

    Examples
    --------
    >>> [cell.name for cell in drawn_cells(1, 2)]
    ['drawn:1:0/absolute/0.0131/b', 'drawn:1:1/squared/0.712/l1=0.102']
    """
    return [_drawn_cell(seed, k) for k in range(count)]


def _drawn_cell(seed: int, k: int) -> Cell:
    drawn = draw_problem(seed, k)
    return Cell(f"drawn:{seed}:{k}", drawn.loss, drawn.c, drawn.share, intercept=drawn.intercept)


def load_task(cell: Cell) -> PeerTask:
    """The cell's task: all of its data, scaled as the cell says, classes as -1 and +1.

    A matrix is CSR with int32 indices or a row-major array, of float64: the same for every package.

    Raises
    ------
    ValueError, OSError
        If the data are not here, or have more than two classes.
    """
    X, y = load_arrays(cell)
    if cell.kind is not Kind.WEIGHT:
        return (path_task if cell.kind is Kind.PATH else cross_validation_task)(X, y, cell.loss)
    b = best_constant(y, cell.loss) if cell.intercept else 0.0
    l1 = cell.share * largest_l1(X, y, cell.loss, b) if cell.share else 0.0
    return PeerTask(X, y, cell.loss, cell.c / X.shape[0], l1, intercept=cell.intercept)


def load_arrays(cell: Cell) -> tuple[Any, np.ndarray]:
    """X and y as every package gets them: the same for all cells of a data set and a scale.

    Raises
    ------
    ValueError, OSError
        If the data are not here, or have more than two classes.
    """
    if generator := generator_of(cell.data):
        X, y = generator()
        X = datasets.scaled(X, cell.scale)
    else:
        X, y = datasets.load(cell.data, split="all", scale=cell.scale)
        if not _is_regression(cell.data):
            y = _as_signs(cell.data, y)
    if sp.issparse(X):
        X = sp.csr_matrix(X)
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, np.ascontiguousarray(y, dtype=np.float64)


def is_drawn(data: str) -> bool:
    """True if a seed draws these data."""
    return DRAWN.fullmatch(data) is not None


def _is_regression(data: str) -> bool:
    return generator_of(data) is None and datasets.describe(data).task == "regression"


def _as_signs(data: str, y: np.ndarray) -> np.ndarray:
    classes = np.unique(y)
    if classes.size != 2:
        raise ValueError(f"{data} has {classes.size} classes, and a cell has two")
    return np.where(y == classes[1], 1.0, -1.0)
