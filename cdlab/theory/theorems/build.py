"""From what a theorem says to a `Bound`: counts, passes and totals follow by `derive`.

A new theorem is one call: its method, what it bounds, its rate, the cost of a step, assumptions and source.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from ..bound import Bound
from ..derivations import counts
from ..symbols import P0, l2, w2

TARGETS = {
    "P(w)-P*": "the expected suboptimality P(w) - P*",
    "P-D": "the expected duality gap P(w) - D(alpha)",
    "D*-D": "the expected dual suboptimality D* - D(alpha)",
    "|w-w*|^2": "the expected squared distance ||w - w*||^2",
}
# of a relative accuracy: l2-strong convexity puts every point of suboptimality eps within 2 eps/l2 of w*
UNITS = {"|w-w*|^2": 2 * P0 / l2}
RELATIVE_DISTANCE = w2  # linear systems: ||w - w*||^2 relative to that of the start


def contraction(
    method: str, theorem: str, sampling: str = "uniform", *, K: sp.Expr, constant: sp.Expr, bounded: str, **data: Any
) -> Bound:
    """A theorem ``E[bounded] <= constant (1 - 1/K)^t``; W, assumptions, source and side are among the data."""
    count = counts.iterations(constant, K)
    data = {"target": TARGETS[bounded], "unit": UNITS.get(bounded, P0)} | data
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
    guarantee: sp.Expr | None,
    bounded: str,
    count: sp.Expr | None = None,
    **data: Any,
) -> Bound:
    """A theorem ``E[bounded] <= guarantee(t)`` that is no contraction; its count solves guarantee = eps for t."""
    count = counts.steps(guarantee) if count is None else count
    data = {"target": TARGETS[bounded], "unit": UNITS.get(bounded, P0)} | data
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
    method: str, theorem: str, sampling: str = "uniform", *, count: sp.Expr, W: sp.Expr, **data: Any
) -> Bound:
    """A statement up to constants and logarithms: typeset and compared, never drawn as a guarantee."""
    data = {"target": TARGETS["P(w)-P*"], "assumptions": ()} | data
    return Bound(
        method, theorem, sampling, quantity="iterations", expr=count, count=count, W=W, kind="asymptotic", **data
    )


def lemma(method: str, theorem: str, *, value: sp.Expr, target: str, sampling: str = "any", **data: Any) -> Bound:
    """A statement about one step or one quantity; ``target`` says in words what ``value`` bounds."""
    return Bound(method, theorem, sampling, quantity="value", expr=value, target=target, **data)
