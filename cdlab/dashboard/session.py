"""Sessions: the choices that a visitor's page shows, the drawer it has open, and the races it has run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param

from .engine.answering import Visitor, with_race
from .engine.choices import Choices
from .engine.racing import Race


class PageSession(param.Parameterized):
    """A visitor's page, as Python knows it: `app` writes it, drawers watch it.

    Attributes
    ----------
    visitor : Visitor
        Who asks the engine.
    send : callable
        Sends the page a message, from within the page's events or from a task of them.
    """

    choices = param.ClassSelector(class_=Choices, doc="The last that the page told: a new object each time.")
    drawer = param.String("", doc="The name of the open drawer; empty: all are closed.")
    races = param.List([], item_type=Race, doc="The last of this page, oldest first, at most one on the same choices.")

    def __init__(self, **values: Any):
        super().__init__(**{"choices": Choices()} | values)
        self.visitor = Visitor()
        self.send: Callable[[dict[str, Any]], None] = lambda message: None  # no page yet

    def add(self, race: Race) -> None:
        """Append a race that has ended."""
        self.races = with_race(self.races, race)

    def choose(self, values: dict[str, Any]) -> None:
        """Have the page take these choices, beside the defaults of all others, and race; it tells `choices` back."""
        self.send({"kind": "choices", "value": values})

    def say(self, sentence: str) -> None:
        """Have the page show a sentence."""
        self.send({"kind": "words", "value": sentence})
