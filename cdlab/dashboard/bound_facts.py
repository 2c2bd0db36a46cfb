"""What a bound says about a race: its formula, its symbols with their values, its distance from the measured run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape

import numpy as np

from ..methods import Method
from ..plots import best_of, errors
from ..problem import Problem
from ..running import label_of
from ..samplings import Sampling
from .results import Lane
from .theorems import theorem_for
from .words import latex_number, number, table

USUAL_EPS = 1e-6  # where the race has no tolerance of its own
SHOWS = {"P-D": "gap", "P(w)-P*": "primal", "D*-D": "dual"}  # the vertical axis on which a bounded quantity is seen


@dataclass(frozen=True)
class Symbol:
    latex: str
    meaning: str
    value: float


@dataclass(frozen=True)
class BoundFacts:
    """One method's bound on one problem.

    Attributes
    ----------
    label : str
    reason : str
        Why there is no bound; else empty, and then:
    formula, definitions : LaTeX, without dollar signs
    explanation : str
        What is bounded, under which assumptions, and who proved it.
    symbols : tuple of Symbol
    eps : float
        Relative accuracy.
    passes : float
        The bound.
    shown : str
        The vertical axis on which the bounded quantity is seen.
    measured : float or None
        Passes that the race needed; None if it has not come that far, or was on another problem.
    ended : float or None
        Passes of the whole run; None if the race was on another problem.
    """

    label: str
    reason: str = ""
    formula: str = ""
    definitions: tuple[str, ...] = ()
    explanation: str = ""
    symbols: tuple[Symbol, ...] = ()
    eps: float = USUAL_EPS
    passes: float = math.nan
    shown: str = "gap"
    measured: float | None = None
    ended: float | None = None


def bound_facts(problem: Problem, method: Method, sampling: Sampling, eps: float, lane: Lane | None) -> BoundFacts:
    """The bound of a method on a problem, to relative accuracy eps, beside what `lane` (a run of it) measured."""
    label = label_of(method, sampling)
    eps = eps or USUAL_EPS
    try:
        bound = theorem_for(problem, method.name, sampling)
        passes = bound.for_problem(problem, eps)
    except ValueError as reason:
        return BoundFacts(label, reason=str(reason))
    names = sorted(symbol.name for symbol in bound.expr.free_symbols)
    values = problem.constants()
    start = values["gap0"]  # P(0) - D(0) stands in for P(0) - P* and D* - D(0), which it bounds
    values |= {"P0": start, "D0": start, "eps": eps * start}
    for name, quantity in (("K", "K"), ("W", "cost per iteration")):
        if name in names:
            values[name] = theorem_for(problem, method.name, sampling, quantity).for_problem(problem)
    symbols = (
        Symbol(latex, meaning, float(values[name]))
        for name, (latex, meaning) in zip(names, bound.where().items(), strict=True)
    )
    shown, ran = SHOWS[bound.bounded], lane is not None and bool(lane.trace.records)
    return BoundFacts(
        label,
        formula=bound.latex(),
        definitions=tuple(bound.latex_definitions()),
        explanation=bound.explain(),
        symbols=tuple(symbols),
        eps=eps,
        passes=passes,
        shown=shown,
        measured=_measured(lane, shown, eps) if ran else None,
        ended=lane.trace.records[-1].passes if ran else None,
    )


def _measured(lane: Lane, shown: str, eps: float) -> float | None:
    hit = np.flatnonzero(errors(lane.trace, best_of([lane.trace]), shown) <= eps)
    return float(lane.trace.column("passes")[hit[0]]) if hit.size else None


def in_words(facts: BoundFacts) -> str:
    r"""The bound as HTML, with formulas between \[ \] for MathJax."""
    title = f"<h2>{escape(facts.label)}</h2>"
    if facts.reason:
        return f'{title}<p class="reason">{escape(facts.reason)}.</p>'
    formulas = [rf"\text{{passes}}(\varepsilon) \le {facts.formula} = {latex_number(facts.passes)}", *facts.definitions]
    typeset = "".join(rf'<div class="formula" tabindex="0">\[ {formula} \]</div>' for formula in formulas)
    return f"{title}<p>{escape(facts.explanation)}</p>{typeset}<p>{escape(_compared(facts))}</p>"


def symbols_table(facts: BoundFacts) -> str:
    r"""What the symbols of the formula mean and are here, with LaTeX between \( \) for MathJax."""
    rows = [[rf"\( {symbol.latex} \)", symbol.meaning, number(symbol.value)] for symbol in facts.symbols]
    return table(["symbol", "meaning", "here"], rows, "What the symbols mean", raw=(0,)) if rows else ""


def _compared(facts: BoundFacts) -> str:
    words = f"On these data the bound is {number(facts.passes)} passes to a relative accuracy of {number(facts.eps)}."
    if facts.ended is None:
        return f"{words} Press Run to see what it takes."
    if facts.measured is None:
        return f"{words} The run ended after {number(facts.ended)} passes, before it got there."
    if facts.passes == 0:
        return f"{words} The run needed {number(facts.measured)}."
    return (
        f"{words} The run needed {number(facts.measured)}: measured/bound = {number(facts.measured / facts.passes)}. "
        "(A bound holds for the average over seeds; one run may be lucky or unlucky.)"
    )
