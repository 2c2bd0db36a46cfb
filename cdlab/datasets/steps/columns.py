"""Which columns, and their ranges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...numerics import checks
from ...problems.intercept import append_ones
from .step import Prepared, Step


@dataclass(frozen=True)
class ColumnsToUnitInterval(Step):
    """Each column shifted and scaled to [0, 1] over the train rows, by scikit-learn's MinMaxScaler.

    Constant columns become 0; test entries may lie outside. Dense data only: a shift would fill sparse ones.
    """

    def apply(self, data: Prepared) -> Prepared:
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

    def apply(self, data: Prepared) -> Prepared:
        X = data.X
        counts = np.count_nonzero(X, axis=0) if isinstance(X, np.ndarray) else X.getnnz(axis=0)
        if self.columns > counts.size:
            raise ValueError(f"there are {counts.size} columns, not {self.columns}")
        kept = np.sort(np.argsort(-counts, kind="stable")[: self.columns])
        return data.mapped(lambda part: part[:, kept])


@dataclass(frozen=True)
class AppendOnes(Step):
    """A column of ones as the last: an intercept with a regulariser."""

    def apply(self, data: Prepared) -> Prepared:
        return data.mapped(append_ones)
