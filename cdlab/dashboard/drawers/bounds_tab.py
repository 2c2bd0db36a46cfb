"""The Bounds tab: each method's bound, typeset, with its value here and the measured curve; and what moves them."""

from __future__ import annotations

from typing import Any, NamedTuple

import panel as pn

from ...plots import RacePlot
from ...plots.looks import look
from ...problems.problem import Problem
from ...runs.entries import entrant, label_of
from ..bounds.formulas import crossing_formula, pairs, paper_table, paper_tables
from ..bounds.moving import Movable, Moved, movable, move
from ..parts.asking import Asked
from ..parts.lazy_tab import WIDE, LazyTab
from ..races.results import Lane
from .bound_facts import BoundFacts, bound_facts, in_words, symbols_table
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
        eps, entrants, methods = choices.target, [entrant(entry) for entry in choices.entries()], []
        for method, sampling in entrants:
            lanes = runs.get(label_of(method, sampling), [])
            methods.append((bound_facts(problem, method, sampling, eps, lanes), lanes))
        bounds = movable(problem, entrants, eps)
        return Facts(problem, eps, methods, bounds, move(bounds, bounds.home), paper_tables())

    def draw(self, facts: Facts) -> list[Any]:
        content: list[Any] = [self.html(INTRODUCTION)]
        for k, (fact, lanes) in enumerate(facts.methods):
            symbols = self.typeset(symbols_table(fact))
            drawn = lanes and lanes[0].guarantee is not None and fact.known and fact.shown
            pictures = [picture(fact, lanes, k)] if drawn else []
            content += [self.typeset(in_words(fact)), self.beside(*pictures, symbols)]
        if self._parts is None:
            self._parts = (
                WhatIfView(self.state, self.css),
                Asked(self.state, "Two bounds", crossing_formula, self.typeset("")),
                Asked(self.state, "Table", paper_table, self.typeset("")),
            )
        what_if, crossing, papers = self._parts
        what_if.show(facts.bounds, facts.moved)
        crossing.show(pairs(facts.bounds), (facts.problem, facts.bounds))
        papers.show(facts.tables, (facts.problem, facts.eps))
        content.append(what_if.view)
        if pairs(facts.bounds):
            content += [self.html(CROSSING), crossing.view]
        return [*content, self.html(PAPERS), papers.view]


def picture(fact: BoundFacts, lanes: list[Lane], k: int) -> pn.pane.Bokeh:
    """The measured curve below its bound, up the axis on which the bounded quantity is seen."""
    labels, sides = [lane.label for lane in lanes], [lane.side for lane in lanes]
    plot = RacePlot(labels, sides, y=fact.shown, tolerance=fact.eps, height=280, looks=[look(k)] * len(lanes))
    plot.show([lane.trace.now() for lane in lanes], [lane.guarantee for lane in lanes], reach=fact.passes)
    return pn.pane.Bokeh(plot.figure, **WIDE)
