"""What a visitor's page has told: the choices it shows, the drawer it has open, and the races it has run."""

from __future__ import annotations

from typing import Any

import param

from .engine.answering import Visitor
from .engine.choices import Choices
from .engine.racing import Race

RACES_LIMIT = 12


class Session(param.Parameterized):
    """One visitor's page, as Python knows it; `app` writes it, drawers watch it.

    A drawer that changes what the page shows sets `request`: the page takes these choices and tells `choices` back.
    """

    choices = param.ClassSelector(class_=Choices, doc="The last that the page told.")
    drawer = param.String("", doc="The name of the open drawer; empty: all are closed.")
    races = param.List([], item_type=Race, doc="Of this session, oldest first; one on the same choices is replaced.")
    request = param.Dict({}, doc="Choices that a drawer asks the page to take, beside those that stay as they are.")
    message = param.String("", doc="A sentence that a drawer asks the page to show.")

    def __init__(self, **values: Any):
        super().__init__(**{"choices": Choices()} | values)
        self.visitor = Visitor()

    def add(self, race: Race) -> None:
        """Append a race that has ended."""
        others = [each for each in self.races if each.choices.digest != race.choices.digest]
        self.races = [*others, race][-RACES_LIMIT:]
