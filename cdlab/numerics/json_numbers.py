"""JSON that may come from anywhere, and infinity and NaN in it: words where it is read again, else null."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import checks

NON_FINITE_WORDS = ("inf", "-inf", "nan")
MAX_INTEGER_DIGITS = 400  # of a whole number: more than float64 holds


def to_json_number(value: float) -> float | str:
    """The number, or one of `NON_FINITE_WORDS`, of which float() makes it again."""
    return value if math.isfinite(value) else str(value)


def is_json_number(value: Any) -> bool:
    """Tell whether `to_json_number` can have written this: a float64 number, or one of `NON_FINITE_WORDS`."""
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


def parse_json(text: str) -> Any:
    """Parse a text that may come from anywhere, as `json.loads` does.

    Raises
    ------
    ValueError
        If it is not JSON; also for NaN and Infinity, which `json` would read though JSON has no such numbers.
    """
    try:
        return json.loads(text, parse_constant=_refuse_constant, parse_int=_parse_integer)
    except RecursionError:
        raise ValueError("its brackets are nested too deeply") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _parse_integer(digits: str) -> int:
    if len(digits) > MAX_INTEGER_DIGITS:  # Python itself would speak of its settings
        raise ValueError(f"a whole number of {len(digits)} digits is none that a run writes")
    return int(digits)
