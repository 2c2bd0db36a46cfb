"""The work of both sides against the cost of a loss derivative, with the break-even point."""

from __future__ import annotations

import numpy as np
from bokeh.models import Range1d, Span
from bokeh.plotting import figure

from ..faceoffs import FaceOff
from .looks import look

RANGE = (0.01, 1000.0)  # costs, in visited nonzeros
POINTS = 121
MARKED = 20  # points from marker to marker


def cost_model(face: FaceOff, cost: float) -> figure:
    """(1 + k) T_P of the primal and T_D + k K_D of the dual against the cost k of a derivative.

    Parameters
    ----------
    face : FaceOff
        With bounds on both sides.
    cost : float
        Present cost of a derivative in visited nonzeros: a vertical line.

    Returns
    -------
    bokeh figure

    Raises
    ------
    ValueError
        If a side has no bound, or cost is not at least 0.
    """
    if face.T_P is None or face.T_D is None:
        raise ValueError(f"there is no work to compare: {face.reason}")
    if not cost >= 0:
        raise ValueError(f"the cost of a derivative must be a number of visited nonzeros >= 0, not {cost!r}")
    ks = np.geomspace(*RANGE, POINTS)
    curves = {"primal": np.array([face.cost_P(k) for k in ks]), "dual": np.array([face.cost_D(k) for k in ks])}
    plot = figure(
        height=300,
        sizing_mode="stretch_width",
        x_axis_type="log",
        y_axis_type="log",
        x_range=Range1d(*RANGE),
        x_axis_label="cost of a loss derivative (visited nonzeros)",
        y_axis_label="work per factor e (visited nonzeros)",
        tools="",
        toolbar_location=None,
    )
    for side, ys in curves.items():
        drawn = look(side)
        plot.line(ks, ys, color=drawn.light, line_width=drawn.width, legend_label=side)
        mark = {"marker": drawn.marker, "size": 8, "fill_color": drawn.light, "line_color": "white"}
        plot.scatter(ks[::MARKED], ys[::MARKED], legend_label=side, **mark)
    here = min(max(cost, RANGE[0]), RANGE[1])
    plot.add_layout(Span(location=here, dimension="height", line_color="#767676", line_dash="dotdash", line_width=1.5))
    even = face.break_even
    if even is not None and RANGE[0] <= even <= RANGE[1]:
        circle = {"size": 16, "fill_color": "white", "line_color": "#333333", "legend_label": "break-even"}
        plot.scatter([even], [face.cost_P(even)], **circle)
    plot.y_range.start = min(float(ys.min()) for ys in curves.values()) / 1.5
    plot.y_range.end = max(float(ys.max()) for ys in curves.values()) * 1.5
    plot.legend.update(location="top_left", background_fill_alpha=0.7, label_text_font_size="13px", glyph_width=34)
    for axis in (*plot.xaxis, *plot.yaxis):
        axis.update(axis_label_text_font_style="normal", axis_label_text_font_size="13px")
    return plot
