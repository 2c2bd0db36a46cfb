"""Checks of methods' parameters."""

from __future__ import annotations

from typing import Any

import numpy as np


def check_positive(owner: str, name: str, value: Any) -> None:
    """Refuse what is neither None nor a finite number > 0.

    Raises
    ------
    ValueError
    """
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 < value < np.inf:
        raise ValueError(f"{owner}'s {name} must be a number > 0 or None, not {value!r}")
