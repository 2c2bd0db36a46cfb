"""The Bounds tab: each method's bound, typeset, with its value here and the measured curve; and what moves them."""

from __future__ import annotations

from typing import Any, NamedTuple

import panel as pn

from ...plots.style import Look
from ...problems.problem import Problem
from ...runs.entries import entrant, label_of
from ..bounds.formulas import crossing_formula, pairs, paper_table, paper_tables
from ..bounds.moving import Movable, Moved, movable, move
from ..parts.asking import Asked
from ..parts.lazy_tab import WIDE, LazyTab
from ..races.looks import looks_of
from ..races.results import Lane
from ..stage.typeset import typeset
from .bound_facts import BoundFacts, bound_facts, in_words, symbols_table
from .race_plot import RacePlot
from .what_if_view import WhatIfView

INTRODUCTION = (
    "<p>A bound is what theory guarantees on average, for the worst data with the same constants; a measured curve is "
    "that of a few runs on these data. Between them lies what the theory does not know.</p>"
)
CROSSING = "<h2>Where two bounds cross</h2>"
PAPERS = "<h2>The papers' tables, on these data</h2>"


class Facts(NamedTuple):
    """What the tab shows."""

    problem: Problem
    eps: float
    methods: list[tuple[BoundFacts, list[Lane]]]
    looks: dict[str, Look]
    bounds: Movable
    moved: Moved
    tables: dict[str, str]


class BoundsTab(LazyTab):
    """What theory promises for the chosen methods."""

    def __init__(self, *args: Any):
        super().__init__(*args)
        self._parts: tuple[WhatIfView, Asked, Asked] | None = None

    def work(self, choices, problem) -> Facts:
        runs = self.state.result.methods if self.lanes(choices) else {}
        eps, entries, methods = choices.target, choices.entries(), []
        entrants = [entrant(entry) for entry in entries]
        for method, sampling in entrants:
            lanes = runs.get(label_of(method, sampling), [])
            methods.append((bound_facts(problem, method, sampling, eps, lanes), lanes))
        bounds = movable(problem, entrants, eps)
        return Facts(problem, eps, methods, looks_of(entries), bounds, move(bounds, bounds.home), paper_tables())

    def draw(self, facts: Facts) -> list[Any]:
        content: list[Any] = [self.html(INTRODUCTION)]
        for fact, lanes in facts.methods:
            symbols = self.html(typeset(symbols_table(fact)))
            drawn = lanes and lanes[0].guarantee is not None and fact.known and fact.shown
            pictures = [picture(fact, lanes, facts.looks[fact.label])] if drawn else []
            content += [self.html(typeset(in_words(fact))), self.beside(*pictures, symbols)]
        if self._parts is None:
            self._parts = (
                WhatIfView(self.state, self.css),
                Asked(self.state, "Two bounds", typeset_crossing, self.html("")),
                Asked(self.state, "Table", typeset_table, self.html("")),
            )
        what_if, crossing, papers = self._parts
        what_if.show(facts.bounds, facts.moved)
        crossing.show(pairs(facts.bounds), (facts.problem, facts.bounds))
        papers.show(facts.tables, (facts.problem, facts.eps))
        content.append(what_if.view)
        if pairs(facts.bounds):
            content += [self.html(CROSSING), crossing.view]
        return [*content, self.html(PAPERS), papers.view]


def typeset_crossing(pair: tuple[int, int], about: Any) -> str:
    """Where two bounds cross, as HTML."""
    return typeset(crossing_formula(pair, about))


def typeset_table(name: str, about: Any) -> str:
    """A paper's table, as HTML."""
    return typeset(paper_table(name, about))


def picture(fact: BoundFacts, lanes: list[Lane], look: Look) -> pn.pane.Bokeh:
    """The measured curve below its bound, up the axis on which the bounded quantity is seen."""
    labels, sides = [lane.label for lane in lanes], [lane.side for lane in lanes]
    plot = RacePlot(labels, sides, y=fact.shown, tolerance=fact.eps, height=280, looks=[look] * len(lanes))
    plot.show([lane.trace.now() for lane in lanes], [lane.guarantee for lane in lanes], reach=fact.passes)
    return pn.pane.Bokeh(plot.figure, **WIDE)
