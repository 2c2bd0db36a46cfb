"""The race: error against work, one curve a run, with the bounds as thin dotted lines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from bokeh.models import (
    ColumnDataSource,
    GlyphRenderer,
    HoverTool,
    Legend,
    LegendItem,
    MultiLine,
    Range1d,
    Scatter,
    Span,
)
from bokeh.plotting import figure

from ..trace import Trace
from .measures import Y_AXES, Best, Guarantee, applies, best_of, errors, relative, side

# Okabe & Ito's colours, which differ for every kind of colour vision; their yellow is too pale for a line on white
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
# one more than there are colours, so that pairs repeat late
MARKERS = ("circle", "square", "triangle", "diamond", "inverted_triangle", "hex", "star", "square_pin")
FLOOR = 1e-16  # a logarithmic axis has no 0; float64 resolves no smaller relative gap either
MOST_POINTS = 400  # of a curve, drawn; more cannot be told apart on a screen
LEGEND_ROW = 23  # pixels
BEYOND = 1.25  # bounds are drawn along this many times the longest run
HIGHEST = 1e6
FIRST_VIEW = (1e-10, 2.0)  # an empty logarithmic axis draws nothing

X_AXES = {
    "passes": "passes over the data (visits / nnz)",
    "seconds": "solver time (seconds)",
    "iteration": "coordinate updates (iterations)",
}


class RacePlot:
    """One figure that can be shown new data as a race goes on.

    All curves are rows of one glyph, and so are all bounds: what a page costs does not grow with their number.

    Parameters
    ----------
    labels : sequence of str
        One a curve; curves with the same label (other seeds) look the same and share a legend entry.
    sides : sequence of str
        "dual" (solid) or "primal" (dashed), one a curve.
    x, y : str
        Keys of X_AXES and Y_AXES.
    tolerance : float, optional
        Drawn as a horizontal line.
    height : int
        In pixels, without the legend; the width is the page's.
    first_look : int
        Which colour and marker the first label has: the same run looks the same in another figure.

    Attributes
    ----------
    figure : bokeh figure
    """

    def __init__(
        self,
        labels: Sequence[str],
        sides: Sequence[str],
        x: str = "passes",
        y: str = "gap",
        tolerance: float = 0.0,
        height: int = 360,
        first_look: int = 0,
    ):
        if x not in X_AXES:
            raise ValueError(f"x must be one of {', '.join(X_AXES)}, not {x!r}")
        if y not in Y_AXES:
            raise ValueError(f"y must be one of {', '.join(Y_AXES)}, not {y!r}")
        self.x, self.y = x, y
        order = list(dict.fromkeys(labels))
        looks = [first_look + order.index(label) for label in labels]
        self._labels = list(labels)
        self._colours = [COLOURS[k % len(COLOURS)] for k in looks]
        self._markers = [MARKERS[k % len(MARKERS)] for k in looks]
        self._dashes = ["solid" if which == "dual" else "12 5" for which in sides]
        self.figure = _axes(X_AXES[x], Y_AXES[y], height + LEGEND_ROW * len(order))
        self._curves, self._marks, self._bounds = (ColumnDataSource() for _ in range(3))
        self._fill([([], [], []) for _ in labels], [([], []) for _ in labels])
        self._draw(tolerance)

    def _draw(self, tolerance: float) -> None:
        line = {"xs": "xs", "ys": "ys", "line_color": "colour"}
        dotted = MultiLine(**line, line_width=1.2, line_dash=[2, 3])
        curve = MultiLine(**line, line_width=2.4, line_dash="dash")
        mark = Scatter(x="x", y="y", marker="marker", size=8, fill_color="colour", line_color="white")
        drawn = [(self._bounds, dotted), (self._curves, curve), (self._marks, mark)]
        self.figure.renderers = [GlyphRenderer(data_source=source, glyph=glyph) for source, glyph in drawn]
        _, curves, marks = self.figure.renderers
        if tolerance > 0:
            line = Span(location=tolerance, dimension="width", line_color="#767676", line_dash="dotdash")
            self.figure.add_layout(line)
        tips = [("", "@label"), (self.x, "$snap_x{0,0.[000]}"), (self.y, "$snap_y{0.0e}")]
        self.figure.add_tools(HoverTool(tooltips=tips, renderers=[curves], line_policy="nearest"))
        first = {label: k for k, label in reversed(list(enumerate(self._labels)))}
        items = [LegendItem(label=label, renderers=[curves, marks], index=first[label]) for label in reversed(first)]
        legend = Legend(items=items, ncols=1, border_line_color=None, padding=4, margin=4)
        legend.update(label_text_font_size="13px", glyph_width=34, location="left")
        self.figure.add_layout(legend, "below")

    def _fill(self, curves: list[tuple], bounds: list[tuple]) -> None:
        """Curves as (xs, ys, indices of the marked points), bounds as (xs, ys); one of each for each label."""
        looks = {"label": self._labels, "colour": self._colours}
        self._curves.data = looks | {"dash": self._dashes, "xs": [c[0] for c in curves], "ys": [c[1] for c in curves]}
        self._bounds.data = looks | {"xs": [b[0] for b in bounds], "ys": [b[1] for b in bounds]}
        # the k-th of all marks belongs to the k-th curve: the legend takes its marker there
        first = [(k, xs[0], ys[0]) if len(xs) else (k, np.nan, np.nan) for k, (xs, ys, _) in enumerate(curves)]
        others = [(k, xs[i], ys[i]) for k, (xs, ys, marked) in enumerate(curves) for i in marked[1:]]
        marks = first + others
        self._marks.data = {
            "x": [x for _, x, _ in marks],
            "y": [y for _, _, y in marks],
            "colour": [self._colours[k] for k, _, _ in marks],
            "marker": [self._markers[k] for k, _, _ in marks],
        }

    def show(self, traces: Sequence[Trace], guarantees: Sequence[Guarantee | None], reach: float | None = None) -> None:
        """Draw these traces (one for each label, possibly still empty), and their bounds for `reach` passes.

        By default bounds are drawn a little further than the longest run.
        """
        if not any(trace.records for trace in traces):
            return
        traces = [Trace(trace.records[:], trace.meta) for trace in traces]  # a run may go on in another thread
        best = best_of(traces)
        reach = reach or BEYOND * max(trace.records[-1].passes for trace in traces if trace.records)
        curves = [self._curve(trace, best) for trace in traces]
        bounds = [self._bound(trace, promise, best, reach) for trace, promise in zip(traces, guarantees, strict=True)]
        self._fill(curves, bounds)
        measured = np.concatenate([ys for _, ys, _ in curves])
        lowest = measured.min(where=np.isfinite(measured), initial=FIRST_VIEW[1])
        highest = max((float(ys[0]) for _, ys in bounds if len(ys)), default=FIRST_VIEW[1])
        # a bound that starts far above the data is cut, so that the measured curves keep most of the picture
        self.figure.y_range.update(start=max(lowest / 3, FLOOR / 3), end=min(highest * 2, HIGHEST))

    def _curve(self, trace: Trace, best: Best) -> tuple:
        if not trace.records:
            return [], [], []
        ys = errors(trace, best, self.y)
        ys = np.where(np.isfinite(ys), np.maximum(ys, FLOOR), np.nan)  # a diverging run leaves a hole
        kept, marked = _thinned(ys.size)
        return trace.column(self.x)[kept], ys[kept], marked

    def _bound(self, trace: Trace, promise: Guarantee | None, best: Best, reach: float) -> tuple:
        if promise is None or not trace.records or not applies(promise, self.y):
            return [], []
        last = trace.records[-1]
        # iterations and seconds go with passes, so a run's own rate carries its bound to the other axes
        per_pass = 1.0 if self.x == "passes" else getattr(last, self.x) / last.passes if last.passes > 0 else np.nan
        ys = relative(promise, best, self.y)
        shown = (promise.passes <= reach) & (ys >= FLOOR)
        return promise.passes[shown] * per_pass, ys[shown]


def race(
    traces: Sequence[Trace],
    guarantees: Sequence[Guarantee | None] | None = None,
    *,
    x: str = "passes",
    y: str = "gap",
    tolerance: float = 0.0,
) -> figure:
    """The error of each run, on a logarithmic axis, with the bounds as thin dotted lines.

    Parameters
    ----------
    traces : sequence of Trace
        Runs on one problem: ``cdlab.race(...).traces``.
    guarantees : sequence of Guarantee or None, optional
        One a trace; see `guarantee`. Drawn where the bounded quantity lies above what the axis shows.
    x : "passes", "seconds" or "iteration"
    y : "gap", "primal" or "dual"
        See `errors`. Values below 1e-16 are drawn there.
    tolerance : float, optional
        Drawn as a horizontal line.

    Returns
    -------
    bokeh figure

    Examples
    --------
    >>> import cdlab
    >>> X, y = cdlab.datasets.make(n=50, d=10, seed=0)
    >>> race(cdlab.race(cdlab.Problem(X, y, l2=0.1), ["sdca", "rcd"], max_passes=20).traces).yaxis.axis_label
    'relative duality gap'
    """
    plot = RacePlot([trace.label for trace in traces], [side(trace) for trace in traces], x, y, tolerance)
    plot.show(traces, guarantees or [None] * len(traces))
    return plot.figure


def _axes(x_label: str, y_label: str, height: int):
    plot = figure(
        height=height,
        sizing_mode="stretch_width",
        x_axis_label=x_label,
        y_axis_label=y_label,
        y_axis_type="log",
        y_range=Range1d(*FIRST_VIEW),
        tools="box_zoom,reset,save",
        toolbar_location="above",
    )
    plot.toolbar.logo = None
    for axis in (*plot.xaxis, *plot.yaxis):
        axis.update(axis_label_text_font_style="normal", axis_label_text_font_size="14px")
        axis.major_label_text_font_size = "12px"
    plot.x_range.start, plot.x_range.only_visible = 0, True
    return plot


def _thinned(size: int) -> tuple[np.ndarray, list[int]]:
    """Indices of at most MOST_POINTS + 1 points with the last one among them, and which of these carry a marker."""
    step = -(-size // MOST_POINTS)
    kept = np.unique(np.append(np.arange(0, size, step), size - 1))
    spacing = 1 << max(0, int(np.log2(kept.size)) - 3)  # doubles as the curve grows: markers stay where they are
    return kept, sorted({*range(0, kept.size, spacing), kept.size - 1})
