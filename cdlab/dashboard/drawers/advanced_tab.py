"""The Advanced drawer: every choice that has no place on the screen, and races that need them."""

from __future__ import annotations

from urllib.parse import urlencode

import panel as pn

from ..choices import address, misfits
from ..choices.choices import WITH_GAMMA
from ..choices.data_sources import FAMILIES
from ..choices.examples import EXAMPLES
from ..parts.form import Field, Form
from ..races.state import State
from ..templates import html
from ..words import number

TARGETS = {number(10.0**-k): 10.0**-k for k in range(1, 16)} | {"none": 0.0}
WIDE = {"sizing_mode": "stretch_width", "margin": (3, 10)}
MORE = """\
<h2>Two more races</h2>
{% for title, lesson, link in examples %}<p><a href="{{ link }}">{{ title }}</a>. {{ lesson }}</p>{% endfor %}"""


def _asked(name: str, **options: object) -> Field:
    """A field for those data that it shapes."""
    return Field(
        name, needed=lambda choices: choices.data in FAMILIES and name in FAMILIES[choices.data].asks, **options
    )


# Titles and fields, as `Form` takes them. What the chooser has as a slider can be typed here exactly.
ADVANCED = {
    "Problem": [
        "loss",
        Field("gamma", wide=True, needed=lambda choices: choices.loss in WITH_GAMMA),
        "l2",
        "l2_over_n",
        Field("l1", wide=True),
    ],
    "Data": [
        *map(_asked, ("n", "d", "density", "skew", "row_spread", "condition", "corner", "column", "row")),
        *map(_asked, ("correlation", "noise", "data_seed")),
        "scale",
    ],
    "Race": [Field("tol", options=TARGETS), "passes", "batch", "seed", "seeds"],
}


class AdvancedTab:
    """A form for the choices of the state.

    Attributes
    ----------
    view : panel Column
    """

    open = False

    def __init__(self, state: State, css: str):
        choices = state.choices
        form = Form(choices, ADVANCED, reasons=lambda: misfits.reasons(choices), max_width=720, **WIDE)
        self.view = pn.Column(form, pn.pane.HTML(more(), stylesheets=[css], **WIDE), sizing_mode="stretch_width")


def more() -> str:
    """The examples as links, which run."""
    links = [
        (title, each.lesson, "?" + urlencode(address.in_words(each.choices), safe=","))
        for title, each in EXAMPLES.items()
    ]
    return html(MORE, examples=links)
