"""The methods, by name. To add one, copy the file nearest to it and name its class in METHODS."""

from __future__ import annotations

import difflib
from dataclasses import fields
from typing import Any

from .base import Method, Points
from .quartz import Quartz
from .rcd import RCD
from .sdca import SDCA

METHODS: dict[str, type[Method]] = {method.name: method for method in (SDCA, Quartz, RCD)}

__all__ = ["METHODS", "RCD", "SDCA", "Method", "Points", "Quartz", "make"]


def make(method: str | Method, **parameters: Any) -> Method:
    """The method with this name and these parameters, or the instance itself.

    Raises
    ------
    ValueError
        For an unknown name.
    TypeError
        For a parameter that the method does not have, or parameters beside an instance.
    """
    if isinstance(method, Method):
        if parameters:
            raise TypeError(
                f"{method} already has its parameters; pass {', '.join(parameters)} to its constructor instead"
            )
        return method
    if method not in METHODS:
        close = difflib.get_close_matches(str(method), METHODS, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"there is no method named {method!r}{hint} (methods: {', '.join(METHODS)})")
    cls = METHODS[method]
    known = [f.name for f in fields(cls)]
    unknown = [name for name in parameters if name not in known]
    if unknown:
        has = f"it has {', '.join(known)}" if known else "it has none"
        raise TypeError(f"{method} has no parameter {', '.join(unknown)}; {has}")
    return cls(**parameters)
