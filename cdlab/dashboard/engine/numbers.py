"""Numbers and lists as sentences of the page have them; the front end and the WebAssembly engine do the same."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

ALIKE = 1 - 1e-9  # A number above this share of the largest is as large, but for rounding.
TINY = 1e-300  # This stands for 0 where a logarithm is taken.
SHIFTED = 22  # A power of ten is exact up to so many places.


def counted(count: int, word: str) -> str:
    """
    >>> counted(1, "column"), counted(1000, "example")
    ('1 column', '1,000 examples')
    """
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def finite(values: Any) -> list[float | None]:
    """A list for JSON, which has neither inf nor nan."""
    return [float(x) if math.isfinite(x) else None for x in np.asarray(values, dtype=float)]


def finite_or_none(x: float | None) -> float | None:
    return float(x) if x is not None and math.isfinite(x) else None


def rounded(values: Any, digits: int = 4) -> list[float]:
    """A list with so many significant digits, what is not finite as 0: what is only drawn need not be longer.

    >>> rounded([1234.5678, -0.00123456, 0.0])
    [1235.0, -0.001235, 0.0]
    """
    x = np.asarray(values, dtype=float)
    x = np.where(np.isfinite(x), x, 0.0)
    places = digits - 1 - np.floor(np.log10(np.maximum(np.abs(x), TINY)))
    shift = 10.0 ** np.minimum(np.maximum(places, -SHIFTED), SHIFTED)
    return (np.round(x * shift) / shift).tolist()


def heaviest(norms2: np.ndarray) -> int:
    """The first of the lines with the largest norm: of equal ones, rounding does not choose.

    >>> heaviest(np.array([1.0, 3.0, 3.0000000001]))
    1
    """
    return int(np.argmax(norms2 >= ALIKE * norms2.max()))
