"""The look of curves. A colour says a side: primal orange, dual blue, methods that take the whole gradient grey-green.

The methods of one side differ by shade, dash and marker, and any two of a picture without colours by dash or marker.
Figures are drawn for light paper; the dashboard turns them over in the dark, so that hues stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

# All can be read as text (4.5:1) on --cd-paper of the dashboard's theme, light and dark, those for light paper also
# where it is turned over. "" is what has no side, or none that is known.
SHADES = {
    "primal": {"light": ("#B84A00", "#7A3000", "#A65A2A"), "dark": ("#FF9A45", "#FFC999", "#D9A27A")},
    "dual": {"light": ("#0B63A8", "#083E6E", "#3D7E9A"), "dark": ("#6CB2F0", "#B0D6FA", "#7FB9C9")},
    "full": {"light": ("#4F6B5B", "#2F4A3C", "#6B7A58"), "dark": ("#9DB8A8", "#C9DACF", "#A9B48F")},
    "": {"light": ("#5A5A5A", "#2B2B2B", "#707070"), "dark": ("#B4B4B4", "#DCDCDC", "#9C9C9C")},
}
# 3 shades, 5 dashes and 4 markers: of 12 methods of a side, two have at most one of them in common
DASHES = ((), (12, 4), (12, 4, 2, 4), (6, 3), (12, 4, 2, 4, 2, 4))  # lengths drawn and left out; () is solid
MARKERS = {
    "primal": ("square", "diamond", "square_pin", "plus"),
    "dual": ("circle", "triangle", "inverted_triangle", "triangle_pin"),
    "full": ("hex", "star", "square", "triangle"),  # the last two never with the dashes that the other sides give them
    "": ("circle", "square", "triangle", "diamond"),
}
BOUND_DASH = [6, 9]  # of two equal bounds, one shows in the gaps of the other
BOUND_SHIFT = 5
WIDTHS = (2.4, 1.6, 1.1)  # of the curves of the latest race, of the one before it, and of all before that
PALER = (0.0, 0.35, 0.5)  # how far they are on the way to the paper
PAPER = {"light": "#FFFFFF", "dark": "#191919"}


class Look(NamedTuple):
    """How a curve is drawn.

    Attributes
    ----------
    light, dark : str
        Its colour on light and on dark paper, as "#RRGGBB".
    dash : tuple of int
        Lengths drawn and left out, in pixels; () is solid.
    marker : str
        By the name that bokeh gives it.
    width : float, default 2.4
        In pixels.
    """

    light: str
    dark: str
    dash: tuple[int, ...]
    marker: str
    width: float = WIDTHS[0]

    @property
    def line_dash(self) -> str:
        """The dash as bokeh takes it, such as "12 4" or "solid"."""
        return " ".join(map(str, self.dash)) or "solid"


def look(side: str, k: int = 0) -> Look:
    """The look of the k-th method of a side.

    Parameters
    ----------
    side : "primal", "dual", "full" or ""
        "full" is for methods that take the whole gradient, "" for what has no side.
    k : int, default 0
        Counted within the side, from 0.

    Returns
    -------
    Look

    Raises
    ------
    ValueError
        For another side.

    Examples
    --------
    >>> look("dual", 1).light, look("dual", 1).line_dash
    ('#083E6E', '12 4')
    """
    if side not in SHADES:
        raise ValueError(f"a side is one of {', '.join(map(repr, SHADES))}, not {side!r}")
    light, dark = (SHADES[side][paper][k % len(SHADES[side][paper])] for paper in PAPER)
    return Look(light, dark, DASHES[k % len(DASHES)], MARKERS[side][k % len(MARKERS[side])])


def looks_for(sides: Mapping[str, str]) -> dict[str, Look]:
    """The look of each curve of a picture, by label, from the side of each: see `look`."""
    found: dict[str, Look] = {}
    count = dict.fromkeys(SHADES, 0)
    for label, side in sides.items():
        found[label] = look(side, count[side])
        count[side] += 1
    return found


def fade(drawn: Look, behind: int) -> Look:
    """The same in a race that is so many races behind the latest one: thinner and paler."""
    step = min(behind, len(WIDTHS) - 1)
    light, dark = (_mixed(getattr(drawn, paper), far, PALER[step]) for paper, far in PAPER.items())
    return drawn._replace(light=light, dark=dark, width=WIDTHS[step])


def tint(side: str, share: float) -> str:
    """The colour of a side for an area: so far on the way to white."""
    return _mixed(SHADES[side]["light"][0], PAPER["light"], share)


def _mixed(colour: str, other: str, share: float) -> str:
    pairs = ((int(a[k : k + 2], 16) for a in (colour, other)) for k in (1, 3, 5))
    return "#" + "".join(f"{round(own + share * (far - own)):02X}" for own, far in pairs)
