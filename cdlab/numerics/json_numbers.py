"""Infinity and NaN in JSON, which has neither: words in files that are read again, null for other programs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import checks

NON_FINITE_WORDS = ("inf", "-inf", "nan")


def to_json_number(value: float) -> float | str:
    """The number, or one of `NON_FINITE_WORDS`, of which float() makes it again."""
    return value if math.isfinite(value) else str(value)


def is_json_number(value: Any) -> bool:
    """Whether `to_json_number` can have written this: a number that float64 holds, or one of `NON_FINITE_WORDS`."""
    if isinstance(value, str):
        return value in NON_FINITE_WORDS
    return type(value) in (int, float) and abs(value) <= checks.LARGEST_FLOAT


def null_non_finite(value: Any) -> Any:
    """Dicts, lists, arrays and numbers as JSON takes them: None in place of infinity and NaN, keys as texts."""
    if isinstance(value, Mapping):
        return {str(key): null_non_finite(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [null_non_finite(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
