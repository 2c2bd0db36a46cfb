"""A race that is redrawn in place as it goes on: `plots.race` with all curves as rows of one bokeh glyph."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from bokeh.models import (
    ColumnDataSource,
    GlyphRenderer,
    HoverTool,
    LegendItem,
    MultiLine,
    Patches,
    Range1d,
    Scatter,
    Span,
)
from bokeh.plotting import figure

from ...plots.errors import LINEAR, Y_AXES, Best, Guarantee
from ...plots.race import (
    BEYOND,
    FIRST_VIEW,
    X_AXES,
    Line,
    best_by_run,
    bound_line,
    check_axes,
    line,
    points_each,
    y_range,
)
from ...plots.style import BOUND_DASH, BOUND_SHIFT, Look, looks_by_side
from ...runs.trace import Trace
from ..parts.figures import add_legend


class RacePlot:
    """A figure of a race that is redrawn as the race goes on.

    All curves are rows of one glyph, and so are all bands and all bounds: the cost of a page does not grow with their
    number. Of each line only the points that can be seen are drawn.

    Parameters
    ----------
    labels : sequence of str
        One for each run; runs with the same label (other seeds) become one curve, their median, in a band from the
        lowest to the highest of them.
    sides : sequence of str
        "primal", "dual", "full" (it takes the whole gradient) or "" (unknown), one for each run: their colours.
    x, y : str, default "passes" and "gap"
        Keys of X_AXES and Y_AXES.
    tolerance : float, default 0
        On the relative gap; drawn as a horizontal line where the gap is shown. 0: none.
    height : int, default 360
        In pixels, without the legend; the width is the page's.
    looks : sequence of Look, optional
        One for each run, the same for runs with the same label; by default another one for each label of a side.

    Attributes
    ----------
    figure : bokeh figure
        It changes in place.

    Raises
    ------
    ValueError
        For an unknown axis.
    """

    def __init__(
        self,
        labels: Sequence[str],
        sides: Sequence[str],
        x: str = "passes",
        y: str = "gap",
        tolerance: float = 0.0,
        height: int = 360,
        looks: Sequence[Look] | None = None,
    ):
        check_axes(x, y)
        self.x, self.y, self._log = x, y, y not in LINEAR
        runs = list(enumerate(labels))
        self._groups = {label: [k for k, other in runs if other == label] for label in dict.fromkeys(labels)}
        firsts = [group[0] for group in self._groups.values()]
        by_side = looks_by_side({label: sides[group[0]] for label, group in self._groups.items()})
        self._looks = [looks[k] for k in firsts] if looks else list(by_side.values())
        self.figure = _axes(X_AXES[x], Y_AXES[y], self._log, height)
        self._curves, self._marks, self._bounds, self._bands = (ColumnDataSource() for _ in range(4))
        self._view = {"start": self.figure.y_range.start, "end": self.figure.y_range.end}
        self._legend: dict[str, LegendItem] = {}
        self._most = points_each(len(self._groups))
        self._known: dict[str, tuple[tuple[Any, ...], Line]] = {}
        self._fill([Line() for _ in firsts], [([], []) for _ in firsts])
        self._draw(tolerance if y == "gap" else 0.0)

    def _draw(self, tolerance: float) -> None:
        shape = {"xs": "xs", "ys": "ys", "line_color": "colour"}
        around = Patches(**shape, fill_color="colour", fill_alpha=0.18, line_alpha=0.5, line_width=0.8)
        thin = MultiLine(**shape, line_width=1.2, line_dash=list(BOUND_DASH), line_dash_offset="offset")
        curve = MultiLine(**shape, line_width="width", line_dash="dash")
        mark = Scatter(x="x", y="y", marker="marker", size=8, fill_color="colour", line_color="white")
        drawn = [(self._bands, around), (self._bounds, thin), (self._curves, curve), (self._marks, mark)]
        self.figure.renderers = [GlyphRenderer(data_source=source, glyph=glyph) for source, glyph in drawn]
        *_, curves, marks = self.figure.renderers
        if tolerance > 0:
            goal = Span(location=tolerance, dimension="width", line_color="#767676", line_dash="dotdash")
            self.figure.add_layout(goal)
        digits = "{0.0e}" if self._log else "{0.0000}"
        tips = [("", "@label"), (self.x, "$snap_x{0,0.[000]}"), (self.y, f"$snap_y{digits}")]
        self.figure.add_tools(HoverTool(tooltips=tips, renderers=[curves], line_policy="nearest"))
        for k, label in enumerate(self._groups):
            self._legend[label] = LegendItem(label=label, renderers=[curves, marks], index=k)
        add_legend(self.figure, list(self._legend.values()), list(self._groups), "below")

    def _fill(self, lines: list[Line], bounds: list[tuple]) -> None:
        """One line and one bound, as (xs, ys), for each label."""
        colours = [each.light for each in self._looks]
        looks = {"label": list(self._groups), "colour": colours}
        drawn = {"dash": [each.line_dash for each in self._looks], "width": [each.width for each in self._looks]}
        self._curves.data = looks | drawn | {"xs": [c.xs for c in lines], "ys": [c.ys for c in lines]}
        offsets = [BOUND_SHIFT * (k % 3) for k in range(len(bounds))]
        self._bounds.data = looks | {"offset": offsets, "xs": [b[0] for b in bounds], "ys": [b[1] for b in bounds]}
        around = [
            (colour, np.append(c.band_xs, c.band_xs[::-1]), np.append(c.lows, c.highs[::-1]))
            for colour, c in zip(colours, lines, strict=True)
            if c.band_xs.size
        ]
        self._bands.data = {name: [each[k] for each in around] for k, name in enumerate(("colour", "xs", "ys"))}
        # the k-th of all marks belongs to the k-th line: the legend takes its marker there
        some = [marker_indices(c.xs.size) for c in lines]
        marks = [
            list(zip(c.xs[k], c.ys[k], strict=True)) or [(np.nan, np.nan)] for k, c in zip(some, lines, strict=True)
        ]
        owned = [(k, *each[0]) for k, each in enumerate(marks)]
        owned += [(k, *mark) for k, each in enumerate(marks) for mark in each[1:]]
        self._marks.data = {
            "x": [x for _, x, _ in owned],
            "y": [y for _, _, y in owned],
            "colour": [colours[k] for k, _, _ in owned],
            "marker": [self._looks[k].marker for k, _, _ in owned],
        }

    def show(
        self,
        traces: Sequence[Trace],
        guarantees: Sequence[Guarantee | None],
        reach: float | None = None,
        hidden: Collection[str] = (),
        unbounded: Collection[str] = (),
    ) -> None:
        """Draw some runs and their bounds.

        Parameters
        ----------
        traces : sequence of Trace
            One for each label, possibly still empty. Runs may be on several problems: those on the same one share the
            best known values.
        guarantees : sequence of Guarantee or None
            The bound of each run, if it has one.
        reach : float, optional
            Passes for which bounds are drawn; by default a little further than the longest run.
        hidden, unbounded : collections of str
            Labels that are not drawn, and labels whose bounds are not drawn.
        """
        runs = list(traces)
        if not any(run.records for run in runs):
            return
        best = best_by_run(runs)
        reach = reach or BEYOND * max(run.records[-1].passes for run in runs if run.records)
        lines, bounds = [], []
        for label, group in self._groups.items():
            there = [] if label in hidden else [k for k in group if runs[k].records]
            lines.append(self._line(label, [runs[k] for k in there], [best[k] for k in there]))
            promised = [] if label in unbounded else [(own, k) for k in there if (own := guarantees[k]) is not None]
            drawn = [bound_line(own, runs[k], best[k], self.x, self.y, reach) for own, k in promised[:1]]
            bounds.append(drawn[0] if drawn else ([], []))
            self._legend[label].visible = label not in hidden
        self._fill(lines, bounds)
        if any(np.isfinite(each.ys).any() for each in lines):
            self._look_at(*y_range(lines, bounds, self._log))

    def _line(self, label: str, runs: list[Trace], best: list[Best | None]) -> Line:
        """The line of a label: worked out again only if something has been measured since."""
        state: tuple[Any, ...] = tuple((len(run.records), run.meta.get("status")) for run in runs)
        state += tuple(best) if self.y in ("primal", "dual") else ()
        if self._known.get(label, (None,))[0] != state:
            self._known[label] = state, line(runs, best, self.x, self.y, self._most)
        return self._known[label][1]

    def _look_at(self, start: float, end: float) -> None:
        """Show this part of the vertical axis, unless a person has zoomed: then the reset tool does."""
        axis, before = self.figure.y_range, self._view
        self._view = {"start": float(start), "end": float(end)}
        if before == {"start": axis.start, "end": axis.end}:
            axis.update(**self._view)
        axis.update(reset_start=self._view["start"], reset_end=self._view["end"])


def _axes(x_label: str, y_label: str, log: bool, height: int) -> figure:
    plot = figure(
        height=height,
        sizing_mode="stretch_width",
        x_axis_label=x_label,
        y_axis_label=y_label,
        y_axis_type="log" if log else "linear",
        y_range=Range1d(*(FIRST_VIEW if log else (0, 1))),
        tools="box_zoom,reset,save",
        toolbar_location="above",
    )
    plot.toolbar.logo = None
    for axis in (*plot.xaxis, *plot.yaxis):
        axis.update(axis_label_text_font_style="normal", axis_label_text_font_size="14px")
        axis.major_label_text_font_size = "12px"
    plot.x_range.start, plot.x_range.only_visible = 0, True
    return plot


def marker_indices(size: int) -> np.ndarray:
    """Indices of the points that carry a marker, of `size` points: 8 to 16, the first and the last among them.

    Their distance doubles as a curve grows, so that most markers stay where they are.
    """
    step = 1 << max(0, int(np.log2(max(1, size))) - 3)
    return np.union1d(np.arange(0, size, step), np.arange(size)[-1:])
