"""What leaves the range of float64 in a step is said in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np


def within_float64(name: str, step: Callable[..., Any]) -> Callable[..., Any]:
    """`init` or `epoch`, whose arithmetic says in a sentence that it left the range of float64.

    Where arrays overflow the run goes on, and shows it: its gap is infinite.
    """

    @wraps(step)
    def checked(self: Any, *arguments: Any, **options: Any) -> Any:
        try:
            state = step(self, *arguments, **options)
        except (ZeroDivisionError, OverflowError):
            raise ValueError(
                f"{self.name}'s steps leave the range of float64 on this problem: take parameters and an l2 nearer to "
                "1, or scale X"
            ) from None
        if state is None or isinstance(state, dict | list | set | np.ndarray):
            what = "None" if state is None else f"a {type(state).__name__}"
            raise TypeError(f"{type(self).__name__}.{name} returned {what}: it must return the state, a NamedTuple")
        return state

    return checked
