"""Two classes out of several."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .step import Prepared, Step


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

    def apply(self, data: Prepared) -> Prepared:
        known = set(np.unique(data.y).tolist())
        if missing := [label for label in self.classes if label not in known]:
            raise ValueError(f"no example has the label {missing[0]!r}")
        return Prepared(data.X, self._signs(data.y), data.test and (data.test[0], self._signs(data.test[1])))

    def _signs(self, y: np.ndarray) -> np.ndarray:
        return np.where(np.isin(y, self.classes), 1.0, -1.0)
