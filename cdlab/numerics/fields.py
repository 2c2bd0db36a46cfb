"""Parameters of methods and samplings, which are frozen: checked as they are made, and kept as Python's own numbers.

Kernels are compiled for floats: a Fraction, a numpy scalar or an array without axes means the same number, and runs as
it. `words` are what may stand in a number's place.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from . import checks

OPTIONAL = (None,)


def keep_number(owner: Any, field: str, wanted: str, words: Collection[str | None] = OPTIONAL, **limits: Any) -> None:
    """Check that ``owner.field`` is a number in its range, see `checks.number`, and keep it as a float.

    Raises
    ------
    ValueError
    """
    if not checks.is_word(value := getattr(owner, field), words):
        object.__setattr__(owner, field, checks.number(f"{owner.name}'s {field}", value, wanted, **limits))


def keep_whole(owner: Any, field: str, wanted: str, words: Collection[str | None] = OPTIONAL, low: int = 1) -> None:
    """Check that ``owner.field`` is a whole number >= low, and keep it as an int.

    Raises
    ------
    ValueError
    """
    if not checks.is_word(value := getattr(owner, field), words):
        object.__setattr__(owner, field, checks.whole(f"{owner.name}'s {field}", value, wanted, low=low))
