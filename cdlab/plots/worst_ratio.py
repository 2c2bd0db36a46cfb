"""The largest C_P/C_D that binary data can have: Figure 1 of the face-off paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from bokeh.models import HoverTool, Span
from bokeh.plotting import figure

from ..faceoffs import binary_matrices
from ..numerics import checks
from .looks import look

if TYPE_CHECKING:
    import pandas

MARKED = 8  # markers a curve
EXAMPLES, FEATURES = 10, (10, 20, 30, 40)


def worst_ratio(n: int = EXAMPLES, d: Sequence[int] = FEATURES) -> figure:
    """R(alpha, d, n), the largest C_P/C_D of n examples, d features and alpha nonzeros, against alpha.

    Where a curve is below 1, the primal bound is the better one for all binary data (Csiba & Richtarik 2016, Theorem 4
    and Figure 1).

    Parameters
    ----------
    n : int, default 10
        Examples.
    d : sequence of int, default (10, 20, 30, 40)
        Features, a curve for each.

    Returns
    -------
    bokeh figure

    Raises
    ------
    ValueError
        If n or one of d is not a whole number >= 1.

    Examples
    --------
    >>> worst_ratio(5, [5, 9]).yaxis.axis_label
    'largest C_P / C_D'
    """
    plot = figure(
        height=360,
        sizing_mode="stretch_width",
        x_axis_label="nonzeros alpha",
        y_axis_label="largest C_P / C_D",
        tools="box_zoom,reset,save",
    )
    plot.toolbar.logo = None
    for k, each in enumerate(d):
        alpha, R = _curve(n, each)
        drawn, named = look("", k), {"legend_label": f"d = {each}"}  # d is no side: greys
        line = plot.line(alpha, R, line_width=drawn.width, line_dash=drawn.line_dash, color=drawn.light, **named)
        few = np.unique(np.linspace(0, alpha.size - 1, MARKED).astype(int))
        mark = {"marker": drawn.marker, "size": 8, "fill_color": drawn.light, "line_color": "white"}
        plot.scatter(alpha[few], np.take(R, few), **mark, **named)
        tips = [("", f"d = {each}"), ("alpha", "$snap_x"), ("C_P/C_D", "$snap_y{0.000}")]
        plot.add_tools(HoverTool(tooltips=tips, renderers=[line], line_policy="nearest"))
    plot.add_layout(Span(location=1, dimension="width", line_color="#767676", line_dash="dotdash"))
    plot.legend.update(location="top_right", label_text_font_size="13px", background_fill_alpha=0.7, glyph_width=34)
    plot.title.text = f"{n} examples, d features: at most this favourable to the dual"
    plot.title.text_font_size = "13px"
    for axis in (*plot.xaxis, *plot.yaxis):
        axis.update(axis_label_text_font_style="normal", axis_label_text_font_size="14px")
        axis.major_label_text_font_size = "12px"
    return plot


def worst_ratio_table(n: int = EXAMPLES, d: Sequence[int] = FEATURES) -> pandas.DataFrame:
    """For each d the largest R and its alpha, and the largest alpha at which R exceeds 1.

    Parameters and errors are those of `worst_ratio`. The columns are d, R, alpha and above_1_to; the last is missing
    where R exceeds 1 for no alpha, so that the dual bound is never the better one.
    """
    import pandas as pd

    rows = []
    for each in d:
        alpha, R = _curve(n, each)
        above = alpha[R > 1]
        last = int(above[-1]) if above.size else pd.NA
        rows.append({"d": each, "R": R.max(), "alpha": int(alpha[R.argmax()]), "above_1_to": last})
    return pd.DataFrame(rows).astype({"above_1_to": "Int64"})


def _curve(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """All alpha that a matrix without empty rows and columns can have, and R there."""
    for name, value in (("n", n), ("d", d)):
        checks.integer(name, value, "a whole number >= 1")
    alpha = np.arange(max(n, d), n * d + 1)
    return alpha, np.array([binary_matrices.R(int(a), d, n) for a in alpha])


def worst_ratio_sentence(n: int = EXAMPLES) -> str:
    """Theorem 5 and Corollary 6 of Csiba & Richtarik (2016) for n examples, in a sentence."""
    words = (
        f"With n = {n} examples and at least as many features, no binary data without empty rows and columns favour "
        f"the dual from d = {binary_matrices.d_threshold(n)} features upwards"
    )
    if n <= 2:
        return f"{words}: for so few examples, none do."
    return f"{words}, or from {binary_matrices.alpha_threshold(n)} nonzeros upwards; with fewer of both, some do."
