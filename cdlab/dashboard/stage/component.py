"""The stage as a component of Panel."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import param
from panel.custom import JSComponent

from ..parts import explaining
from ..parts.scripts import script
from .contract import Stage

HERE = Path(__file__).parent


@cache
def css() -> str:
    """The style sheet of the stage."""
    return (HERE / "stage.css").read_text(encoding="utf-8") + explaining.css()


class StageView(JSComponent):
    """Draws what it is shown, as high as the page lets it be; its clock runs in the browser.

    Parameters
    ----------
    data : Stage, optional
        What is there at first.
    **options
        Of a panel component, such as ``sizing_mode``.

    Attributes
    ----------
    over : callable
        Called when the replay that `play` began has been seen: it has ended, or the person has taken the clock.
    asked : callable
        Called when the person asks for what theory says.
    """

    matrix = param.String(doc="`contract.Matrix` as JSON, like the others; empty: not known yet.")
    race = param.String()
    stale = param.String()
    waiting = param.String()
    faceoff = param.String()
    bound = param.String()
    veiled = param.String()
    plane = param.String()
    plays = param.Integer(
        0, doc="How often a replay has been begun: no message, which a page that still loads would miss."
    )

    _esm = script(HERE / "panel.js")

    def __init__(self, data: Stage | None = None, **options: Any):
        self.over: Callable[[], None] = lambda: None
        self.asked: Callable[[], None] = lambda: None
        super().__init__(**_texts(data or {}), **{"stylesheets": [css()], **options})

    def show(self, data: Stage) -> None:
        """Show the parts that are given, and keep the others; a new race takes the clock to its end."""
        self.param.update(**_texts(data))

    def play(self) -> None:
        """Replay the race from its start, unless the person asked for less motion."""
        self.plays += 1

    def step(self) -> None:
        """Go on by one update, or pass; from the end to the first update."""
        self._send_msg({"go": "step"})

    def end(self) -> None:
        """Take the clock to where all runs have ended."""
        self._send_msg({"go": "end"})

    def _handle_msg(self, data: Any) -> None:
        if "over" in data:
            self.over()
        else:
            self.asked()


def _texts(data: Stage) -> dict[str, str]:
    return {name: json.dumps(part, allow_nan=False) for name, part in data.items()}
