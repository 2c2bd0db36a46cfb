"""Each kind of mark of the pictures here, drawn on matplotlib's axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .reading import MARKERS, POINTS, Glyph, scale

Place = Callable[[Any], Any]  # of a category or a number on an axis


def mark(axes: Any, glyph: Glyph, x: Place, y: Place) -> None:
    """Draw the marks of one glyph.

    Raises
    ------
    ValueError
        If no picture here has such marks.
    """
    if glyph.kind not in DRAWN:
        raise ValueError(f"marks of the kind {glyph.kind} cannot be saved; known kinds are {', '.join(DRAWN)}")
    DRAWN[glyph.kind](axes, glyph, x, y)


def _lines(axes: Any, glyph: Glyph, x: Place, y: Place) -> None:
    looks = zip(glyph.alphas("line"), glyph.widths(), glyph.dashes(), strict=True)
    for xs, ys, (colour, width, style) in zip(glyph.rows("xs"), glyph.rows("ys"), looks, strict=True):
        if len(xs):
            axes.plot(x(xs), y(ys), color=colour, linewidth=width, linestyle=style)


def _line(axes: Any, glyph: Glyph, x: Place, y: Place) -> None:
    if glyph.size:
        look = {"color": glyph.alphas("line")[0], "linewidth": glyph.widths()[0], "linestyle": glyph.dashes()[0]}
        axes.plot(x(glyph.rows("x")), y(glyph.rows("y")), **look)


def _patches(axes: Any, glyph: Glyph, x: Place, y: Place) -> None:
    looks = zip(glyph.alphas("fill"), glyph.alphas("line"), glyph.widths(), strict=True)
    for xs, ys, (fill, edge, width) in zip(glyph.rows("xs"), glyph.rows("ys"), looks, strict=True):
        axes.fill(x(xs), y(ys), facecolor=fill, edgecolor=edge, linewidth=width)


def points(glyph: Glyph) -> list[dict[str, Any]]:
    """The look of each marker, for ``axes.plot`` and for a legend."""
    columns = glyph.rows("marker"), glyph.rows("size"), glyph.alphas("fill"), glyph.alphas("line"), glyph.widths()
    return [
        {
            "marker": MARKERS[marker],
            "markersize": POINTS * size,
            "markerfacecolor": fill,
            "markeredgecolor": edge,
            "markeredgewidth": width,
        }
        for marker, size, fill, edge, width in zip(*columns, strict=True)
    ]


def _scatter(axes: Any, glyph: Glyph, x: Place, y: Place) -> None:
    for at, up, look in zip(x(glyph.rows("x")), y(glyph.rows("y")), points(glyph), strict=True):
        if np.isfinite(at) and np.isfinite(up):
            axes.plot([at], [up], linestyle="none", zorder=3, **look)


def _boxes(axes: Any, glyph: Glyph, left: Any, right: Any, bottom: Any, top: Any) -> None:
    from matplotlib.collections import PolyCollection

    corners = [[(a, c), (b, c), (b, d), (a, d)] for a, b, c, d in zip(left, right, bottom, top, strict=True)]
    looks: dict[str, Any] = {
        "facecolors": glyph.alphas("fill"),
        "edgecolors": glyph.alphas("line"),
        "linewidths": glyph.widths(),
    }
    axes.add_collection(PolyCollection(corners, **looks))
    axes.autoscale_view()


def _quad(axes: Any, glyph: Glyph, x: Place, y: Place) -> None:
    edges = [x(glyph.rows(name)) for name in ("left", "right")] + [y(glyph.rows(name)) for name in ("bottom", "top")]
    _boxes(axes, glyph, *edges)


def _bars(axes: Any, glyph: Glyph, x: Place, y: Place) -> None:
    middle, half = y(glyph.rows("y")), np.asarray(glyph.rows("height"), dtype=float) / 2
    _boxes(axes, glyph, x(glyph.rows("left")), x(glyph.rows("right")), middle - half, middle + half)


def _image(axes: Any, glyph: Glyph, x: Place, y: Place) -> None:
    norm, colours = scale(glyph.mapper())
    for image, left, low, width, height in zip(*(glyph.rows(n) for n in ("image", "x", "y", "dw", "dh")), strict=True):
        extent = (left, left + width, low, low + height)
        axes.imshow(image, extent=extent, origin="lower", aspect="auto", cmap=colours, norm=norm)


def _texts(axes: Any, glyph: Glyph, x: Place, y: Place) -> None:
    columns = (glyph.rows(n) for n in ("text", "text_align", "text_baseline", "x_offset", "y_offset"))
    for at, up, words, align, base, right, down in zip(x(glyph.rows("x")), y(glyph.rows("y")), *columns, strict=True):
        offset = (POINTS * right, -POINTS * down)
        base = {"middle": "center", "alphabetic": "baseline"}.get(base, base)
        axes.annotate(words, (at, up), offset, textcoords="offset points", ha=align, va=base)


DRAWN = {
    "HBar": _bars,
    "Image": _image,
    "Line": _line,
    "MultiLine": _lines,
    "Patches": _patches,
    "Quad": _quad,
    "Scatter": _scatter,
    "Text": _texts,
}
