"""One plot of bokeh on matplotlib's axes: scales, marks, labels, and the legend."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.models import ColorBar, FactorRange, FixedTicker, Legend, LogScale, Plot, Span

from .marks import Place, mark, points
from .reading import POINTS, Glyph, dashes, scale


def draw(plot: Plot, axes: Any) -> None:
    """Draw a plot on matplotlib's axes; their figure holds nothing else, or plots without legends."""
    if plot.title is not None and plot.title.text:
        axes.set_title(plot.title.text)
    for name, kind in (("x", plot.x_scale), ("y", plot.y_scale)):
        getattr(axes, f"set_{name}scale")("log" if isinstance(kind, LogScale) else "linear")
    x, y = _place(plot.x_range), _place(plot.y_range)
    for renderer in plot.renderers:
        if renderer.visible:
            mark(axes, Glyph(renderer), x, y)
    parts = plot.references()
    spans = [span for span in parts if isinstance(span, Span) and span.location is not None]
    for span in sorted(spans, key=lambda span: (span.dimension, span.location)):  # they come in any order
        across = axes.axhline if span.dimension == "width" else axes.axvline
        width = POINTS * span.line_width
        across(span.location, color=span.line_color, linewidth=width, linestyle=dashes(span.line_dash))
    _axis(axes, "x", plot.x_range, plot.below, plot.xaxis, plot.xgrid)
    _axis(axes, "y", plot.y_range, plot.left, plot.yaxis, plot.ygrid)
    axes.set_frame_on(plot.outline_line_color is not None)
    for part in parts:
        if isinstance(part, Legend):
            _legend(axes, plot, part)
        elif isinstance(part, ColorBar):
            _colour_bar(axes, part)


def _place(span: Any) -> Place:
    """The places of numbers on an axis, or of categories, which bokeh puts in the middle of unit steps."""
    if isinstance(span, FactorRange):
        places = {factor: k + 0.5 for k, factor in enumerate(span.factors)}
        return lambda values: np.array([places[value] for value in values])
    return lambda values: np.asarray(values, dtype=float)


def _axis(axes: Any, name: str, span: Any, panel: list, both: Any, grids: Any) -> None:
    axis, own = getattr(axes, f"{name}axis"), both[0]
    set_limits = getattr(axes, f"set_{name}lim")
    if isinstance(span, FactorRange):
        set_limits(0, len(span.factors))
        axis.set_ticks([k + 0.5 for k in range(len(span.factors))], labels=span.factors)
    else:
        start, end = (None if limit is None or np.isnan(limit) else limit for limit in (span.start, span.end))
        set_limits(start, end)
    if isinstance(own.ticker, FixedTicker):
        words = own.major_label_overrides
        axis.set_ticks(own.ticker.ticks, labels=[words.get(tick, f"{tick:g}") for tick in own.ticker.ticks])
        axis.set_ticks([], minor=True)
    elif axis.get_scale() == "log":
        _log_ticks(axis, *sorted(axis.get_view_interval()))
    axis.set_visible(own.visible)
    if own.axis_label:
        axis.set_label_text(own.axis_label)
    if grids[0].visible:
        axis.grid(color="#e5e5e5", linewidth=0.75)


def _log_ticks(axis: Any, low: float, high: float) -> None:
    """Powers of ten where there are two or more, else plain numbers: matplotlib's own labels run into each other."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

    axis.set_minor_formatter(NullFormatter())
    if np.floor(np.log10(high)) - np.ceil(np.log10(low)) < 1:
        axis.set_major_locator(MaxNLocator(5) if high < 10 * low else LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(StrMethodFormatter("{x:g}"))


def _legend(axes: Any, plot: Plot, legend: Legend) -> None:
    items = [item for item in legend.items if item.visible]
    if not items or not legend.visible:
        return
    handles, labels = [_handle(item) for item in items], [item.label.value for item in items]
    columns = legend.ncols if isinstance(legend.ncols, int) else len(items) if legend.orientation == "horizontal" else 1
    common = {"handles": handles, "labels": labels, "ncols": columns, "handlelength": 3.2, "frameon": False}
    if legend in plot.center:
        inside = legend.location.replace("top", "upper").replace("bottom", "lower").replace("_", " ")
        axes.legend(loc=inside, **common)
    else:
        side = "upper" if legend in plot.above else "lower"
        common["ncols"] = columns - (columns > 4)  # matplotlib's letters are wider than a browser's
        axes.figure.legend(loc=f"outside {side} center", **common)


def _handle(item: Any) -> Any:
    """The line and the marker of one item, from the row that it names."""
    from matplotlib.lines import Line2D

    row = item.index or 0
    look: dict[str, Any] = {"color": "none"}
    for glyph in map(Glyph, item.renderers):
        if glyph.kind == "Scatter":
            look |= points(glyph)[row]
        else:
            look |= {"color": glyph.alphas("line")[row], "linewidth": glyph.widths()[row]}
            look |= {"linestyle": glyph.dashes()[row]}
    return Line2D([], [], **look)


def _colour_bar(axes: Any, bar: ColorBar) -> None:
    from matplotlib.cm import ScalarMappable

    norm, colours = scale(bar.color_mapper)
    ticks = bar.ticker.ticks if isinstance(bar.ticker, FixedTicker) else None
    drawn = axes.figure.colorbar(ScalarMappable(norm, colours), ax=axes, ticks=ticks, label=bar.title or "")
    if ticks is not None:
        drawn.set_ticklabels([bar.major_label_overrides.get(tick, f"{tick:g}") for tick in ticks])
        drawn.minorticks_off()
