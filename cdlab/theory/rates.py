"""A rate of a problem from its definition: ``K = ... max_i(...) ...`` evaluated for the coordinates' s_i and p_i."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

from .symbols import K, i, p, s


def defines_rate(definitions: Iterable[sp.Eq]) -> bool:
    """Whether K is among a bound's definitions; a K in closed form is not."""
    return any(equation.lhs == K for equation in definitions)


def rate(definitions: Iterable[sp.Eq], s_i: np.ndarray, p_i: np.ndarray, values: Mapping[str, Any]) -> float:
    """K by its own definition.

    Parameters
    ----------
    definitions : iterable of sympy equations
        A bound's definitions, one of them of K.
    s_i : (m,) array
        ||x_i||^2/gamma + l2 n of each coordinate, or with its ESO parameter in place of the squared norm.
    p_i : (m,) array
        Its probability.
    values : mapping
        The other symbols of the definition, such as n and l2.

    Examples
    --------
    >>> from cdlab.theory.derivations.counts import PRIMAL, contraction
    >>> given = contraction(PRIMAL, "given").definitions
    >>> rate(given, np.array([1.0, 3.0]), np.array([0.5, 0.5]), {"n": 2, "l2": 0.5})
    6.0
    """
    (rule,) = (equation.rhs for equation in definitions if equation.lhs == K)
    function, others = _compiled(rule)
    return float(function(s_i, p_i, *(values[name] for name in others)))


@cache
def _compiled(rule: sp.Expr) -> tuple[Callable[..., Any], tuple[str, ...]]:
    """The rule as a function of s_i, p_i and the other symbols, by name."""
    coordinate = sp.symbols("s_i p_i")
    rule = rule.xreplace(dict(zip((s[i], p[i]), coordinate, strict=True)))
    others = sorted(rule.free_symbols - set(coordinate), key=str)
    function = sp.lambdify((*coordinate, *others), rule, [{"max_i": np.max}, "numpy"])
    return function, tuple(symbol.name for symbol in others)
