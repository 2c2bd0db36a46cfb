"""Steps of derived data sets: which rows, which columns, how they are scaled, features, labels.

Steps that measure something (ranges of columns, counts, distances) measure it on the train part and apply it to the
test part as well. Before `HoldOut` all rows are the train part.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse.linalg

from ..numerics import checks
from ..problems.intercept import append_ones
from .parts import Examples, Matrix
from .scaling import mean_norm, row_norms, scaled

__all__ = [
    "AppendOnes",
    "ColumnsToUnitInterval",
    "DropEmptyRows",
    "FirstRows",
    "HoldOut",
    "MeanRowNormOne",
    "MostFrequentColumns",
    "Permute",
    "PositiveClasses",
    "PreparedData",
    "RandomFourierFeatures",
    "SortByLabel",
    "Step",
    "UnitRows",
]

SAMPLED_PAIRS = 1000  # Pairs of rows whose median distance is the bandwidth.


class PreparedData(NamedTuple):
    """Data on their way.

    Attributes
    ----------
    X : (n, d) array or csr_matrix
        Rows are examples.
    y : (n,) array
        Labels as given, or after `PositiveClasses`.
    test : (X, y) or None
        The test part.
    """

    X: Matrix
    y: np.ndarray
    test: Examples | None

    def mapped(self, change: Callable[[Matrix], Matrix]) -> PreparedData:
        """The same examples with both matrices changed."""
        test = None if self.test is None else (change(self.test[0]), self.test[1])
        return PreparedData(change(self.X), self.y, test)


@dataclass(frozen=True)
class Step(ABC):
    """A frozen dataclass whose fields are numbers, words or tuples of them: all that the data depend on."""

    @abstractmethod
    def apply(self, data: PreparedData) -> PreparedData:
        """The data after this step. Arrays of `data` are not written to."""


# ---------------------------------------------------------------- which rows, and in which order
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

    def apply(self, data: PreparedData, rows: int | None = None, test_rows: int | None = None) -> PreparedData:
        """The data in their new order; of it only the first rows where `FirstRows` comes next: no others are copied."""
        rng = np.random.default_rng(self.seed)
        order = rng.permutation(data.y.size)[:rows]
        test = data.test
        if self.test and test is not None:
            X, y = test
            mixed = rng.permutation(y.size)[:test_rows]
            test = X[mixed], y[mixed]
        return PreparedData(data.X[order], data.y[order], test)


@dataclass(frozen=True)
class SortByLabel(Step):
    """The train rows by their labels, the smallest first; of equal labels in the order they have."""

    def apply(self, data: PreparedData) -> PreparedData:
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

    def apply(self, data: PreparedData) -> PreparedData:
        X, y = _first((data.X, data.y), self.rows, "rows")
        test = data.test
        if self.test_rows is not None:
            if test is None:
                raise ValueError("there are no test rows to take the first of; hold some out before, or leave it out")
            test = _first(test, self.test_rows, "test rows")
        return PreparedData(X, y, test)


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

    def apply(self, data: PreparedData) -> PreparedData:
        if data.test is not None:
            raise ValueError('there is a test part already; take split="train" or "all"')
        if self.rows >= data.y.size:
            raise ValueError(f"of {data.y.size} rows at most {data.y.size - 1} can be held out")
        kept = data.y.size - self.rows
        return PreparedData(data.X[:kept], data.y[:kept], (data.X[kept:], data.y[kept:]))


@dataclass(frozen=True)
class DropEmptyRows(Step):
    """Without the train rows that have no nonzero; test rows stay."""

    def apply(self, data: PreparedData) -> PreparedData:
        keep = np.flatnonzero(_counts(data.X))
        if not keep.size:
            raise ValueError("every row is empty")
        return data if keep.size == data.y.size else data._replace(X=data.X[keep], y=data.y[keep])


def _counts(X: Matrix) -> np.ndarray:
    return np.count_nonzero(X, axis=1) if isinstance(X, np.ndarray) else X.getnnz(axis=1)


# ---------------------------------------------------------------- which columns, and their ranges
@dataclass(frozen=True)
class ColumnsToUnitInterval(Step):
    """Each column shifted and scaled to [0, 1] over the train rows, by scikit-learn's MinMaxScaler.

    Constant columns become 0; test entries may lie outside. Dense data only: a shift would fill sparse ones.
    """

    def apply(self, data: PreparedData) -> PreparedData:
        from sklearn.preprocessing import MinMaxScaler

        if not isinstance(data.X, np.ndarray):
            raise ValueError("columns of sparse data are not shifted to [0, 1], which would fill them; load them dense")
        scaler = MinMaxScaler().fit(data.X)
        return data.mapped(scaler.transform)


@dataclass(frozen=True)
class MostFrequentColumns(Step):
    """The columns with the most nonzeros in train rows, in their order; of equally frequent ones the first.

    Parameters
    ----------
    columns : int >= 1
        How many are kept.
    """

    columns: int

    def __post_init__(self) -> None:
        checks.integer("the columns of MostFrequentColumns", self.columns, "a whole number >= 1")

    def apply(self, data: PreparedData) -> PreparedData:
        X = data.X
        counts = np.count_nonzero(X, axis=0) if isinstance(X, np.ndarray) else X.getnnz(axis=0)
        if self.columns > counts.size:
            raise ValueError(f"there are {counts.size} columns, not {self.columns}")
        kept = np.sort(np.argsort(-counts, kind="stable")[: self.columns])
        return data.mapped(lambda part: part[:, kept])


@dataclass(frozen=True)
class AppendOnes(Step):
    """A column of ones as the last: an intercept with a regulariser."""

    def apply(self, data: PreparedData) -> PreparedData:
        return data.mapped(append_ones)


# ---------------------------------------------------------------- norms of rows
@dataclass(frozen=True)
class UnitRows(Step):
    """Each nonzero row divided by its norm."""

    def apply(self, data: PreparedData) -> PreparedData:
        return data.mapped(lambda X: scaled(X, "unit"))


@dataclass(frozen=True)
class MeanRowNormOne(Step):
    """All entries divided by one number: the mean norm of the train rows."""

    def apply(self, data: PreparedData) -> PreparedData:
        mean = mean_norm(row_norms(data.X))
        return data.mapped(lambda X: X / mean) if mean > 0 else data


# ---------------------------------------------------------------- features
@dataclass(frozen=True)
class RandomFourierFeatures(Step):
    """sqrt(2/D) cos(W x + c) with W ~ N(0, 1/s^2) and c uniform in [0, 2 pi), by scikit-learn's RBFSampler.

    Inner products of the features approximate exp(-||x - x'||^2/(2 s^2)), so that a linear predictor on them is nearly
    one with a Gaussian kernel (Rahimi & Recht 2007, Random features for large-scale kernel machines).

    Parameters
    ----------
    features : int >= 1
        D.
    bandwidth : float > 0, optional
        s; by default the median distance of 1,000 random pairs of train rows.
    factor : float > 0, default 1
        Times which s is taken.
    seed : int, default 0
        Of the pairs, of W and of c.
    """

    features: int
    bandwidth: float | None = None
    factor: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        checks.integer("the features of RandomFourierFeatures", self.features, "a whole number >= 1")
        checks.integer("the seed of RandomFourierFeatures", self.seed, "a whole number >= 0", low=0)
        checks.number("the factor of RandomFourierFeatures", self.factor, "a number > 0")
        if self.bandwidth is not None:
            checks.number("the bandwidth of RandomFourierFeatures", self.bandwidth, "a number > 0 or None")

    def apply(self, data: PreparedData) -> PreparedData:
        from sklearn.kernel_approximation import RBFSampler

        s = self.factor * (median_distance(data.X, self.seed) if self.bandwidth is None else self.bandwidth)
        if not s > 0:
            raise ValueError("the median distance of the train rows is 0: give a bandwidth")
        sampler = RBFSampler(gamma=1 / (2 * s**2), n_components=self.features, random_state=self.seed).fit(data.X)
        return data.mapped(lambda X: np.ascontiguousarray(sampler.transform(X)))


def median_distance(X: Matrix, seed: int) -> float:
    """The median distance of 1,000 random pairs of rows."""
    rng = np.random.default_rng(seed)
    a, b = (rng.integers(X.shape[0], size=SAMPLED_PAIRS) for _ in range(2))
    difference = X[a] - X[b]
    norm = np.linalg.norm if isinstance(difference, np.ndarray) else scipy.sparse.linalg.norm
    return float(np.median(norm(difference, axis=1)))


# ---------------------------------------------------------------- labels
@dataclass(frozen=True)
class PositiveClasses(Step):
    """The labels +1 for these classes and -1 for all others.

    Parameters
    ----------
    classes : tuple of numbers or words
        As they stand in the file.
    """

    classes: tuple[float | str, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.classes, tuple) or not self.classes:
            raise ValueError(f"the classes of PositiveClasses must be a tuple, such as (2,), not {self.classes!r}")

    def apply(self, data: PreparedData) -> PreparedData:
        known = set(np.unique(data.y).tolist())
        if missing := [label for label in self.classes if label not in known]:
            raise ValueError(f"no example has the label {missing[0]!r}")
        return PreparedData(data.X, self._signs(data.y), data.test and (data.test[0], self._signs(data.test[1])))

    def _signs(self, y: np.ndarray) -> np.ndarray:
        return np.where(np.isin(y, self.classes), 1.0, -1.0)
