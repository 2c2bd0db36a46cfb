"""A tab that works only while it is open: its content is worked out in a thread when something it shows has changed."""

from __future__ import annotations

import logging
from abc import abstractmethod
from html import escape
from typing import Any

import panel as pn

from ...problems.problem import Problem
from ..choices.choices import Choices
from ..races.state import State
from ..races.turns import LONG
from ..words import sentence
from .drawer import Drawer
from .latest import Latest

log = logging.getLogger(__name__)
WIDE = {"sizing_mode": "stretch_width", "margin": (2, 10)}


class LazyTab(Drawer):
    """Shows what follows from the present choices, beside the race that is shown if that was on the same problem.

    Attributes
    ----------
    view : panel Column
        Empty until the tab is opened.
    """

    def __init__(self, state: State, css: str):
        self.state, self.css = state, css
        self.view = pn.Column(sizing_mode="stretch_width")
        self._latest = Latest(self._fill)
        self._shown: tuple | None = None
        state.choices.param.watch(self._refresh, list(state.choices.values()))
        state.param.watch(self._refresh, ["running", "result"])

    @abstractmethod
    def work(self, choices: Choices, problem: Problem) -> Any:
        """What the tab shows, as plain values; called in a thread."""

    @abstractmethod
    def draw(self, facts: Any) -> list[Any]:
        """The panes for them."""

    def lanes(self, choices: Choices) -> list:
        """The runs of the shown race, if it was on the problem of these choices."""
        result = self.state.result
        same = result is not None and result.choices.problem_key() == choices.problem_key()
        return result.lanes if same else []

    def html(self, text: str) -> pn.pane.HTML:
        return pn.pane.HTML(text, stylesheets=[self.css], **WIDE)

    def beside(self, *panes: pn.viewable.Viewable) -> pn.Row:
        """Side by side where there is room, else one below the other."""
        for pane in panes:
            pane.styles = {"flex": "1 1 400px", "min-width": "0"}
        return pn.Row(*panes, styles={"flex-wrap": "wrap"}, **WIDE | {"margin": 0})

    def _refresh(self, *_: Any) -> None:
        key = (self.state.choices.to_query(), id(self.state.result), self.state.running)
        if self._open and not self.state.running and key != self._shown:
            self._shown = key
            self._latest.ask()

    async def _fill(self) -> None:
        key, choices = self._shown, self.state.choices.copy()
        if not self.view.objects:
            self.view.objects = [self.html('<p role="status">Working it out.</p>')]
        try:
            facts = await LONG.run(self.state, lambda: self.work(choices, self.state.problem(choices)))
            content = self.draw(facts)
        except (ValueError, TypeError, OSError) as error:  # written for the reader
            content = [pn.pane.Alert(escape(sentence(str(error))), alert_type="danger", **WIDE)]
        except Exception as error:
            log.exception("a tab failed: %s", choices.to_query())
            text = f"An error in cdlab ({type(error).__name__}). The server's log has the details."
            content = [pn.pane.Alert(escape(text), alert_type="danger", **WIDE)]
        if key == self._shown:  # otherwise a newer question is waiting
            pn.state.execute(lambda: self.view.param.update(objects=content), schedule=True)
