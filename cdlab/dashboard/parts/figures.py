"""bokeh's figures on the page: those of HoloViews pictures, and a legend in as many columns as there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.document import Document
from bokeh.models import CustomJS, Legend, LegendItem, Plot

from ...plots.elements import (
    HOLOVIEWS_LOCK,
    LEGEND_GLYPH,
    LEGEND_MARGIN,
    LEGEND_ROW,
    LETTER,
    legend_columns,
    load_holoviews,
)

# the browser lays a legend out in a given number of columns: how many there is room for, only it knows
FITTED = """
  const columns = Math.max(1, Math.min(count, Math.floor(figure.inner_width / column)))
  if (figure.inner_width > 0 && legend.ncols !== columns) {
    legend.ncols = columns
    figure.height = height + row * Math.ceil(count / columns)
  }
"""


def bokeh_figure(picture: Any) -> Plot:
    """A HoloViews picture as bokeh's figure, whose legend fits it.

    In a document of its own, which only a renderer of mode "server" takes: any other hangs the picture on bokeh's
    global document, which never ends.
    """
    with HOLOVIEWS_LOCK:  # pages draw in threads
        figure = load_holoviews().renderer("bokeh").instance(mode="server").get_plot(picture, doc=Document()).state
    for legend in figure.legend:
        if legend.items:
            labels = [item.label["value"] for item in legend.items]
            _fit(figure, legend, labels, figure.height - LEGEND_ROW * -(-len(labels) // legend_columns(labels)))
    return figure


def add_legend(figure: Any, items: Sequence[LegendItem], labels: Sequence[str], place: str) -> None:
    """Add a legend to a figure, and the height that it takes.

    Parameters
    ----------
    figure : bokeh figure
        It is changed in place.
    items : sequence of LegendItem
        Nothing is added if there are none.
    labels : sequence of str
        Their labels, which decide how many columns there is room for.
    place : "above" or "below"
        The side of the figure.
    """
    if not items:
        return
    columns = legend_columns(labels)
    legend = Legend(items=list(items), ncols=columns, glyph_width=LEGEND_GLYPH, border_line_color=None)
    legend.update(padding=4, margin=4, spacing=9, glyph_height=16)
    legend.update(label_text_font_size="13px", location="left", background_fill_alpha=0)
    height = figure.height
    figure.height = height + LEGEND_ROW * -(-len(items) // columns)
    figure.add_layout(legend, place)
    _fit(figure, legend, labels, height)


def _fit(figure: Any, legend: Legend, labels: Sequence[str], height: int) -> None:
    """Have the browser choose the columns; without a legend the figure would be so high."""
    column = LEGEND_GLYPH + LEGEND_MARGIN + LETTER * max(map(len, labels))
    fit = {"figure": figure, "legend": legend, "count": len(labels), "column": column, "row": LEGEND_ROW,
           "height": height}  # fmt: skip
    figure.js_on_change("inner_width", CustomJS(args=fit, code=FITTED))
