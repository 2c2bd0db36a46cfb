"""The working set: the features that a model is of, and what minimises it."""

from __future__ import annotations

import numpy as np

from ..methods.newton.gram import cholesky
from ..problems.problem import Problem
from ..regularizers import L2
from . import gram
from .descent import OnLines, OnMatrix, descend
from .state import VISITS, Data, State

FIRST_CAPACITY = 64  # features
MAX_MATRIX_SIZE = 4000  # features of a Gram matrix: 128 MB
MATRIX_PER_NONZERO = 4.0  # entries of it for each nonzero of the working set: beyond, sweeps along columns are cheaper
SMALL_MATRIX_SIZE = 100  # features, for which it is cheap anyway
LEAP_SWEEPS, LEAP_SWEEPS_PER_FEATURE = 5, 0.03  # before a leap, which costs as much as so many
MAX_SWEEPS = 2000
MAX_ROUNDS = 100  # of sweeps and a leap
PLAIN = L2(0.0)


class WorkingSet:
    """The features of the models of a path, in the order in which they entered, and their Gram matrix while it pays."""

    def __init__(self, P: Problem, data: Data, S: State, is_quadratic: bool) -> None:
        self.P, self.data, self.S, self.is_quadratic = P, data, S, is_quadratic
        self.is_dense = isinstance(P.X, np.ndarray)
        self.size, self.capacity, self.nonzeros = 0, FIRST_CAPACITY, 0
        self._features = np.zeros(self.capacity, np.uint64)
        self.has_matrix = True
        self.known = 0  # features whose part of the Gram matrix is there
        self.G = np.zeros((self.capacity, self.capacity))
        self.copied = np.zeros((self.capacity, P.n)) if self.is_dense else None
        self.u = np.zeros(P.n)
        row = int(P.row_profile.counts.max())
        self.places, self.values = np.zeros(row, np.int64), np.zeros(row)
        self._diagonal = np.zeros(0)

    @property
    def features(self) -> np.ndarray:
        """(size,) of them."""
        return self._features[: self.size]

    @property
    def l1_share(self) -> np.ndarray:
        """(size,) 1, and 0 for the intercept, which stands first."""
        share = np.ones(self.size)
        if self.P.intercept:
            share[0] = 0.0
        return share

    def enter(self, features: np.ndarray) -> None:
        """Take these features in."""
        new = self.size + features.size
        if new > self.capacity:
            self.capacity = max(new, 2 * self.capacity)
            self._features = _grown(self._features, self.capacity)
            if self.has_matrix:
                self.G = _grown_square(self.G, self.capacity)
                if self.copied is not None:
                    self.copied = _grown(self.copied, self.capacity)
        self._features[self.size : new] = features
        self.S.place[features] = np.arange(self.size, new)
        self.nonzeros += int(self.P.column_profile.counts[features].sum())
        if self.has_matrix and self.copied is not None:
            self.copied[self.size : new] = self.P.by_columns.X.a[features]
        self.size = new
        too_large = new * new > MATRIX_PER_NONZERO * self.nonzeros and new > SMALL_MATRIX_SIZE
        if self.has_matrix and (too_large or new > MAX_MATRIX_SIZE):
            self.has_matrix, self.copied, self.G = False, None, np.zeros((0, 0))

    # ------------------------------------------------------------ curvature
    def update_curvature(self, keeps: bool) -> None:
        """Bring the Gram matrix, or its diagonal, to the h of now; `keeps`: h is that of before."""
        if not self.has_matrix:
            if not keeps or self._diagonal.size != self.size:
                self._diagonal = np.empty(self.size)
                gram.set_diagonal(self.data, self.S, self.features, self._diagonal)
                self.S.numbers[VISITS] += self.nonzeros / 2
            return
        first = self.known if keeps else 0
        if first < self.size:
            self._add_lines(first)
        self.known = self.size
        self._diagonal = self.G.diagonal()[: self.size].copy()

    def _add_lines(self, first: int) -> None:
        S, size, G = self.S, self.size, self.G
        if self.copied is not None:
            A = self.copied[:size]
            part = A[first:] * (S.h / S.z.size) @ A.T
            G[first:size, :size] = part
            G[:size, first:size] = part.T
            S.numbers[VISITS] += part.size * S.z.size / 2
        elif first == 0:
            S.numbers[VISITS] += gram.form_gram(self.data, S, size, self.places, self.values, G)
        else:
            S.numbers[VISITS] += gram.add_gram_lines(self.data, S, self.features, first, G)

    # ------------------------------------------------------------ the model's minimiser
    def minimise(self, x: np.ndarray, s: np.ndarray, ridge: np.ndarray, l1: float, l2: float, allowed: float) -> None:
        """Move x towards the minimiser of the model whose slopes at x are s, until the rest costs the gap `allowed`."""
        size = self.size
        diagonal = self._diagonal + ridge
        diagonal[diagonal <= 0] = 1.0  # of a coordinate that the model knows nothing about
        weights = l1 * self.l1_share
        order, moves, looks = np.empty(size, np.int64), np.zeros(size), np.zeros(size)
        free_scale = float(np.abs(self.S.z).mean()) if self.P.intercept else 0.0
        if self.has_matrix:
            on = OnMatrix(self.G, s, ridge)
            for _ in range(MAX_ROUNDS):
                active = int(np.count_nonzero(x))
                sweeps = int(LEAP_SWEEPS + LEAP_SWEEPS_PER_FEATURE * active)
                if descend(on, x, diagonal, weights, l2, free_scale, allowed, sweeps, order, moves, looks):
                    break
                self._leap(x, s, ridge, weights)
            self.S.numbers[VISITS] += size * float(moves.sum())
            return
        self.u[:] = 0.0
        on = OnLines(self.data.columns, self.features, self.S.h / self.S.z.size, self.u, s, ridge, PLAIN)
        descend(on, x, diagonal, weights, l2, free_scale, allowed, MAX_SWEEPS, order, moves, looks)
        self.S.numbers[VISITS] += float(self.P.column_profile.counts[self.features] @ (moves + looks / 2))

    def _leap(self, x: np.ndarray, s: np.ndarray, ridge: np.ndarray, l1: np.ndarray) -> None:
        """Move x to the minimiser over its support with its signs, or to where the first of these is lost."""
        from scipy.linalg import lapack

        active = np.flatnonzero(x)
        if active.size == 0:
            return
        G, here = self.G[: self.size, : self.size], x[active]
        slope = s[active] + l1[active] * np.sign(here)
        step, _ = lapack.dpotrs(cholesky(G[np.ix_(active, active)], ridge[active]), -slope)
        over = np.flatnonzero((here * (here + step) < 0) & (l1[active] > 0))
        if over.size:
            first = over[np.argmin(np.abs(here[over] / step[over]))]
            step *= abs(here[first] / step[first])
        x[active] += step
        if over.size:
            x[active[first]] = 0.0
        s += step @ G[active]
        s[active] += ridge[active] * step
        self.S.numbers[VISITS] += active.size**3 / 6 + self.size * active.size


def _grown(a: np.ndarray, capacity: int) -> np.ndarray:
    larger = np.zeros((capacity, *a.shape[1:]), a.dtype)
    larger[: a.shape[0]] = a
    return larger


def _grown_square(G: np.ndarray, capacity: int) -> np.ndarray:
    larger = np.zeros((capacity, capacity))
    larger[: G.shape[0], : G.shape[1]] = G
    return larger
