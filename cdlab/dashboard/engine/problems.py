"""The problem of some choices with what is known of it before a race. The last few are kept."""

from __future__ import annotations

import math
from base64 import b64encode
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...faceoffs import faceoff
from ...problems.problem import Problem
from ...runs.solving import solve
from .choices import Choices
from .data_sources import UPLOAD

DOWN, ACROSS = 128, 96  # The picture of X has at most so many bins.
CHUNK = 1_000_000  # So many entries of a dense matrix are looked at in one go.
PROBLEMS_LIMIT = 12  # So many problems are kept.
REFERENCE = {"tol": 1e-12, "max_passes": 3000}


@dataclass(frozen=True, eq=False)
class PreparedProblem:
    """A problem and what all answers about it need."""

    problem: Problem

    @cached_property
    def levels(self) -> str:
        """The picture of X, see `schema.Matrix`: by the root, entries a hundred times smaller are still seen."""
        cells = largest_entries(self.problem.X, DOWN, ACROSS)
        top = float(cells.max())
        levels = np.ceil(255 * np.sqrt(cells / top)) if top > 0 else cells
        return b64encode(levels.astype(np.uint8).tobytes()).decode("ascii")

    @cached_property
    def down(self) -> np.ndarray:
        """The bin of each row."""
        return bin_of(self.problem.n, DOWN)

    @cached_property
    def across(self) -> np.ndarray:
        """The bin of each column."""
        return bin_of(self.problem.d, ACROSS)

    @cached_property
    def down_starts(self) -> np.ndarray:
        """The first row of each bin."""
        return np.flatnonzero(np.diff(self.down, prepend=-1))

    @cached_property
    def across_starts(self) -> np.ndarray:
        """The first column of each bin."""
        return np.flatnonzero(np.diff(self.across, prepend=-1))

    @property
    def certified(self) -> bool:
        """Tell whether there is a lower bound of P* from the start: l1 or l2 is above 0."""
        return self.problem.l2 > 0 or self.problem.l1 > 0

    @cached_property
    def lowest(self) -> float:
        """D(0); without a regulariser P*, as near as a long run comes to it."""
        if self.certified:
            return self.problem.dual_at_zero
        if self.problem.loss.gamma == 0:
            return math.nan
        return solve(self.problem, "lbfgs", **REFERENCE).trace.records[-1].primal

    @property
    def start(self) -> float:
        """P(0) - D(0), the gap of the start; without a regulariser P(0) - P*."""
        return self.problem.at_zero - self.lowest

    @cached_property
    def faceoff(self) -> Any:
        return faceoff(self.problem)

    def line(self, side: str, k: int) -> np.ndarray:
        """The positions of the entries of a column (primal) or row (dual), (entries,)."""
        X = self.problem.X
        if sp.issparse(X):
            X = self.problem.columns if side == "primal" else X
            return X.indices[X.indptr[k] : X.indptr[k + 1]]
        return np.flatnonzero(X[:, k] if side == "primal" else X[k])


def bin_of(lines: int, most: int) -> np.ndarray:
    """The bin (lines,) of each of so many rows or columns: line k of m lies in bin floor(k bins/m).

    >>> bin_of(6, 3)
    array([0, 0, 1, 1, 2, 2])
    """
    return np.arange(lines) * min(lines, most) // lines


def largest_entries(X: np.ndarray | sp.csr_matrix, most_down: int, most_across: int) -> np.ndarray:
    """The largest |x| in each cell, (cells down, cells across).

    >>> largest_entries(np.array([[1.0, 0.0, 0.0, -3.0], [0.0, 2.0, 0.0, 0.0]]), 2, 2)
    array([[1., 3.],
           [2., 0.]])
    """
    n, d = X.shape
    down, across = bin_of(n, most_down), bin_of(d, most_across)
    shape = down[-1] + 1, across[-1] + 1
    if not sp.issparse(X):
        starts_down, starts_across = (np.flatnonzero(np.diff(cells, prepend=-1)) for cells in (down, across))
        found = np.empty(shape)
        ends = np.append(starts_down[1:], n)
        step = max(1, CHUNK * shape[0] // (n * d))  # cells at a time
        for k in range(0, shape[0], step):
            first, last = starts_down[k], ends[min(k + step, shape[0]) - 1]
            part = np.maximum.reduceat(np.abs(X[first:last]), starts_across, axis=1)
            found[k : k + step] = np.maximum.reduceat(part, starts_down[k : k + step] - first, axis=0)
        return found
    found = np.zeros(shape[0] * shape[1])
    rows = np.repeat(down, np.diff(X.indptr))
    np.maximum.at(found, rows * shape[1] + across[X.indices], np.abs(X.data))
    return found.reshape(shape)


class RecentResults:
    """The last results of some work, by key: what is asked for again is not worked out again."""

    def __init__(self, limit: int):
        self._limit, self._lock = limit, Lock()
        self._results: OrderedDict[tuple[Any, ...], Any] = OrderedDict()

    def get(self, key: tuple[Any, ...], work: Callable[[], Any]) -> Any:
        """The result with this key; worked out if it is not among the last ones."""
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
                return self._results[key]
        made = work()
        with self._lock:
            self._results[key] = made
            while len(self._results) > self._limit:
                self._results.popitem(last=False)
        return made


_problems = RecentResults(PROBLEMS_LIMIT)


def prepared(choices: Choices) -> PreparedProblem:
    """The problem of these choices.

    Raises
    ------
    ValueError, OSError
        As `Choices.problem`.
    """
    if choices.data == UPLOAD:
        choices.uploaded_data()  # whoever names another's file does not get it
    return _problems.get(choices.problem_key(), lambda: PreparedProblem(choices.problem()))
