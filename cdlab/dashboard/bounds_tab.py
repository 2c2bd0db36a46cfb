"""The Bounds tab: each method's bound, typeset, with its value here and the measured curve; and what moves them."""

from __future__ import annotations

from typing import Any, NamedTuple

import panel as pn

from ..plots import RacePlot
from ..problem import Problem
from ..racing import entrant
from ..running import label_of
from .asking import Asked
from .bound_facts import USUAL_EPS, BoundFacts, bound_facts, in_words, symbols_table
from .formulas import crossing_formula, pairs, paper_table, paper_tables
from .lazy_tab import WIDE, LazyTab
from .moving import Movable, Moved, movable, move
from .results import Lane
from .what_if_view import WhatIfView

INTRODUCTION = (
    "<p>A bound is what theory guarantees on average, for the worst data with the same constants; a measured curve is "
    "one run on these data. Between them lies what the theory does not know.</p>"
)
CROSSING = "<h2>Where two bounds cross</h2>"
PAPERS = "<h2>The papers' tables, on these data</h2>"


class Facts(NamedTuple):
    """What the tab shows."""

    problem: Problem
    eps: float
    methods: list[tuple[BoundFacts, Lane | None]]
    bounds: Movable
    moved: Moved
    tables: dict[str, str]


class BoundsTab(LazyTab):
    """What theory promises for the chosen methods."""

    def __init__(self, *args: Any):
        super().__init__(*args)
        self._parts: tuple[WhatIfView, Asked, Asked] | None = None

    def work(self, choices, problem) -> Facts:
        runs = {lane.label: lane for lane in self.lanes(choices)}
        eps, entrants, methods = choices.tol or USUAL_EPS, [entrant(entry) for entry in choices.entries()], []
        for method, sampling in entrants:
            lane = runs.get(label_of(method, sampling))
            methods.append((bound_facts(problem, method, sampling, eps, lane), lane))
        bounds = movable(problem, entrants, eps)
        return Facts(problem, eps, methods, bounds, move(bounds, bounds.home), paper_tables())

    def draw(self, facts: Facts) -> list[Any]:
        content: list[Any] = [self.html(INTRODUCTION)]
        for k, (fact, lane) in enumerate(facts.methods):
            symbols = self.typeset(symbols_table(fact))
            drawn = lane is not None and lane.guarantee is not None and fact.known and fact.shown
            pictures = [picture(fact, lane, k)] if drawn else []
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


def picture(fact: BoundFacts, lane: Lane, k: int) -> pn.pane.Bokeh:
    """The measured curve below its bound, up the axis on which the bounded quantity is seen."""
    plot = RacePlot([lane.label], [lane.side], y=fact.shown, tolerance=fact.eps, height=280, first_look=k)
    plot.show([lane.trace.now()], [lane.guarantee], reach=fact.passes)
    return pn.pane.Bokeh(plot.figure, **WIDE)
