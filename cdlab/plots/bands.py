"""The runs of one method with several seeds, as one line and a band around it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

FINEST = 2000  # places at which the runs are compared
DONE, LIMIT = "done", "limit"


class Run(NamedTuple):
    """One run as it is drawn: its points, and what comes after them."""

    x: np.ndarray
    v: np.ndarray  # heights as they are drawn, as for `thinned`
    end: str = ""  # DONE, LIMIT, or nothing


class Band(NamedTuple):
    """At each x the middle of the runs, and the lowest and the highest of them."""

    x: np.ndarray
    low: np.ndarray
    middle: np.ndarray
    high: np.ndarray


def band(runs: Sequence[Run]) -> Band:
    """The median of some runs, and their range.

    Between its points a run is the straight line that a picture shows. A run that is done (it reached its tolerance)
    counts on with its last value. One that goes on or was stopped counts as far as it has come. Where the first run
    met a limit, or fewer than half of the runs are left, the band ends.

    Parameters
    ----------
    runs : sequence of Run
        With at least one point each.
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
