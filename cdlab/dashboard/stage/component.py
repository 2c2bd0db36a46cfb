"""The stage as a component of Panel."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import param
from panel.custom import JSComponent

from ..parts.scripts import script
from .contract import Stage

HERE = Path(__file__).parent


@cache
def css() -> str:
    """The style sheet of the stage."""
    return (HERE / "stage.css").read_text(encoding="utf-8")


class StageView(JSComponent):
    """Draws what it is shown, as high as the page lets it be; its clock runs in the browser.

    Parameters
    ----------
    data : Stage, optional
        What is there at first.
    **options
        Of a panel component, such as ``sizing_mode``.
    """

    matrix = param.String(doc="`contract.Matrix` as JSON, like the others; empty: not known yet.")
    race = param.String()
    faceoff = param.String()
    bound = param.String()
    plane = param.String()

    _esm = script(HERE / "panel.js")

    def __init__(self, data: Stage | None = None, **options: Any):
        super().__init__(**_texts(data or {}), **{"stylesheets": [css()], **options})

    def show(self, data: Stage, play: bool = False) -> None:
        """Show the parts that are given, and keep the others.

        Parameters
        ----------
        data : Stage
            A new race takes the clock to its end.
        play : bool, default False
            Replay the race from its start, unless the person asked for less motion.
        """
        self.param.update(**_texts(data))
        if play:
            self._send_msg({"play": True})


def _texts(data: Stage) -> dict[str, str]:
    return {name: json.dumps(part, allow_nan=False) for name, part in data.items()}
