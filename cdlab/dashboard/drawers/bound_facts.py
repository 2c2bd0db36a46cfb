"""What a bound says about a race: its formula, its symbols with their values, its distance from the measured runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...methods import Method
from ...plots import best_of, errors
from ...problems.problem import Problem
from ...runs.entries import label_of
from ...runs.trace import Trace
from ...samplings import Sampling
from ..bounds.theorems import SHOWS, theorem_for
from ..choices.sliders import TARGET
from ..races.results import Lane
from ..templates import html
from ..words import latex_number, number, reason, table

BOUND = r"""<h2>{{ facts.label }}</h2><p>{{ facts.explanation }}</p>
{%- for formula in formulas %}<div class="formula" tabindex="0">\[ {{ formula|safe }} \]</div>{% endfor -%}
<p>{{ compared }}</p>"""


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
        The vertical axis on which the bounded quantity is seen; empty if no race shows it.
    known : bool
        Whether the constants are known; if not, `passes` is the order of magnitude.
    measured : float or None
        Passes that the race needed, the median over its seeds; None if it has not come that far, or was on another
        problem.
    ended : float or None
        Passes of the longest run; None if the race was on another problem.
    seeds : int
        How many runs that is.
    theorems : str
        Those that the drawn line is made of, in words, where it is more than one.
    """

    label: str
    reason: str = ""
    formula: str = ""
    definitions: tuple[str, ...] = ()
    explanation: str = ""
    symbols: tuple[Symbol, ...] = ()
    eps: float = TARGET
    passes: float = math.nan
    shown: str = "gap"
    known: bool = True
    measured: float | None = None
    ended: float | None = None
    seeds: int = 0
    theorems: str = ""


def bound_facts(
    problem: Problem, method: Method, sampling: Sampling, eps: float, lanes: Sequence[Lane] = ()
) -> BoundFacts:
    """The bound of a method on a problem, to relative accuracy eps, beside what `lanes` (runs of it) measured."""
    from ...theory.bound import values_on
    from ...theory.constants import with_lower_P0
    from ...theory.evaluate import evaluate

    label = label_of(method, sampling)
    eps = eps or TARGET
    try:
        bound = theorem_for(problem, method, sampling)
        passes = bound.for_problem(problem, eps)
        values = with_lower_P0(values_on(bound, problem, {}), problem, ())
    except ValueError as reason:
        return BoundFacts(label, reason=str(reason))
    values["eps"] = eps * evaluate(bound.unit, values, "the accuracy")
    names = sorted(symbol.name for symbol in bound.expr.free_symbols)
    symbols = (
        Symbol(latex, meaning, float(values[name]))
        for name, (latex, meaning) in zip(names, bound.where().items(), strict=True)
        if name in values
    )
    shown, ran = SHOWS.get(bound.bounded, ""), [lane.trace for lane in lanes if lane.trace.records]
    return BoundFacts(
        label,
        formula=bound.latex(),
        definitions=tuple(bound.latex_definitions()),
        explanation=bound.explain(),
        symbols=tuple(symbols),
        eps=eps,
        passes=passes,
        shown=shown,
        known=bound.kind == "theorem",
        measured=_measured(ran, shown, eps) if ran and shown else None,
        ended=max(trace.records[-1].passes for trace in ran) if ran else None,
        seeds=len(ran),
        theorems=_theorems(lanes),
    )


def _theorems(lanes: Sequence[Lane]) -> str:
    promise = lanes[0].guarantee if lanes else None
    return promise.names if promise is not None and len(promise.parts) > 1 else ""


def _measured(traces: Sequence[Trace], shown: str, eps: float) -> float | None:
    best = best_of(traces)
    hits = [np.flatnonzero(errors(trace, best, shown) <= eps) for trace in traces]
    passes = [trace.column("passes")[hit[0]] if hit.size else math.inf for trace, hit in zip(traces, hits, strict=True)]
    middle = float(np.median(passes))
    return middle if math.isfinite(middle) else None


def in_words(facts: BoundFacts) -> str:
    r"""The bound as HTML, with formulas between \[ \]."""
    if facts.reason:
        return html("<h2>{{ label }}</h2>", label=facts.label) + reason(facts.reason)
    relation, equals = (r"\le", "=") if facts.known else (r"\lesssim", r"\approx")
    value = f"{facts.formula} {equals} {latex_number(facts.passes)}"
    formulas = [rf"\text{{passes}}(\varepsilon) {relation} {value}", *facts.definitions]
    return html(BOUND, facts=facts, formulas=formulas, compared=_compared(facts))


def symbols_table(facts: BoundFacts) -> str:
    r"""What the symbols of the formula mean and are here, with LaTeX between \( \)."""
    rows = [[symbol.meaning, rf"\( {symbol.latex} \)", number(symbol.value)] for symbol in facts.symbols]
    if not rows:
        return ""
    return table(["meaning", "symbol", "here"], rows, f"The symbols in the bound of {facts.label}", raw=(1,))


def _compared(facts: BoundFacts) -> str:
    if not facts.known:
        return (
            f"Up to constants, and on these data that is of the order of {number(facts.passes)} passes to a relative "
            f"accuracy of {number(facts.eps)}: no number to hold a run against, so nothing is drawn."
        )
    words = f"On these data the bound is {number(facts.passes)} passes to a relative accuracy of {number(facts.eps)}."
    if facts.theorems:
        words += f" The line drawn is the smallest bound that is known at each point: {facts.theorems}."
    if not facts.shown:
        return f"{words} No race can show that: it would have to know the optimum."
    if facts.ended is None:
        return f"{words} Press Run to see what it takes."
    several = facts.seeds > 1
    if facts.measured is None:
        who, most = (f"Most of the {facts.seeds} runs", "at most ") if several else ("The run", "")
        return f"{words} {who} ended after {most}{number(facts.ended)} passes, before getting there."
    words += f" {f'The median of {facts.seeds} runs' if several else 'The run'} needed {number(facts.measured)}"
    if facts.passes == 0:
        return f"{words}."
    words += f": measured/bound = {number(facts.measured / facts.passes)}."
    return words if several else f"{words} (A bound holds for the average over seeds; one run may be lucky or unlucky.)"
