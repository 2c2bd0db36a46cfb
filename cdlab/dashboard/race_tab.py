"""The Race tab: a sentence, the curves, and a table that says the same to those who cannot see them."""

from __future__ import annotations

import math
from html import escape
from typing import Any
from urllib.parse import urlencode

import panel as pn

from ..plots import Y_AXES, RacePlot, applies
from ..plots.curves import COLOURS, FLOOR
from .results import Lane, Result
from .state import State
from .words import NOTHING, marked, number, table

X_WORDS = {"passes": "passes over the data", "seconds": "solver seconds", "iteration": "coordinate updates"}
WIDE = {"sizing_mode": "stretch_width", "margin": (2, 10)}


class RaceTab:
    """The race of the state, live.

    Attributes
    ----------
    view : panel Column
    """

    def __init__(self, state: State, css: str):
        self.state = state
        flexible = {"sizing_mode": "stretch_width", "styles": {"flex": "1 1 230px", "max-width": "300px"}}
        self._x = pn.widgets.Select(label="Across", options={words: x for x, words in X_WORDS.items()}, **flexible)
        self._y = pn.widgets.Select(label="Up", options={words: y for y, words in Y_AXES.items()}, **flexible)
        self._sentence = pn.pane.HTML(stylesheets=[css], **WIDE)
        self._picture = pn.pane.Bokeh(**WIDE)
        self._table = pn.pane.HTML(stylesheets=[css], **WIDE)
        self._replot()
        for axis in (self._x, self._y):
            axis.param.watch(self._replot, "value")
        state.param.watch(self._replot, "result")
        state.param.watch(lambda _: self._redraw(), "frame")
        state.choices.param.watch(self._describe, list(state.choices.values()))
        axes = pn.Row(self._x, self._y, styles={"flex-wrap": "wrap"}, **WIDE | {"margin": 0})
        self.view = pn.Column(self._sentence, axes, self._picture, self._table, **WIDE | {"margin": 0})

    def _replot(self, *_: Any) -> None:
        result = self.state.result
        lanes = result.lanes
        self._plot = RacePlot(
            [lane.label for lane in lanes],
            [lane.side for lane in lanes],
            self._x.value,
            self._y.value,
            result.choices.tol,
        )
        self._redraw()
        self._picture.object = self._plot.figure

    def _redraw(self) -> None:
        lanes = self.state.result.lanes
        self._plot.show([lane.trace for lane in lanes], [lane.guarantee for lane in lanes])
        self._describe()

    def _describe(self, *_: Any) -> None:
        result = self.state.result
        same = result.choices.to_query() == self.state.choices.to_query()
        stale = "" if same or self.state.running else " <em>The choices have changed since this race: press Run.</em>"
        self._sentence.object = f'<p class="summary">{marked(result.sentence())}{stale}</p>'
        self._table.object = race_table(result) + notes(result, self._y.value)


def race_table(result: Result) -> str:
    """One row a run: how far it came, how fast."""
    level = result.outcome().level or result.choices.tol or None
    goal = number(level) if level is not None else "the tolerance"
    labels = list(dict.fromkeys(lane.label for lane in result.lanes))
    rows = [
        [
            _swatch(lane, labels.index(lane.label)) + escape(lane.label),
            _reached(lane, level, "passes"),
            _reached(lane, level, "seconds"),
            number(lane.trace.column("relative_gap")[-1]) if lane.trace.records else NOTHING,
            lane.status or "running",
        ]
        for lane in result.lanes
    ]
    head = ["run", f"passes to {goal}", f"seconds to {goal}", "relative gap at the end", "status"]
    return table(head, rows, "The runs", raw=(0,))


def notes(result: Result, y: str) -> str:
    """How to read the picture, and what repeats the race."""
    lines = [
        "Solid: dual methods; dashed: primal methods; thin dotted: the bound of the same colour, which theory promises "
        f"the average over seeds will not exceed. Values below {number(FLOOR)} are drawn there."
    ]
    missing = [lane.label for lane in result.lanes if lane.guarantee is None]
    if missing:
        lines.append(f"No bound for {', '.join(missing)}: the tab Bounds says why.")
    for lane in result.lanes:
        if lane.guarantee is not None and not applies(lane.guarantee, y):
            there = " or ".join(words for other, words in Y_AXES.items() if applies(lane.guarantee, other))
            lines.append(f"The bound of {lane.label} is on another quantity: choose {there} above to see it.")
    return "".join(f'<p class="quiet">{escape(line)}</p>' for line in lines) + provenance(result)


def provenance(result: Result) -> str:
    """What it takes to repeat the race."""
    meta = next((lane.trace.meta for lane in result.lanes if lane.trace.meta), None)
    if meta is None:
        return ""
    words = f"{meta['problem']}, data {meta['data']}, seed {meta['seed']}, cdlab {meta['versions']['cdlab']}"
    link = escape("?" + urlencode(result.choices.to_query(), safe=","))
    return f'<p class="quiet">To repeat it: <a href="{link}">these choices</a>; {escape(words)}.</p>'


def _reached(lane: Lane, level: float | None, by: str) -> str:
    if level is None or not lane.trace.records:
        return NOTHING
    work = lane.trace.reached(level, by)
    return number(work) if math.isfinite(work) else "not reached"


def _swatch(lane: Lane, k: int) -> str:
    return f'<span class="swatch {lane.side}" style="border-color: {COLOURS[k % len(COLOURS)]}"></span>'
