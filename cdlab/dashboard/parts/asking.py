"""A list to choose from and the answer beneath it, worked out in a thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import panel as pn
import param

from ..races.state import State
from ..races.turns import LONG
from ..words import reason
from .form import Form
from .lazy_tab import WIDE


class Choice(param.Parameterized):
    """One of several options, by its words."""

    words = param.Selector(objects=[])

    def __init__(self, label: str, options: list[str], chosen: str):
        super().__init__()
        self.param.words.objects, self.param.words.label = options, label
        self.words = chosen


class Asked:
    """A form with one list and a pane with what `answer` says about the chosen option.

    Attributes
    ----------
    view : panel Column

    Parameters
    ----------
    state : State
        Whose session asks.
    label : str
    answer : callable
        Takes an option and whatever `show` was given, and returns HTML; called in a thread. A ValueError is shown.
    pane : panel pane
        That shows the HTML.
    """

    def __init__(self, state: State, label: str, answer: Callable[[Any, Any], str], pane: pn.viewable.Viewable):
        self._state, self._label, self._answer, self._pane = state, label, answer, pane
        self._options: Mapping[str, Any] = {}
        self._about, self._choice = None, None
        self._version = 0
        self._form = pn.Column(**WIDE | {"margin": 0})
        self.view = pn.Column(self._form, pane, **WIDE | {"margin": 0})

    def show(self, options: Mapping[str, Any], about: Any) -> None:
        """Offer these options (words: option) and answer about something else; what was chosen stays chosen."""
        if list(options) != list(self._options):
            self._form.objects = [self._asking(list(options))] if options else []
        self._options, self._about = options, about
        self._ask()

    def _asking(self, options: list[str]) -> Form:
        before = self._choice.words if self._choice is not None else None
        self._choice = Choice(self._label, options, before if before in options else options[0])
        self._choice.param.watch(self._ask, "words")
        return Form(self._choice, {"": ["words"]}, max_width=640, **WIDE)

    def _ask(self, *_: Any) -> None:
        self._version += 1
        self._pane.object = '<p role="status">Working it out.</p>'
        pn.state.execute(self._work)

    async def _work(self) -> None:
        version, about = self._version, self._about
        if not self._options:
            text = ""
        else:
            try:
                text = await LONG.run(self._state, self._answer, self._options[self._choice.words], about)
            except ValueError as error:
                text = reason(str(error))
        if version == self._version:
            pn.state.execute(lambda: self._pane.param.update(object=text), schedule=True)
