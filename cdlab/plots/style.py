"""Colours, dashes and markers of all pictures. A colour says a side, or names a curve where all have one side.

Primal is orange, dual blue, methods that take the whole gradient grey-green. Curves of one colour differ by shade, dash
and marker, and any two of a picture without colours by dash or marker. Figures are drawn for light paper; the dashboard
turns them over in the dark, so that hues stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..methods import METHODS, Method
from ..methods.shared.full_gradient import FullGradient
from ..numerics import checks
from ..runs.trace import Trace

# All can be read as text (4.5:1) on the dashboard's paper, light and dark, those for light paper also where it is
# turned over. "" is what has no side, or none that is known.
SHADES = {
    "primal": {"light": ("#B84A00", "#7A3000", "#A65A2A"), "dark": ("#FF9A45", "#FFC999", "#D9A27A")},
    "dual": {"light": ("#0B63A8", "#083E6E", "#3D7E9A"), "dark": ("#6CB2F0", "#B0D6FA", "#7FB9C9")},
    "full": {"light": ("#4F6B5B", "#2F4A3C", "#6B7A58"), "dark": ("#9DB8A8", "#C9DACF", "#A9B48F")},
    "": {"light": ("#5A5A5A", "#2B2B2B", "#707070"), "dark": ("#B4B4B4", "#DCDCDC", "#9C9C9C")},
}
# Where all curves have one side: any two differ for every colour vision, neighbours also in lightness.
PALETTE = ("#0066AA", "#EE4488", "#004422", "#888800", "#660066", "#AA6644", "#0000CC", "#EE22EE")
PALETTE_MARKERS = ("circle", "square", "triangle", "diamond", "inverted_triangle", "plus", "hex")
# 3 shades, 5 dashes and 4 markers: of 12 methods of a side, two have at most one of them in common
DASHES = ((), (12, 4), (12, 4, 2, 4), (6, 3), (12, 4, 2, 4, 2, 4))  # lengths drawn and left out; () is solid
MARKERS = {
    "primal": ("square", "diamond", "square_pin", "plus"),
    "dual": ("circle", "triangle", "inverted_triangle", "triangle_pin"),
    "full": ("hex", "star", "square", "triangle"),  # the last two never with the dashes that the other sides give them
    "": ("circle", "square", "triangle", "diamond"),
}
BOUND_DASH = (6, 9)  # Of two equal bounds, one shows in the gaps of the other.
BOUND_SHIFT = 5
PAPER = {"light": "#FFFFFF", "dark": "#14181E"}


class LineStyle(NamedTuple):
    """Colours, dash, marker and width of a curve.

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
    width: float = 2.4

    @property
    def line_dash(self) -> str:
        """The dash as bokeh takes it, such as "12 4" or "solid"."""
        return " ".join(map(str, self.dash)) or "solid"


def look(side: str, k: int = 0) -> LineStyle:
    """The look of the k-th method of a side.

    Parameters
    ----------
    side : "primal", "dual", "full" or ""
        "full" is for methods that take the whole gradient, "" for what has no side.
    k : int, default 0
        Counted within the side, from 0.

    Returns
    -------
    LineStyle

    Raises
    ------
    ValueError
        For another side.

    Examples
    --------
    >>> look("dual", 1).light, look("dual", 1).line_dash
    ('#083E6E', '12 4')
    """
    checks.one_of("a side", side, SHADES)
    light, dark = (SHADES[side][paper][k % len(SHADES[side][paper])] for paper in PAPER)
    return LineStyle(light, dark, DASHES[k % len(DASHES)], MARKERS[side][k % len(MARKERS[side])])


def palette_look(k: int) -> LineStyle:
    """The look of the k-th curve of a picture whose colours say no side."""
    colour = PALETTE[k % len(PALETTE)]
    marker = PALETTE_MARKERS[k % len(PALETTE_MARKERS)]
    return LineStyle(colour, _mix(colour, PAPER["light"], 0.5), DASHES[k % len(DASHES)], marker)


def looks_by_side(sides: Mapping[str, str]) -> dict[str, LineStyle]:
    """The look of each curve, by label, from the side of each: see `look`."""
    found: dict[str, LineStyle] = {}
    count = dict.fromkeys(SHADES, 0)
    for label, side in sides.items():
        found[label] = look(side, count.get(side, 0))
        count[side] += 1
    return found


def looks_for(sides: Mapping[str, str]) -> dict[str, LineStyle]:
    """The look of each curve of a picture, by label: by side, or a colour for each curve where all have one side."""
    found = looks_by_side(sides)
    if len(found) > 1 and len(set(sides.values())) == 1:
        return {label: palette_look(k) for k, label in enumerate(found)}
    return found


def tint(side: str, share: float) -> str:
    """The colour of a side for an area: so far on the way to white."""
    return _mix(SHADES[side]["light"][0], PAPER["light"], share)


def _mix(colour: str, other: str, share: float) -> str:
    pairs = ((int(a[k : k + 2], 16) for a in (colour, other)) for k in (1, 3, 5))
    return "#" + "".join(f"{round(own + share * (far - own)):02X}" for own, far in pairs)


# ------------------------------------------------------------ which side
def side(trace: Trace) -> str:
    """The side whose coordinates the method of a trace moves: "dual" or "primal".

    It is "" for a trace that does not say it, of a method that is not in METHODS.
    """
    known = METHODS.get(trace.meta.get("method", "").partition("(")[0])
    said = trace.meta.get("side")
    return said if said in ("dual", "primal") else known.side if known else ""


def side_of(method: Method | type[Method]) -> str:
    """The side of a method: "primal" or "dual", or "full" if it is a gradient method on all of the data.

    Examples
    --------
    >>> [side_of(METHODS[name]) for name in ("rcd", "greedy", "sdca", "adasdca", "lbfgs")]
    ['primal', 'primal', 'dual', 'dual', 'full']
    """
    kind = method if isinstance(method, type) else type(method.unwrapped)
    return "full" if issubclass(kind, FullGradient) else method.side


def side_by_label(label: str, side: str) -> str:
    """Return the side of a run by its label, such as "sdca, uniform", and the side of its coordinates."""
    known = METHODS.get(label.partition(",")[0].partition("(")[0])
    return "full" if known is not None and side_of(known) == "full" else side


def side_of_run(trace: Trace) -> str:
    """Return the side of a trace as pictures colour it; "" if nobody knows: see `side`."""
    return side_by_label(trace.meta.get("method", ""), side(trace))
