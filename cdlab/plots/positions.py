"""Where a data set lies between the extremes of the face-off."""

from __future__ import annotations

from bokeh.models import FixedTicker, Range1d
from bokeh.plotting import figure

from ..faceoffs import FaceOff
from .looks import tint

PALE = 0.85  # text is read on it


def theorem3(face: FaceOff) -> figure:
    """Where C_P/C_D lies between its ends 1/d and n (Csiba & Richtarik 2016, Theorem 3), on a logarithmic axis.

    Parameters
    ----------
    face : FaceOff
        The face-off of the data.

    Returns
    -------
    bokeh figure

    Raises
    ------
    ValueError
        If X = 0, where the ratio does not exist.
    """
    place = face.theorem3
    if place.ratio is None or place.ratio_bounds is None:
        raise ValueError("X = 0 has no ratio C_P/C_D to draw")
    low, high = place.ratio_bounds
    plot = figure(
        height=130,
        sizing_mode="stretch_width",
        x_axis_type="log",
        x_range=Range1d(low / 1.5, high * 1.5),
        y_range=Range1d(-1, 1),
        tools="",
        toolbar_location=None,
        x_axis_label="C_P / C_D and the side that it favours",
    )
    plot.yaxis.visible, plot.ygrid.visible, plot.outline_line_color = False, False, None
    halves = ((low, 1, "primal", "left"), (1, high, "dual", "right"))
    for left, right, side, end in halves:
        plot.hbar(y=0, left=left, right=right, height=1.2, color=tint(side, PALE))
        # at the ends, where there is room on a phone too
        text = {"text": [side], "text_align": end, "text_baseline": "bottom", "text_font_size": "13px"}
        plot.text(x=[left if end == "left" else right], y=[0.1], x_offset=4 if end == "left" else -4, **text)
    plot.scatter([place.ratio], [-0.25], size=16, marker="diamond", color="black")
    axis = plot.xaxis
    axis.ticker = FixedTicker(ticks=[low, 1, high])
    axis.major_label_overrides = {low: "1/d", 1: "1", high: "n"}
    axis.axis_label_text_font_style = "normal"
    axis.axis_label_text_font_size = axis.major_label_text_font_size = "13px"
    return plot
