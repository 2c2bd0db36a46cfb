"""The probabilities of several samplings over the coordinates of one side."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from bokeh.models import LegendItem, Span
from bokeh.plotting import figure

from .legends import add_legend
from .looks import look

LEAST = 1e-3  # of p times m: what is drawn less often is not shown
MOST = 300  # points of a curve: more cannot be told apart
MARKED = 7  # markers a curve
SIDES = {"examples": "dual", "features": "primal"}  # whose methods draw them


def probabilities(p: Mapping[str, np.ndarray], norms2: np.ndarray, coordinates: str, across: str = "rank") -> figure:
    """Draw probabilities times the number of coordinates, so that uniform sampling is a line at 1.

    Parameters
    ----------
    p : mapping of labels to (m,) arrays
        The probabilities of each sampling.
    norms2 : (m,) array
        Squared norms of the coordinates.
    coordinates : "examples" or "features"
        The name of the coordinates, whose side gives the colour.
    across : "rank" or "norm", default "rank"
        Each curve sorted by its own probabilities, as a share of the coordinates; or all of them over the squared norm
        (coordinates with norm 0 have no place on that axis). Values below 0.001 are not drawn.

    Returns
    -------
    bokeh figure

    Raises
    ------
    ValueError
        For another `across`.
    """
    if across not in ("rank", "norm"):
        raise ValueError(f"across must be 'rank' or 'norm', not {across!r}")
    by_norm = across == "norm"
    axis = "squared norm" if by_norm else f"share of the {coordinates},\nthose drawn most often first"
    plot = figure(
        height=320,
        sizing_mode="stretch_width",
        x_axis_type="log" if by_norm else "linear",
        y_axis_type="log",
        x_axis_label=axis,
        y_axis_label="p times their number",
        tools="box_zoom,reset,save",
        toolbar_location="below",
    )
    plot.toolbar.logo = None
    highest, lowest = 2.0, 0.5
    items: list[LegendItem] = []
    for k, (label, each) in enumerate(p.items()):
        xs, ys = _curve(each * each.size, norms2, by_norm)
        there = ys >= LEAST
        xs, ys = xs[there], ys[there]
        if not ys.size:
            continue
        highest, lowest = max(highest, float(ys.max())), min(lowest, float(ys.min()))
        drawn = look(SIDES[coordinates], k)
        line = plot.line(xs, ys, line_width=2.2, line_dash=drawn.line_dash, color=drawn.light)
        few = np.unique(np.linspace(0, ys.size - 1, MARKED).astype(int))
        marks = plot.scatter(xs[few], ys[few], marker=drawn.marker, size=8, fill_color=drawn.light, line_color="white")
        items.append(LegendItem(label=label, renderers=[line, marks]))
    plot.add_layout(Span(location=1, dimension="width", line_color="#767676", line_dash="dotdash"))
    plot.y_range.update(start=lowest / 1.5, end=highest * 1.5)
    add_legend(plot, items, [item.label.value for item in items], "above")
    for each in (*plot.xaxis, *plot.yaxis):
        each.update(axis_label_text_font_style="normal", axis_label_text_font_size="14px")
        each.major_label_text_font_size = "12px"
    return plot


def _curve(p: np.ndarray, norms2: np.ndarray, by_norm: bool) -> tuple[np.ndarray, np.ndarray]:
    """At most MOST of the points, the ends among them."""
    if by_norm:
        seen = np.flatnonzero(norms2 > 0)
        order = seen[np.argsort(norms2[seen], kind="stable")]
        xs = norms2[order]
    else:
        order = np.argsort(-p, kind="stable")
        xs = (np.arange(p.size) + 1) / p.size
    few = np.unique(np.linspace(0, order.size - 1, min(MOST, order.size)).astype(int)) if order.size else order
    return xs[few], p[order][few]
