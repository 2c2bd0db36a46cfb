"""The map of the face-off: C_P/C_D of independent entries over d and n, with a data set on it."""

from __future__ import annotations

import numpy as np
from bokeh.models import ColorBar, FixedTicker, LogColorMapper
from bokeh.plotting import figure

from ..faceoffs import FaceOff, iid
from .looks import tint

CELLS = 60  # along each side
STEPS = (0.0, 0.3, 0.55, 0.8)
# from the primal's orange over white to the dual's blue, as in the picture of Theorem 3
PALETTE = (*(tint("primal", k) for k in STEPS), "#F7F7F7", *(tint("dual", k) for k in reversed(STEPS)))


def ratio_map(face: FaceOff, density: float | None = None) -> figure:
    """Draw C_P/C_D of data with independent entries: (1 + (n - 1) density)/(1 + (d - 1) density).

    Parameters
    ----------
    face : FaceOff
        Its data are the diamond, in the colour of their own ratio: it stands out if they are not like independent
        entries of the same density. Empty rows and columns do not count.
    density : float, optional
        Share of nonzeros in the map; by default that of the data.

    Returns
    -------
    bokeh figure

    Raises
    ------
    ValueError
        For a density outside (0, 1].
    """
    density = own_density(face) if density is None else density
    if not 0 < density <= 1:
        raise ValueError(f"density must be above 0 and at most 1, not {density!r}")
    low, high = 1.0, 10 ** np.ceil(np.log10(max(face.n_nonempty, face.d_nonempty, 10)) + 1)
    places = np.geomspace(low, high, CELLS)
    whole = [max(1, round(place)) for place in places]
    ratios = np.array([[iid(d, n, density).ratio for d in whole] for n in whole])
    top = max(10.0, float(10 ** np.ceil(np.log10(ratios.max()))))
    plot = figure(
        height=340,
        sizing_mode="stretch_width",
        x_axis_type="log",
        y_axis_type="log",
        x_range=(low, high),
        y_range=(low, high),
        x_axis_label="features d",
        y_axis_label="examples n",
        tools="",
        toolbar_location=None,
    )
    mapper = LogColorMapper(palette=PALETTE, low=1 / top, high=top)
    edges = np.sqrt(places[1:] * places[:-1])
    left, right = np.r_[low, edges], np.r_[edges, high]
    cells = {
        "left": np.tile(left, CELLS),
        "right": np.tile(right, CELLS),
        "bottom": np.repeat(left, CELLS),
        "top": np.repeat(right, CELLS),
        "ratio": ratios.ravel(),
    }
    plot.quad(
        left="left",
        right="right",
        bottom="bottom",
        top="top",
        fill_color={"field": "ratio", "transform": mapper},
        line_color={"field": "ratio", "transform": mapper},  # no seams
        source=cells,
    )
    plot.line([low, high], [low, high], color="#555555", line_dash="dotdash")
    own = face.theorem3.ratio
    mark = {"x": [face.d_nonempty or 1], "y": [face.n_nonempty or 1], "ratio": [1.0 if own is None else own]}
    look = {"size": 18, "marker": "diamond", "line_color": "black", "line_width": 2}
    plot.scatter("x", "y", fill_color={"field": "ratio", "transform": mapper}, source=mark, **look)
    ticks = [10.0**k for k in range(-round(np.log10(top)), round(np.log10(top)) + 1)]
    words = {tick: f"{tick:g}" for tick in ticks}
    bar = ColorBar(color_mapper=mapper, width=12, ticker=FixedTicker(ticks=ticks), major_label_overrides=words)
    plot.add_layout(bar, "right")
    plot.grid.visible = False
    for axis in (*plot.xaxis, *plot.yaxis):
        axis.update(axis_label_text_font_style="normal", axis_label_text_font_size="13px")
    return plot


def own_density(face: FaceOff) -> float:
    """Share of nonzeros in the rows and columns that have any; 1 for X = 0, which has no place on the map."""
    return face.nnz / (face.n_nonempty * face.d_nonempty) if face.nnz else 1.0


def ratio_map_sentence(face: FaceOff) -> str:
    """A comparison of the data with independent entries of the same shape and density, in a sentence."""
    own = face.theorem3.ratio
    if own is None:
        return "X = 0 has no ratio C_P/C_D and no place on the map."
    alike = iid(face.d_nonempty, face.n_nonempty, own_density(face)).ratio
    factor = own / alike
    words = (
        f"Independent entries with the shape and density of these data have C_P/C_D = {alike:.3g}, "
        f"in favour of the {'dual' if alike > 1 else 'primal'}"
        if not 0.999 < alike < 1.001
        else "Independent entries with the shape and density of these data have C_P/C_D = 1"
    )
    if 0.9 < factor < 1.1:
        return f"{words}; these data have {own:.3g}, about the same."
    whose = "the features that occur often, or with large values" if factor > 1 else "long or heavy examples"
    by = f"{'larger' if factor > 1 else 'smaller'} by a factor of {max(factor, 1 / factor):.3g}"
    return f"{words}; these data have {own:.3g}, {by}: {whose} make the difference."
