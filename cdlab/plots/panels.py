"""Several panels side by side, as papers show them: medians in bands over seeds, levels, and one legend for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..numerics import checks
from .elements import DASHED, Axes, layout
from .lines import Band, Run, band, points_to_draw, points_to_mark
from .style import SHADES, LineStyle, looks_for

if TYPE_CHECKING:
    import holoviews

MAX_POINTS = 120  # Points of a line, at most: a panel is a third of a page wide.
HEIGHT = 280
ROOM_ABOVE_LOG, ROOM_ABOVE_LINEAR = 2, 1.05  # the axis ends at so many times the top: a cross stands on the edge


@dataclass(frozen=True)
class Curve:
    """The runs of one method, or any quantity that was measured several times.

    Attributes
    ----------
    label : str
        In the legend; the same label looks the same in all panels.
    side : "primal", "dual", "full" or ""
        Its colour, see `look`; where all curves of a picture have one side, each has a colour of its own.
    runs : sequence of (x, y)
        Arrays (points,) of each seed. Drawn are their median, and a band from the lowest to the highest.
    bound : (x, y), optional
        What a theorem promises of it: a thin dashed line of the same colour.
    """

    label: str
    side: str
    runs: Sequence[tuple[Any, Any]]
    bound: tuple[Any, Any] | None = None


@dataclass(frozen=True)
class Panel:
    """Panel of a picture.

    Attributes
    ----------
    curves : sequence of Curve
    title, x_label, y_label : str
    x_log, y_log : bool, default False and True
        Whether an axis is logarithmic. On such an axis what is not a number > 0 is left out.
    levels, marks : sequence of float
        Dashed horizontal lines, and dashed vertical ones.
    top : float, optional
        The upper edge. A curve that rises above it, or is no number, is drawn to it and ends there with a cross.
    """

    curves: Sequence[Curve]
    title: str = ""
    x_label: str = ""
    y_label: str = ""
    x_log: bool = False
    y_log: bool = True
    levels: Sequence[float] = ()
    marks: Sequence[float] = ()
    top: float | None = None


def panels(parts: Sequence[Panel], *, columns: int = 3, height: int = HEIGHT) -> holoviews.Layout:
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
    holoviews.Layout
        Of an overlay for each panel.

    Raises
    ------
    ValueError
        Without a panel; for a label that has two sides, an unknown side, or runs whose x falls or differs in length
        from y.

    Examples
    --------
    >>> up, down = Curve("up", "dual", [([0, 1], [1, 2])]), Curve("down", "primal", [([0, 1], [2, 1])])
    >>> len(panels([Panel([up], "one"), Panel([up, down], "two")]))
    2
    """
    if not parts:
        raise ValueError("a picture needs at least one panel")
    checks.integer("columns", columns, "a whole number >= 1")
    sides: dict[str, str] = {}
    for curve in (curve for part in parts for curve in part.curves):
        checks.one_of("a side", curve.side, SHADES)
        if sides.setdefault(curve.label, curve.side) != curve.side:
            label = checks.short_repr(curve.label)
            raise ValueError(f"{label} is of the side {sides[curve.label]!r} and {curve.side!r}: choose one")
    looks = looks_for(sides)
    last_row = (len(parts) - 1) // columns * columns
    drawn = [_panel(part, looks, height, k, k == last_row) for k, part in enumerate(parts)]
    return layout(drawn, columns)


def curves(
    lines: Mapping[str, tuple[Any, Any]],
    x_label: str = "",
    y_label: str = "",
    *,
    bounds: Mapping[str, tuple[Any, Any]] | None = None,
    x_log: bool = False,
    y_log: bool = False,
    top: float | None = None,
    height: int = HEIGHT,
) -> holoviews.Layout:
    """Lines by their labels, each of a colour, dash and marker of its own.

    Parameters
    ----------
    lines : mapping to (x, y)
        Arrays (points,), x not falling.
    x_label, y_label : str, default ""
        Of the axes.
    bounds : mapping to (x, y), optional
        By the label of its line, what a theorem promises of it.
    x_log, y_log : bool, default False
        Whether an axis is logarithmic; what is not a number > 0 is then left out.
    top : float, optional
        The upper edge, see `Panel`.
    height : int, default 280
        In pixels.

    Returns
    -------
    holoviews.Layout
        Of one overlay.

    Raises
    ------
    ValueError
        As `panels`.

    Examples
    --------
    >>> len(curves({"square": ([0, 1, 2], [0, 1, 4])}, "x", "y"))
    1
    """
    bounds = bounds or {}
    parts = [Curve(label, "", [line], bounds.get(label)) for label, line in lines.items()]
    panel = Panel(parts, "", x_label, y_label, x_log=x_log, y_log=y_log, top=top)
    return panels([panel], columns=1, height=height)


def _panel(part: Panel, looks: dict[str, LineStyle], height: int, k: int, with_legend: bool) -> Any:
    """The k-th panel; that with the legend has an empty curve for each label that it lacks."""
    # a name of its own unlinks its axes from those of the other panels
    axes = Axes(part.x_label, part.y_label, part.title, x_log=part.x_log, y_log=part.y_log, name=f" {k}")
    known = set()
    for curve in part.curves:
        look = looks[curve.label]
        if not (runs := [run for x, y in curve.runs if (run := _to_scale(part, curve, x, y)).x.size]):
            continue
        found, crosses = _cut_at_top(part, band(runs))
        x = _values(found.x, part.x_log)
        low, middle, high = (_values(each, part.y_log) for each in found[1:])
        if len(runs) > 1:
            edges = np.union1d(*(points_to_draw(found.x, edge, MAX_POINTS) for edge in (found.low, found.high)))
            axes.band(x[edges], low[edges], high[edges], look)
        points = points_to_draw(found.x, found.middle, MAX_POINTS)
        axes.curve(x[points], middle[points], look, curve.label)
        points = np.setdiff1d(points_to_mark(found.x), crosses)
        axes.markers(x[points], middle[points], look, curve.label, size=7)
        if crosses.size:
            axes.markers(x[crosses], middle[crosses], look._replace(marker="x"), size=9)
        known.add(curve.label)
        if curve.bound is not None:
            axes.bound(np.asarray(curve.bound[0]), np.asarray(curve.bound[1]), look)
    if with_legend:
        for label in [each for each in looks if each not in known]:
            axes.curve([], [], looks[label], label)
            axes.markers([], [], looks[label], label, size=7)
    for at in sorted(part.levels):
        axes.level(at, dash=DASHED)
    for at in sorted(part.marks):
        axes.level(at, upright=True, dash=DASHED)
    above = None if part.top is None else part.top * (ROOM_ABOVE_LOG if part.y_log else ROOM_ABOVE_LINEAR)
    return axes.overlay(y_range=(None, above), height=height, show_legend=with_legend)


def _to_scale(part: Panel, curve: Curve, x: Any, y: Any) -> Run:
    """A run on the scales of the axes: log10 on a logarithmic axis, so that interpolation is linear as drawn."""
    x, y, label = np.asarray(x, dtype=float), np.asarray(y, dtype=float), checks.short_repr(curve.label)
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"a run of {label} needs one y for each x; there are {x.shape} and {y.shape}")
    if np.any(np.diff(x) < 0):
        raise ValueError(f"the x of a run of {label} must not fall: sort its points")
    if part.top is not None:
        y = np.minimum(np.where(np.isnan(y), np.inf, y), part.top)
    with np.errstate(divide="ignore", invalid="ignore"):
        x, y = np.log10(x) if part.x_log else x, np.log10(y) if part.y_log else y
    visible = np.isfinite(x) & np.isfinite(y)
    return Run(x[visible], y[visible])


def _cut_at_top(part: Panel, found: Band) -> tuple[Band, np.ndarray]:
    """The band where its median is below the top or next to such a point, and the indices at the top."""
    if part.top is None:
        return found, np.empty(0, dtype=int)
    below = found.middle < (np.log10(part.top) if part.y_log else part.top)
    kept = np.convolve(below, [1, 1, 1])[1:-1] > 0
    return Band(*(each[kept] for each in found)), np.flatnonzero(~below[kept])


def _values(heights: np.ndarray, log: bool) -> np.ndarray:
    return 10**heights if log else heights
