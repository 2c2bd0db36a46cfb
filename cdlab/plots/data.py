"""Pictures of the data: how long and heavy rows and columns are, and how often each is sampled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..numerics import checks
from ..numerics.profiles import Profile
from ..problems.problem import Problem
from .elements import Axes, histogram, layout
from .style import look, looks_for

if TYPE_CHECKING:
    import holoviews

BINS = 30
# Names of lines and of what they stand for, and the side whose methods draw them.
LINES = (("row", "example", "dual"), ("column", "feature", "primal"))
SIDES = {"examples": "dual", "features": "primal"}  # Sides whose methods draw them.
MIN_PROBABILITY = 1e-3  # Probability times the number of coordinates below which nothing is shown.
MAX_PROBABILITIES = 300  # Points of a curve, at most: more cannot be told apart.


# ------------------------------------------------------------ rows and columns
def structure(problem: Problem) -> holoviews.Layout:
    """Histograms of the nonzeros and of the squared norms of rows (examples) and columns (features), in a 2 x 2 layout.

    The horizontal axes are logarithmic; lines without nonzeros have no place there, and each title counts them.
    """
    pictures = []
    for profile, (line, member, side) in zip((problem.row_profile, problem.column_profile), LINES, strict=True):
        empty = int((profile.counts == 0).sum())
        title = f"{profile.counts.size} {line}s ({member}s)" + (f", {empty} of them empty" if empty else "")
        for values, label in _quantities(profile):
            shown = values[values > 0]
            edges = _edges(shown)
            counts, _ = np.histogram(shown, edges)
            only = float(shown[0]) if shown.size and edges.size == 2 else None
            pictures.append(histogram(edges, counts, look(side).light, f"{label} of a {line}", f"{line}s", title, only))
    return layout(pictures, 2)


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


# ------------------------------------------------------------ samplings
def probabilities(
    p: Mapping[str, np.ndarray], norms2: np.ndarray, coordinates: str, across: str = "rank"
) -> holoviews.Overlay:
    """Draw probabilities times the number of coordinates, so that uniform sampling is a line at 1.

    Parameters
    ----------
    p : mapping of labels to (m,) arrays
        The probabilities of each sampling.
    norms2 : (m,) array
        Squared norms of the coordinates.
    coordinates : "examples" or "features"
        The name of the coordinates.
    across : "rank" or "norm", default "rank"
        Each curve sorted by its own probabilities, as a share of the coordinates; or all of them over the squared norm
        (coordinates with norm 0 have no place on that axis). Values below 0.001 are not drawn.

    Returns
    -------
    holoviews.Overlay

    Raises
    ------
    ValueError
        For another `across`.
    """
    checks.one_of("across", across, ("rank", "norm"))
    by_norm = across == "norm"
    looks = looks_for(dict.fromkeys(p, SIDES[coordinates]))
    highest, lowest = 2.0, 0.5
    x_label = "squared norm" if by_norm else f"share of the {coordinates},\nthose drawn most often first"
    axes = Axes(x_label, "p times their number", x_log=by_norm, y_log=True)
    axes.level(1)
    for label, each in p.items():
        xs, ys = _sorted(each * each.size, norms2, by_norm)
        drawn = ys >= MIN_PROBABILITY
        xs, ys = xs[drawn], ys[drawn]
        if not ys.size:
            continue
        highest, lowest = max(highest, float(ys.max())), min(lowest, float(ys.min()))
        axes.marked_curve(xs, ys, looks[label], label)
    return axes.overlay(y_range=(lowest / 1.5, highest * 1.5), height=320)


def _sorted(p: np.ndarray, norms2: np.ndarray, by_norm: bool) -> tuple[np.ndarray, np.ndarray]:
    """At most MAX_PROBABILITIES of the points, the ends among them."""
    if by_norm:
        nonzero = np.flatnonzero(norms2 > 0)
        order = nonzero[np.argsort(norms2[nonzero], kind="stable")]
        xs = norms2[order]
    else:
        order = np.argsort(-p, kind="stable")
        xs = (np.arange(p.size) + 1) / p.size
    few = np.unique(np.linspace(0, order.size - 1, min(MAX_PROBABILITIES, order.size)).astype(int))
    return xs[few], p[order][few]
