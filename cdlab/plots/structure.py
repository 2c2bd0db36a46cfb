"""The quantities behind C_P and C_D: numbers of nonzeros and squared norms of the rows and the columns of X."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from bokeh.document import Document
from bokeh.model import Model

from ..numerics.profiles import Profile
from ..problems.problem import Problem
from .looks import look

if TYPE_CHECKING:
    import holoviews

BINS = 30
SIDES = (("row", "example", "dual"), ("column", "feature", "primal"))  # whose methods draw them


def structure(problem: Problem) -> holoviews.Layout:
    """Histograms of the nonzeros and of the squared norms of rows (examples) and columns (features), in a 2 x 2 layout.

    The horizontal axes are logarithmic; lines without nonzeros have no place there, and each title counts them.
    """
    import holoviews as hv

    if "bokeh" not in hv.Store.renderers:
        hv.extension("bokeh")
    pictures = []
    for profile, (line, member, side) in zip((problem.row_profile, problem.column_profile), SIDES, strict=True):
        empty = int((profile.counts == 0).sum())
        title = f"{profile.counts.size} {line}s ({member}s)" + (f", {empty} of them empty" if empty else "")
        for values, label in _quantities(profile):
            shown = values[values > 0]
            counts, edges = np.histogram(shown, _edges(shown))
            histogram = hv.Histogram((edges, counts), kdims=[f"{label} of a {line}"], vdims=[f"{line}s"])
            options = {"logx": True, "color": look(side).light, "line_color": "white", "title": title, "tools": []}
            frame = {
                "responsive": True,
                "height": 220,
                "fontsize": {"title": "10pt"},
                "default_tools": [],
                "toolbar": None,
            }
            pictures.append(histogram.opts(**options, **frame))
    return hv.Layout(pictures).opts(shared_axes=False, toolbar=None).cols(2)


def histograms(problem: Problem) -> list[Model]:
    """The four of `structure` as bokeh figures, row by row."""
    return [drawn(each) for each in structure(problem)]


def drawn(picture: Any) -> Model:
    """A HoloViews picture as bokeh's.

    In a document of its own, which only a renderer of mode "server" takes: any other hangs the picture on bokeh's
    global document, which never ends.
    """
    import holoviews as hv

    return hv.renderer("bokeh").instance(mode="server").get_plot(picture, doc=Document()).state


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
