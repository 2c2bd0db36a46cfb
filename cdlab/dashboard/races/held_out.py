"""The test part of the chosen data, where there is one."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ... import datasets
from ..choices.choices import Choices
from ..choices.data_sources import FAMILIES, UPLOAD


def held_out(choices: Choices) -> tuple[Any, Any] | None:
    """X and y of the test part, scaled as the train part; None if there is none."""
    return None if why_none(choices) else _loaded(choices.data, choices.scale)


def why_none(choices: Choices) -> str:
    """Why no test error is measured; empty if it is."""
    if choices.data in FAMILIES:
        return "random data have no test part"
    if choices.data == UPLOAD:
        return "of an uploaded file all rows are trained on"
    return "" if datasets.describe(choices.data).test else f"{choices.data} has no test part"


@lru_cache(maxsize=4)
def _loaded(data: str, scale: str) -> tuple[Any, Any]:
    """Kept for the next race, and shared by all pages; nobody writes into it."""
    return datasets.load(data, split="test", scale=scale)
