"""The sidebar: Run and Stop, then every choice."""

from __future__ import annotations

import math
from html import escape
from typing import Any

import panel as pn
from bokeh.models import CustomJSTickFormatter

from .choices import SYNTHETIC, WITH_GAMMA
from .linking import linked
from .runner import Runner
from .state import State
from .words import number

TOLERANCES = {number(10.0**-k): 10.0**-k for k in range(1, 16)} | {"none": 0.0}
TWO_COLUMNS = ".bk-input-group { display: grid; grid-template-columns: 1fr 1fr }"
WIDE = {"sizing_mode": "stretch_width", "margin": (3, 5)}


class Sidebar:
    """Writes choices, starts and stops the runner, and shows how far the race is.

    Attributes
    ----------
    view : panel Column
    """

    def __init__(self, state: State, runner: Runner, css: str):
        self.state, self.css = state, css
        parts = self._controls(runner), self._data(), self._problem(), self._race(), [self._help()]
        self.view = pn.Column(*(pane for part in parts for pane in part), **WIDE)

    def _controls(self, runner: Runner) -> list[Any]:
        async def start(_: Any) -> None:
            runner.start()

        state = self.state
        run = pn.widgets.Button(label="Run", color="primary", on_click=start, **WIDE)
        stop = pn.widgets.Button(label="Stop", disabled=True, on_click=lambda _: runner.stop(), **WIDE)
        bar = pn.indicators.Progress(value=0, bar_color="primary", height=8, **WIDE)
        words = pn.pane.HTML(self._status(), stylesheets=[self.css], **WIDE)

        def show(*_: Any) -> None:
            stop.disabled, bar.value, words.object = not state.running, state.progress, self._status()

        state.param.watch(show, ["running", "progress", "status"])
        return [self._row(run, stop), bar, words]

    def _status(self) -> str:
        return f'<div role="status" aria-live="polite" class="quiet">{escape(self.state.status)}</div>'

    def _data(self) -> list[Any]:
        choices, field = self.state.choices, pn.widgets.FloatInput
        density = self._linked(
            "density",
            pn.widgets.FloatSlider,
            shown=math.log10,
            meant=lambda power: float(f"{10**power:.2g}"),
            format=CustomJSTickFormatter(code="return Number((10 ** tick).toPrecision(2)).toString()"),
            **{"start": -3, "end": 0, "step": 0.1},
        )
        shape = pn.Column(
            self._row(self._linked("n", pn.widgets.IntInput), self._linked("d", pn.widgets.IntInput)),
            density,
            self._linked("skew", pn.widgets.FloatSlider, step=0.1),
            self._linked("row_spread", pn.widgets.FloatSlider, step=0.1),
            self._row(self._linked("noise", field, step=0.1), self._linked("data_seed", pn.widgets.IntInput)),
            visible=choices.data == SYNTHETIC,
            **WIDE | {"margin": 0},
        )
        choices.param.watch(lambda event: setattr(shape, "visible", event.new == SYNTHETIC), "data")
        return [self._title("Data"), self._linked("data"), shape, self._linked("scale")]

    def _problem(self) -> list[Any]:
        choices, field = self.state.choices, pn.widgets.FloatInput
        gamma = self._linked("gamma", field, step=0.1, visible=choices.loss in WITH_GAMMA)
        choices.param.watch(lambda event: setattr(gamma, "visible", event.new in WITH_GAMMA), "loss")
        over_n = self._linked("l2_over_n", pn.widgets.Checkbox, align="end")
        return [
            self._title("Problem"),
            self._linked("loss"),
            gamma,
            self._row(self._linked("l2", field, step=0.1), over_n),
            self._linked("l1", field, step=0.001),
        ]

    def _race(self) -> list[Any]:
        choices = self.state.choices
        methods = self._linked("methods", pn.widgets.CheckBoxGroup)
        reasons = pn.pane.HTML("", stylesheets=[self.css], **WIDE)

        def judge(*_: Any) -> None:
            refusals = choices.refusals()
            grey = [k for k, name in enumerate(methods.options, 1) if name in refusals]
            methods.stylesheets = [TWO_COLUMNS, *(f"label:nth-of-type({k}) {{ opacity: 0.45 }}" for k in grey)]
            reasons.object = refused(refusals, choices.methods)

        judge()
        choices.param.watch(judge, [name for name in choices.values() if name not in ("passes", "tol", "seed")])
        passes = self._linked("passes", pn.widgets.IntInput)
        tol = self._linked("tol", options=TOLERANCES | {number(choices.tol): choices.tol})
        return [
            self._title("Race"),
            methods,
            reasons,
            self._linked("dual_sampling"),
            self._linked("primal_sampling"),
            self._row(passes, tol),
            self._linked("seed", pn.widgets.IntInput),
        ]

    def _help(self) -> pn.pane.HTML:
        """What each choice means. One text: a tooltip for each widget would cost every visitor a sixth of the page."""
        known = (self.state.choices.param[name] for name in self.state.choices.values())
        words = "".join(f"<dt>{escape(each.label)}</dt><dd>{escape(each.doc)}</dd>" for each in known)
        text = f"<details><summary>What these choices mean</summary><dl>{words}</dl></details>"
        return pn.pane.HTML(text, stylesheets=[self.css], **WIDE)

    def _linked(self, name: str, kind: type = pn.widgets.Select, **options: Any) -> pn.widgets.Widget:
        return linked(self.state.choices, name, kind, **WIDE | options)

    def _row(self, *widgets: pn.widgets.Widget) -> pn.Row:
        return pn.Row(*widgets, **WIDE | {"margin": 0})

    def _title(self, text: str) -> pn.pane.HTML:
        return pn.pane.HTML(f"<h2>{text}</h2>", stylesheets=[self.css], **WIDE | {"margin": (0, 5)})


def refused(refusals: dict[str, str], chosen: list[str]) -> str:
    """Why chosen methods cannot run, and on request why the others could not."""
    told = "".join(f'<p class="reason">{escape(refusals[name])}.</p>' for name in chosen if name in refusals)
    others = "".join(f"<li>{escape(reason)}.</li>" for name, reason in refusals.items() if name not in chosen)
    more = f"<details><summary>Why methods are grey</summary><ul>{others}</ul></details>" if others else ""
    return told + more
