"""The runs of one method with several seeds, as one line and a band around it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

FINEST = 2000  # places at which the runs are compared
DONE, LIMIT = "done", "limit"


class Run(NamedTuple):
    """One run as it is drawn.

    Attributes
    ----------
    x, v : (k,) arrays
        Places and heights of its points, as for `thinned`.
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
    if x.size > FINEST:
        x = x[np.linspace(0, x.size - 1, FINEST).round().astype(int)]
    heights = np.array([np.interp(x, run.x, run.v, right=run.v[-1] if run.end == DONE else np.nan) for run in runs])
    present = np.isfinite(heights).sum(axis=0)
    shown = present >= max(1, len(runs) / 2)
    x, heights = x[shown], heights[:, shown]
    heights[~np.isfinite(heights)] = np.nan
    if not x.size:
        return Band(x, x, x, x)
    return Band(x, np.nanmin(heights, axis=0), np.nanmedian(heights, axis=0), np.nanmax(heights, axis=0))
