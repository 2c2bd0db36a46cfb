"""The Sampling tab: how often each scheme draws each coordinate, what that costs, and what it does to the bounds."""

from __future__ import annotations

from typing import Any, NamedTuple

import panel as pn
import param

from ...plots.data import probabilities
from ..bounds.sampling_facts import SIDES, SideFacts, method_bounds, sampling_facts, schemes_table, sentence
from ..parts.figures import bokeh_figure
from ..parts.form import Field, Form
from ..parts.lazy_tab import WIDE, LazyTab
from ..races.turns import LONG
from ..templates import html
from ..words import reason

INTRODUCTION = (
    "<p>A sampling says how often each coordinate is updated: examples by dual and stochastic "
    "gradient methods, features by primal ones. "
    "Drawing the heavy ones more often needs fewer iterations, but where they are long, each costs more. W = sum of "
    "p<sub>i</sub> times nonzeros is what an iteration costs on average, K how many it takes, T = K W the work.</p>"
)
ACROSS = {"by how often they are drawn": "rank", "by squared norm": "norm"}


class Facts(NamedTuple):
    """What the tab shows."""

    sides: list[SideFacts]
    bounds: str


class Order(param.Parameterized):
    """How the pictures are arranged."""

    across = param.Selector(
        default="rank", objects=list(ACROSS.values()), label="Coordinates sorted", doc="Across the pictures."
    )


class SamplingTab(LazyTab):
    """What samplings do on the chosen problem."""

    def __init__(self, *args: Any):
        super().__init__(*args)
        self._order = Order()
        self._order.param.watch(lambda _: pn.state.execute(self._redraw), "across")
        self._pictures: list[pn.pane.Bokeh] = []
        self._sides: list[SideFacts] = []

    def work(self, choices, problem) -> Facts:
        sides = [sampling_facts(problem, side) for side in SIDES]
        try:
            bounds = method_bounds(problem, choices.entries(), choices.target)
        except ValueError as error:  # no method can run
            bounds = reason(str(error))
        return Facts(sides, bounds)

    def draw(self, facts: Facts) -> list[Any]:
        self._sides = facts.sides
        content: list[Any] = [self.html(INTRODUCTION), self.html(facts.bounds)]
        content.append(Form(self._order, {"": [Field("across", options=ACROSS)]}, max_width=420, **WIDE))
        self._pictures = [pn.pane.Bokeh(picture(side, self._order.across), **WIDE) for side in facts.sides]
        for side, drawn in zip(facts.sides, self._pictures, strict=True):
            title = f"{side.side.capitalize()} methods draw {side.coordinates}"
            words = html("<h2>{{ title }}</h2><p>{{ words }}</p>", title=title, words=sentence(side))
            content += [self.html(words), drawn, self.html(schemes_table(side))]
        return content

    async def _redraw(self) -> None:
        sides, across, panes = self._sides, self._order.across, self._pictures
        drawn = await LONG.run(self.state, lambda: [picture(side, across) for side in sides])
        pn.state.execute(lambda: _put(panes, drawn), schedule=True)


def picture(facts: SideFacts, across: str):
    """The probabilities of all samplings of a side; the orders, which come last, are as even as uniform sampling."""
    p = {each.label: each.p for each in facts.schemes[:-1] if each.p is not None}
    return bokeh_figure(probabilities(p, facts.norms2, facts.coordinates, across))


def _put(panes: list[pn.pane.Bokeh], figures: list[Any]) -> None:
    with pn.io.hold():
        for pane, figure in zip(panes, figures, strict=True):
            pane.object = figure
