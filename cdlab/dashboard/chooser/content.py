"""What the chooser shows of the choices, as they are now. Plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..choices import misfits
from ..choices.cards import card_of
from ..choices.choosing import Choosing
from ..choices.data_sources import FAMILIES, UPLOAD
from ..words import sentence
from .layout import SLIDERS

SHOWN = ("data", "n", "d", "density", "skew", "methods", "dual_sampling", "primal_sampling", "against")


def content(choosing: Choosing, heard: Mapping[str, int] | None = None) -> dict[str, Any]:
    """All of it, for JSON.

    Parameters
    ----------
    choosing : Choosing
    heard : mapping, optional
        For each choice the number of the latest change that has come from the browser: an input that has sent more
        since does not take these values.
    """
    choices = choosing.choices
    asked: Sequence[str] = FAMILIES[choices.data].asks if choices.data in FAMILIES else ()
    return {
        "values": {name: getattr(choices, name) for name in SHOWN},
        "heard": dict(heard or {}),
        "card": card_of(choices),
        "hidden": [name for name in SLIDERS if name not in asked],
        "shape": shape(choosing),
        "file": choices.file.sentence() if choices.file is not None and choices.data == UPLOAD else "",
        "methods": {name: sentence(why) for name, why in misfits.reasons(choices)["methods"].items()},
        "told": [sentence(words) for words in choosing.told],
        "undo": choosing.can_undo,
        "why_not": sentence(choosing.why_not) if choosing.why_not else "",
        "guess": choosing.guess,
    }


def shape(choosing: Choosing) -> list[int]:
    """n and d of data whose shape is not chosen; else nothing."""
    choices = choosing.choices
    if choices.data in FAMILIES or (choices.data == UPLOAD and choices.file is None):
        return []
    return list(choices.shape())
