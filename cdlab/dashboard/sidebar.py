"""The sidebar: Run and Stop, then every choice."""

from __future__ import annotations

from typing import Any

import panel as pn

from .choices import misfits
from .choices.choices import UPLOAD, WITH_GAMMA, Choices
from .choices.data_sources import FAMILIES, kind
from .choices.groups import about, group_of
from .choices.presets import OWN, PRESETS
from .choices.uploads import read_upload
from .parts.controls import Controls
from .parts.form import Field, Form
from .races.runner import Runner
from .races.state import State
from .races.turns import LONG
from .visitor_limits import limits
from .words import number

TOLERANCES = {number(10.0**-k): 10.0**-k for k in range(1, 16)} | {"none": 0.0}
WIDE = {"sizing_mode": "stretch_width", "margin": (3, 5)}


def asked(name: str, **options: Any) -> Field:
    """A field for those data that it shapes."""
    return Field(
        name, needed=lambda choices: choices.data in FAMILIES and name in FAMILIES[choices.data].asks, **options
    )


SECTIONS = {
    "": ["preset"],
    "Data": [
        Field("data", groups=kind),
        Field(
            "upload",
            most=lambda: 1e6 * limits().upload,
            needed=lambda choices: choices.data == UPLOAD,
        ),
        asked("n"),
        asked("d"),
        asked("density", slider=(-3, 0, 0.1), log=True),
        asked("skew", slider=(0, 3, 0.1)),
        asked("row_spread", slider=(0, 3, 0.1)),
        asked("condition", slider=(0, 6, 0.1), log=True),
        asked("corner"),
        asked("column"),
        asked("row"),
        asked("correlation"),
        asked("noise"),
        asked("data_seed"),
        "scale",
    ],
    "Problem": [
        "loss",
        Field("gamma", wide=True, needed=lambda choices: choices.loss in WITH_GAMMA),
        "l2",
        "l2_over_n",
        Field("l1", wide=True),
    ],
    "Race": [
        Field("methods", groups=group_of, help=about),
        "dual_sampling",
        "primal_sampling",
        "against",
        "batch",
        "passes",
        "seed",
        "seeds",
        Field("tol", options=TOLERANCES),
    ],
}


class Sidebar:
    """Writes choices, starts and stops the runner, and shows how far the race is.

    Attributes
    ----------
    view : panel Column
    """

    def __init__(self, state: State, runner: Runner):
        self._state, choices = state, state.choices
        form = Form(
            choices,
            SECTIONS,
            reasons=lambda: misfits.reasons(choices),
            notes=lambda: notes(choices),
            take=self._take,
            **WIDE,
        )
        self.view = pn.Column(Controls(state, runner, **WIDE), form, sizing_mode="stretch_width")

    async def _take(self, name: str, size: int, content: bytes | None) -> None:
        """Read a file that the visitor has chosen, in a thread, and race on it."""
        try:
            limits().check_upload(size if content is None else len(content))
            file = await LONG.run(self._state, read_upload, name, content)
        except ValueError as wrong:
            raise ValueError(f"{wrong}{still(self._state.choices)}") from None
        pn.state.execute(lambda: self._state.choices.take(file), schedule=True)


def still(choices: Choices) -> str:
    """What goes on being used when a file is refused; empty if there is no other file."""
    return f". Still using {choices.file.name}" if choices.uploaded_labels() is not None else ""


def notes(choices: Choices) -> dict[str, str]:
    """What stands beneath fields: what a preset teaches, what a file holds."""
    found = {} if choices.preset == OWN else {"preset": PRESETS[choices.preset].lesson}
    if choices.file is not None:
        found["upload"] = choices.file.sentence()
    elif choices.upload:
        name, _, digest = choices.upload.partition(":")
        found["upload"] = f"These choices are about {name}, SHA-256 {digest}: choose that file to see the same."
    return found
