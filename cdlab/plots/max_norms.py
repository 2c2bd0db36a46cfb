"""Uniform sampling pays for the largest squared norm, importance sampling for a mean: the passes of both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bokeh.models import Range1d
from bokeh.plotting import figure

from ..faceoffs import FaceOff
from .looks import look

if TYPE_CHECKING:
    import pandas

SIDES = (("dual", "D"), ("primal", "P"))  # bottom to top


def max_norms(face: FaceOff) -> figure:
    """Draw the passes T/nnz that uniform and importance sampling need on either side, per factor e of accuracy.

    With b = beta/(l2 n), uniform sampling needs 1 + b max_j ||X_:j||^2 on the primal side and 1 + b max_i ||x_i||^2 on
    the dual one; importance sampling 1 + b C_P/nnz and 1 + b C_D/nnz, where C/nnz is the mean squared norm of a
    nonzero's column or row (Csiba & Richtarik 2016, sections 5.1 and 5.2). A mean is at most the largest, so each line
    shows what uneven norms cost uniform sampling.

    Parameters
    ----------
    face : FaceOff
        With a bound on at least one side.

    Returns
    -------
    bokeh figure

    Raises
    ------
    ValueError
        If no side has a bound; `face.reason` says why.

    Examples
    --------
    >>> import cdlab
    >>> X, y = cdlab.datasets.make(n=50, d=10, seed=0)
    >>> max_norms(cdlab.faceoff(cdlab.Problem(X, y, l2=0.1))).xaxis.axis_label
    'passes over the data, per factor e'
    """
    rows = _rows(face)
    everything = [x for _, uniform, importance in rows for x in (uniform, importance)]
    low, high = min(everything), max(everything)
    margin = max(high / low, 1.5) ** 0.15
    plot = figure(
        height=90 + 70 * len(rows),
        sizing_mode="stretch_width",
        x_axis_type="log",
        x_range=Range1d(low / margin, high * margin),
        y_range=[side for side, *_ in rows],
        tools="",
        toolbar_location=None,
        x_axis_label="passes over the data, per factor e",
    )
    names = [side for side, *_ in rows]
    colours = [look(side).light for side in names]
    for (side, uniform, importance), colour in zip(rows, colours, strict=True):
        plot.line([importance, uniform], [side, side], line_width=3, color=colour)
    filled = {"size": 11, "color": colours, "legend_label": "importance sampling: a mean squared norm"}
    hollow = {"size": 20, "line_color": colours, "fill_alpha": 0, "line_width": 2.5}  # a mean may stand inside
    plot.scatter([row[2] for row in rows], names, marker="circle", **filled)
    label = "uniform sampling: the largest squared norm"
    plot.scatter([row[1] for row in rows], names, marker="square", legend_label=label, **hollow)
    plot.legend.update(orientation="horizontal", location="center", border_line_color=None, label_text_font_size="13px")
    plot.add_layout(plot.legend[0], "above")
    plot.ygrid.visible, plot.outline_line_color = False, None
    for axis in (*plot.xaxis, *plot.yaxis):
        axis.update(axis_label_text_font_style="normal", axis_label_text_font_size="14px")
        axis.major_label_text_font_size = "13px"
    return plot


def max_norms_table(face: FaceOff) -> pandas.DataFrame:
    """The passes of the picture: a row for each side, and the columns uniform, importance and saving (their ratio).

    Raises
    ------
    ValueError
        As `max_norms`.
    """
    import pandas as pd

    rows = _rows(face)[::-1]
    found = {side: (uniform, importance, uniform / importance) for side, uniform, importance in rows}
    return pd.DataFrame.from_dict(found, orient="index", columns=["uniform", "importance", "saving"])


def max_norms_sentence(face: FaceOff) -> str:
    """The saving of importance sampling on each side, and whether it changes the winner, in a sentence.

    Raises
    ------
    ValueError
        As `max_norms`.
    """
    table = max_norms_table(face)
    words = "Uniform sampling pays for the largest squared norm, importance sampling for a mean: it saves a factor of "
    words += " and ".join(f"{row.saving:.3g} on the {side} side" for side, row in table.iterrows())
    if face.ratio is None or face.uniform.ratio is None:
        return f"{words}."
    winners = ["dual" if ratio > 1 else "primal" for ratio in (face.uniform.ratio, face.ratio)]
    change = (
        f"the {winners[0]} in both" if winners[0] == winners[1] else f"the {winners[0]} before, the {winners[1]} after"
    )
    return f"{words}. T_P/T_D is {face.uniform.ratio:.3g} with uniform and {face.ratio:.3g} with importance: {change}."


def _rows(face: FaceOff) -> list[tuple[str, float, float]]:
    """(side, uniform, importance), bottom to top; a side without a bound is left out."""
    rows = []
    for side, letter in SIDES:
        uniform, importance = getattr(face.uniform, f"T_{letter}"), getattr(face, f"T_{letter}")
        if importance is not None and uniform is not None and face.nnz:
            rows.append((side, uniform / face.nnz, importance / face.nnz))
    if not rows:
        raise ValueError(f"there is nothing to draw: {face.reason}")
    return rows
