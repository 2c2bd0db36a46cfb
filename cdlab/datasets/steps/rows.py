"""Which rows, and in which order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...numerics import checks
from .step import Examples, Matrix, Prepared, Step


@dataclass(frozen=True)
class Permute(Step):
    """The train rows in a random order: of files that are sorted by their labels.

    Parameters
    ----------
    seed : int, default 0
        Of numpy's default generator.
    test : bool, default False
        Whether the test rows are brought into a random order, too: before the first of them are taken.
    """

    seed: int = 0
    test: bool = False

    def __post_init__(self) -> None:
        checks.integer("the seed of Permute", self.seed, "a whole number >= 0", low=0)

    def apply(self, data: Prepared, rows: int | None = None, test_rows: int | None = None) -> Prepared:
        """The data in their new order; of it only the first rows where `FirstRows` comes next: no others are copied."""
        rng = np.random.default_rng(self.seed)
        order = rng.permutation(data.y.size)[:rows]
        test = data.test
        if self.test and test is not None:
            X, y = test
            mixed = rng.permutation(y.size)[:test_rows]
            test = X[mixed], y[mixed]
        return Prepared(data.X[order], data.y[order], test)


@dataclass(frozen=True)
class SortByLabel(Step):
    """The train rows by their labels, the smallest first; of equal labels in the order they have."""

    def apply(self, data: Prepared) -> Prepared:
        order = np.argsort(data.y, kind="stable")
        return data._replace(X=data.X[order], y=data.y[order])


@dataclass(frozen=True)
class FirstRows(Step):
    """Fewer rows: after `Permute` a random sample of them.

    Parameters
    ----------
    rows : int >= 1
        Of the train part.
    test_rows : int, optional
        Of the test part; all by default.
    """

    rows: int
    test_rows: int | None = None

    def __post_init__(self) -> None:
        checks.integer("the rows of FirstRows", self.rows, "a whole number >= 1")
        if self.test_rows is not None:
            checks.integer("the test_rows of FirstRows", self.test_rows, "a whole number >= 1 or None")

    def apply(self, data: Prepared) -> Prepared:
        X, y = _first((data.X, data.y), self.rows, "rows")
        test = data.test
        if self.test_rows is not None:
            if test is None:
                raise ValueError("there are no test rows to take the first of; hold some out before, or leave it out")
            test = _first(test, self.test_rows, "test rows")
        return Prepared(X, y, test)


def _first(examples: Examples, rows: int, what: str) -> Examples:
    X, y = examples
    if rows > y.size:
        raise ValueError(f"there are {y.size} {what}, not {rows}")
    return X[:rows], y[:rows]


@dataclass(frozen=True)
class HoldOut(Step):
    """The last rows become the test part.

    Parameters
    ----------
    rows : int >= 1
        So many.
    """

    rows: int

    def __post_init__(self) -> None:
        checks.integer("the rows of HoldOut", self.rows, "a whole number >= 1")

    def apply(self, data: Prepared) -> Prepared:
        if data.test is not None:
            raise ValueError('there is a test part already; take split="train" or "all"')
        if self.rows >= data.y.size:
            raise ValueError(f"of {data.y.size} rows at most {data.y.size - 1} can be held out")
        kept = data.y.size - self.rows
        return Prepared(data.X[:kept], data.y[:kept], (data.X[kept:], data.y[kept:]))


@dataclass(frozen=True)
class DropEmptyRows(Step):
    """Without the train rows that have no nonzero; test rows stay."""

    def apply(self, data: Prepared) -> Prepared:
        keep = np.flatnonzero(_counts(data.X))
        if not keep.size:
            raise ValueError("every row is empty")
        return data if keep.size == data.y.size else data._replace(X=data.X[keep], y=data.y[keep])


def _counts(X: Matrix) -> np.ndarray:
    return np.count_nonzero(X, axis=1) if isinstance(X, np.ndarray) else X.getnnz(axis=1)
