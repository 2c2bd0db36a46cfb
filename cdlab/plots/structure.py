"""The quantities behind C_P and C_D: numbers of nonzeros and squared norms of the rows and the columns of X."""

from __future__ import annotations

import numpy as np
from bokeh.layouts import gridplot
from bokeh.models import GridPlot, Range1d
from bokeh.plotting import figure

from ..numerics.matrices import Profile
from ..problems.problem import Problem
from .looks import look

BINS = 30
SIDES = (("row", "example", "dual"), ("column", "feature", "primal"))  # whose methods draw them


def structure(problem: Problem) -> GridPlot:
    """Histograms of the nonzeros and of the squared norms of rows (examples) and columns (features), in a 2 x 2 grid.

    The horizontal axes are logarithmic; lines without nonzeros have no place there, and each title counts them.
    """
    plots = histograms(problem)
    return gridplot(plots, ncols=2, sizing_mode="stretch_width", toolbar_location=None, merge_tools=False)


def histograms(problem: Problem) -> list[figure]:
    """The four of `structure`, row by row."""
    plots = []
    for profile, (line, member, side) in zip((problem.row_profile, problem.column_profile), SIDES, strict=True):
        empty = int((profile.counts == 0).sum())
        title = f"{profile.counts.size} {line}s ({member}s)" + (f", {empty} of them empty" if empty else "")
        for values, label in _quantities(profile):
            shown = values[values > 0]
            counts, edges = np.histogram(shown, _edges(shown))
            plot = figure(
                height=220,
                sizing_mode="stretch_width",
                x_axis_type="log",
                y_range=Range1d(0, 1.1 * max(1, counts.max())),
                x_axis_label=f"{label} of a {line}",
                y_axis_label=f"{line}s",
                title=title,
                tools="",
                toolbar_location=None,
            )
            plot.quad(
                left=edges[:-1], right=edges[1:], bottom=0, top=counts, fill_color=look(side).light, line_color="white"
            )
            plot.title.text_font_size = "10pt"
            for axis in (*plot.xaxis, *plot.yaxis):
                axis.update(axis_label_text_font_style="normal", axis_label_text_font_size="13px")
            plots.append(plot)
    return plots


def _quantities(profile: Profile) -> tuple[tuple[np.ndarray, str], ...]:
    return (profile.counts, "nonzeros"), (profile.norms2, "squared norm")


def _edges(values: np.ndarray) -> np.ndarray:
    """Logarithmic bins around positive values; one bin if they are all equal."""
    if values.size == 0:
        return np.array([0.5, 2.0])
    low, high = float(values.min()), float(values.max())
    if high <= low * (1 + 1e-9):
        return np.array([low / 1.1, high * 1.1])
    return np.geomspace(low * (1 - 1e-9), high * (1 + 1e-9), BINS + 1)
