"""The working set: the features that a model is of, and what minimises it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..methods.cost_model import BLAS_SHARE
from ..methods.newton import leaping
from ..methods.newton.leaping import larger_factor, new_factor
from ..methods.newton.sweeps import OnLines, OnMatrix, Sweeps, descend, model_value
from ..methods.wrappers.anderson import weights
from ..problems.problem import Problem
from ..regularizers import L2
from . import gram
from .state import VISITS, Data, State

FIRST_CAPACITY = 64  # features
MAX_MATRIX_SIZE = 4000  # features of a Gram matrix: 128 MB
MATRIX_PER_NONZERO = 100.0  # entries of it for each nonzero of the working set: beyond, columns are cheaper
SMALL_MATRIX_SIZE = 100  # features, for which it is cheap anyway
FIRST_SWEEPS, SWEEPS_PER_POINT, COMBINED_POINTS = 10, 2, 5  # along columns: before points are combined, and of these
MAX_ROUNDS, MODEL_ROUNDS = 200, 10  # of sweeps and a leap, on P and on a model that is not P
PLAIN = L2(0.0)


class WorkingSet:
    """The features of the models of a path, in the order in which they entered, and their Gram matrix while it pays."""

    def __init__(self, P: Problem, data: Data, S: State, is_quadratic: bool) -> None:
        self.P, self.data, self.S, self.is_quadratic = P, data, S, is_quadratic
        self.is_dense = P.is_full
        self.size, self.capacity, self.nonzeros = 0, min(FIRST_CAPACITY, P.d), 0
        self._features = np.zeros(self.capacity, np.uint64)
        self._l1_share = _shares(self.capacity, P.intercept)
        self.has_matrix = True
        self.known = 0  # features whose part of the Gram matrix is there
        self.G = np.zeros((self.capacity, self.capacity))
        self.copied = np.zeros((self.capacity, P.n)) if self.is_dense else None
        self.u = np.zeros(P.n)
        self.rows = None if self.is_dense else gram.empty_rows(P.row_profile.counts)
        self.factor = new_factor(self.capacity)
        self._diagonal = np.zeros(0)

    @property
    def features(self) -> np.ndarray:
        """(size,) of them."""
        return self._features[: self.size]

    @property
    def l1_share(self) -> np.ndarray:
        """(size,) 1, and 0 for the intercept, which stands first."""
        return self._l1_share[: self.size]

    def enter(self, features: np.ndarray) -> None:
        """Take these features in."""
        new = self.size + features.size
        if new > self.capacity:
            self.capacity = max(new, 2 * self.capacity)
            self._features = _grown(self._features, self.capacity)
            self._l1_share = _shares(self.capacity, self.P.intercept)
            if self.has_matrix:
                self.G = _grown_square(self.G, self.capacity)
                self.factor = larger_factor(self.factor, self.capacity)
                if self.copied is not None:
                    self.copied = _grown(self.copied, self.capacity)
        self._features[self.size : new] = features
        self.S.place[features] = np.arange(self.size, new)
        self.nonzeros += int(self.P.column_profile.counts[features].sum())
        if self.has_matrix and self.copied is not None:
            columns: Any = self.data.columns
            self.copied[self.size : new] = columns.a[features]
        self.size = new
        if self.has_matrix and self.rows is not None:
            gram.enter_rows(self.data.columns, self.rows, self.features, new - features.size)
        too_large = new * new > MATRIX_PER_NONZERO * self.nonzeros and new > SMALL_MATRIX_SIZE
        if self.has_matrix and (too_large or new > MAX_MATRIX_SIZE):
            self.has_matrix, self.copied, self.rows, self.G, self.factor = (
                False,
                None,
                None,
                np.zeros((0, 0)),
                new_factor(0),
            )

    def warm(self) -> None:
        """Compile or load the kernels of the first models."""
        none, nothing = np.empty(0, np.uint64), np.empty(0)
        columns, h = self.data.columns, nothing
        if self.rows is not None:
            gram.enter_rows(columns, self.rows, none, 0)
            gram.add_gram_lines(columns, self.rows, h, none, 0, self.G)
            gram.form_gram(self.rows, h, 0, self.G)
        leaping.warm(self.factor, self.G)

    # ------------------------------------------------------------ curvature
    def update_curvature(self, keeps: bool) -> None:
        """Bring the Gram matrix, or its diagonal, to the h of now; `keeps`: h is that of before."""
        h = self.S.h
        if not self.has_matrix:
            if not keeps or self._diagonal.size != self.size:
                self._diagonal = np.empty(self.size)
                gram.set_diagonal(self.data.columns, h, self.features, self._diagonal)
                self.S.numbers[VISITS] += self.nonzeros / 2
            return
        first = self.known if keeps else 0
        if first < self.size:
            self._add_lines(first)
            self._diagonal = self.G.diagonal()[: self.size].copy()
        if not keeps:
            self.factor.members[0] = 0
        self.known = self.size

    def _add_lines(self, first: int) -> None:
        h, size, G, N = self.S.h, self.size, self.G, self.S.numbers
        if self.copied is not None:
            A = self.copied[:size]
            part = A[first:] * (h / h.size) @ A.T
            G[first:size, :size] = part
            G[:size, first:size] = part.T
            N[VISITS] += BLAS_SHARE * part.size * h.size / 2
        elif first == 0:
            N[VISITS] += gram.form_gram(self.rows, h, size, G)
        else:
            N[VISITS] += gram.add_gram_lines(self.data.columns, self.rows, h, self.features, first, G)

    # ------------------------------------------------------------ the model's minimiser
    def minimise(self, x: np.ndarray, s: np.ndarray, ridge: np.ndarray, l1: float, l2: float, allowed: float) -> None:
        """Move x towards the minimiser of the model whose slopes at x are s, until the rest costs the gap `allowed`."""
        size = self.size
        diagonal = self._diagonal + ridge
        diagonal[diagonal <= 0] = 1.0  # of a coordinate that the model knows nothing about
        free_size = float(np.abs(self.S.z).mean()) if self.P.intercept else 0.0
        order, counts = np.empty(size, np.int64), np.zeros((2, size))
        M = Sweeps(diagonal, l1 * self.l1_share, l2, free_size, order, counts[0], counts[1])
        if self.has_matrix:
            rounds = MAX_ROUNDS if self.is_quadratic else MODEL_ROUNDS
            leaps = leaping.minimise(self.factor, OnMatrix(self.G, s, ridge), x, M, allowed, rounds)
            self.S.numbers[VISITS] += BLAS_SHARE * (size * float(counts[0].sum()) + leaps)
        else:
            self._minimise_on_lines(x, s, ridge, M, allowed)
            self.S.numbers[VISITS] += float(self.P.column_profile.counts[self.features] @ (counts[0] + counts[1] / 2))

    def _minimise_on_lines(self, x: np.ndarray, s: np.ndarray, ridge: np.ndarray, M: Sweeps, allowed: float) -> None:
        """Sweeps, and a point extrapolated from the last ones, where the model is smaller there."""
        self.u[:] = 0.0
        on = OnLines(self.data.columns, self.features, self.S.h / self.S.z.size, self.u, s, ridge, PLAIN)
        if descend(on, x, M, True, allowed, FIRST_SWEEPS):
            return
        start, first = x.copy(), s.copy()
        n, size = self.u.size, self.size
        points = np.empty((COMBINED_POINTS + 1, size + n + size))
        for _ in range(MAX_ROUNDS):
            for row in points:
                row[:size], row[size : size + n], row[size + n :] = x, self.u, s
                if row is not points[-1] and descend(on, x, M, False, allowed, SWEEPS_PER_POINT):
                    return
            here = model_value(on, x, start, first, M.l1)
            combined = weights(points[:, :size]) @ points[1:]
            x[:], self.u[:], s[:] = combined[:size], combined[size : size + n], combined[size + n :]
            if not model_value(on, x, start, first, M.l1) < here:
                x[:], self.u[:], s[:] = points[-1, :size], points[-1, size : size + n], points[-1, size + n :]


def _shares(capacity: int, intercept: bool) -> np.ndarray:
    share = np.ones(capacity)
    share[0] = 1.0 - intercept
    return share


def _grown(a: np.ndarray, capacity: int) -> np.ndarray:
    larger = np.zeros((capacity, *a.shape[1:]), a.dtype)
    larger[: a.shape[0]] = a
    return larger


def _grown_square(G: np.ndarray, capacity: int) -> np.ndarray:
    larger = np.zeros((capacity, capacity))
    larger[: G.shape[0], : G.shape[1]] = G
    return larger
