"""Which methods step on the coordinates of a side, by the group that they are listed under."""

from __future__ import annotations

from ...methods import METHODS
from ...methods.listing import group_of

GRADIENT_METHODS = ("Full gradient", "Stochastic gradient, not dual")  # the latter draw examples, but step on w


def of_its_side(label: str) -> bool:
    """Whether the run of this label, such as "sdca, uniform", steps on coordinates of its side: no gradient method."""
    name = label.partition(",")[0].partition("(")[0]
    return name not in METHODS or group_of(METHODS[name]) not in GRADIENT_METHODS
