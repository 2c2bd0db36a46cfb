"""From the statement of a theorem to a `Bound`: counts, passes and totals follow by `derivations.counts`.

A new theorem is one call: its method, the quantity that it bounds, its rate, the cost of a step, assumptions, source.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from . import stated
from .bound import Bound
from .derivations import counts
from .stated import TARGETS
from .symbols import P0, l2, w2

# of a relative accuracy: l2-strong convexity puts every point of suboptimality eps within 2 eps/l2 of w*
UNITS = {"|w-w*|^2": 2 * P0 / l2}
RELATIVE_DISTANCE = w2  # linear systems: ||w - w*||^2 relative to that of the start


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
    bounded : "P(w)-P*", "P-D", "D*-D" or "|w-w*|^2", required
        The quantity whose expectation is bounded.
    **data : any
        W (expected nonzeros visited by an iteration), assumptions, source and side are needed; any other attribute of
        `cdlab.theory.statement.Statement` can be given. Of a method with parameters of its own, ``parameters`` are
        those that the theorem is about, ``(("block", 3),)``; those in ``neutral``, ``("block",)``, may have any value;
        and a symbol of `cdlab.theory.parameter` stands for one in the formulas. An instance with others is not covered.

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
    stated.require(theorem, {"K": K, "constant": constant, "bounded": bounded or None})
    K, constant = stated.formula("K", K), stated.error("constant", constant)
    data = {"target": stated.target(bounded), "unit": UNITS.get(bounded, P0)} | data
    data = stated.parts(theorem, data, *stated.MEANT)
    count = counts.iterations(constant, K)
    return Bound(
        method,
        theorem,
        sampling,
        quantity="iterations",
        expr=count.expr,
        count=count.expr,
        exact=count.exact,
        guarantee=counts.guarantee(constant, K),
        bounded=bounded,
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
    stated.require(theorem, {"bounded": bounded or None})
    data = {"target": stated.target(bounded), "unit": UNITS.get(bounded, P0)} | data
    data = stated.parts(theorem, data, *stated.MEANT)
    guarantee = None if guarantee is None else stated.formula("guarantee", guarantee)
    count = counts.steps(guarantee) if count is None else stated.formula("count", count)
    return Bound(
        method,
        theorem,
        sampling,
        quantity="iterations",
        expr=count,
        count=count,
        guarantee=guarantee,
        bounded=bounded,
        **data,
    )


def asymptotic(
    method: str,
    theorem: str,
    sampling: str = "uniform",
    *,
    count: sp.Expr | None = None,
    W: sp.Expr | None = None,
    **data: Any,
) -> Bound:
    """A statement up to constants and logarithms: typeset and compared, never drawn as a guarantee.

    Parameters
    ----------
    method, theorem, sampling : str
        As in `contraction`.
    count : sympy expression, required
        The order of the steps to eps.
    W : sympy expression, required
        Expected nonzeros visited by one step.
    **data : any
        As in `contraction`; source and side are needed.

    Returns
    -------
    Bound
    """
    stated.require(theorem, {"count": count})
    data = {"target": TARGETS["P(w)-P*"], "assumptions": (), "W": W} | data
    data = stated.parts(theorem, data, *stated.MEANT)
    count = stated.formula("count", count)
    return Bound(method, theorem, sampling, quantity="iterations", expr=count, count=count, kind="asymptotic", **data)


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
    stated.require(theorem, {"value": value, "target": target})
    data = stated.parts(theorem, data | {"target": target}, "assumptions", "source", "side")
    return Bound(method, theorem, sampling, quantity="value", expr=stated.formula("value", value), **data)
