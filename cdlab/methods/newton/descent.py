"""Coordinate descent on a model with l1 > 0, on whatever knows H along a coordinate.

Sweeps go over the active coordinates, those with w_j + p_j != 0 and those that a whole sweep moved, until the largest
pull left is a share `accuracy` of the first one; then over all. The pull of coordinate j is H_jj |its step|.

Reference   Friedman, Hastie & Tibshirani, Regularization paths for generalized linear models via coordinate descent
            (2010); Lee, Sun & Saunders, Proximal Newton-type methods for minimizing composite functions (2014)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...numerics.jit import kernel, scalar
from .model import Model

SWEEPS = 1000  # at most: with what they leave, the next model begins
OFTEN = 10  # sweeps over active coordinates, after which `leap` helps


@scalar
def shrunk(x: float, t: float) -> float:
    """The soft threshold of x."""
    return x - min(max(x, -t), t)


@kernel
def sweep(
    on: Any,
    g: np.ndarray,
    w: np.ndarray,
    p: np.ndarray,
    diagonal: np.ndarray,
    l1: np.ndarray,
    coordinates: np.ndarray,
    pulls: np.ndarray,
    moves: np.ndarray,
) -> float:
    """Minimise the model along each of these coordinates; the largest pull. `pulls`, `moves` (d,): each one's."""
    most = 0.0
    for k in range(coordinates.size):
        j = coordinates[k]
        here = w[j] + p[j]
        slope = g[j] + on.along(j, p)
        step = shrunk(here - slope / diagonal[j], l1[j] / diagonal[j]) - here
        pulls[j] = abs(step) * diagonal[j]
        if step != 0:
            p[j] += step
            on.move(j, step)
            moves[j] += 1
        most = max(most, pulls[j])
    return most


def minimise(
    on: Any, model: Model, diagonal: np.ndarray, leap: Callable[[np.ndarray], None] | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The minimiser p of a model, and how often each coordinate was moved and was looked at, (d,) each.

    Parameters
    ----------
    on : struct
        H: `along` a coordinate, and `move`, which keeps up with p.
    model : Model
        The model.
    diagonal : (d,) array
        Of H.
    leap : callable, optional
        Changes p where sweeps over the active coordinates have not come to an end after `OFTEN` of them.
    """
    d = model.g.size
    p, pulls, moves, looks = (np.zeros(d) for _ in range(4))
    diagonal = np.where(diagonal > 0, diagonal, 1.0)  # of a coordinate that the model knows nothing about: g_j = 0
    everything = np.arange(d, dtype=np.uint64)
    coordinates, enough, since = everything, -1.0, 0
    for _ in range(SWEEPS):
        most = sweep(on, model.g, model.w, p, diagonal, model.l1, coordinates, pulls, moves)
        looks[coordinates] += 1
        if enough < 0:
            enough = model.accuracy * most
        if most > enough:
            if coordinates is everything:
                coordinates = np.flatnonzero((model.w + p != 0) | (pulls > 0)).astype(np.uint64)
            since += 1
            if leap is not None and since == OFTEN:
                leap(p)
                since = 0
        elif coordinates is everything:
            break
        else:
            coordinates = everything
    return p, moves, looks


def warm(on: Any) -> None:
    """Compile or load the kernel for this kind of H."""
    nothing, none = np.empty(0), np.empty(0, np.uint64)
    sweep(on, nothing, nothing, nothing, nothing, nothing, none, nothing, nothing)
