"""The Code tab: the present choices as a Python script, to copy or to keep."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import param
from panel.custom import JSComponent

from ..parts import scripts
from ..parts.form import css
from ..parts.lazy_tab import WIDE, LazyTab
from ..races.code import script

HERE = Path(__file__).parent


class Script(JSComponent):
    """A text with buttons that copy it and save it, without a question to the server."""

    text = param.String(doc="The script.")
    file = param.String("race.py", doc="Its name as a file.")

    _esm = scripts.script(HERE / "code_tab.js")


class CodeTab(LazyTab):
    """What gives the same curves without the dashboard."""

    def work(self, choices, problem) -> str:
        return script(choices, problem.digest)

    def draw(self, facts: str) -> list[Any]:
        words = (
            "<p>This script makes the race of the present choices: the same data, methods and seeds, and so the same "
            "numbers. It needs nothing but cdlab (in a clone of it, <code>pip install -e .</code>).</p>"
        )
        return [self.html(words), Script(text=facts, stylesheets=[css()], **WIDE)]
