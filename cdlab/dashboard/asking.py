"""A list to choose from and the answer beneath it, worked out in a thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

import panel as pn

from .lazy_tab import WIDE
from .state import State
from .turns import LONG


class Asked:
    """A select and a pane with what `answer` says about the chosen option.

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
        self._state, self._answer, self._pane, self._about = state, answer, pane, None
        self._version = 0
        look = {"sizing_mode": "stretch_width", "styles": {"max-width": "640px"}, "margin": (2, 10)}
        self._select = pn.widgets.Select(label=label, **look)
        self._select.param.watch(self._ask, "value")
        self.view = pn.Column(self._select, pane, **WIDE | {"margin": 0})

    def show(self, options: Mapping[str, Any], about: Any) -> None:
        """Offer these options (words: option) and answer about something else; what was chosen stays chosen."""
        self._about = about
        kept = self._select.value if self._select.value in options.values() else next(iter(options.values()), None)
        self._select.visible = bool(options)
        with pn.io.hold():
            before = self._select.value
            self._select.param.update(options=dict(options), value=kept)
        if before == kept:
            self._ask()

    def _ask(self, *_: Any) -> None:
        self._version += 1
        self._pane.object = '<p role="status">Working it out.</p>'
        pn.state.execute(self._work)

    async def _work(self) -> None:
        version, option, about = self._version, self._select.value, self._about
        if option is None:
            text = ""
        else:
            try:
                text = await LONG.run(self._state, self._answer, option, about)
            except ValueError as reason:
                text = f'<p class="reason">{escape(str(reason))}.</p>'
        if version == self._version:
            pn.state.execute(lambda: self._pane.param.update(object=text), schedule=True)
