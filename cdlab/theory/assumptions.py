"""A theorem on a problem: the assumption that fails there, the constants and curves that are lacking."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import sympy as sp

from ..numerics import checks
from .evaluate import check_values, first_failed
from .symbols import MEANINGS, eps, l1, t
from .theorem import Theorem

# What is assumed of a problem beyond the vocabulary, among the values of its symbols
OUTPUTS = "outputs"  # predictions of the loss for one example
ONE_PREDICTION = sp.Eq(sp.Symbol(OUTPUTS), 1)  # unless `Bound.vectors`
INTERCEPT = "intercept"  # 1 where a coordinate is not penalised
NO_INTERCEPT = sp.Eq(sp.Symbol(INTERCEPT), 0)
BOUNDS = "bounds"  # 1 where features have bounds, 2 where they have weights of their own
NO_BOUNDS = sp.Eq(sp.Symbol(BOUNDS), 0)


def failed_assumption(bound: Theorem, values: Mapping[str, Any]) -> sp.Basic | None:
    """The first assumption of a theorem that a problem with these values contradicts; None: it covers the problem."""
    if values.get(INTERCEPT, 0):
        return NO_INTERCEPT
    if (bounds := values.get(BOUNDS, 0)) and not _holds_in_a_box(bound, bounds):
        return NO_BOUNDS
    if values.get(OUTPUTS, 1) > 1 and not bound.vectors:
        return ONE_PREDICTION
    return first_failed(bound.assumptions, values)


def _holds_in_a_box(bound: Theorem, bounds: float) -> bool:
    """Tell whether it holds for any l2-strongly convex g; in the primal l2 is also part of what is smooth.

    So it is of those that allow l1 > 0: these use the prox of g, or the smoothness of g*, alone.
    """
    is_smooth = any(l1 in each.free_symbols for each in bound.assumptions)
    return not is_smooth and (bounds < 2 or bound.side == "dual")


def unknown_symbols(bound: Theorem, known: Collection[str], *formulas: sp.Expr) -> list[str]:
    """The names of symbols in some formulas that are neither known nor follow by the bound's defaults."""
    supplied = dict(bound.defaults)
    ahead: set[sp.Symbol] = set().union(*(formula.free_symbols for formula in formulas))
    seen: set[sp.Symbol] = set()
    names: list[str] = []
    while ahead:
        s = ahead.pop()
        seen.add(s)
        if s.name in known:
            continue
        if s in supplied:
            ahead |= supplied[s].free_symbols - seen
        else:
            names.append(s.name)
    return sorted(names)


def require_known(bound: Theorem, values: Mapping[str, Any], *formulas: sp.Expr) -> None:
    """Raise a ValueError that names the constants in some formulas that do not follow from the problem."""
    names = unknown_symbols(bound, {*values, eps.name, t.name}, *formulas)
    if names:
        meant = " and ".join(f"{name} ({MEANINGS[name]})" for name in names)
        raise ValueError(
            f"the {bound} needs {meant}, which does not follow from the problem: pass {'=..., '.join(names)}=..."
        )


def require_curve(bound: Theorem) -> None:
    """Raise a ValueError where a theorem has no curve."""
    if bound.guarantee is None or bound.W is None:
        why = "its constants are not known" if bound.kind == "asymptotic" else "it is not a rate of convergence"
        raise ValueError(f"the {bound} has no curve: {why}")


def check_eps(eps: Any) -> np.ndarray:
    """The relative accuracy as an array of no dimensions, refused if it is not one positive number."""
    accuracy = check_values({"eps": eps})["eps"]
    if accuracy.ndim:
        raise TypeError(f"eps must be one number, not an array of shape {accuracy.shape}: ask once for each accuracy")
    return accuracy


def check_passes(passes: Any) -> np.ndarray:
    """The points of a curve as an array, refused if they are not numbers of at least 0."""
    points = checks.array("passes", passes)
    if points.dtype.kind not in "iuf" or not np.all(points >= 0):  # NaN fails, too
        raise ValueError("passes must be numbers >= 0, the work done at each point of the curve")
    return points.astype(float)
