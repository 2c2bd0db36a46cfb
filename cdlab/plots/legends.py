"""A legend beneath or above a figure, in as many columns as the figure has room for, however wide the page makes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.models import CustomJS, Legend, LegendItem

BETWEEN = 9  # pixels, both ways
ROW = 16 + BETWEEN
GLYPH = 34
LETTER = 7.5  # a little more than the mean of text, 13 pixels high
AROUND = 26
USUAL = 900  # pixels that a figure has before the browser says how many

# the browser lays a legend out in a given number of columns: how many there is room for, only it knows
FITTED = """
  const columns = Math.max(1, Math.min(count, Math.floor(figure.inner_width / column)))
  if (figure.inner_width > 0 && legend.ncols !== columns) {
    legend.ncols = columns
    figure.height = height + row * Math.ceil(count / columns)
  }
"""


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
    column = GLYPH + AROUND + LETTER * max(map(len, labels))
    columns = max(1, min(len(items), int(USUAL / column)))
    legend = Legend(items=list(items), ncols=columns, glyph_width=GLYPH, border_line_color=None)
    legend.update(padding=4, margin=4, spacing=BETWEEN, glyph_height=ROW - BETWEEN)
    legend.update(label_text_font_size="13px", location="left", background_fill_alpha=0)
    height = figure.height
    figure.height = height + ROW * -(-len(items) // columns)
    fit = {"figure": figure, "legend": legend, "count": len(items), "column": column, "row": ROW, "height": height}
    figure.js_on_change("inner_width", CustomJS(args=fit, code=FITTED))
    figure.add_layout(legend, place)
