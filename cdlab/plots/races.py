"""A race as a picture, from its traces."""

from __future__ import annotations

from collections.abc import Sequence

from bokeh.plotting import figure

from ..numerics.checks import short_repr
from ..runs.race_result import Race
from ..runs.trace import Trace
from .measures import Guarantee
from .race_plot import RacePlot
from .sides import side_of_run


def race(
    traces: Race | Sequence[Trace],
    guarantees: Sequence[Guarantee | None] | None = None,
    *,
    x: str = "passes",
    y: str = "gap",
    tolerance: float = 0.0,
) -> figure:
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
    y : "gap", "primal", "dual" or "test", default "gap"
        The vertical axis, see `errors`. Values below 1e-16 are drawn there. The axis of the test error is linear.
    tolerance : float, default 0
        On the relative gap; drawn as a horizontal line where the gap is shown. 0: none.

    Returns
    -------
    bokeh figure

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
    >>> race(cdlab.race(cdlab.Problem(X, y, l2=0.1), ["sdca", "rcd"], max_passes=20)).yaxis.axis_label
    'relative duality gap'
    """
    traces = traces.traces if isinstance(traces, Race) else traces
    if not isinstance(traces, Sequence) or not all(isinstance(trace, Trace) for trace in traces):
        raise TypeError(
            f"plots.race draws a Race or a list of traces, such as [solution.trace], not {short_repr(traces)}"
        )
    plot = RacePlot([trace.label for trace in traces], [side_of_run(trace) for trace in traces], x, y, tolerance)
    plot.show(traces, guarantees or [None] * len(traces))
    return plot.figure
