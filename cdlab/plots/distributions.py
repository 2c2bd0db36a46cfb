"""Methods over many problems: performance profiles, runtime distributions, and predictions beside measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from bokeh.models import LegendItem, Slope
from bokeh.plotting import figure

from ..comparisons import profiles
from ..methods import METHODS
from ..sweeps import Store, statistics
from .legends import add_legend
from .looks import Look, looks_for
from .sides import side_by_label, side_of

FARTHEST = 100.0  # the factor at which a performance profile ends
MARKED = 12  # markers of a curve at most


def steps(
    found: Mapping[str, np.ndarray], looks: Mapping[str, Look], x_label: str, y_label: str, first: float, last: float
) -> Any:
    """Shares that rise in steps along a logarithmic axis: of each name the share of its sorted numbers up to x.

    Parameters
    ----------
    found : mapping
        By name sorted numbers, inf where there is none.
    looks : mapping
        The look of each name.
    x_label, y_label : str
        Of the axes.
    first, last : float
        The range of x.
    """
    drawn = figure(
        x_axis_type="log", x_range=(first, last), y_range=(-0.02, 1.02), width=900, height=380,
        x_axis_label=x_label, y_axis_label=y_label, toolbar_location=None,
    )  # fmt: skip
    items = []
    for name, numbers in found.items():
        seen, at = looks[name], numbers[np.isfinite(numbers)]
        shares = np.arange(1, at.size + 1) / max(numbers.size, 1)
        x = np.repeat(np.concatenate([[first], np.clip(at, first, last), [last]]), 2)[1:]
        y = np.repeat(np.concatenate([[0.0], shares]), 2)
        line = drawn.line(x, np.append(y, y[-1]), color=seen.light, line_dash=seen.line_dash, width=seen.width)
        tops = np.flatnonzero(np.append(at[1:] > at[:-1], True)) if at.size else np.empty(0, dtype=int)
        tops = tops[:: -(-tops.size // MARKED) or 1]
        marks = [drawn.scatter(at[tops], shares[tops], color=seen.light, marker=seen.marker, size=7)] if at.size else []
        items.append(LegendItem(label=name, renderers=[line, *marks]))
    add_legend(drawn, items, list(found), "below")
    return drawn


def performance_profile(store: Store, eps: float = 1e-4, by: str = "passes") -> Any:
    """The share of problems that each method solved within a factor of the best (Dolan & Moré 2002), a bokeh figure.

    Parameters
    ----------
    store : Store
        The runs, with ``every=1``.
    eps : float in (0, 1), default 1e-4
        Relative suboptimality, see `cdlab.sweeps.statistics.costs`.
    by : str, default "passes"
        Also "seconds", "iteration" or "examples".

    Raises
    ------
    TypeError, ValueError
        If eps is no number between 0 and 1.
    """
    found = profiles.profiles(statistics.costs(store, eps, by))
    return steps(found, _looks(store, found), f"factor of the least {by}", "share of problems", 1.0, FARTHEST)


def runtime_distribution(store: Store, targets: Sequence[float] = statistics.TARGETS, by: str = "passes") -> Any:
    """The share of (problem, target, seed) that each method reached within a budget, a bokeh figure.

    Parameters
    ----------
    store, by
        As for `performance_profile`.
    targets : sequence of float, default 0.1, 0.01, ..., 1e-6
        Relative suboptimalities.

    Raises
    ------
    TypeError, ValueError
        If a target is no number between 0 and 1.
    """
    found = statistics.runtimes(store, targets, by)
    finite = np.concatenate([np.empty(0), *found.values()])
    finite = finite[np.isfinite(finite) & (finite > 0)]
    first, last = (finite.min() / 1.2, finite.max() * 1.2) if finite.size else (1.0, 10.0)
    return steps(found, _looks(store, found), by, "share of problems, targets and seeds", first, last)


def predicted_against_measured(store: Store, problems: Sequence[Any], eps: float = 1e-4) -> Any:
    """The passes that runs took over those that their bounds promise, a bokeh figure; below the line the bound holds.

    Parameters
    ----------
    store, eps
        As for `performance_profile`.
    problems : sequence of Problem
        Those whose runs are drawn.

    Raises
    ------
    TypeError, ValueError
        If eps is no number between 0 and 1.
    """
    frame = statistics.predicted_and_measured(store, problems, eps)
    drawn = figure(
        x_axis_type="log", y_axis_type="log", width=600, height=480, toolbar_location=None,
        x_axis_label="passes by the bound", y_axis_label="passes measured",
    )  # fmt: skip
    drawn.add_layout(Slope(gradient=1, y_intercept=0, line_color="#767676", line_dash="dotdash"))
    groups = {f"{method}, {sampling}": group for (method, sampling), group in frame.groupby(["method", "sampling"])}
    looks, items = looks_for({name: side_of(METHODS[name.partition(",")[0]]) for name in groups}), []
    for name, group in groups.items():
        reached = group[np.isfinite(group["measured"])]
        if reached.empty:
            continue
        look = {"color": looks[name].light, "marker": looks[name].marker, "size": 9}
        items.append(
            LegendItem(label=name, renderers=[drawn.scatter(reached["predicted"], reached["measured"], **look)])
        )
    add_legend(drawn, items, [item.label.value for item in items], "below")
    return drawn


def _looks(store: Store, found: Mapping[str, Any]) -> dict[str, Look]:
    sides = {trace.label: side_by_label(trace.label, str(trace.meta["side"])) for trace in store}
    return looks_for({label: sides[label] for label in found})
