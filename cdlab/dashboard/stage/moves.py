"""What each of the first updates moved: the chosen coordinate, and what followed from it."""

from __future__ import annotations

import numpy as np

from ...methods.base import draws_coordinates
from ...numerics.json_numbers import null_non_finite
from ...problems.problem import Problem
from ...runs.entries import Entry, entrant
from .contract import Moves
from .frames import Frames


def moves_of(problem: Problem | None, entry: Entry | None, made: Frames, side: str) -> Moves:
    """From the states before and after each step.

    Parameters
    ----------
    problem : Problem or None
        Needed where there are steps, like the entry.
    entry : entry or None
    made : Frames
    side : str
        "primal": the coordinates are features, and w is looked at; "dual": examples, and alpha.
    """
    p = None if problem is None or entry is None else _probabilities(problem, entry)
    found: Moves = {"p": [], "moved": [], "weights": []}
    for k, coordinates in enumerate(made.coordinates):
        (w, alpha), (new_w, new_alpha) = made.points[k : k + 2]
        before, after = (alpha, new_alpha) if side == "dual" else (w, new_w)
        found["p"].append(float(p[coordinates[0]]) if p is not None and len(coordinates) == 1 else None)
        found["moved"].append(_moved(before, after, coordinates))
        found["weights"].append(int(np.count_nonzero(w != new_w)))
    return found


def _probabilities(problem: Problem, entry: Entry) -> np.ndarray | None:
    """p of a serial sampling; None of an order, in which nothing is drawn."""
    method, sampling = entrant(entry)
    drawn = method.draws(sampling)
    if not draws_coordinates(method) or drawn is None or not (drawn.serial and drawn.has_theorem):
        return None
    return method.probabilities(problem, sampling)


def _moved(before: np.ndarray, after: np.ndarray, coordinates: list[int]) -> list[float | None] | None:
    """From where to where the step moved its coordinate; None if it moved others, too, or is not of one number."""
    if len(coordinates) != 1 or before.ndim != 1 or set(np.flatnonzero(before != after)) - set(coordinates):
        return None
    return null_non_finite([float(each[coordinates[0]]) for each in (before, after)])
