"""A picture with words that sliders change, drawn in a thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import panel as pn
import param

from ..races.state import State
from ..races.turns import LONG
from ..words import reason
from .form import Field, Form
from .latest import Latest
from .lazy_tab import WIDE


class Slid:
    """A form, and beside it what `draw` makes of its values.

    Attributes
    ----------
    view : panel Column

    Parameters
    ----------
    state : State
        Whose session it is.
    css : str
    owner : param.Parameterized
        What the form sets.
    fields : sequence of Field
    draw : callable
        Takes the owner's values and whatever `show` was given; returns a bokeh figure (or None) and HTML. Called in a
        thread; a ValueError is shown.
    """

    def __init__(
        self,
        state: State,
        css: str,
        owner: param.Parameterized,
        fields: Sequence[Field],
        draw: Callable[[dict[str, Any], Any], tuple[Any, str]],
    ):
        self._state, self._owner, self._make, self._about = state, owner, draw, None
        self._latest = Latest(self._follow)
        names = [field.name for field in fields]
        self._form = pn.Column(Form(owner, {"": fields}, **WIDE), **WIDE | {"margin": 0})
        self._picture = pn.pane.Bokeh(**WIDE)
        self._words = pn.pane.HTML(stylesheets=[css], **WIDE)
        for pane, grow in ((self._form, "1 1 240px"), (self._picture, "3 1 400px")):
            pane.styles = {"flex": grow, "min-width": "0"}
        both = pn.Row(self._form, self._picture, styles={"flex-wrap": "wrap"}, **WIDE | {"margin": 0})
        self.view = pn.Column(both, self._words, **WIDE | {"margin": 0})
        owner.param.watch(lambda _: self._latest.ask(), names)

    def show(self, about: Any) -> None:
        """Draw about something else, with the sliders where they are."""
        self._about = about
        self._latest.ask()

    async def _follow(self) -> None:
        values, about = self._owner.param.values(), self._about
        try:
            figure, words = await LONG.run(self._state, self._make, values, about)
        except ValueError as error:
            figure, words = None, reason(str(error))
        pn.state.execute(lambda: self._put(figure, words), schedule=True)

    def _put(self, figure: Any, words: str) -> None:
        with pn.io.hold():
            self._picture.visible = figure is not None
            if figure is not None:
                self._picture.object = figure
            self._words.object = words
