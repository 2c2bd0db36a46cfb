"""Restatements of a theorem: its rate as a bound on the gap or on one side's error, and with high probability.

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
STEP_ON = f"{GAP_AT['|w-w*|^2']} and w~ = grad g*(X'alpha/n)"  # where a distance bounds a gap with l1, too
NOTHING_DRAWN, EXPECTED = "none", "the expected "
LARGEST_DENOMINATOR = 10**9  # Denominator of a probability as a fraction, at most.


def on_gap(b: Any) -> Any:
    """See `Bound.on_gap`."""
    if b.bounded == "P-D":
        return b
    why = _why_not_on_gap(b)
    if why:
        raise ValueError(f"the {b} says nothing about the duality gap: {why}")
    found = _on_gap_at(b, GAP_AT[b.bounded], GAP_FACTORS[b.bounded]())
    if b.bounded != "|w-w*|^2":
        return found
    return _without_l1(found, _on_gap_at(b, STEP_ON, gaps.of_distance_with_l1()))


def _on_gap_at(b: Any, pair: str, factor: sp.Expr) -> Any:
    """The bound on the gap at a pair of points, which is this factor times the quantity."""
    return _times(
        b,
        factor,
        on_gap,
        bounded="P-D",
        unit=P0,
        target=f"{TARGETS['P-D']} at {pair}{b.target.removeprefix(TARGETS[b.bounded])}",
        assumptions=tuple(dict.fromkeys((*b.assumptions, gamma > 0, l2 > 0))),
        source=f"{b.source}; {GAP_SOURCE}",
    )


def _without_l1(b: Any, otherwise: Any) -> Any:
    """The bound where l1 = 0, and another one elsewhere, unless the theorem needs l1 = 0 anyway."""
    if sp.Eq(l1, 0) in b.assumptions:
        return b
    return replace(b, assumptions=(*b.assumptions, sp.Eq(l1, 0)), fallback=otherwise)


def on(b: Any, bounded: str) -> Any:
    """A bound as one on another quantity: the gap, or what is at most the gap, either side's suboptimality.

    Raises
    ------
    ValueError
        If it says nothing about it; of those on P(w) - P* and D* - D(alpha) nothing bounds a distance here.
    """
    if b.bounded == bounded:
        if b.fallback is None or b.fallback.bounded == bounded:
            return b
        with suppress(ValueError):
            return replace(b, fallback=on(b.fallback, bounded))
        return replace(b, fallback=None)
    if bounded == "|w-w*|^2":
        raise ValueError(f"the {b} is not about ||w - w*||^2")
    gap = on_gap(b)
    if bounded == "P-D":
        return gap
    side = _renamed(gap, bounded)
    if not (bounded == "P(w)-P*" and b.bounded == "|w-w*|^2"):
        return side
    source = f"{b.source}; P is L_P-smooth"
    direct = _times(
        b, gaps.primal_of_distance(), on_gap, bounded=bounded, unit=P0, target=TARGETS[bounded], source=source
    )
    return replace(direct, assumptions=side.assumptions, fallback=side.fallback)


def _renamed(gap: Any, bounded: str) -> Any:
    """A bound on the gap as one on a side's suboptimality, which is at most the gap."""
    target = TARGETS[bounded] + gap.target.removeprefix(TARGETS["P-D"])
    fallback = None if gap.fallback is None else _renamed(gap.fallback, bounded)
    source = f"{gap.source}; it is at most the gap"
    return replace(gap, bounded=bounded, target=target, fallback=fallback, source=source)


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
