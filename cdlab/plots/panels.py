"""Several panels side by side, as papers show them: medians in bands over seeds, levels, and one legend for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from bokeh.layouts import gridplot
from bokeh.models import GlyphRenderer, GridPlot, LegendItem, Span
from bokeh.plotting import figure

from ..numerics import checks
from .bands import Run, band
from .legends import add_legend
from .looks import SHADES, Look, looks_for
from .thinning import thinned

MARKED = 10  # a marker at every so many records,
SPACES = 15  # and one in each of so many parts of a curve at most
POINTS = 120  # of a line: a panel is a third of a page wide
EPS = float(np.finfo(float).tiny)
GREY = "#767676"


@dataclass(frozen=True)
class Curve:
    """The runs of one method, or any quantity that was measured several times.

    Attributes
    ----------
    label : str
        In the legend; the same label looks the same in all panels.
    side : "primal", "dual", "full" or ""
        Its colour, see `look`.
    runs : sequence of (x, y)
        Arrays (points,) of each seed. Drawn are their median, and a band from the lowest to the highest.
    """

    label: str
    side: str
    runs: Sequence[tuple[Any, Any]]


@dataclass(frozen=True)
class Panel:
    """One panel.

    Attributes
    ----------
    curves : sequence of Curve
    title, x_label, y_label : str
    x_log, y_log : bool, default False and True
        Whether an axis is logarithmic. On such an axis what is not a number > 0 is left out.
    levels, marks : sequence of float
        Dashed horizontal lines, and dashed vertical ones.
    """

    curves: Sequence[Curve]
    title: str = ""
    x_label: str = ""
    y_label: str = ""
    x_log: bool = False
    y_log: bool = True
    levels: Sequence[float] = ()
    marks: Sequence[float] = ()


def panels(parts: Sequence[Panel], *, columns: int = 3, height: int = 280) -> GridPlot:
    """Panels in a grid, row by row, with one legend; `save` writes them as SVG, PNG or PDF.

    Parameters
    ----------
    parts : sequence of Panel
        At least one.
    columns : int, default 3
        Panels in a row.
    height : int, default 280
        Of a panel, in pixels.

    Returns
    -------
    bokeh GridPlot

    Raises
    ------
    ValueError
        Without a panel; for a label that has two sides, an unknown side, or runs whose x and y differ in length.

    Examples
    --------
    >>> up, down = Curve("up", "dual", [([0, 1], [1, 2])]), Curve("down", "primal", [([0, 1], [2, 1])])
    >>> len(panels([Panel([up], "one"), Panel([up, down], "two")]).children)
    2
    """
    if not parts:
        raise ValueError("a picture needs at least one panel")
    checks.integer("columns", columns, "a whole number >= 1")
    sides: dict[str, str] = {}
    for curve in (curve for part in parts for curve in part.curves):
        if curve.side not in SHADES:
            raise ValueError(f"a side is one of {', '.join(map(repr, SHADES))}, not {curve.side!r}")
        if sides.setdefault(curve.label, curve.side) != curve.side:
            raise ValueError(f"{curve.label!r} is of the side {sides[curve.label]!r} and {curve.side!r}: choose one")
    looks = looks_for(sides)
    figures = [_figure(part, looks, height) for part in parts]
    _legend(figures[(len(figures) - 1) // columns * columns], looks)
    rows = [figures[k : k + columns] for k in range(0, len(figures), columns)]
    return gridplot(rows, toolbar_location=None, sizing_mode="stretch_width")


def _figure(part: Panel, looks: dict[str, Look], height: int) -> figure:
    plot = figure(
        height=height, title=part.title, x_axis_label=part.x_label, y_axis_label=part.y_label,
        x_axis_type="log" if part.x_log else "linear", y_axis_type="log" if part.y_log else "linear",
        toolbar_location=None,
    )  # fmt: skip
    for axis in (*plot.xaxis, *plot.yaxis):
        axis.axis_label_text_font_style = "normal"
    for at, dimension in (*((y, "width") for y in part.levels), *((x, "height") for x in part.marks)):
        plot.add_layout(Span(location=at, dimension=dimension, line_color=GREY, line_dash="dashed"))
    for curve in part.curves:
        _draw(plot, part, curve, looks[curve.label])
    return plot


def _draw(plot: figure, part: Panel, curve: Curve, seen: Look) -> None:
    runs = [run for x, y in curve.runs if (run := _scaled(part, curve, x, y)).x.size]
    if not runs:
        return
    found = band(runs)
    x, low, middle, high = (
        _shown(values, log) for values, log in zip(found, (part.x_log, *3 * [part.y_log]), strict=True)
    )
    if len(runs) > 1:
        up, down = (thinned(found.x, edge, POINTS) for edge in (found.high, found.low))
        edge = np.concatenate([x[up], x[down][::-1]]), np.concatenate([high[up], low[down][::-1]])
        plot.patches([edge[0]], [edge[1]], fill_color=seen.light, fill_alpha=0.18, line_color=None)
    kept = thinned(found.x, found.middle, POINTS)
    marked = np.arange((x.size - 1) % MARKED, x.size, MARKED)  # with the last
    parts = np.ceil(SPACES * (found.x[marked] - found.x[-1]) / max(np.ptp(found.x), EPS))
    marked = marked[::-1][np.unique(parts[::-1], return_index=True)[1]]
    _line(plot, seen, (x[kept], middle[kept]), (x[marked], middle[marked]))


def _line(plot: figure, seen: Look, line: tuple[Any, Any], marks: tuple[Any, Any]) -> list[GlyphRenderer]:
    drawn = plot.line(*line, line_color=seen.light, line_dash=seen.line_dash, line_width=seen.width)
    return [drawn, plot.scatter(*marks, marker=seen.marker, size=7, fill_color=seen.light, line_color="white")]


def _scaled(part: Panel, curve: Curve, x: Any, y: Any) -> Run:
    """A run on the scales of the axes: logarithms, so that between records it is the straight line that is drawn."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"a run of {curve.label!r} needs one y for each x; there are {x.shape} and {y.shape}")
    with np.errstate(divide="ignore", invalid="ignore"):
        x, y = np.log10(x) if part.x_log else x, np.log10(y) if part.y_log else y
    there = np.isfinite(x) & np.isfinite(y)
    return Run(x[there], y[there])


def _shown(values: np.ndarray, log: bool) -> np.ndarray:
    return 10**values if log else values


def _legend(plot: figure, looks: dict[str, Look]) -> None:
    """One legend for all panels, from lines and markers that stand nowhere: a panel need not have every curve."""
    nowhere = ([np.nan], [np.nan])
    items = [LegendItem(label=label, renderers=_line(plot, seen, nowhere, nowhere)) for label, seen in looks.items()]
    add_legend(plot, items, list(looks), "below")
