"""Writing into the state of a page from a race, which runs beside the page's own events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn

from .races.state import State
from .visits import watched


class Teller:
    """Call it with what has changed: it is written when the lock of the page's document is free, in one message.

    What comes before an earlier change was written is added to it. So a page that cannot keep up skips frames, where
    otherwise it would fall behind further and further, and answer Stop after all that had piled up.

    Parameters
    ----------
    state : State
    unheard : callable
        Called instead when nobody looks at the page any more.
    """

    def __init__(self, state: State, unheard: Callable[[], None]):
        self._state, self._unheard, self._doc = state, unheard, pn.state.curdoc
        self._news: dict[str, Any] = {}

    def __call__(self, **values: Any) -> None:
        if not watched(self._doc):
            self._unheard()
            return
        waiting = bool(self._news)
        self._news |= values
        if not waiting:
            pn.state.execute(self._write, schedule=True)

    def _write(self) -> None:
        news, self._news = self._news, {}
        with pn.io.hold():
            self._state.param.update(**news)
