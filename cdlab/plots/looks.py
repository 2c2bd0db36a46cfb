"""The look of curves: colours, markers and dashes that differ for every kind of colour vision, and without colour."""

from __future__ import annotations

from typing import NamedTuple

# Okabe & Ito's colours, which differ for every kind of colour vision; their yellow is too pale for a line on white
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
# one more than there are colours, so that pairs repeat late
MARKERS = ("circle", "square", "triangle", "diamond", "inverted_triangle", "hex", "star", "square_pin")
DASHES = {"dual": "solid", "primal": "12 5", "": "3 4"}  # "": a run whose side is not known
BOUND_DASH = [6, 9]  # of two equal bounds, one shows in the gaps of the other
BOUND_SHIFT = 5
WIDTHS = (2.4, 1.6, 1.1)  # of the curves of the latest race, of the one before it, and of all before that
PALER = (0.0, 0.35, 0.5)  # how far they are on the way to white


class Look(NamedTuple):
    """Colour, marker and width (in pixels) of a curve."""

    colour: str
    marker: str
    width: float = WIDTHS[0]


def colour(k: int) -> str:
    """Colour of the k-th curve of a picture."""
    return COLOURS[k % len(COLOURS)]


def marker(k: int) -> str:
    """Marker of the k-th curve of a picture."""
    return MARKERS[k % len(MARKERS)]


def look(k: int, behind: int = 0) -> Look:
    """The look of the k-th method of a picture; the curves of a race `behind` the latest one are thinner and paler."""
    step = min(behind, len(WIDTHS) - 1)
    return Look(_paler(colour(k), PALER[step]), marker(k), WIDTHS[step])


def _paler(colour: str, share: float) -> str:
    channels = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(each + share * (255 - each)):02X}" for each in channels)
