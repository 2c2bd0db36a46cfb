"""Methods over many problems: performance profiles, runtime distributions, and predictions beside measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..comparisons import profiles
from ..methods import METHODS
from ..sweeps import Store, statistics
from .elements import GREY, LEVEL_DASH, Axes
from .lines import points_to_mark
from .style import LineStyle, look, looks_for, side_by_label, side_of

if TYPE_CHECKING:
    import holoviews

FARTHEST = 100.0  # Factor at which a performance profile ends.


def steps(
    found: Mapping[str, np.ndarray],
    looks: Mapping[str, LineStyle],
    x_label: str,
    y_label: str,
    first: float,
    last: float,
) -> holoviews.Overlay:
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
    axes = Axes(x_label, y_label, x_log=True)
    for name, numbers in found.items():
        at = numbers[np.isfinite(numbers)]
        shares = np.arange(1, at.size + 1) / max(numbers.size, 1)
        x = np.repeat(np.concatenate([[first], np.clip(at, first, last), [last]]), 2)[1:]
        y = np.repeat(np.concatenate([[0.0], shares]), 2)
        axes.curve(x, np.append(y, y[-1]), looks[name], name)
        tops = np.flatnonzero(np.append(at[1:] > at[:-1], True)) if at.size else np.empty(0, dtype=int)
        marks = tops[points_to_mark(np.log(np.clip(at[tops], first, None)))]
        axes.markers(at[marks], shares[marks], looks[name], name)
    return axes.overlay(x_range=(first, last), y_range=(-0.02, 1.02))


def performance_profile(store: Store, eps: float = 1e-4, by: str = "passes") -> holoviews.Overlay:
    """The share of problems that each method solved within a factor of the best (Dolan & Moré 2002).

    Parameters
    ----------
    store : Store
        The runs, with ``every=1``.
    eps : float in (0, 1), default 1e-4
        Share of the error at the start, by default of the best gap; see `cdlab.sweeps.statistics.costs`.
    by : str, default "passes"
        Also "seconds", "iteration" or "examples".

    Raises
    ------
    TypeError, ValueError
        If eps is no number between 0 and 1.
    """
    found = profiles.profiles(statistics.costs(store, eps, by))
    return steps(found, _looks(store, found), f"factor of the least {by}", "share of problems", 1.0, FARTHEST)


def runtime_distribution(
    store: Store, targets: Sequence[float] = statistics.TARGETS, by: str = "passes"
) -> holoviews.Overlay:
    """The share of (problem, target, seed) that each method reached within a budget.

    Parameters
    ----------
    store, by
        As for `performance_profile`.
    targets : sequence of float, default 0.1, 0.01, ..., 1e-6
        Shares of the error at the start, as of `cdlab.sweeps.statistics.runtimes`.

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


def predicted_against_measured(store: Store, problems: Sequence[Any], eps: float = 1e-4) -> holoviews.Overlay:
    """The passes that runs took over those that their bounds promise; below the line the bound holds.

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
    groups = {f"{method}, {sampling}": group for (method, sampling), group in frame.groupby(["method", "sampling"])}
    looks = looks_for({name: side_of(METHODS[name.partition(",")[0]]) for name in groups})
    axes = Axes("passes by the bound", "passes measured", x_log=True, y_log=True)
    for name, group in groups.items():
        reached = group[np.isfinite(group["measured"])]
        if not reached.empty:
            axes.markers(reached["predicted"], reached["measured"], looks[name], name)
    both = frame[np.isfinite(frame["measured"])][["predicted", "measured"]].to_numpy()
    ends = [both.min(), both.max()] if both.size else [1.0, 10.0]
    axes.curve(ends, ends, look("")._replace(light=GREY, dash=LEVEL_DASH, width=1))
    return axes.overlay(height=480)


def _looks(store: Store, found: Mapping[str, Any]) -> dict[str, LineStyle]:
    sides = {trace.label: side_by_label(trace.label, str(trace.meta["side"])) for trace in store}
    return looks_for({label: sides[label] for label in found})
