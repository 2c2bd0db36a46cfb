"""Run and Stop, and how far the race is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import param
from panel.custom import JSComponent

from ..races.runner import Runner
from ..races.state import State
from .form import css
from .scripts import script

HERE = Path(__file__).parent


class Controls(JSComponent):
    """Starts and stops the runner, and shows what the state says about the race. One model, as a `Form` is."""

    shown = param.String(doc="running, progress and status as JSON.")

    _esm = script(HERE / "controls.js")

    def __init__(self, state: State, runner: Runner, **options: Any):
        self._state, self._runner = state, runner
        super().__init__(shown=self._words(), stylesheets=[css()], **options)
        state.param.watch(self._show, ["running", "progress", "status"])

    def _words(self) -> str:
        return json.dumps({name: getattr(self._state, name) for name in ("running", "progress", "status")})

    def _show(self, *_: Any) -> None:
        self.shown = self._words()

    def _handle_msg(self, data: Any) -> None:
        if data["press"] == "run":
            self._runner.start()
        else:
            self._runner.stop()
