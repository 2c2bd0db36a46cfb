"""Row norms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..scaling import row_norms, scaled
from .step import Prepared, Step


@dataclass(frozen=True)
class UnitRows(Step):
    """Each nonzero row divided by its norm."""

    def apply(self, data: Prepared) -> Prepared:
        return data.mapped(lambda X: scaled(X, "unit"))


@dataclass(frozen=True)
class MeanRowNormOne(Step):
    """All entries divided by one number: the mean norm of the train rows."""

    def apply(self, data: Prepared) -> Prepared:
        norms = row_norms(data.X)
        mean = np.sum(norms / norms.size)  # a sum of parts cannot overflow
        return data.mapped(lambda X: X / mean) if mean > 0 else data
