"""A bound on a problem: a number or a curve, once its assumptions are checked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import sympy as sp

from ..numerics import checks
from .constants import add_computed, facts, known, refuse_false, to_accuracy
from .curves import Curve
from .drawn_samplings import left_to, named_sampling
from .evaluate import checked, evaluate
from .refusals import INTERCEPT, OUTPUTS, Uncovered, failed
from .statement import COUNTS, Statement
from .symbols import MEANINGS, K, W, m, t
from .symbols import eps as eps_symbol


def value(bound: Statement, values: Mapping[str, Any]) -> float | np.ndarray:
    """The bound's formula at these values (keywords of `Bound.at`), at least 0."""
    result = evaluate(bound.expr, values, f"the {bound}")
    return max(result, 0.0) if isinstance(result, float) else np.maximum(result, 0.0)


def on_problem(bound: Statement, problem: Any, eps: float, measured: Mapping[str, float]) -> float:
    """See `Bound.for_problem`."""
    bound, values = covering(bound, problem, measured)
    _require(bound, values, bound.expr)
    if bound.quantity in (*COUNTS, "value"):
        accuracy, gap = relative(eps), values["P0"]
        values = to_accuracy(values, problem, measured)
        if values["P0"] == 0 and bound.counts:
            return 0.0 if gap == 0 else np.inf
        values["eps"] = accuracy * evaluate(bound.unit, values, f"the accuracy of the {bound}")
        if bound.quantity == "passes" and values["nnz"] == 0:
            return float(value(bound.per("iterations"), values) / values["n"])
    counted = {
        "passes": values["nnz"],
        "examples": values["nnz"] / values["n"],
        "arithmetic": 1.0,
    }
    before = _setup(bound, values) / counted[bound.quantity] if bound.quantity in counted else 0.0
    return float(value(bound, values) + before)


def _setup(bound: Statement, values: Mapping[str, Any]) -> float | np.ndarray:
    """Nonzeros visited before the first step; where X = 0 there are none."""
    return evaluate(bound.setup, values, f"the setup of the {bound}") if values["nnz"] > 0 else 0.0


def covering(bound: Statement, problem: Any, measured: Mapping[str, float]) -> tuple[Statement, dict[str, Any]]:
    """The bound that covers a problem: itself, or the fallback of the method.

    Parameters
    ----------
    bound : Statement
        The bound that was asked for.
    problem : Problem
        The problem to cover.
    measured : mapping
        Values for keywords of `Bound.at`, as in `Bound.for_problem`.

    Returns
    -------
    bound : Statement
        The bound itself, or the one of the method that it falls back to on this problem.
    values : dict
        The keywords of `Bound.at` on the problem.

    Raises
    ------
    Uncovered
        If the problem contradicts an assumption of each of them; it is about the last one.
    """
    while True:
        try:
            return bound, values_of(bound, problem, measured)
        except Uncovered:
            if bound.fallback is None:
                raise
            bound = bound.instead()


def lacking(bound: Statement, known: Collection[str], *formulas: sp.Expr) -> list[str]:
    """The names of symbols that some formulas need and that are not known, nor follow by the bound's defaults.

    Parameters
    ----------
    bound : Statement
        Its defaults are used.
    known : collection of str
        Names of the symbols with known values.
    *formulas : sympy expression
        The formulas to evaluate.
    """
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


def _require(bound: Statement, values: Mapping[str, Any], *formulas: sp.Expr) -> None:
    names = lacking(bound, {*values, eps_symbol.name, t.name}, *formulas)
    if names:
        meant = " and ".join(f"{name} ({MEANINGS[name]})" for name in names)
        raise ValueError(
            f"the {bound} needs {meant}, which does not follow from the problem: pass {'=..., '.join(names)}=..."
        )


def _require_curve(bound: Statement) -> None:
    if bound.guarantee is None or bound.W is None:
        why = "its constants are not known" if bound.kind == "asymptotic" else "it is not a rate of convergence"
        raise ValueError(f"the {bound} has no curve: {why}")


def curve_of(bound: Statement, problem: Any, passes: Any, measured: Mapping[str, float]) -> Curve:
    """See `Bound.curve`."""
    _require_curve(bound)
    bound, values = covering(bound, problem, measured)
    _require_curve(bound)  # that of a fallback may be another
    _require(bound, values, bound.guarantee, bound.W)
    passes = _points(passes)
    cost = evaluate(bound.W, values, f"the {bound}") / values["nnz"] if values["nnz"] > 0 else 1 / values["n"]
    done = np.maximum(passes - _setup(bound, values) / max(values["nnz"], 1.0), 0.0) / cost
    if bound.step == "stage":
        done = np.floor(done * (1 + 1e-12))  # an unfinished stage has no guarantee of its own
    error = evaluate(bound.guarantee, values | {"t": done}, f"the curve of the {bound}")
    return Curve(passes, np.broadcast_to(error, passes.shape).copy(), bound.bounded)


def relative(eps: Any) -> np.ndarray:
    """The relative accuracy eps as an array of no dimensions, checked.

    Raises
    ------
    ValueError, TypeError
        If it is not one positive number.
    """
    accuracy = checked({"eps": eps})["eps"]
    if accuracy.ndim:
        raise TypeError(f"eps must be one number, not an array of shape {accuracy.shape}: ask once for each accuracy")
    return accuracy


def _points(passes: Any) -> np.ndarray:
    points = checks.array("passes", passes)
    if points.dtype.kind not in "iuf" or not np.all(points >= 0):  # NaN fails, too
        raise ValueError("passes must be numbers >= 0, the work done at each point of the curve")
    return points.astype(float)


def values_of(bound: Statement, problem: Any, measured: Mapping[str, float]) -> dict[str, Any]:
    """The keywords of `Bound.at` on a problem, with the bound's assumptions checked; see `Bound.for_problem`.

    Raises
    ------
    Uncovered
        If the problem contradicts an assumption.
    """
    constants = facts(problem)
    told = {symbol.name: float(number) for symbol, number in bound.own} | dict(measured)
    values = known(constants, told) | {OUTPUTS: constants.get(OUTPUTS, 1), INTERCEPT: constants.get(INTERCEPT, 0)}
    _judge(bound, values)
    refuse_false(told.keys() & {symbol.name for symbol in bound.symbols}, values, problem)
    drawn = bound.drawn or named_sampling(bound.sampling)
    batch = drawn.size or 1
    for symbol, formula in (*bound.defaults, (m, sp.Integer(batch))):
        if symbol.name not in values and all(name.name in values for name in formula.free_symbols):
            values[symbol.name] = np.asarray(evaluate(formula, values, f"the default {symbol} of the {bound}"))
    _judge(bound, values)
    needed = bound.symbols.union(*(assumption.free_symbols for assumption in bound.assumptions))
    add_computed(values, problem, {symbol.name for symbol in needed})
    _judge(bound, values)
    if {K, W} & bound.symbols and not {"K", "W"} <= values.keys():
        values |= left_to(drawn, bound.side, bound.definitions, constants, getattr(problem, "X", None))
    return values


def _judge(bound: Statement, values: Mapping[str, Any]) -> None:
    contradicted = failed(bound, values)
    if contradicted is not None:
        raise Uncovered(bound, contradicted, values)
