"""The parts of a theorem as somebody states them: formulas, assumptions and words, refused in a sentence if wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
import sympy as sp

from ..numerics import checks
from .statement import Statement

TARGETS = {
    "P(w)-P*": "the expected suboptimality P(w) - P*",
    "P-D": "the expected duality gap P(w) - D(alpha)",
    "D*-D": "the expected dual suboptimality D* - D(alpha)",
    "|w-w*|^2": "the expected squared distance ||w - w*||^2",
}
SIDES = ("dual", "primal")
MEANT = {  # parts without a default, and what they are
    "W": "nonzeros that an iteration visits in expectation, such as nnz/d",
    "assumptions": "a tuple of sympy relations, such as (gamma > 0, l2 > 0)",
    "source": "the paper and the theorem, or that it is yours",
    "side": '"dual" if coordinates are examples, "primal" if they are features',
}
CLAIMED = {  # what a theorem says, by its form
    "K": "1/(contraction factor), such as d (l2 + R_col**2/(gamma n))/l2",
    "constant": "the error to begin with, such as P0",
    "bounded": f"the quantity that it bounds, one of {', '.join(map(repr, TARGETS))}",
    "count": "the order of the steps to eps",
    "value": "the bound itself",
    "target": "in words, the quantity that it bounds",
}
MADE = {"method", "theorem", "sampling", "quantity", "expr"}  # parts that follow from the others


def require(theorem: str, needed: Mapping[str, Any]) -> None:
    """Refuse a theorem of which something that it says is missing (None).

    Parameters
    ----------
    theorem : str
        Its name, for the sentence.
    needed : mapping
        Keys of `MEANT` or `CLAIMED`, and what was stated.

    Raises
    ------
    TypeError
        Names the first that is missing, and what it is.
    """
    for name, value in needed.items():
        if value is None:
            raise TypeError(f"theorem {theorem!r} lacks {name}: {(MEANT | CLAIMED)[name]}")


def formula(what: str, value: Any) -> sp.Expr:
    """A part that is a formula; a number is one.

    Raises
    ------
    TypeError
        For anything but a sympy expression or a number.
    """
    if isinstance(value, sp.Expr):
        return value
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        return sp.sympify(value)
    raise TypeError(f"{what} must be a sympy expression made from cdlab.theory.SYMBOLS, not {checks.short_repr(value)}")


def error(what: str, value: Any) -> sp.Expr:
    """The error that a contraction begins with: a formula that is not 0.

    Raises
    ------
    ValueError, TypeError
        If it is 0, or no formula.
    """
    start = formula(what, value)
    if start == 0:
        raise ValueError(f"{what} is the error to begin with, such as P0, and cannot be 0")
    return start


def target(bounded: str) -> str:
    """A bounded quantity in words.

    Raises
    ------
    ValueError
        If theorems cannot be about it.
    """
    if bounded not in TARGETS:
        raise ValueError(f"bounded must be one of {', '.join(map(repr, TARGETS))}, not {bounded!r}")
    return TARGETS[bounded]


def parts(theorem: str, data: Mapping[str, Any], *needed: str) -> dict[str, Any]:
    """The other attributes of a statement, checked.

    Parameters
    ----------
    theorem : str
        Its name, for the sentence.
    data : mapping
        Attributes of `cdlab.theory.statement.Statement` by their names.
    *needed : str
        Those of `MEANT` that must be there.

    Raises
    ------
    TypeError
        For one that is missing, unknown, or of the wrong kind.
    ValueError
        For an unknown side, or an assumption that is true or false whatever the symbols are.
    """
    known = [f.name for f in fields(Statement) if f.name not in MADE]
    for name in data:
        if name not in known:
            hint = checks.did_you_mean(name, known)
            raise TypeError(f"theorem {theorem!r} is given {name!r}, which no theorem has{hint}")
    require(theorem, {name: data.get(name) for name in needed})
    if "side" in data and data["side"] not in SIDES:
        raise ValueError(f"side must be {MEANT['side']}, not {data['side']!r}")
    found = dict(data)
    if "W" in data:
        found["W"] = formula("W", data["W"])
    if "assumptions" in data:
        found["assumptions"] = _assumptions(data["assumptions"])
    return found


def _assumptions(given: Any) -> tuple[sp.Basic, ...]:
    if not isinstance(given, tuple | list):
        raise TypeError(
            f"assumptions must be {MEANT['assumptions']}, not {checks.short_repr(given)}; of one: (l2 > 0,)"
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
