"""How often each coordinate is drawn, cell by cell of the thumbnail."""

from __future__ import annotations

import numpy as np

from ...methods.base import draws_coordinates
from ...problems.problem import Problem
from ...runs.entries import Entry, entrant
from .contract import Draws
from .thumbnails import cell_of


def drawn(problem: Problem, entry: Entry) -> Draws | None:
    """Of the side of a method; None if it draws nothing."""
    method, sampling = entrant(entry)
    if not draws_coordinates(method):
        return None
    p = method.probabilities(problem, sampling)
    p = p / p.sum()  # of samplings that draw blocks it is that of each coordinate
    cell = cell_of(p.size)
    means = means_of(p, cell)
    some = p[p > 0]
    return {
        "sampling": method.draws(sampling).label,
        "cells": means.tolist(),
        "least": float(some.min() * p.size),
        "most": float(some.max() * p.size),
        "never": int(p.size - some.size),
    }


def means_of(p: np.ndarray, cell: np.ndarray) -> np.ndarray:
    """In each cell the mean of p m over the lines that are drawn at all: empty ones would make it look unlikely."""
    drawn = np.maximum(np.bincount(cell, p > 0), 1)
    return np.bincount(cell, p * np.count_nonzero(p)) / drawn
