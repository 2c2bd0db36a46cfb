"""Checks of methods' parameters."""

from __future__ import annotations

from typing import Any

from ... import checks


def check_positive(owner: str, name: str, value: Any) -> None:
    """Refuse what is neither None nor a finite number > 0.

    Raises
    ------
    ValueError
    """
    if value is None:
        return
    checks.number(f"{owner}'s {name}", value, "a number > 0 or None")
