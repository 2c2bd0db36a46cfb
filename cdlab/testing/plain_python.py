"""Whether an epoch works in a kernel: compiled code calls no Python function, and a plain loop calls one a slope."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from ..numerics import jit
from .watched import Watched

FORMULAS = {part.__code__ for name, part in vars(Watched).items() if not name.startswith("_") and callable(part)}


def caller_of_lines(epoch: Callable[[], Any]) -> str | None:
    """Run an epoch on `Watched` lines that has compiled before; where it asks for one of them from plain Python.

    Parameters
    ----------
    epoch : callable
        One epoch, without arguments.

    Returns
    -------
    str or None
        Such as ``"my_epoch (my_method.py, line 12)"``; None where kernels did all of it, or nothing is compiled.
    """
    if jit.config.DISABLE_JIT:
        epoch()
        return None
    found: list[str] = []

    def watch(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call" and not found and frame.f_code in FORMULAS and frame.f_back is not None:
            code = frame.f_back.f_code
            found.append(f"{code.co_name} ({Path(code.co_filename).name}, line {frame.f_back.f_lineno})")

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        epoch()
    finally:
        sys.setprofile(before)
    return found[0] if found else None
