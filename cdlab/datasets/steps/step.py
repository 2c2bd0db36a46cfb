"""What a step is given and gives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp

Matrix: TypeAlias = np.ndarray | sp.csr_matrix
Examples: TypeAlias = tuple[Matrix, np.ndarray]


class Prepared(NamedTuple):
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

    def mapped(self, change: Callable[[Matrix], Matrix]) -> Prepared:
        """The same examples with both matrices changed."""
        test = None if self.test is None else (change(self.test[0]), self.test[1])
        return Prepared(change(self.X), self.y, test)


@dataclass(frozen=True)
class Step(ABC):
    """A frozen dataclass whose fields are numbers, words or tuples of them: all that the data depend on."""

    @abstractmethod
    def apply(self, data: Prepared) -> Prepared:
        """The data after this step. Arrays of `data` are not written to."""
