"""Generated data in the shapes on which methods differ most, and the sets that have them in the wild."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import datasets
from .cells import Cell
from .objective import largest_l1
from .task import Task

# tall and ill-conditioned; wide with rows of 76 words; far wider with rows of 385
RECIPES: dict[str, Callable[[], tuple[Any, np.ndarray]]] = {
    "cov": lambda: datasets.make(200_000, 54, condition=1e4, noise=0.5, seed=1),
    "rcv": lambda: datasets.make(20_000, 47_000, density=76 / 47_000, skew=1.0, seed=2),
    "news": lambda: datasets.make(20_000, 1_000_000, density=385 / 1_000_000, skew=1.0, seed=3),
    "small_tall": lambda: datasets.make(3_000, 30, condition=1e3, noise=0.5, seed=4),
    "small_text": lambda: datasets.make(1_000, 5_000, density=30 / 5_000, skew=1.0, seed=5),
}


def loaded(cell: Cell) -> Task:
    """The cell's task: all of its data, rows of norm 1 unless it is a regression set, classes as -1 and +1.

    A matrix is CSR with int32 indices or a row-major array, of float64: the same for every package.

    Raises
    ------
    ValueError, OSError
        If the data are not here, or have more than two classes.
    """
    X, y = arrays(cell)
    n = X.shape[0]
    l1 = cell.share * largest_l1(X, y, cell.loss) if cell.share else 0.0
    return Task(X, y, cell.loss, cell.c / n, l1)


def arrays(cell: Cell) -> tuple[Any, np.ndarray]:
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
            y = _signs(cell, y)
    if sp.issparse(X):
        X = sp.csr_matrix(X)
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, np.ascontiguousarray(y, dtype=np.float64)


def _signs(cell: Cell, y: np.ndarray) -> np.ndarray:
    classes = np.unique(y)
    if classes.size != 2:
        raise ValueError(f"{cell.name}: {cell.data} has {classes.size} classes, and a cell has two")
    return np.where(y == classes[1], 1.0, -1.0)
