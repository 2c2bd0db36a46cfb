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
from .ratios import competes, median_time
from .results import Result


def by_package(results: Iterable[Result], target: float) -> dict[str, dict[str, float]]:
    """Median CPU seconds by cell: for each of our methods, and for each package those of its fastest solver there.

    A cell that no peer takes compares nothing, and is left out.
    """
    times: dict[str, dict[str, float]] = {}
    known = list(results)
    compared = {each.cell for each in known if competes(each)}
    for result in known:
        if result.cell not in compared:
            continue
        curve = result.peer if result.ours else named(result.peer).package.name
        seconds = median_time(result, target)
        own = times.setdefault(curve, {})
        own[result.cell] = min(own.get(result.cell, math.inf), seconds)
    return times


def picture(found: Mapping[str, np.ndarray]) -> Any:
    """The profiles as a bokeh figure, with the factor on a logarithmic axis."""
    from ..plots.distributions import FARTHEST, steps
    from ..plots.looks import looks_for

    looks = looks_for({name: "dual" if name.startswith("cdlab") else "" for name in found})
    return steps(found, looks, "factor of the fastest time (CPU)", "share of cells", 1.0, FARTHEST)


def drawn(found: Mapping[str, np.ndarray], path: Path) -> str:
    """Write the picture as SVG: its text, or an empty one where matplotlib is not installed."""
    from ..plots.saving import save

    try:
        save(picture(found), path)
    except ImportError:
        return ""
    return path.read_text(encoding="utf-8")
