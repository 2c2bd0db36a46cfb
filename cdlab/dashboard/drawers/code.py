"""The drawer Code: the present choices as Python that gives the same curves, to copy, to save, as a notebook."""

from __future__ import annotations

import json
from html import escape
from typing import Any

import panel as pn

from ..engine.code import script
from .part import Block, Part, Subject, css, download, paragraph

WORDS = (
    "This script makes the race of the present choices: the same data, methods and seeds, and so the same numbers. It "
    "needs nothing but cdlab."
)
COPY = "navigator.clipboard.writeText(text); button.label = 'Copied'"


def view(session: Any) -> pn.viewable.Viewable:
    return Part(session, "Code", code, follows=["choices"]).view


def code(asked: Subject) -> list[Block]:
    """The script, and buttons that copy and save it."""
    text = script(asked.choices, asked.about.problem.digest)
    copy = pn.widgets.Button(label="Copy", margin=(4, 0), stylesheets=[css()])
    copy.js_on_click(args={"text": text, "button": copy}, code=COPY)
    saved = download("Save as Python", "race.py", lambda: text)
    as_notebook = download("Save as a notebook", "race.ipynb", lambda: notebook(text))
    return [
        paragraph(WORDS),
        pn.FlexBox(copy, saved, as_notebook, gap="8px"),
        f'<pre tabindex="0">{escape(text)}</pre>',
    ]


def notebook(text: str) -> str:
    """A script as a notebook of one cell."""
    cell = {"cell_type": "code", "id": "race", "metadata": {}, "execution_count": None, "outputs": [],
            "source": text.splitlines(keepends=True)}  # fmt: skip
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}, indent=1)
