"""Fewer points that look like all of them: a curve may have 100,000, a screen shows a few hundred."""

from __future__ import annotations

import heapq

import numpy as np

MOST_POINTS = 400  # of a curve, drawn
INVISIBLE = 5e-4  # of the height of the curve: a fifth of a pixel


def thinned(x: np.ndarray, v: np.ndarray, most: int = MOST_POINTS) -> np.ndarray:
    """Indices of the points to draw, in order.

    All, if there are no more than `most`. Else the first and the last, then always the one that is farthest,
    vertically, from the line drawn so far, until `most` are found or the rest could not be seen.

    Parameters
    ----------
    x : (k,) array
        Places, in an order that does not fall.
    v : (k,) array
        Heights as they are drawn: logarithms, for a logarithmic axis. One point is kept of a hole (NaN or infinite).
    most : int, default 400
        Points to keep, without those that stand for holes.

    Notes
    -----
    Ramer 1972; Douglas & Peucker 1973; in the greedy order of Garland & Heckbert 1995, Fast Polygonal
    Approximation of Terrains and Height Fields.
    """
    if v.size <= most:
        return np.arange(v.size)
    there = np.isfinite(v)
    holes = np.flatnonzero(~there & np.append(True, there[:-1]))
    solid = np.flatnonzero(there)
    if not solid.size:
        return holes
    if solid.size > 8 * most:  # bounds the work: extremes of short stretches are what can be seen of them
        solid = solid[_extremes(v[solid], 4 * most)]
    return np.union1d(solid[_farthest_first(x[solid], v[solid], most)], holes)


def _extremes(v: np.ndarray, stretches: int) -> np.ndarray:
    """Indices of the ends of v and of the lowest and the highest value of each stretch."""
    width = -(-v.size // stretches)
    rows = np.append(v, np.full(-v.size % width, v[-1])).reshape(-1, width)
    starts = width * np.arange(len(rows))
    found = np.concatenate([[0], starts + rows.argmin(axis=1), starts + rows.argmax(axis=1), [v.size - 1]])
    return np.unique(np.minimum(found, v.size - 1))


def _farthest_first(x: np.ndarray, v: np.ndarray, most: int) -> np.ndarray:
    kept, invisible = [0, v.size - 1], INVISIBLE * np.ptp(v)
    waiting = [_farthest(x, v, 0, v.size - 1)] if v.size > 2 else []
    while waiting and len(kept) < most:
        distance, k, start, end = heapq.heappop(waiting)
        if -distance <= invisible:
            break
        kept.append(k)
        for part in ((start, k), (k, end)):
            if part[1] - part[0] > 1:
                heapq.heappush(waiting, _farthest(x, v, *part))
    return np.sort(kept)


def _farthest(x: np.ndarray, v: np.ndarray, start: int, end: int) -> tuple[float, int, int, int]:
    """Minus the largest vertical distance from the line between two points, the point that has it, and the two."""
    width = x[end] - x[start]
    share = (x[start + 1 : end] - x[start]) / width if width > 0 else 0.5
    distance = np.abs(v[start + 1 : end] - v[start] - share * (v[end] - v[start]))
    k = int(distance.argmax())
    return -float(distance[k]), start + 1 + k, start, end
