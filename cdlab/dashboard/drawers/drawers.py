"""The drawers below the screen: one at a time, each made when it is first opened."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import panel as pn
import param
from panel.custom import JSComponent

from ..look import css
from ..parts.scripts import script
from ..races.state import State
from .advanced_tab import AdvancedTab
from .bounds_tab import BoundsTab
from .code_tab import CodeTab
from .faceoff_tab import FaceOffTab
from .papers_tab import PapersTab
from .race_tab import RaceTab
from .runs_tab import RunsTab
from .sampling_tab import SamplingTab
from .store_tab import StoreTab

HERE = Path(__file__).parent
STORE, PAPERS = "Store", "Papers"
DRAWERS: dict[str, Callable[[State, str], Any]] = {
    "Race": RaceTab,
    "Bounds": BoundsTab,
    "Face-off": FaceOffTab,
    "Sampling": SamplingTab,
    "Runs": RunsTab,
    STORE: StoreTab,
    PAPERS: PapersTab,
    "Code": CodeTab,
    "Advanced": AdvancedTab,
}


class DrawerBar(JSComponent):
    """The names of the drawers; `ask` is called with the one that the person opens, or with "" when it is closed."""

    names = param.String(doc="As JSON.")
    shown = param.String("", doc="The open one.")

    _esm = script(HERE / "bar.js")

    def __init__(self, ask: Callable[[str], None], **options: Any):
        self._ask = ask
        own = (HERE / "bar.css").read_text(encoding="utf-8")
        super().__init__(names=json.dumps(list(DRAWERS)), stylesheets=[own], **options)

    def _handle_msg(self, data: Any) -> None:
        if data["open"] not in ("", *DRAWERS):
            raise ValueError(f"there is no drawer {data['open']!r}")
        self._ask(data["open"])


class Drawers:
    """The bar and what is open.

    Attributes
    ----------
    bar : DrawerBar
    view : panel Column
        Empty while all are closed.
    """

    def __init__(self, state: State):
        self._state = state
        self._made: dict[str, Any] = {}
        self.bar = DrawerBar(self.open, sizing_mode="stretch_width")
        self.view = pn.Column(sizing_mode="stretch_width")

    def open(self, name: str) -> None:
        """Open one and close the others; "" closes all."""
        with pn.io.hold():
            for other, made in self._made.items():
                if other != name and made.open:
                    made.open = False
            if name and name not in self._made:
                self._made[name] = DRAWERS[name](self._state, css())
            if name:
                self._made[name].open = True
            self.bar.shown = name
            self.view.objects = [self._made[name].view] if name else []
