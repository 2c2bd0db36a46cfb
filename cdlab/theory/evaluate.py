"""Numbers out of formulas: keyword values checked, assumptions judged, expressions compiled once and evaluated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np
import sympy as sp
from sympy.codegen.cfunctions import log1p

from ..numerics import checks
from .symbols import SYMBOLS, R, gamma, kappa, l2, t


@cache
def compile_formula(expr: sp.Basic) -> tuple[tuple[str, ...], Callable[..., Any]]:
    """The names of the symbols in an expression or relation, and a numpy function of them in that order."""
    symbols = sorted(expr.free_symbols, key=lambda symbol: symbol.name)
    exact = expr.replace(sp.log, _log)
    return tuple(symbol.name for symbol in symbols), sp.lambdify(symbols, exact, "numpy")


def _log(x: sp.Expr) -> sp.Expr:
    """ln x; of 1 + y by log1p, since ln(1 - 1/K) loses its digits for large K."""
    one, y = x.as_coeff_Add()
    return log1p(y) if one == 1 else sp.log(x)


@cache
def in_kappa(expr: sp.Expr) -> sp.Expr:
    """The expression with R^2/(l2 gamma) written as kappa.

    >>> in_kappa(1 + R**2 / (l2 * gamma))
    kappa + 1
    """
    positive = {s: sp.Symbol(s.name, positive=True) for s in expr.free_symbols | {R, gamma, l2, kappa}}
    radius = sp.sqrt(positive[kappa] * positive[l2] * positive[gamma])
    return sp.simplify(expr.subs(positive).subs(positive[R], radius)).subs({new: old for old, new in positive.items()})


def evaluate(expr: sp.Expr, values: Mapping[str, Any], what: str) -> float | np.ndarray:
    """The expression at these values (numbers or arrays that broadcast); kappa may stand for R, l2 and gamma.

    Parameters
    ----------
    expr : sympy expression
        The formula.
    values : mapping
        Values by the names of symbols.
    what : str
        The subject of an error message.

    Raises
    ------
    ValueError
        If a value is missing, or the result is undefined (0/0).
    """
    names, function = compile_formula(expr)
    missing = [name for name in names if name not in values]
    if missing and kappa.name in values and kappa not in expr.free_symbols:
        shorter = in_kappa(expr)
        if kappa in shorter.free_symbols:
            return evaluate(shorter, values, what)
    if missing:
        raise ValueError(f"{what} needs {', '.join(missing)}: pass {'=..., '.join(missing)}=...")
    with np.errstate(all="ignore"):  # infinities are meant; NaN is caught below
        result = np.asarray(function(*(values[name] for name in names)), dtype=float)
    if np.isnan(result).any():
        raise ValueError(f"{what} is undefined (0/0 or inf - inf) at some of these values")
    return float(result) if result.ndim == 0 else result


def check_values(values: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Keyword values as float arrays, each known, a number, and in its range.

    Raises
    ------
    ValueError
        For an unknown keyword, NaN, or a value out of range (eps = 0, n = -1).
    TypeError
        For a value that is not a number or an array of numbers.
    """
    unknown = [name for name in values if name not in SYMBOLS or name == t.name]
    if unknown:
        known = ", ".join(name for name in SYMBOLS if name != t.name)
        raise ValueError(f"unknown keyword {unknown[0]!r}: a bound's keywords are {known}")
    found = {name: _number(name, value) for name, value in values.items()}
    try:
        np.broadcast_shapes(*(array.shape for array in found.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in found.items() if array.ndim)
        raise ValueError(f"the arrays must have shapes that broadcast, and these do not: {shapes}") from None
    return found


def _number(name: str, value: Any) -> np.ndarray:
    array = checks.array(name, value)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be a number or an array of numbers, not {checks.short_repr(value)}")
    array = array.astype(float)
    positive = SYMBOLS[name].is_positive
    if not np.all(array > 0 if positive else array >= 0):  # NaN fails both
        raise ValueError(f"{name} must be {'positive' if positive else 'at least 0'}, not {array.min()}")
    return array


def first_failed(assumptions: Iterable[sp.Basic], values: Mapping[str, Any]) -> sp.Basic | None:
    """The first assumption that these values contradict, or None; assumptions on unknown symbols are not judged."""
    for assumption in assumptions:
        names, holds = compile_formula(assumption)
        if all(name in values for name in names) and not np.all(holds(*(values[name] for name in names))):
            return assumption
    return None


def in_words(assumption: sp.Basic) -> str:
    """A relation as plain text, with the keywords of `Bound.at`.

    >>> from cdlab.theory.symbols import L, l1
    >>> in_words(sp.Eq(l1, 0)), in_words(L < sp.oo)
    ('l1 = 0', 'L < infinity')
    """
    return f"{assumption.lhs} {'=' if isinstance(assumption, sp.Eq) else assumption.rel_op} {assumption.rhs}".replace(
        "oo", "infinity"
    )


def values_in_words(relation: sp.Basic, values: Mapping[str, Any]) -> str:
    """The values of a relation's symbols, for an error message: "gamma = 0"."""
    chosen = {symbol.name: values[symbol.name] for symbol in relation.free_symbols}
    return " and ".join(f"{name} = {_number_in_words(chosen[name])}" for name in sorted(chosen))


def _number_in_words(value: np.ndarray) -> str:
    return " ".join(np.array2string(value, threshold=4).split()) if value.ndim else f"{float(value):g}"
