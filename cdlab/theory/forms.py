"""The four forms of a theorem: `contraction`, `decay`, `asymptotic` and `lemma`.

A theorem is one call: its method, the quantity that it bounds, its rate, the cost of a step, assumptions, source.
Counts, passes and totals follow by `derivations.counts`. A part that is missing or wrong is refused in a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
import sympy as sp

from ..numerics import checks
from .bound import Bound
from .derivations import counts
from .symbols import P0, t, w2
from .theorem import TARGETS, UNITS, Theorem

RELATIVE_DISTANCE = w2  # linear systems: ||w - w*||^2 relative to that of the start

PART_MEANINGS = {  # what somebody who states a theorem has to say, and what it is
    "W": "nonzeros that an iteration visits in expectation, such as nnz/d",
    "assumptions": "a tuple of sympy relations, such as (gamma > 0, l2 > 0)",
    "source": "the paper and the theorem, or that it is yours",
    "side": '"dual" if coordinates are examples, "primal" if they are features',
    "K": "1/(contraction factor), such as d (l2 + R_col**2/(gamma n))/l2",
    "constant": "the error to begin with, such as P0",
    "bounded": f"the quantity that it bounds, one of {', '.join(map(repr, TARGETS))}",
    "count": "the order of the steps to eps",
    "value": "the bound itself",
    "target": "in words, the quantity that it bounds",
}
NEEDED_PARTS = ("W", "assumptions", "source", "side")


def contraction(
    method: str,
    theorem: str,
    sampling: str = "uniform",
    *,
    K: sp.Expr | None = None,
    constant: sp.Expr | None = None,
    bounded: str = "",
    **data: Any,
) -> Bound:
    """A theorem ``E[bounded] <= constant (1 - 1/K)^t``.

    Parameters
    ----------
    method, theorem, sampling : str
        The method, a name for the theorem, and the sampling (default "uniform"; "none" if nothing is drawn).
    K : sympy expression or number, required
        1/(contraction factor), in the symbols of ``cdlab.theory.SYMBOLS``.
    constant : sympy expression, required
        The error to begin with.
    bounded : "P(w)-P*", "P-D", "D*-D" or ``"|w-w*|^2"``, required
        The quantity whose expectation is bounded.
    **data : any
        W (expected nonzeros visited by an iteration), assumptions, source and side are needed; any other attribute of
        `cdlab.theory.theorem.Theorem` can be given. Of a method with parameters of its own, ``parameters`` are those
        that the theorem is about, ``(("block", 3),)``; those in ``neutral``, ``("block",)``, may have any value, or
        one of those in ``(("block", (1, 2)),)``; and a symbol of `cdlab.theory.parameter` stands for one in the
        formulas. An instance with others is not covered.

    Returns
    -------
    Bound
        For the quantity "iterations"; its `per` derives the others.

    Raises
    ------
    ValueError
        If `bounded` or the side is none of these, the constant is 0, or an assumption is always true or always false.
    TypeError
        If an attribute is missing or unknown, or no formula where one is needed.
    """
    _require(theorem, K=K, constant=constant, bounded=bounded or None)
    K, constant = _check_formula("K", K), _check_formula("constant", constant)
    if constant == 0:
        raise ValueError("constant is the error to begin with, such as P0, and cannot be 0")
    data = _check_parts(theorem, _of_bounded(bounded) | data)
    count = counts.contraction_steps(constant, K)
    return Bound(
        method=method,
        theorem=theorem,
        sampling=sampling,
        quantity="iterations",
        expr=count.expr,
        exact=count.exact,
        count=count.expr,
        guarantee=constant * (1 - 1 / K) ** t,
        K=K,
        **data,
    )


def decay(
    method: str,
    theorem: str,
    sampling: str = "uniform",
    *,
    guarantee: sp.Expr | None = None,
    bounded: str = "",
    count: sp.Expr | None = None,
    **data: Any,
) -> Bound:
    """A theorem ``E[bounded] <= guarantee(t)`` that is not a contraction.

    Parameters
    ----------
    method, theorem, sampling : str
        As in `contraction`.
    guarantee : sympy expression, optional
        Decreasing in the symbol t, the number of steps; None if only the count is known, and there is no curve.
    bounded : str, required
        As in `contraction`.
    count : sympy expression, optional
        Steps to eps; by default the solution t of guarantee = eps.
    **data : any
        As in `contraction`.

    Returns
    -------
    Bound

    Raises
    ------
    ValueError
        If guarantee = eps has not exactly one solution, and no count is given; else as `contraction`.
    TypeError
        As `contraction`.
    """
    if count is None and guarantee is None:
        raise ValueError(f"decay({method!r}, {theorem!r}) needs a guarantee, a count, or both")
    _require(theorem, bounded=bounded or None)
    data = _check_parts(theorem, _of_bounded(bounded) | data)
    guarantee = None if guarantee is None else _check_formula("guarantee", guarantee)
    count = counts.steps_until(guarantee) if count is None else _check_formula("count", count)
    return Bound(
        method=method,
        theorem=theorem,
        sampling=sampling,
        quantity="iterations",
        expr=count,
        count=count,
        guarantee=guarantee,
        **data,
    )


def asymptotic(
    method: str,
    theorem: str,
    sampling: str = "uniform",
    *,
    count: sp.Expr | None = None,
    **data: Any,
) -> Bound:
    """A statement up to constants and logarithms: typeset and compared, never drawn as a guarantee.

    Parameters
    ----------
    method, theorem, sampling : str
        As in `contraction`.
    count : sympy expression, required
        The order of the steps to eps.
    **data : any
        As in `contraction`; W, source and side are needed.

    Returns
    -------
    Bound
    """
    _require(theorem, count=count)
    data = _check_parts(theorem, {"target": TARGETS["P(w)-P*"], "assumptions": (), "kind": "asymptotic"} | data)
    count = _check_formula("count", count)
    return Bound(
        method=method, theorem=theorem, sampling=sampling, quantity="iterations", expr=count, count=count, **data
    )


def lemma(
    method: str,
    theorem: str,
    *,
    value: sp.Expr | None = None,
    target: str | None = None,
    sampling: str = "any",
    **data: Any,
) -> Bound:
    """A statement about one step or one quantity: it bounds a value and counts nothing.

    Parameters
    ----------
    method, theorem, sampling : str
        As in `contraction`; the sampling is "any" by default.
    value : sympy expression, required
        The bound.
    target : str, required
        In words, the quantity that it bounds.
    **data : any
        As in `contraction`; assumptions, source and side are needed.

    Returns
    -------
    Bound
    """
    _require(theorem, value=value, target=target)
    data = _check_parts(theorem, data | {"target": target}, needed=NEEDED_PARTS[1:])
    value = _check_formula("value", value)
    return Bound(method=method, theorem=theorem, sampling=sampling, quantity="value", expr=value, **data)


# ------------------------------------------------------------ parts, refused in a sentence if wrong
def _require(theorem: str, **parts: Any) -> None:
    """Refuse a theorem of which a part is missing (None)."""
    for name, value in parts.items():
        if value is None:
            raise TypeError(f"theorem {theorem!r} lacks {name}: {PART_MEANINGS[name]}")


def _check_formula(name: str, value: Any) -> sp.Expr:
    """A part that is a formula; a number is one."""
    if isinstance(value, sp.Expr):
        return value
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        return sp.sympify(value)
    raise TypeError(f"{name} must be a sympy expression made from cdlab.theory.SYMBOLS, not {checks.short_repr(value)}")


def _of_bounded(bounded: str) -> dict[str, Any]:
    """Return what follows from the quantity that a theorem bounds."""
    checks.one_of("bounded", bounded, TARGETS)
    return {"bounded": bounded, "target": TARGETS[bounded], "unit": UNITS.get(bounded, P0)}


def _check_parts(theorem: str, data: Mapping[str, Any], needed: tuple[str, ...] = NEEDED_PARTS) -> dict[str, Any]:
    """The other attributes of a theorem."""
    known = [f.name for f in fields(Theorem)][3:]  # all but method, theorem and sampling
    for name in data:
        if name not in known:
            raise TypeError(
                f"theorem {theorem!r} is given {checks.short_repr(name)}, which no theorem has"
                f"{checks.did_you_mean(name, known)}"
            )
    _require(theorem, **{name: data.get(name) for name in needed})
    if data["side"] not in ("dual", "primal"):
        raise ValueError(f"side must be {PART_MEANINGS['side']}, not {data['side']!r}")
    formulas = {"W": _check_formula("W", data["W"])} if "W" in data else {}
    return {**data, **formulas, "assumptions": _check_assumptions(data["assumptions"])}


def _check_assumptions(given: Any) -> tuple[sp.Basic, ...]:
    if not isinstance(given, tuple | list):
        raise TypeError(
            f"assumptions must be {PART_MEANINGS['assumptions']}, not {checks.short_repr(given)}; of one: (l2 > 0,)"
        )
    for relation in given:
        if isinstance(relation, bool):
            raise TypeError(
                f"an assumption is {relation}, which Python's == makes of two formulas: write sympy.Eq(l1, 0)"
            )
        if relation in (sp.true, sp.false):
            always = "always true: leave it out" if relation == sp.true else "never true, as gamma < 0: gamma is >= 0"
            raise ValueError(f"an assumption is {always} (cdlab.theory.MEANINGS says what the symbols are)")
        if not isinstance(relation, sp.logic.boolalg.Boolean):
            raise TypeError(
                f"an assumption must be a sympy relation, such as gamma > 0, not {checks.short_repr(relation)}"
            )
    return tuple(given)
