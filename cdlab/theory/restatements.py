"""Restatements of a theorem: its rate as a bound on the duality gap, and with high probability, not only on average.

A bound is typed Any here, since bound.py imports this module.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy as sp

from ..numerics import checks
from .derivations import gaps
from .symbols import P0, eps, gamma, l1, l2
from .theorem import TARGETS

GAP_AT = {  # where the gap is that follows from a bounded quantity
    "P(w)-P*": "alpha_i = -phi'(x_i'w)",
    "D*-D": "w = grad g*(X'alpha/n)",
    "|w-w*|^2": "alpha_i = -phi'(x_i'w)",
}
GAP_FACTORS = {"P(w)-P*": gaps.of_primal, "D*-D": gaps.of_dual, "|w-w*|^2": gaps.of_distance}
GAP_SOURCE = "on the gap: own derivation, one step towards the point at which the other side certifies"
NOTHING_DRAWN, EXPECTED = "none", "the expected "
LARGEST_DENOMINATOR = 10**9  # Denominator of a probability as a fraction, at most.


def on_gap(b: Any) -> Any:
    """See `Bound.on_gap`."""
    if b.bounded == "P-D":
        return b
    why = _why_not_on_gap(b)
    if why:
        raise ValueError(f"the {b} says nothing about the duality gap: {why}")
    needs = (gamma > 0, l2 > 0, *((sp.Eq(l1, 0),) if b.bounded == "|w-w*|^2" else ()))
    rest = b.target.removeprefix(TARGETS[b.bounded])
    return _times(
        b,
        GAP_FACTORS[b.bounded](),
        on_gap,
        bounded="P-D",
        unit=P0,
        target=f"{TARGETS['P-D']} at {GAP_AT[b.bounded]}{rest}",
        assumptions=tuple(dict.fromkeys((*b.assumptions, *needs))),
        source=f"{b.source}; {GAP_SOURCE}",
    )


def _why_not_on_gap(b: Any) -> str:
    """Tell why a bound has no counterpart on the gap; empty if it has one."""
    if b.kind == "asymptotic" or not b.counts:
        return "it is not a rate of convergence with known constants"
    if b.probability is not None:
        return "it holds with a probability; restate it first, bound.on_gap().with_probability(...)"
    if not b.target.startswith(TARGETS[b.bounded]):
        return f"it is about {b.target}"
    for s in (gamma, l2):
        if sp.Eq(s, 0) in b.assumptions:
            return f"it is for {s} = 0, and the gap follows where the loss is smooth and l2 > 0"
    return ""


def with_probability(b: Any, probability: Any) -> Any:
    """See `Bound.with_probability`."""
    if not checks.is_number(probability):
        raise TypeError(f"probability must be a number below 1, not {checks.short_repr(probability)}")
    if not 0 < probability < 1:
        raise ValueError(f"probability must be above 0 and below 1, such as 0.95, not {probability:g}")
    if b.probability is not None:
        raise ValueError(f"the {b} holds with probability {b.probability:g} already, and no longer on average")
    if b.sampling == NOTHING_DRAWN:
        return b
    if b.kind == "asymptotic" or not b.target.startswith(EXPECTED):
        raise ValueError(f"the {b} is not about an expectation with known constants: it has no probability")
    written = Fraction(str(probability))
    share = written.limit_denominator(LARGEST_DENOMINATOR)
    if not written <= share < 1:  # never less than was asked for
        share = written
    words = f"with probability at least {probability:g} at each point, the {b.target.removeprefix(EXPECTED)}"
    return _times(
        b,
        sp.Rational(share.denominator, share.denominator - share.numerator),
        lambda other: with_probability(other, probability),
        target=words,
        probability=float(probability),
        source=f"{b.source}; by Markov's inequality",
    )


def _times(b: Any, factor: sp.Expr, restate: Any, **changes: Any) -> Any:
    """The theorem with its guarantee multiplied by a factor; it is at most eps where the old one is at most eps/factor.

    `restate` does the same to its fallback, which is dropped where it refuses.
    """
    fallback = None
    if b.fallback is not None:
        with suppress(ValueError):
            fallback = restate(b.fallback)
    formulas = {name: getattr(b, name) for name in ("expr", "exact", "count")}
    at_accuracy = {name: f if f is None else f.xreplace({eps: eps / factor}) for name, f in formulas.items()}
    guarantee = None if b.guarantee is None else factor * b.guarantee
    return replace(b, **at_accuracy, guarantee=guarantee, fallback=fallback, **changes)
