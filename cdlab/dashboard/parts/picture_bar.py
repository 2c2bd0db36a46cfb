"""The controls of the race's picture: its axes, which curves and bounds it draws, and saving it."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import param
from panel.custom import JSComponent

from .form import css
from .scripts import script

HERE = Path(__file__).parent


class PictureBar(JSComponent):
    """Says what the person asked for; who made it decides. One model, as a `Form` is.

    Parameters
    ----------
    ask : callable
        Called with what the browser sends: {"axis": "x" or "y", "value": ...}, {"switch": "muted" or "unbounded",
        "label": ..., "on": ...}, {"pin": ...} or {"save": "csv"}. PNG and SVG are made in the browser.
    figure : str
        Name of the bokeh figure that is saved.
    """

    content = param.String(doc="Axes, reasons and curves as JSON.")
    figure = param.String()

    _esm = script(HERE / "picture_bar.js")

    def __init__(self, ask: Callable[[dict[str, Any]], None], figure: str, **options: Any):
        self._ask = ask
        super().__init__(figure=figure, stylesheets=[css(), _style()], **options)

    def show(self, content: dict[str, Any]) -> None:
        self.content = json.dumps(content)

    def save(self, filename: str, text: str) -> None:
        """Hand the person a file."""
        self._send_msg({"filename": filename, "text": text})

    def _handle_msg(self, data: Any) -> None:
        self._ask(data)


@cache
def _style() -> str:
    return (HERE / "picture_bar.css").read_text(encoding="utf-8")
