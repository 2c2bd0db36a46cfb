"""A guarantee along a trace: the values of a theorem's bound after so many passes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Curve(np.lib.mixins.NDArrayOperatorsMixin):
    """The guarantee after so many passes; where an array is wanted, a curve stands for its values.

    Results of arithmetic (``2 * curve``, ``gap <= curve``) are plain arrays: only parts of a curve are still bounds.

    Attributes
    ----------
    passes, values : arrays of one shape
        Passes over the data, and the bound on the expectation there (absolute).
    bounded : "P(w)-P*", "P-D", "D*-D" or "|w-w*|^2"
        The quantity that stays below the values in expectation.
    parts : tuple of (str, float)
        The theorems that give the values, each with the passes from which on it does.

    Examples
    --------
    >>> curve = Curve(np.arange(3.0), np.array([4.0, 2.0, 1.0]), "P-D")
    >>> curve[1:].bounded, curve[1], len(curve)
    ('P-D', 2.0, 3)
    >>> 2 * curve, bool((curve > 0).all())
    (array([8., 4., 2.]), True)
    """

    passes: np.ndarray
    values: np.ndarray
    bounded: str
    parts: tuple[tuple[str, float], ...] = ()

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[float]:
        return iter(self.values)

    def __getitem__(self, index: Any) -> Curve | float:
        """The value at a point, or the curve at several."""
        values = self.values[index]
        return (
            Curve(self.passes[index], values, self.bounded, self.parts)
            if isinstance(values, np.ndarray)
            else float(values)
        )

    def __float__(self) -> float:
        return float(self.values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        plain = (x.values if isinstance(x, Curve) else x for x in inputs)
        return getattr(ufunc, method)(*plain, **options)
