"""Performance profiles: the share of cells in which a solver is within a factor of the fastest.

Dolan & Moré, Benchmarking optimization software with performance profiles, Mathematical Programming 91 (2002).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .peers import named
from .ratios import median_time
from .results import Result

FARTHEST = 100.0  # the factor at which a picture ends


def profiles(times: Mapping[str, Mapping[str, float]]) -> dict[str, np.ndarray]:
    """Of each solver the sorted ratios of its times to the fastest one's: rho(tau) counts those that are at most tau.

    Parameters
    ----------
    times : mapping
        Seconds by solver and problem. What is missing or infinite was not solved; a problem that nobody solved does not
        count.

    Returns
    -------
    dict
        One ratio for each problem that somebody solved, in order, inf where the solver did not.

    Examples
    --------
    >>> profiles({"a": {"p": 1.0, "q": 4.0}, "b": {"p": 3.0, "q": 2.0}})["a"]
    array([1., 2.])
    """
    problems = sorted({problem for of_one in times.values() for problem in of_one})
    table = np.array([[of_one.get(problem, math.inf) for problem in problems] for of_one in times.values()])
    if not table.size:
        return {}
    fastest = table.min(axis=0)
    solved = np.isfinite(fastest)
    return {name: np.sort(row[solved] / fastest[solved]) for name, row in zip(times, table, strict=True)}


def share(ratios: np.ndarray, tau: float) -> float:
    """rho(tau), the share of problems on which a solver was within the factor tau of the fastest."""
    return float(np.mean(ratios <= tau)) if ratios.size else math.nan


def by_package(results: Iterable[Result], target: float) -> dict[str, dict[str, float]]:
    """Median CPU seconds by cell: for each of our methods, and for each package those of its fastest solver there."""
    times: dict[str, dict[str, float]] = {}
    for result in results:
        curve = result.peer if result.ours else named(result.peer).package.name
        seconds = median_time(result, target)
        own = times.setdefault(curve, {})
        own[result.cell] = min(own.get(result.cell, math.inf), seconds)
    return times


def picture(found: Mapping[str, np.ndarray]) -> Any:
    """The profiles as a bokeh figure, with the factor on a logarithmic axis."""
    from bokeh.models import LegendItem
    from bokeh.plotting import figure

    from ..plots.legends import add_legend
    from ..plots.looks import look

    drawn = figure(
        x_axis_type="log", x_range=(1.0, FARTHEST), y_range=(-0.02, 1.02), width=900, height=380,
        x_axis_label="factor of the fastest time (CPU)", y_axis_label="share of cells", toolbar_location=None,
    )  # fmt: skip
    items, peers, own = [], 0, 0
    for name, ratios in found.items():
        ours = name.startswith("cdlab")
        seen = look("dual", own) if ours else look("", peers)
        own, peers = own + ours, peers + (not ours)
        at = ratios[np.isfinite(ratios)]
        x = np.repeat(np.concatenate([[1.0], np.clip(at, 1.0, FARTHEST), [FARTHEST]]), 2)[1:]
        y = np.repeat(np.concatenate([[0.0], np.arange(1, at.size + 1) / max(ratios.size, 1)]), 2)
        line = drawn.line(x, np.append(y, y[-1]), color=seen.light, line_dash=seen.line_dash, width=seen.width)
        share_there = np.arange(1, at.size + 1) / max(ratios.size, 1)
        marks = [drawn.scatter(at, share_there, color=seen.light, marker=seen.marker, size=7)] if at.size else []
        items.append(LegendItem(label=name, renderers=[line, *marks]))
    add_legend(drawn, items, list(found), "below")
    return drawn


def drawn(found: Mapping[str, np.ndarray], path: Path) -> str:
    """Write the picture as SVG: its text, or an empty one where matplotlib is not installed."""
    from ..plots.saving import save

    try:
        save(picture(found), path)
    except ImportError:
        return ""
    return path.read_text(encoding="utf-8")
