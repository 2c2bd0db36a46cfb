"""From runs and bounds to the points of the lines that a race draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..runs.statuses import Status
from ..runs.trace import Trace
from .bands import DONE, LIMIT, Run, band
from .measures import LINEAR, Best, Guarantee, applies, errors, relative
from .thinning import MOST_POINTS, thinned

FLOOR = 1e-16  # a logarithmic axis has no 0; float64 resolves no smaller relative gap either
FEW = 40  # points of a bound, which is nearly straight
ENDS: dict[str | None, str] = {
    Status.TOLERANCE: DONE,
    Status.GRADIENT_SMALL: DONE,
    Status.PASS_LIMIT: LIMIT,
    Status.TIME_LIMIT: LIMIT,
}
_EMPTY = np.empty(0)


class Line(NamedTuple):
    """The line of one method: its points, its markers, and the outline of the band around it."""

    xs: np.ndarray = _EMPTY
    ys: np.ndarray = _EMPTY
    mark_xs: np.ndarray = _EMPTY
    mark_ys: np.ndarray = _EMPTY
    band_xs: np.ndarray = _EMPTY
    band_ys: np.ndarray = _EMPTY


def line(runs: Sequence[Trace], best: Sequence[Best], x: str, y: str, most: int = MOST_POINTS) -> Line:
    """The line of some runs of one method.

    One run is drawn as it is; several as their median, in a band from the lowest to the highest. Values below FLOOR
    are drawn there; a diverging run leaves a hole.

    Parameters
    ----------
    runs : sequence of Trace
        The runs, each with at least one record.
    best : sequence of Best
        For each run the best values known on its problem.
    x, y : str
        Keys of X_AXES and Y_AXES.
    most : int, default 400
        Points of a line, at most.
    """
    drawn = [
        Run(run.column(x), _heights(errors(run, own, y), y), ENDS.get(run.meta.get("status"), ""))
        for run, own in zip(runs, best, strict=True)
    ]
    if not drawn:
        return Line()
    if len(drawn) == 1:
        ((xs, heights, _),) = drawn
        outline = (_EMPTY, _EMPTY)
    else:
        xs, low, heights, high = band(drawn)
        under, over = thinned(xs, low, most), thinned(xs, high, most)[::-1]
        outline = np.append(xs[under], xs[over]), _values(np.append(low[under], high[over]), y)
    kept, marked = thinned(xs, heights, most), spaced(xs.size)
    ys, mark_ys = (_values(heights[some], y) for some in (kept, marked))
    return Line(xs[kept], ys, xs[marked], mark_ys, *outline)


def bound_line(
    promise: Guarantee, run: Trace, best: Best, x: str, y: str, reach: float
) -> tuple[np.ndarray, np.ndarray]:
    """The bound of a run as a line.

    Parameters
    ----------
    promise : Guarantee
        The bound, over passes.
    run : Trace
        The run, with at least one record: its own rate carries the bound to other horizontal axes.
    best : Best
        The best values known on its problem.
    x, y : str
        Keys of X_AXES and Y_AXES.
    reach : float
        Passes for which it is drawn.

    Returns
    -------
    xs, ys : arrays
        Empty if the bound does not bound the values on the axis.
    """
    if not applies(promise, y):
        return _EMPTY, _EMPTY
    passes, last = run.column("passes")[-1], run.column(x)[-1]
    # iterations and seconds go with passes, so a run's own rate carries its bound to the other axes
    per_pass = 1.0 if x == "passes" else last / passes if passes > 0 else np.nan
    ys = relative(promise, best, y)
    shown = (promise.passes <= reach) & (ys >= FLOOR)
    xs, ys = promise.passes[shown], ys[shown]
    kept = thinned(xs, np.log10(ys), FEW)
    return xs[kept] * per_pass, ys[kept]


def spaced(size: int) -> np.ndarray:
    """Indices of the points that carry a marker, of `size` points: 8 to 16, the first and the last among them.

    Their distance doubles as a curve grows, so that most markers stay where they are.
    """
    step = 1 << max(0, int(np.log2(max(1, size))) - 3)
    return np.union1d(np.arange(0, size, step), np.arange(size)[-1:])


def _heights(values: np.ndarray, y: str) -> np.ndarray:
    """Values as heights on the axis; NaN where there is none."""
    values = np.where(np.isfinite(values), values, np.nan)
    return values if y in LINEAR else np.log10(np.maximum(values, FLOOR))


def _values(heights: np.ndarray, y: str) -> np.ndarray:
    return heights if y in LINEAR else np.maximum(10.0**heights, FLOOR)
