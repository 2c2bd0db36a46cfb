"""Level sets of P over two variables, as lines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from contourpy import contour_generator

from ...problems.problem import Problem
from .contract import Level

HEIGHTS = 2.0 ** np.arange(4, -7, -1)  # over P*, as shares of P(0) - P*: 1 goes through the start
GRID = 64  # points along each side, at which P is evaluated
ROOM = 0.2  # around the paths, as a share of their extent
DIGITS = 4  # of a coordinate


def frame_around(points: Sequence[np.ndarray]) -> tuple[float, float, float, float]:
    """Left, right, bottom and top of a frame with room around these points, which may be infinite.

    >>> frame_around([np.zeros(2), 10 * np.ones(2)])
    (-2.0, 12.0, -2.0, 12.0)
    """
    all_ = np.array([point for point in points if np.isfinite(point).all()])
    low, high = all_.min(axis=0), all_.max(axis=0)
    extent = np.maximum(high - low, 0.25 * (high - low).max())  # a path along an axis has no height of its own
    extent[extent == 0] = 1.0
    middle = (low + high) / 2
    left, bottom = middle - (0.5 + ROOM) * extent
    right, top = middle + (0.5 + ROOM) * extent
    return float(left), float(right), float(bottom), float(top)


def levels(
    problem: Problem, frame: tuple[float, float, float, float], best: float, scale: float, heights=HEIGHTS
) -> list[Level]:
    """Where P(w) = P* + height (P(0) - P*), for a problem of two features.

    Parameters
    ----------
    problem : Problem
    frame : (left, right, bottom, top)
    best, scale : float
        P* and P(0) - P*.
    heights : sequence of float
    """
    left, right, bottom, top = frame
    xs, ys = np.linspace(left, right, GRID), np.linspace(bottom, top, GRID)
    values = np.array([[problem.primal(np.array([x, y])) for x in xs] for y in ys])
    lines = contour_generator(xs, ys, values)
    found: list[Level] = []
    for height in heights:
        drawn = [np.round(line, DIGITS).tolist() for line in lines.lines(best + height * scale)]
        if drawn:
            found.append({"height": float(height), "lines": drawn})
    return found
