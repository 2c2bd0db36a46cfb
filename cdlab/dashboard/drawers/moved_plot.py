"""Bounds as functions of one quantity: passes against it, a curve for each method, and the points where two cross."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, GlyphRenderer, LegendItem, MultiLine, Range1d, Scatter, Span
from bokeh.plotting import figure

from ...plots.style import Look
from ..parts.figures import add_legend

MARKED = 6  # markers a curve


class MovedPlot:
    """A figure of bounds that is redrawn in place whenever a number is changed.

    Parameters
    ----------
    labels : sequence of str
    looks : sequence of Look
        One for each curve.
    height : int, default 320
        In pixels, without the legend.

    Attributes
    ----------
    figure : bokeh figure
        It changes in place.
    """

    def __init__(self, labels: Sequence[str], looks: Sequence[Look], height: int = 320):
        self._looks = list(looks)
        self.figure = figure(
            height=height,
            sizing_mode="stretch_width",
            x_axis_type="log",
            y_axis_type="log",
            x_range=Range1d(1, 10),
            y_range=Range1d(1, 10),
            y_axis_label="passes, by the bound",
            tools="box_zoom,reset,save",
            toolbar_location="below",
        )
        self.figure.toolbar.logo = None
        self._lines = ColumnDataSource({name: [] for name in ("xs", "ys", "colour", "dash")})
        self._marks = ColumnDataSource({name: [] for name in ("x", "y", "colour", "marker")})
        self._crossings = ColumnDataSource({"x": [], "y": [], "size": []})
        lines = self._add(
            self._lines, MultiLine(xs="xs", ys="ys", line_color="colour", line_dash="dash", line_width=2.4)
        )
        self._add(self._crossings, Scatter(x="x", y="y", size="size", fill_color="white", line_color="#333333"))
        look = {"marker": "marker", "size": 9, "fill_color": "colour", "line_color": "white"}
        marks = self._add(self._marks, Scatter(x="x", y="y", **look))
        self._here = Span(dimension="height", line_color="#767676", line_dash="dotdash", line_width=1.5)
        self.figure.add_layout(self._here)
        items = [LegendItem(label=label, renderers=[lines, marks], index=k) for k, label in enumerate(labels)]
        add_legend(self.figure, items, labels, "above")
        for axis in (*self.figure.xaxis, *self.figure.yaxis):
            axis.update(axis_label_text_font_style="normal", axis_label_text_font_size="14px")
            axis.major_label_text_font_size = "12px"

    def _add(self, source: ColumnDataSource, glyph: Any) -> GlyphRenderer:
        return self.figure.add_glyph(source, glyph)

    def show(
        self,
        xs: np.ndarray,
        curves: np.ndarray,
        here: float,
        name: str,
        crossings: Sequence[tuple[float, float, bool]] = (),
    ) -> None:
        """Draw the curves.

        Parameters
        ----------
        xs : (points,) array
            Values of the quantity, increasing and positive.
        curves : (curves, points) array
            Passes; NaN leaves a gap.
        here : float
            The present value of the quantity: a vertical line.
        name : str
            The name of the quantity.
        crossings : sequence of (x, y, leads)
            Circles; larger ones where no curve is lower.
        """
        colours = [look.light for look in self._looks]
        self._lines.data = {
            "xs": [xs] * len(curves),
            "ys": [np.where(ys > 0, ys, np.nan) for ys in curves],
            "colour": colours,
            "dash": [look.line_dash for look in self._looks],
        }
        # the k-th mark belongs to the k-th line: the legend takes its marker there
        rows = [_marked(k, xs, ys) for k, ys in enumerate(curves)]
        owned = [row[0] for row in rows] + [each for row in rows for each in row[1:]]
        self._marks.data = {
            "x": [x for _, x, _ in owned],
            "y": [y for _, _, y in owned],
            "colour": [colours[k] for k, _, _ in owned],
            "marker": [self._looks[k].marker for k, _, _ in owned],
        }
        xyz = list(crossings)
        self._crossings.data = {
            "x": [x for x, _, _ in xyz],
            "y": [y for _, y, _ in xyz],
            "size": [18 if leads else 12 for _, _, leads in xyz],
        }
        self._here.location = here
        self.figure.xaxis[0].axis_label = name
        self.figure.x_range.update(start=float(xs[0]), end=float(max(xs[-1], 1.01 * xs[0])))
        drawn = curves[np.isfinite(curves) & (curves > 0)]
        if drawn.size:
            self.figure.y_range.update(start=float(drawn.min()) / 1.5, end=float(drawn.max()) * 1.5)


def _marked(k: int, xs: np.ndarray, ys: np.ndarray) -> list[tuple[int, float, float]]:
    """A few points of the k-th curve, different from those of its neighbours."""
    there = np.flatnonzero(np.isfinite(ys) & (ys > 0))
    if not there.size:
        return [(k, np.nan, np.nan)]
    step = max(1, there.size // MARKED)
    return [(k, float(xs[j]), float(ys[j])) for j in there[(k * 2) % step :: step]]
