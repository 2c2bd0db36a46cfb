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
# What a colour says: primal orange, dual blue, methods that take the whole gradient grey-green. The shades of a side
# can all be read as text (4.5:1) on --cd-paper of the page's theme, light and dark.
SHADES = {
    "primal": {"light": ("#B84A00", "#7A3000", "#A65A2A"), "dark": ("#FF9A45", "#FFC999", "#D9A27A")},
    "dual": {"light": ("#0B63A8", "#083E6E", "#3D7E9A"), "dark": ("#6CB2F0", "#B0D6FA", "#7FB9C9")},
    "full": {"light": ("#4F6B5B", "#2F4A3C", "#6B7A58"), "dark": ("#9DB8A8", "#C9DACF", "#A9B48F")},
}
SIDE_DASHES = ((), (12, 4), (12, 4, 2, 4))  # of the first, second and third method of a side; () is solid
SIDE_MARKERS = {
    "primal": ("square", "diamond", "square_pin"),
    "dual": ("circle", "triangle", "inverted_triangle"),
    "full": ("hex", "star", "inverted_triangle"),
}
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


class SideLook(NamedTuple):
    """How a method of one side is drawn where colours mean sides."""

    light: str  # colour on light paper
    dark: str  # on dark paper
    dash: tuple[int, ...]  # lengths drawn and left out, in pixels; () is solid
    marker: str


def side_look(side: str, k: int = 0) -> SideLook:
    """Of the k-th method of a side: "primal", "dual", or "full" for methods that take the whole gradient."""
    j = k % len(SIDE_DASHES)
    light, dark = (SHADES[side][paper][j] for paper in ("light", "dark"))
    return SideLook(light, dark, SIDE_DASHES[j], SIDE_MARKERS[side][j])


def _paler(colour: str, share: float) -> str:
    channels = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(each + share * (255 - each)):02X}" for each in channels)
