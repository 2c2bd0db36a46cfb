"""Sliders that move the bounds, and a picture of passes against the quantity that moves."""

from __future__ import annotations

from math import log10

import panel as pn
import param

from ..bounds.moving import QUANTITIES, Movable, Moved, Setting, move, moved_table, sentence
from ..parts.form import Field, Form
from ..parts.latest import Latest
from ..parts.lazy_tab import WIDE
from ..races.state import State
from ..races.turns import LONG
from ..templates import html
from .moved_plot import MovedPlot

STEP = 0.02  # of a slider, in powers of ten


class Numbers(param.Parameterized):
    """Where the sliders are."""

    against = param.Selector(default="l2", objects=list(QUANTITIES), label="Across", doc="What the curves run along.")
    n = param.Number(1.0, bounds=(0, None), label="Examples n", doc="More or fewer examples of the same kind.")
    l2 = param.Number(1.0, bounds=(0, None), label="L2 weight", doc="Of (1/2)||w||^2, as it stands in P.")
    eps = param.Number(1e-6, bounds=(0, 1), label="Relative accuracy", doc="What the bounds count passes to.")
    m = param.Number(1.0, bounds=(1, None), label="Batch size m", doc="Of the methods that take batches.")

    def setting(self) -> Setting:
        return Setting(float(round(self.n)), self.l2, self.eps, self.m, self.against)


class WhatIfView:
    """The sliders stay where they are as long as the problem stays what it is.

    Attributes
    ----------
    view : panel Column
    """

    def __init__(self, state: State, css: str):
        self._state, self._css = state, css
        self._bounds: Movable | None = None
        self._latest = Latest(self._follow)
        self._words = pn.pane.HTML(stylesheets=[css], **WIDE)
        self._picture = pn.pane.Bokeh(**WIDE)
        self._table = pn.pane.HTML(stylesheets=[css], **WIDE)
        self._form = pn.Column(**WIDE | {"margin": 0})
        for pane, grow in ((self._form, "1 1 260px"), (self._picture, "3 1 420px")):
            pane.styles = {"flex": grow, "min-width": "0"}
        both = pn.Row(self._form, self._picture, styles={"flex-wrap": "wrap"}, **WIDE | {"margin": 0})
        self.view = pn.Column(self._words, both, self._table, **WIDE | {"margin": 0})

    def show(self, bounds: Movable, moved: Moved) -> None:
        """Show these bounds, as they are at home or where the sliders of the same problem have been put."""
        before, self._bounds = self._bounds, bounds
        labels = [each.label for each in bounds.bounds]
        if before is None or before.home != bounds.home or before.names() != bounds.names():
            self._numbers = Numbers()
            home = bounds.home
            at = {"n": home.n, "l2": home.l2, "eps": home.eps, "m": home.m, "against": home.against}
            self._numbers.param.update(**at)
            self._form.objects = [self._sliders()]
            self._numbers.param.watch(lambda _: self._latest.ask(), [*at])
        if before is None or ([each.label for each in before.bounds], before.looks) != (labels, bounds.looks):
            self._plot = MovedPlot(labels, bounds.looks)
            self._picture.object = self._plot.figure
        if self._numbers.setting() == moved.setting:
            self._draw(bounds, moved)
        else:
            self._latest.ask()

    def _sliders(self) -> Form:
        bounds = self._bounds
        self._numbers.param.against.objects = bounds.names()
        fields = [Field("against", options={QUANTITIES[name][0]: name for name in bounds.names()})]
        for name in bounds.names():
            low, high = bounds.range(name)
            if name == "m":
                fields.append(Field(name, slider=(low, high, 1), live=True))
            else:
                fields.append(Field(name, slider=(log10(low), log10(high), STEP), log=True, live=True))
        return Form(self._numbers, {"": fields}, **WIDE)

    async def _follow(self) -> None:
        bounds, setting = self._bounds, self._numbers.setting()
        moved = await LONG.run(self._state, move, bounds, setting)
        if bounds is self._bounds:
            pn.state.execute(lambda: self._draw(bounds, moved), schedule=True)

    def _draw(self, bounds: Movable, moved: Moved) -> None:
        with pn.io.hold():
            setting = moved.setting
            marks = [(each.x, each.y, each.leads) for each in moved.crossings]
            here = getattr(setting, setting.against)
            if bounds.bounds:
                self._plot.show(moved.xs, moved.curves, here, QUANTITIES[setting.against][0], marks)
            self._picture.visible = self._form.visible = bool(bounds.bounds)
            self._words.object = html("<h2>What if?</h2><p>{{ words }}</p>", words=sentence(bounds, moved))
            self._table.object = moved_table(bounds, moved)
