"""Bounds and weights of features: lower_j <= w_j <= upper_j, which hold 0, and what l2 and l1 are multiplied by."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..numerics import checks
from ..regularizers import Limit

WORDS = {"lower": "numbers <= 0 or -inf", "upper": "numbers >= 0 or inf", "penalty_factor": "finite numbers >= 0"}
WITHOUT = {"lower": -np.inf, "upper": np.inf, "penalty_factor": 1.0}


def checked(lower: Any, upper: Any, penalty_factor: Any, d: int) -> tuple[Limit, Limit, Limit]:
    """The three for d features: a number each where it is that of all, else (d,).

    Raises
    ------
    TypeError
        Where one is made of no real numbers.
    ValueError
        Where one has another length, leaves out w_j = 0, holds NaN or a factor below 0, or all factors are 0.
    """
    lower = _checked("lower", lower, d, lambda x: x <= 0)
    upper = _checked("upper", upper, d, lambda x: x >= 0)
    factor = _checked("penalty_factor", penalty_factor, d, lambda x: (x >= 0) & (x < np.inf))
    if not np.any(factor):
        raise ValueError("penalty_factor is 0 for all features: set l2 = l1 = 0 instead")
    return lower, upper, factor


def _checked(name: str, given: Any, d: int, holds: Any) -> Limit:
    if given is None:
        return WITHOUT[name]
    values = checks.real_array(name, given)
    if values.shape not in ((), (d,)):
        raise ValueError(f"{name} must be a number or one of each of the {d} features; it has shape {values.shape}")
    wrong = np.flatnonzero(~holds(np.ravel(values)))
    if wrong.size:
        where = f"[{wrong[0]}]" if values.ndim else ""
        raise ValueError(f"{name} must be {WORDS[name]}, and {name}{where} is {values.ravel()[wrong[0]]:g}")
    return float(values.flat[0]) if values.size and (values == values.flat[0]).all() else values


def words(problem: Any) -> str:
    """The bounds and factors of a problem for its repr, each with a comma before it; "" where it has none."""
    told = []
    for name, without in WITHOUT.items():
        x = getattr(problem, name)
        if np.ndim(x):
            told.append(f", {name} {x.min():.3g} to {x.max():.3g}")
        elif x != without:
            told.append(f", {name} {x:.3g}")
    return "".join(told)
