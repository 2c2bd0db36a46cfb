"""How often each coordinate is drawn, cell by cell of the thumbnail."""

from __future__ import annotations

import numpy as np

from ...problems.problem import Problem
from ...runs.entries import Entry, draws, entrant
from .contract import Draws
from .thumbnails import cell_of


def drawn(problem: Problem, entry: Entry) -> Draws | None:
    """Of the side of a method; None if it draws nothing."""
    method, sampling = entrant(entry)
    if not draws(method):
        return None
    p = method.probabilities(problem, sampling)
    p = p / p.sum()  # of samplings that draw blocks it is that of each coordinate
    cell = cell_of(p.size)
    means = np.bincount(cell, p * p.size) / np.bincount(cell)
    return {
        "sampling": method.effective(sampling).label,
        "cells": means.tolist(),
        "least": float(p.min() * p.size),
        "most": float(p.max() * p.size),
    }
