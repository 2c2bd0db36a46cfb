"""A race: the error of each method against work, a band over its seeds, and the bounds as thin dashed lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..numerics import checks
from ..runs.limits import Status
from ..runs.race_result import Race
from ..runs.trace import Trace
from .elements import Axes
from .errors import LINEAR, Y_AXES, Best, Guarantee, applies, best_of, errors, relative
from .lines import DONE, LIMIT, MAX_POINTS, Run, band, points_to_draw
from .style import looks_for, side_of_run

if TYPE_CHECKING:
    import holoviews

    from ..theory import Floor, UnseenFloor

BEYOND = 1.25  # Bounds are drawn along so many times the longest run.
FLOOR = 1e-16  # A logarithmic axis has no 0, and float64 resolves no smaller relative gap.
HIGHEST = 1e6
HIGHEST_RUN = 100.0  # Above it, curves leave the picture.
FIRST_VIEW = (1e-10, 2.0)  # Range of an axis without measurements.
FLOOR_POINTS = 400  # Points of the line of a floor.
MAX_ALL_POINTS = 8000  # Points of all lines together, at most.
X_AXES = {
    "passes": "passes over the data (visits / nnz)",
    "seconds": "solver time (seconds)",
    "iteration": "coordinate updates (iterations)",
    "examples": "examples processed",
}
ENDS: dict[str | None, str] = {
    Status.TOLERANCE: DONE,
    Status.GRADIENT_SMALL: DONE,
    Status.ROUNDING_LIMIT: DONE,
    Status.PASS_LIMIT: LIMIT,
    Status.ROUND_LIMIT: LIMIT,
    Status.TIME_LIMIT: LIMIT,
}
_EMPTY = np.empty(0)


class Line(NamedTuple):
    """The line of one method, and the edges of the band around it."""

    xs: np.ndarray = _EMPTY
    ys: np.ndarray = _EMPTY
    band_xs: np.ndarray = _EMPTY
    lows: np.ndarray = _EMPTY
    highs: np.ndarray = _EMPTY


def race(
    traces: Race | Sequence[Trace],
    guarantees: Sequence[Guarantee | None] | None = None,
    *,
    x: str = "passes",
    y: str = "gap",
    tolerance: float = 0.0,
    floors: Sequence[Floor | UnseenFloor] = (),
) -> holoviews.Overlay:
    """The error of each method, on a logarithmic axis, with the bounds as thin dashed lines.

    Parameters
    ----------
    traces : Race or sequence of Trace
        The result of ``cdlab.race(...)``, or runs on one problem. Several seeds of a method become their median, in a
        band from the lowest to the highest of them.
    guarantees : sequence of Guarantee or None, optional
        One for each trace; see `guarantee`. Drawn if the bounded quantity lies above the values on the axis.
    x : "passes", "seconds", "iteration" or "examples", default "passes"
        The horizontal axis; seconds are solver time.
    y : "gap", "best_gap", "primal", "dual" or "test", default "gap"
        The vertical axis, see `errors`. Values below 1e-16 are drawn there. The axis of the test error is linear.
    tolerance : float, default 0
        On the relative gap; drawn as a horizontal line where the gap is shown. 0: none.
    floors : sequence, optional
        Of ``cdlab.theory.floor`` and ``cdlab.theory.unseen_floor``; drawn over passes as grey dashed lines with what
        they say, where they are about the axis: unseen examples below "gap" and "dual", the chain below "primal".

    Returns
    -------
    holoviews.Overlay
        Bands, bounds, curves and markers; curves have the labels of the traces.

    Raises
    ------
    TypeError
        If `traces` is neither.
    ValueError
        For an unknown axis.

    Examples
    --------
    >>> import cdlab
    >>> X, y = cdlab.datasets.make(n=50, d=10, seed=0)
    >>> picture = race(cdlab.race(cdlab.Problem(X, y, l2=0.1), ["sdca", "rcd"], max_passes=20))
    >>> [curve.label for curve in picture.Curve]
    ['sdca, uniform', 'rcd, uniform']
    """
    traces = traces.traces if isinstance(traces, Race) else traces
    if not isinstance(traces, Sequence) or not all(isinstance(trace, Trace) for trace in traces):
        raise TypeError(
            f"plots.race draws a Race or a list of traces, such as [solution.trace], not {checks.short_repr(traces)}"
        )
    check_axes(x, y)
    guarantees = list(guarantees or [None] * len(traces))
    groups: dict[str, list[int]] = {}
    for k, trace in enumerate(traces):
        groups.setdefault(trace.label, []).append(k)
    looks = looks_for({label: side_of_run(traces[group[0]]) for label, group in groups.items()})
    best = best_by_run(traces)
    reach = BEYOND * max((run.records[-1].passes for run in traces if run.records), default=0.0)
    most = points_each(len(groups))
    if floors and len(set(best)) > 1:
        raise ValueError("floors are about one problem: draw the runs on each problem in a picture of its own")
    lines, bounds, theorems = {}, {}, {}
    for label, group in groups.items():
        begun = [k for k in group if traces[k].records]
        lines[label] = line([traces[k] for k in begun], [best[k] for k in begun], x, y, most)
        for k in begun:
            if (own := guarantees[k]) is not None:
                bounds[label] = bound_line(own, traces[k], best[k], x, y, reach)
                theorems[label] = own.names
                break
    axes = Axes(X_AXES[x], Y_AXES[y], y_log=y not in LINEAR)
    for floor in floors:
        xs, ys = floor_line(floor, best[0] if best else None, x, y, reach)
        if xs.size:
            axes.floor(xs, ys, floor.label)
    return _picture(axes, lines, bounds, theorems, looks, x, y, tolerance if y == "gap" else 0.0)


def _picture(
    axes: Axes,
    lines: dict[str, Line],
    bounds: dict[str, Any],
    theorems: dict[str, str],
    looks: Any,
    x: str,
    y: str,
    tolerance: float,
) -> Any:
    log = y not in LINEAR
    for label, one in lines.items():
        look = looks[label]
        if one.band_xs.size:
            axes.band(one.band_xs, one.lows, one.highs, look)
        tips = [("", label), (x, "$snap_x{0,0.[000]}"), (y, "$snap_y{0.0e}" if log else "$snap_y{0.0000}")]
        axes.marked_curve(one.xs, one.ys, look, label, tips)
    for label, (xs, ys) in bounds.items():
        if xs.size:
            tips = [("", f"{label}, bound: {theorems[label]}"), (y, "$snap_y{0.0e}")] if theorems[label] else []
            axes.bound(xs, ys, looks[label], tips)
    if tolerance > 0:
        axes.level(tolerance)
    ends = [xs[-1] for xs in (*(one.xs for one in lines.values()), *(xs for xs, _ in bounds.values())) if xs.size]
    x_range = (0, 1.02 * max(ends, default=1.0) or 1.0)
    return axes.overlay(x_range=x_range, y_range=y_range(lines.values(), bounds.values(), log))


def check_axes(x: str, y: str) -> None:
    """Refuse an unknown axis, naming the known ones.

    Raises
    ------
    ValueError
        See above.
    """
    for name, value, known in (("x", x, X_AXES), ("y", y, Y_AXES)):
        checks.one_of(name, value, known)


def points_each(curves: int) -> int:
    """Return the number of points that each of so many lines may have."""
    return min(MAX_POINTS, max(50, MAX_ALL_POINTS // max(1, curves)))


def best_by_run(traces: Sequence[Trace]) -> list[Best | None]:
    """Return the best values known on the problem of each run; None if nothing is measured there yet."""
    keys = [(run.meta.get("data"), run.meta.get("problem")) for run in traces]
    found = {}
    for key in set(keys):
        measured = [run for run, own in zip(traces, keys, strict=True) if own == key and run.records]
        found[key] = best_of(measured) if measured else None
    return [found[key] for key in keys]


def line(runs: Sequence[Trace], best: Sequence[Best | None], x: str, y: str, most: int = MAX_POINTS) -> Line:
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
        if own is not None
    ]
    if not drawn:
        return Line()
    if len(drawn) == 1:
        ((xs, heights, _),) = drawn
        kept = points_to_draw(xs, heights, most)
        return Line(xs[kept], _values(heights[kept], y))
    xs, low, heights, high = band(drawn)
    kept, edges = (
        points_to_draw(xs, heights, most),
        np.union1d(points_to_draw(xs, low, most), points_to_draw(xs, high, most)),
    )
    return Line(xs[kept], _values(heights[kept], y), xs[edges], _values(low[edges], y), _values(high[edges], y))


def bound_line(
    promise: Guarantee, run: Trace, best: Best | None, x: str, y: str, reach: float
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
    if best is None or not applies(promise, y):
        return _EMPTY, _EMPTY
    passes, last = run.column("passes")[-1], run.column(x)[-1]
    # iterations and seconds go with passes, so a run's own rate carries its bound to the other axes
    per_pass = 1.0 if x == "passes" else last / passes if passes > 0 else np.nan
    ys = relative(promise, best, y)
    visible = (promise.passes <= reach) & (ys >= FLOOR)
    return promise.passes[visible] * per_pass, ys[visible]


def floor_line(
    floor: Floor | UnseenFloor, best: Best | None, x: str, y: str, reach: float
) -> tuple[np.ndarray, np.ndarray]:
    """A floor as a line: divided by an upper bound of the scale of `errors`, so that it stays a floor.

    Parameters are those of `bound_line`. Empty if the floor is about another axis.
    """
    from ..theory import Floor

    if best is None or x != "passes":
        return _EMPTY, _EMPTY
    xs = np.linspace(0, reach, FLOOR_POINTS)
    if isinstance(floor, Floor):
        ys = np.asarray(floor.curve(xs, "P(w)-P*")) if y == "primal" else _EMPTY
    else:
        scale = best.start - best.dual_start
        ys = np.asarray(floor.curve(xs)) / scale if y in ("gap", "dual") and 0 < scale < np.inf else _EMPTY
    if not ys.size:
        return _EMPTY, _EMPTY
    visible = ys >= FLOOR
    return xs[visible], ys[visible]


def y_range(lines: Any, bounds: Any, log: bool) -> tuple[float, float]:
    """A vertical axis with the measurements, and as much of the bounds as leaves most room to the curves."""
    # a linear axis that shows the start, w = 0, shows little else
    parts = [
        ys[np.isfinite(ys) & (log | (xs > 0))]
        for one in lines
        for xs, ys in ((one.xs, one.ys), (one.band_xs, one.lows), (one.band_xs, one.highs))
    ]
    measured = np.concatenate([_EMPTY, *parts])
    if not measured.size:
        return FIRST_VIEW if log else (0.0, 1.0)
    if not log:
        margin = 0.05 * np.ptp(measured) or 0.01
        return float(max(0.0, measured.min() - margin)), float(measured.max() + margin)
    highest = max((float(ys[0]) for _, ys in bounds if len(ys)), default=FIRST_VIEW[1])
    highest = max(highest, min(float(measured.max()), HIGHEST_RUN))
    lowest = min(measured.min(), FIRST_VIEW[1])
    return float(max(lowest / 3, FLOOR / 3)), float(min(highest * 2, HIGHEST))


def _heights(values: np.ndarray, y: str) -> np.ndarray:
    """Values as heights on the axis; NaN where there is none."""
    values = np.where(np.isfinite(values), values, np.nan)
    return values if y in LINEAR else np.log10(np.maximum(values, FLOOR))


def _values(heights: np.ndarray, y: str) -> np.ndarray:
    return heights if y in LINEAR else np.maximum(10.0**heights, FLOOR)
