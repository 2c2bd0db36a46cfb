"""Runs of many records and several seeds as one line: the median in a band, fewer points, and a few markers."""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

MAX_PLACES = 2000  # Places at which the runs of a band are compared, at most.
MAX_POINTS = 400  # Points of a curve, at most: a screen shows no more.
MARKED_PARTS = 10  # Parts of a curve's width, with a marker in each.
INVISIBLE = 5e-4  # Share of the height of the curve that nobody sees: a fifth of a pixel.
DONE, LIMIT = "done", "limit"


class Run(NamedTuple):
    """Run as it is drawn.

    Attributes
    ----------
    x, v : (k,) arrays
        Places and heights of its points, as for `points_to_draw`.
    end : str
        DONE, LIMIT or "": it reached its tolerance, met a limit, or goes on.
    """

    x: np.ndarray
    v: np.ndarray
    end: str = ""


class Band(NamedTuple):
    """At each x the lowest, the median and the highest of some runs."""

    x: np.ndarray
    low: np.ndarray
    middle: np.ndarray
    high: np.ndarray


def band(runs: Sequence[Run]) -> Band:
    """The median of some runs, and their range.

    Between its points a run is the straight line that a picture shows. A run that reached its tolerance keeps its last
    value. One that goes on or was stopped counts as far as it has come. The band ends where the first run met a limit,
    or fewer than half of the runs are left.

    Parameters
    ----------
    runs : sequence of Run
        Each with at least one point.

    Returns
    -------
    Band
    """
    x = np.unique(np.concatenate([run.x for run in runs]))
    x = x[x <= min((run.x[-1] for run in runs if run.end == LIMIT), default=np.inf)]
    if x.size > MAX_PLACES:
        x = x[np.linspace(0, x.size - 1, MAX_PLACES).round().astype(int)]
    heights = np.array([np.interp(x, run.x, run.v, right=run.v[-1] if run.end == DONE else np.nan) for run in runs])
    present = np.isfinite(heights).sum(axis=0)
    shown = present >= max(1, len(runs) / 2)
    x, heights = x[shown], heights[:, shown]
    heights[~np.isfinite(heights)] = np.nan
    if not x.size:
        return Band(x, x, x, x)
    return Band(x, np.nanmin(heights, axis=0), np.nanmedian(heights, axis=0), np.nanmax(heights, axis=0))


def points_to_draw(x: np.ndarray, v: np.ndarray, most: int = MAX_POINTS) -> np.ndarray:
    """Indices of the points to draw, in order: few that look like all of them.

    All, if there are no more than `most`. Else the first and the last, then always the one that is farthest,
    vertically, from the line drawn so far, until `most` are found or the rest could not be seen (Douglas & Peucker
    1973, in the order of Garland & Heckbert 1995).

    Parameters
    ----------
    x : (k,) array
        Places, in an order that does not fall.
    v : (k,) array
        Heights as they are drawn: logarithms, for a logarithmic axis. One point is kept of a hole (NaN or infinite).
    most : int, default 400
        Points to keep, without those that stand for holes.
    """
    if v.size <= most:
        return np.arange(v.size)
    finite = np.isfinite(v)
    holes = np.flatnonzero(~finite & np.append(True, finite[:-1]))
    solid = np.flatnonzero(finite)
    if not solid.size:
        return holes
    if solid.size > 8 * most:  # bounds the work: extremes of short stretches are what can be seen of them
        solid = solid[_extremes(v[solid], 4 * most)]
    x, v = x[solid], v[solid]
    kept, invisible = [0, v.size - 1], INVISIBLE * np.ptp(v)
    while len(kept) < most:
        distance = np.abs(v - np.interp(x, x[kept], v[kept]))
        distance[kept] = 0  # two points at one place
        farthest = int(distance.argmax())
        if distance[farthest] <= invisible:
            break
        insort(kept, farthest)
    return np.union1d(solid[kept], holes)


def _extremes(v: np.ndarray, stretches: int) -> np.ndarray:
    """Indices of the ends of v and of the lowest and the highest value of each stretch."""
    width = -(-v.size // stretches)
    rows = np.append(v, np.full(-v.size % width, v[-1])).reshape(-1, width)
    starts = width * np.arange(len(rows))
    found = np.concatenate([[0], starts + rows.argmin(axis=1), starts + rows.argmax(axis=1), [v.size - 1]])
    return np.unique(np.minimum(found, v.size - 1))


def points_to_mark(x: np.ndarray) -> np.ndarray:
    """Indices of the points that carry a marker: the last one in each of `MARKED_PARTS` parts of the width.

    Parameters
    ----------
    x : (k,) array
        Places as they are drawn, in an order that does not fall.
    """
    if not x.size:
        return np.empty(0, dtype=int)
    width = float(x[-1] - x[0]) or 1.0
    parts = np.minimum(np.ceil(MARKED_PARTS * (x - x[0]) / width), MARKED_PARTS)  # the first point is one of its own
    return np.flatnonzero(np.append(np.diff(parts) > 0, True))
