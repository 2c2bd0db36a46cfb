"""The Race tab: a sentence, the curves, and a table that says the same to those who cannot see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import panel as pn

from ...plots import Y_AXES, applies
from ..parts.drawer import Drawer
from ..parts.picture_bar import PictureBar
from ..parts.text import Text
from ..races.exports import to_csv
from ..races.picture import Curve, curves, refused
from ..races.runs import Kept
from ..races.state import State
from ..races.turns import LONG
from .glossary import glossary
from .race_plot import RacePlot
from .race_words import notes, race_table, sentences

X_WORDS = {
    "passes": "passes over the data",
    "seconds": "solver seconds",
    "iteration": "coordinate updates",
    "examples": "examples processed",
}
WIDE = {"sizing_mode": "stretch_width", "margin": (2, 10)}
FIGURE = "race"


class RaceTab(Drawer):
    """The races of the state that are shown, live while the tab is open.

    Attributes
    ----------
    view : panel Column
    """

    def __init__(self, state: State, css: str):
        self.state, self.options = state, state.picture
        self._sentence = Text(stylesheets=[css], **WIDE)
        self._pane = pn.pane.Bokeh(**WIDE)
        self._table, self._glossary = (pn.pane.HTML(stylesheets=[css], **WIDE) for _ in range(2))
        self._bar = PictureBar(self._ask, FIGURE, **WIDE)
        self._drawn: tuple = ()
        self.options.param.watch(self._refresh, ["x", "y", "muted", "unbounded"])
        state.runs.param.watch(self._refresh, "kept")
        state.param.watch(self._refresh, "frame")
        state.choices.param.watch(self._refresh, list(state.choices.values()))
        panes = (self._sentence, self._pane, self._bar, self._table, self._glossary)
        self.view = pn.Column(*panes, **WIDE | {"margin": 0})

    @property
    def figure(self) -> Any:
        """The bokeh figure that is shown."""
        return self._plot.figure

    def _refresh(self, *_: Any) -> None:
        if not self._open:
            return
        shown = [Kept(each.key, each.name, each.race.now()) for each in self.state.runs.shown]
        self._draw(shown)
        self._describe(shown)

    def _draw(self, shown: Sequence[Kept]) -> None:
        options, drawn = self.options, curves(shown)
        races = [each.race for each in shown]
        reasons = refused(races)
        y = options.shown_y(reasons)
        lanes = [(curve.name, lane) for curve in drawn for lane in curve.lanes]
        looks = tuple((curve.name, curve.look, len(curve.lanes)) for curve in drawn)
        what = (options.x, y, looks, tuple(each.race.choices.target for each in shown[-1:]))
        if what != self._drawn:  # the axes of a figure cannot be changed, nor can its legend grow
            tolerance = races[-1].choices.target if races else 0.0
            sides = [lane.side for _, lane in lanes]
            looks = [curve.look for curve in drawn for _ in curve.lanes]
            self._plot = RacePlot([name for name, _ in lanes], sides, options.x, y, tolerance, looks=looks)
            self._plot.figure.name = FIGURE
        hidden = {curve.name for curve in drawn if curve.label in options.muted}
        unbounded = {curve.name for curve in drawn if curve.label in options.unbounded}
        traces, promises = ([getattr(lane, name) for _, lane in lanes] for name in ("trace", "guarantee"))
        self._plot.show(traces, promises, hidden=hidden, unbounded=unbounded)
        if what != self._drawn:
            self._drawn, self._pane.object = what, self._plot.figure
        latest = self.state.runs.latest
        self._bar.show(
            {
                "axes": self._axes(y, reasons),
                "curves": self._switches(drawn, y),
                "pinned": latest is not None and latest.pinned,
            }
        )

    def _axes(self, y: str, reasons: dict[str, str]) -> list[dict[str, Any]]:
        described = (("x", self.options.x, X_WORDS, {}), ("y", y, Y_AXES, reasons))
        return [
            {
                "name": name,
                "label": self.options.param[name].label,
                "value": value,
                "options": [[text, option, missing.get(option, "")] for option, text in words.items()],
            }
            for name, value, words, missing in described
        ]

    def _switches(self, drawn: Sequence[Curve], y: str) -> list[dict[str, Any]]:
        by_label: dict[str, list[Curve]] = {}
        for curve in drawn:
            by_label.setdefault(curve.label, []).append(curve)
        switches = []
        for label, group in by_label.items():
            lanes = [lane for curve in group for lane in curve.lanes]
            promises = [lane.guarantee for lane in lanes if lane.guarantee is not None]
            seen = any(applies(promise, y) for promise in promises)
            switches.append(
                {
                    "label": label,
                    "colour": group[-1].look.light,
                    "dash": group[-1].look.dash,
                    "drawn": label not in self.options.muted,
                    "bound": label not in self.options.unbounded if promises else None,
                    "unseen": "" if seen else "It bounds another quantity than the one up the axis.",
                }
            )
        return switches

    def _describe(self, shown: Sequence[Kept]) -> None:
        latest, runs = self.state.runs.latest, self.state.runs
        stale = latest is not None and latest.race.choices.to_query() != self.state.choices.to_query()
        self._sentence.object = sentences(shown, stale and not self.state.running)
        y = self.options.shown_y(refused([each.race for each in shown]))
        self._table.object = race_table(shown) + notes(shown, y, runs.note)
        raced = [run.partition(",")[0].partition("(")[0] for each in shown for run in each.race.methods]
        self._glossary.object = glossary(dict.fromkeys(raced))

    def _ask(self, asked: dict[str, Any]) -> None:
        """Do what the browser asks for; what it cannot have asked for is an error of ours."""
        options = self.options
        if "axis" in asked:
            options.param.update(**{{"x": "x", "y": "y"}[asked["axis"]]: asked["value"]})
        elif "switch" in asked:
            options.switch({"muted": "muted", "unbounded": "unbounded"}[asked["switch"]], asked["label"], asked["on"])
        elif "pin" in asked:
            self.state.runs.pin(self.state.runs.latest.key, asked["pin"])
        elif asked.get("save") == "csv":
            pn.state.execute(self._save)

    async def _save(self) -> None:
        text = await LONG.run(self.state, to_csv, list(self.state.runs.shown))
        pn.state.execute(lambda: self._bar.save("race.csv", text), schedule=True)
