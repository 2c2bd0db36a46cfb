"""Minimiser of a model with l1 > 0 over a working set of features.

It uses the Gram matrix while that pays, with Newton steps on the support; else columns, with extrapolated points.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from ...losses import hess_lipschitz
from ...problems.problem import Problem
from . import set_gram
from .extrapolated import descend_by_share, new_history
from .feature_set import FeatureSet, entering
from .gram import BLAS_SHARE, warm_outer_products
from .model import InnerSolver, Model, Step
from .newton_step_on_support import larger_factor, minimise_by_matrix, new_factor, warm_matrix_kernels
from .sweeps import ColumnModel, MatrixModel, ResidualModel, SweepState, set_slopes, sweep_state

MAX_MATRIX_SIZE = 6000  # Features of a Gram matrix, at most: 288 MB.
SMALL_MATRIX_SIZE, FEATURES_PER_EXAMPLE = 1000, 10  # Beyond both, a Gram matrix is far larger than X.
ROUND_SWEEPS = 6  # Sweeps of a round along columns, at most.
ROUND_SHARE = 0.1  # Share of the cost of its first violations that a round may leave.
SWEEPS_IN_PLACE = 10  # Sweeps over sparse columns in memory order, before they are permuted.
MAX_ROUNDS, MODEL_ROUNDS = 200, 10  # Rounds of sweeps and a Newton step, on P and on a model that is not P.
MAX_SWEEPS = 1000  # Sweeps along columns, at most.


class GapTolerance(NamedTuple):
    """Terms of a model beside its curvature and its slopes, and the part of the gap that it may leave."""

    ridge: np.ndarray  # (size,) added to the diagonal
    l1: float
    l2: float
    allowed: float  # part of the duality gap that the rest may cost
    free_size: float  # least cost of a violation of the intercept, in the gap


class WorkingSet(FeatureSet):
    """A set of features with their Gram matrix, while it pays.

    Parameters
    ----------
    P : Problem
        Its intercept, if any, enters at once.

    Attributes
    ----------
    is_quadratic : bool
        P is its own model, whose h never changes.
    h : (n,) array
        phi'' of the model; `update_curvature` updates everything else.
    """

    def __init__(self, P: Problem) -> None:
        self.is_quadratic = hess_lipschitz(P.loss) == 0
        self.h = np.zeros(P.n)
        self.has_matrix = True
        self.known = 0  # features in the Gram matrix
        self.G = np.zeros((0, 0))
        self.u = np.zeros(P.n)
        self.rows: set_gram.Rows | None = None  # of a sparse X, once a Gram matrix is formed
        self.in_rows = 0  # features in these rows
        self.factor = new_factor(0)
        self._diagonal = np.zeros(0)
        super().__init__(P)

    @cached_property
    def rng(self) -> np.random.Generator:
        """Generator of orders, in which sweeps converge faster than in the order of columns."""
        return np.random.default_rng(0)

    def enter(self, features: np.ndarray) -> None:
        """Add these features."""
        super().enter(features)
        if self.size > min(MAX_MATRIX_SIZE, max(SMALL_MATRIX_SIZE, FEATURES_PER_EXAMPLE * self.P.n)):
            self.drop_matrix()

    def drop_matrix(self) -> None:
        """Do without a Gram matrix from here on."""
        self.has_matrix, self.known, self.rows, self.G, self.factor = False, 0, None, np.zeros((0, 0)), new_factor(0)

    def matrix_cost(self) -> float:
        """Estimate the cost of a Gram matrix, a sweep over it, and a factor of half of it: in nonzeros visited."""
        rows = BLAS_SHARE * self.size if self.P.is_full else self.nonzeros / self.P.n
        return self.nonzeros * rows / 2 + self.size**2 + (self.size / 2) ** 3 / 6

    def warm(self) -> None:
        """Compile or load the kernels of the first models."""
        none, nothing = np.empty(0, np.uint64), np.empty(0)
        columns, h = self.columns.lines, nothing
        self.columns.warm()
        if not self.P.is_full:
            rows = set_gram.empty_rows(np.zeros(1, np.int64))
            set_gram.enter_rows(columns, rows, none, 0)
            set_gram.add_gram_lines(columns, rows, h, none, 0, self.G)
            warm_outer_products(rows, self.P.n_jobs, self.G)
            set_gram.mirror(0, self.G)
        warm_matrix_kernels(self.factor, self.G)
        model, state = self._column_model(nothing, nothing), sweep_state(nothing, nothing, 1.0, 0.0)
        descend_by_share(model, nothing, state, new_history(0, self.P.n), 0.0, 0.0, 1)
        set_slopes(model)

    # ------------------------------------------------------------ curvature
    def update_curvature(self, keeps: bool) -> None:
        """Update the Gram matrix, or its diagonal, to h; `keeps` tells that h has not changed."""
        if not self.has_matrix:
            self._bring_diagonal(keeps)
            return
        first = self.known if keeps else 0
        if self.G.shape[0] < self.size:
            self.G = _enlarge_square(self.G, self.capacity)
            self.factor = larger_factor(self.factor, self.capacity)
        if first < self.size:
            self._add_lines(first)
            self._diagonal = self.G.diagonal()[: self.size].copy()
        if not keeps:
            self.factor.members[0] = 0
        self.known = self.size

    def _bring_diagonal(self, keeps: bool) -> None:
        if not keeps or self._diagonal.size != self.size:
            if self._is_curved_alike():
                self._diagonal = self.h[0] / self.P.n * self.P.column_profile.norms2[self.features]
                return
            self._diagonal = np.empty(self.size)
            set_gram.set_diagonal(self.columns.lines, self.h, self.columns.places, self._diagonal)
            self.visits += self.nonzeros / 2

    def _add_lines(self, first: int) -> None:
        h, size, G, X = self.h, self.size, self.G, self.columns
        if self.P.is_full:
            A = X.array[:size]
            part = A[first:] * (h / h.size) @ A.T
            G[first:size, :size] = part
            G[:size, first:size] = part.T
            self.visits += BLAS_SHARE * part.size * h.size / 2
            return
        if self.rows is None:
            self.rows, self.in_rows = set_gram.empty_rows(self.P.row_profile.counts), 0
        set_gram.enter_rows(X.lines, self.rows, X.places, self.in_rows)
        self.in_rows = size
        if first == 0:
            self.visits += set_gram.form_gram(self.rows, h, size, self.P.n_jobs, G)
        else:
            self.visits += set_gram.add_gram_lines(X.lines, self.rows, h, X.places, first, G)

    # ------------------------------------------------------------ the model's minimiser
    def sweep(self, x: np.ndarray, s: np.ndarray, tolerance: GapTolerance, max_sweeps: int) -> bool:
        """Sweep along columns, from x and the slopes s there; return whether the rest is allowed.

        They come in rounds, of a sweep over all and some over the support. They need no matrix: where columns hardly
        correlate, none is made. Where more is left than allowed, s are the slopes at the end.
        """
        self._bring_diagonal(keeps=True)
        self.u[:] = 0.0
        state, history = self._sweep_state(tolerance), new_history(self.size, self.u.size)
        history.start[:], history.first[:] = x, s
        model = self._column_model(s, tolerance.ridge)
        solved, sweeps = False, 0
        while not solved and sweeps < max_sweeps:
            if self.P.is_full or sweeps >= SWEEPS_IN_PLACE:
                state.whole[:] = self.rng.permutation(self.size)
            did = descend_by_share(model, x, state, history, tolerance.allowed, ROUND_SHARE, ROUND_SWEEPS)
            solved, sweeps = did.first <= tolerance.allowed, sweeps + did.sweeps
        if not solved:
            set_slopes(model)
            self.visits += self.nonzeros / 2
        self.visits += self.nonzeros_of(state.moves + state.looks / 2)
        return solved

    def minimise(self, x: np.ndarray, s: np.ndarray, tolerance: GapTolerance) -> None:
        """Move x towards the minimiser of the model whose slopes at x are s, until what is left is allowed."""
        if self.has_matrix:
            state = self._sweep_state(tolerance)
            rounds = MAX_ROUNDS if self.is_quadratic else MODEL_ROUNDS
            model = MatrixModel(self.G, s, tolerance.ridge)
            products = minimise_by_matrix(self.factor, model, x, state, tolerance.allowed, rounds)
            self.visits += BLAS_SHARE * (self.size * float(state.moves.sum()) + products)
            return
        self.sweep(x, s, tolerance, MAX_SWEEPS)

    def _is_curved_alike(self) -> bool:
        """Tell whether h is constant, as for the squared loss."""
        return self.is_quadratic and self.P.sample_weight is None

    def _column_model(self, s: np.ndarray, ridge: np.ndarray) -> ColumnModel | ResidualModel:
        X, n = self.columns, self.h.size
        if self._is_curved_alike():
            return ColumnModel(X.lines, X.places, self.h[0] / n, self.u, s, ridge)
        return ResidualModel(X.lines, X.places, self.h / n, self.u, s, ridge)

    def _sweep_state(self, tolerance: GapTolerance) -> SweepState:
        l1 = tolerance.l1 * self.l1_share
        return sweep_state(self._diagonal + tolerance.ridge, l1, tolerance.l2, tolerance.free_size)


class SetSolver(InnerSolver):
    """Inner solver on a working set, which grows; its columns and its Gram matrix are kept from step to step.

    A subclass defines `first_share`, the size of the first set relative to the smaller side of X, at most.
    """

    decreases_objective = True
    first_share: ClassVar[float]

    def __init__(self, P: Problem) -> None:
        self.set = WorkingSet(P)

    @abstractmethod
    def minimise(self, P: Problem, model: Model, left_out: int) -> np.ndarray:
        """Return the coordinates (size,) that the set reaches; so many features outside violate |g_j| <= l1."""

    def step(self, P: Problem, model: Model) -> Step:
        K = self.set
        before, (new, left_out) = K.visits, entering(P, K, model, self.first_share)
        if new.size:
            K.enter(new)
        if not K.size:  # w = 0 is optimal
            return Step(np.zeros(P.d), 0.0, np.zeros(P.n))
        p = np.zeros(P.d)
        p[K.features] = self.minimise(P, model, left_out) - model.w[K.features]
        return Step(p, K.visits - before, K.columns.times((model.w + p)[K.features]))


def _enlarge_square(G: np.ndarray, capacity: int) -> np.ndarray:
    larger = np.zeros((capacity, capacity))
    larger[: G.shape[0], : G.shape[1]] = G
    return larger
