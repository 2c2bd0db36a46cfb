"""A text that changes while it is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import param
from panel.custom import JSComponent

from .scripts import script

HERE = Path(__file__).parent


class Text(JSComponent):
    """HTML, of which what has been opened stays open when it changes, and what has the focus keeps it.

    Parameters
    ----------
    **options
        Panel's own: margin, stylesheets, ...
    """

    object = param.String(doc="HTML; what is filled in must be escaped, as `templates.html` does.")

    _esm = script(HERE / "text.js")

    def __init__(self, **options: Any):
        super().__init__(**options)
