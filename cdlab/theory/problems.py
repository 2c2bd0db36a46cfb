"""A bound on a problem: a number or a curve, or the sentence that says which assumption fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from . import registry
from .constants import add_computed, facts, known, refuse_false, to_accuracy
from .drawn_samplings import Drawn, left_to
from .evaluate import Curve, checked, evaluate, first_failed, given, in_words
from .symbols import MEANINGS, K, W, m, t
from .symbols import eps as eps_symbol

if TYPE_CHECKING:
    from .bound import Bound

COUNTS = ("iterations", "passes", "examples", "arithmetic")  # to eps


class Uncovered(ValueError):
    """The problem contradicts an assumption of the theorem."""


def value(bound: Bound, values: Mapping[str, Any]) -> float | np.ndarray:
    """The formula at these values, at least 0."""
    result = evaluate(bound.expr, values, f"the {bound}")
    return max(result, 0.0) if isinstance(result, float) else np.maximum(result, 0.0)


def on_problem(bound: Bound, problem: Any, eps: float, measured: Mapping[str, float]) -> float:
    """See `Bound.for_problem`."""
    try:
        values = values_of(bound, problem, measured)
    except Uncovered:
        if bound.fallback is None:
            raise
        return on_problem(bound.instead(), problem, eps, measured)
    _require(bound, values, bound.expr)
    if bound.quantity in (*COUNTS, "value"):
        eps, gap = relative(eps), values["P0"]
        values = to_accuracy(values, problem, measured)
        if values["P0"] == 0 and bound.counts:
            return 0.0 if gap == 0 else np.inf
        values["eps"] = eps * evaluate(bound.unit, values, f"the accuracy of the {bound}")
        if bound.quantity == "passes" and values["nnz"] == 0:
            return float(value(bound.per("iterations"), values) / values["n"])
    counted = {
        "passes": values["nnz"],
        "examples": values["nnz"] / values["n"],
        "arithmetic": 1.0,
    }
    before = _setup(bound, values) / counted[bound.quantity] if bound.quantity in counted else 0.0
    return float(value(bound, values) + before)


def _setup(bound: Bound, values: Mapping[str, Any]) -> float:
    """Nonzeros visited before the first step; where X = 0 there are none."""
    return evaluate(bound.setup, values, f"the setup of the {bound}") if values["nnz"] > 0 else 0.0


def _require(bound: Bound, values: Mapping[str, Any], *formulas: sp.Expr) -> None:
    """Name what is missing: what a default would supply is not, but what that default needs is."""
    supplied, seen = dict(bound.defaults), {eps_symbol, t}
    ahead = set().union(*(formula.free_symbols for formula in formulas)) - seen
    names = []
    while ahead:
        s = ahead.pop()
        seen.add(s)
        if s.name in values:
            continue
        if s in supplied:
            ahead |= supplied[s].free_symbols - seen
        else:
            names.append(s.name)
    if names:
        names.sort()
        meant = " and ".join(f"{name} ({MEANINGS[name]})" for name in names)
        raise ValueError(f"the {bound} needs {meant}, which the problem does not tell: pass {'=..., '.join(names)}=...")


def curve_of(bound: Bound, problem: Any, passes: Any, measured: Mapping[str, float]) -> Curve:
    """See `Bound.curve`."""
    if bound.guarantee is None or bound.W is None:
        why = "its constants are not known" if bound.kind == "asymptotic" else "it is no rate of convergence"
        raise ValueError(f"the {bound} has no curve: {why}")
    try:
        values = values_of(bound, problem, measured)
    except Uncovered:
        if bound.fallback is None:
            raise
        return curve_of(bound.instead(), problem, passes, measured)
    _require(bound, values, bound.guarantee, bound.W)
    passes = _points(passes)
    cost = evaluate(bound.W, values, f"the {bound}") / values["nnz"] if values["nnz"] > 0 else 1 / values["n"]
    done = np.maximum(passes - _setup(bound, values) / max(values["nnz"], 1.0), 0.0) / cost
    if bound.step == "stage":
        done = np.floor(done * (1 + 1e-12))  # an unfinished stage has no guarantee of its own
    error = evaluate(bound.guarantee, values | {"t": done}, f"the curve of the {bound}")
    curve = np.broadcast_to(error, passes.shape).copy().view(Curve)
    curve.bounded = bound.bounded
    return curve


def relative(eps: Any) -> np.ndarray:
    """The one accuracy that a number on a problem is for, checked."""
    accuracy = checked({"eps": eps})["eps"]
    if accuracy.ndim:
        raise TypeError(f"eps must be one number, not an array of shape {accuracy.shape}: ask once for each accuracy")
    return accuracy


def _points(passes: Any) -> np.ndarray:
    points = np.asarray(passes)
    if points.dtype.kind not in "iuf" or not np.all(points >= 0):  # NaN fails, too
        raise ValueError("passes must be numbers >= 0, the work done at each point of the curve")
    return points.astype(float)


def values_of(bound: Bound, problem: Any, measured: Mapping[str, float]) -> dict[str, Any]:
    """The keywords of `Bound.at` on a problem, the bound's assumptions checked; see `Bound.for_problem`."""
    constants = facts(problem)
    if constants.get("outputs", 1) > 1 and not bound.vectors:
        raise Uncovered(
            f"the {bound} is for losses of one prediction, and this problem has {constants['outputs']} classes; "
            "bound('sdca') covers it"
        )
    told = {symbol.name: float(number) for symbol, number in bound.own} | dict(measured)
    values = known(constants, told)
    _judge(bound, values)
    refuse_false(told.keys() & {symbol.name for symbol in bound.symbols}, values, problem)
    drawn = bound.drawn or Drawn(bound.sampling)
    batch = getattr(drawn.blocks, "tau", 1)
    for symbol, formula in (*bound.defaults, (m, sp.Integer(batch))):
        if symbol.name not in values and all(name.name in values for name in formula.free_symbols):
            values[symbol.name] = np.asarray(evaluate(formula, values, f"the default {symbol} of the {bound}"))
    _judge(bound, values)
    needed = bound.symbols.union(*(assumption.free_symbols for assumption in bound.assumptions))
    add_computed(values, problem, {symbol.name for symbol in needed})
    _judge(bound, values)
    if {K, W} & bound.symbols and not {"K", "W"} <= values.keys():
        values |= left_to(bound, drawn, constants, getattr(problem, "X", None))
    return values


def _judge(bound: Bound, values: Mapping[str, Any]) -> None:
    failed = first_failed(bound.assumptions, values)
    if failed is not None:
        raise Uncovered(_refusal(bound, failed, values))


def _refusal(bound: Bound, failed: sp.Basic, values: Mapping[str, Any]) -> str:
    near = (*registry.of_method(bound.method), *registry.of_method("sdca"))
    fits = [b for b in near if b.counts and b.kind == "theorem" and first_failed(b.assumptions, values) is None]
    # stable, so main theorems stay first
    fits.sort(
        key=lambda other: (
            other.method != bound.method,
            other.sampling != bound.sampling,
        )
    )
    advice = ""
    if fits and bound.counts:
        best = fits[0]
        advice = f"; bound({best.method!r}, sampling={best.sampling!r}, theorem={best.theorem!r}) covers it"
    return f"the {bound} needs {in_words(failed)}, but this problem has {given(failed, values)}{advice}"
