"""The chooser as a component of Panel: one model, where three dozen widgets would cost a visitor; see `parts.form`."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import panel as pn
import param
from panel.custom import JSComponent

from ..choices.address import told
from ..choices.choosing import Choosing
from ..parts import explaining
from ..parts.scripts import script
from ..words import sentence
from .content import content
from .layout import layout

HERE = Path(__file__).parent
PRESSED = ("run", "stop", "step")
WATCHED = ("told", "why_not", "guess", "place")


@cache
def css(name: str) -> str:
    """One of the style sheets of this folder."""
    return (HERE / name).read_text(encoding="utf-8")


@cache
def _layout() -> str:
    return json.dumps(layout())


class Chooser(JSComponent):
    """Data, sampling and algorithm in three rows, the guess, Run (Stop while a race runs) and Step.

    Parameters
    ----------
    choosing : Choosing
        Is changed by the person, and watched.
    press : callable
        Called with "run", "stop" or "step".
    take : callable, optional
        Awaited with a file's name, size and content (None if it is too large). What it raises as ValueError is told.
    **options
        Panel's own: margin, stylesheets, ...
    """

    layout = param.String(doc="What there is, as JSON.")
    content = param.String(doc="What is chosen, as JSON.")
    shown = param.String(doc="running, progress and status of the race as JSON.")
    bars = param.String("{}", doc="For each sampling the heights of its bars of p, as JSON.")

    _esm = script(HERE / "panel.js")

    def __init__(
        self,
        choosing: Choosing,
        press: Callable[[str], None],
        take: Callable[[str, int, bytes | None], Awaitable[None]] | None = None,
        **options: Any,
    ):
        self._choosing, self._press, self._take = choosing, press, take
        self._heard: dict[str, int] = {}
        self._busy = False
        options["stylesheets"] = [css("chooser.css"), explaining.css(), *options.get("stylesheets", [])]
        super().__init__(layout=_layout(), content=self._content(), **options)
        self.show(running=False, progress=0, status="")
        choosing.param.watch(self._changed, list(WATCHED))
        choosing.choices.param.watch(self._changed, list(choosing.choices.values()))

    def show(self, running: bool, progress: int, status: str) -> None:
        """Say how far the race is: whether it runs, percent, a line of words."""
        self.shown = json.dumps({"running": running, "progress": progress, "status": status})

    def histograms(self, bars: Mapping[str, Sequence[float]]) -> None:
        """Show the probabilities of samplings: for each its bars, each a mean of p m, so that uniform is 1."""
        self.bars = json.dumps({name: list(heights) for name, heights in bars.items()})

    def _content(self) -> str:
        return json.dumps(content(self._choosing, self._heard))

    def _changed(self, *_: Any) -> None:
        if not self._busy:  # what is done for one message is shown once
            self.content = self._content()

    def _handle_msg(self, data: Any) -> None:
        if "press" in data:
            if data["press"] not in PRESSED:
                raise ValueError(f"the chooser has no button {data['press']!r}")
            self._press(data["press"])
        elif "file" in data:
            pn.state.execute(partial(self._read, data["file"], data["size"], data["content"]))
        elif "guess" in data:
            self._choosing.guess = data["guess"]
        elif "undo" in data:
            self._choosing.undo()
        elif "card" in data:
            self._try({}, lambda: self._choosing.card(data["card"]))
        else:
            self._heard |= data["versions"]
            self._try(data["versions"], lambda: self._choosing.set(**self._meant(data["set"])))

    def _try(self, versions: Mapping[str, int], work: Callable[[], None]) -> None:
        """What cannot be set is told, and put back."""
        self._busy = True
        try:
            work()
        except ValueError as error:
            (name, *_) = [*versions, ""]
            label = f"{self._choosing.choices.param[name].label}: " if name else ""
            self._send_msg({"refused": sentence(f"{label}{told(error)}"), "follows": bool(name)})
        finally:
            self._busy = False
            self._changed()

    async def _read(self, file: str, size: int, content: bytes | None) -> None:
        try:
            await self._take(file, size, content)
        except ValueError as error:
            message = {"refused": sentence(str(error)), "follows": False}
            pn.state.execute(lambda: self._send_msg(message), schedule=True)

    def _meant(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Numbers of the browser, which knows only one kind of them, as the choices take them."""
        meant = {}
        for name, value in values.items():
            parameter = self._choosing.choices.param[name]
            if isinstance(parameter, param.Integer):
                if value is None or value != int(value):
                    raise ValueError("it must be a whole number")
                value = int(value)
            elif isinstance(parameter, param.Number):
                if value is None:
                    raise ValueError("it must be a number")
                value = float(value)
            meant[name] = value
        return meant
