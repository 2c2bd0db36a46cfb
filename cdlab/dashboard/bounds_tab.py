"""The Bounds tab: each method's bound, typeset, with its value here and the measured curve beneath it."""

from __future__ import annotations

from typing import Any

import panel as pn

from ..plots import RacePlot
from ..racing import entrant
from ..running import label_of
from .bound_facts import BoundFacts, bound_facts, in_words, symbols_table
from .lazy_tab import WIDE, LazyTab
from .results import Lane


class BoundsTab(LazyTab):
    """What theory promises for the chosen methods."""

    def work(self, choices, problem) -> list[tuple[BoundFacts, Lane | None]]:
        runs = {lane.label: lane for lane in self.lanes(choices)}
        found = []
        for entry in choices.entries():
            method, sampling = entrant(entry)
            lane = runs.get(label_of(method, sampling))
            found.append((bound_facts(problem, method, sampling, choices.tol, lane), lane))
        return found

    def draw(self, facts: list[tuple[BoundFacts, Lane | None]]) -> list[Any]:
        content: list[Any] = [
            self.html(
                "<p>A bound is what theory guarantees on average, for the worst data with the same constants; "
                "a measured curve is one run on these data. Between them lies what the theory does not know.</p>"
            )
        ]
        for k, (fact, lane) in enumerate(facts):
            symbols = self.typeset(symbols_table(fact))
            pictures = [] if lane is None or lane.guarantee is None else [picture(fact, lane, k)]
            content += [self.typeset(in_words(fact)), self.beside(*pictures, symbols)]
        return content


def picture(fact: BoundFacts, lane: Lane, k: int) -> pn.pane.Bokeh:
    """The measured curve below its bound, up the axis on which the bounded quantity is seen."""
    plot = RacePlot([lane.label], [lane.side], y=fact.shown, tolerance=fact.eps, height=280, first_look=k)
    plot.show([lane.trace], [lane.guarantee], reach=fact.passes)
    return pn.pane.Bokeh(plot.figure, **WIDE)
