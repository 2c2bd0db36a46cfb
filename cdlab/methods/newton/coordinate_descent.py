"""Coordinate descent on a model with l1 > 0, along columns of X or on a Gram matrix.

Columns     for a model that is P (squared loss) of many features: those of a working set, which grows. Sweeps along
            copies of its columns with points that are extrapolated; where SWEEPS_BEFORE_MATRIX, or as many as it costs,
            do not end it, on its Gram matrix with Newton steps on the support, if that pays. Until the violations cost
            SET_SHARE of the gap, or WHOLE_SHARE where nobody who violates |g_j| <= l1 was left out. Cost: half a pass
            for copies where features enter; a coordinate that is looked at reads its column, one that moves visits it
Gram        for few; sweeps as in sweeps.py with Newton steps on the support, until what is left costs the duality gap
            a share of itself. With the squared loss one model will do: the share is tiny then. Cost: the Gram matrix
            as in gram.py; d visits for each coordinate that moves, d k for a Newton step over k of them
Box         (bounds or weights of features) sweeps over all of them, in either way, without Newton steps
Reference   Massias, Gramfort & Salmon, Celer (2018), for working sets; Friedman, Hastie & Tibshirani, Regularization
            paths for generalized linear models via coordinate descent (2010); Lee, Sun & Saunders, Proximal Newton-type
            methods for minimizing composite functions (2014)
"""

from __future__ import annotations

from math import isfinite

import numpy as np

from ...losses import hess_lipschitz
from ...problems.problem import Problem
from ...problems.weights import sums_of_squares
from .gram import Gram
from .model import InnerSolver, Model, Step, cost_of_violations, free_size
from .newton_step_on_support import minimise_by_matrix, new_factor, warm_matrix_kernels
from .set_gram import mirror
from .sweeps import MatrixModel, ResidualModel, SweepState, descend, sweep_state, warm_descend
from .working_set import MAX_ROUNDS, MAX_SWEEPS, GapTolerance, SetSolver, WorkingSet

SWEEP_READS, LOOK = 2.4, 3  # Reads of a column in a sweep; the cost of beginning a column, in nonzeros.
MAX_BOX_SWEEPS = 1000
SWEEPS_BEFORE_MATRIX = 10  # Sweeps along columns that are enough where columns hardly correlate.
FEATURES_PER_SWEEP = 9  # Features of a full X whose products with the whole set take BLAS as long as a sweep.
SET_SHARE, WHOLE_SHARE = 0.01, 1e-6  # Share of the gap at w that a working set may leave; that of a complete set.
GAP_SHARE, QUADRATIC_GAP_SHARE = 0.1, 1e-9  # Share of the gap at w that a model may leave; that of a model which is P.


class ColumnDescent(SetSolver):
    """Coordinate descent on a working set of columns."""

    first_share = 0.1

    def minimise(self, P: Problem, model: Model, left_out: int) -> np.ndarray:
        K, features = self.set, self.set.features
        K.h[:] = model.h
        x, s = model.w[features], model.g[features]
        on_matrix = K.has_matrix and (P.is_full or K.known > 0)
        share = SET_SHARE if left_out else WHOLE_SHARE
        allowed = (QUADRATIC_GAP_SHARE if on_matrix else share) * cost_of_violations(P, model)
        tolerance = GapTolerance(model.ridge[features], P.l1, P.l2, allowed, free_size(P, model))
        sweeps = _sweeps_before_matrix(P, K) if K.has_matrix else MAX_SWEEPS
        solved = not on_matrix and K.sweep(x, s, tolerance, sweeps)
        if K.has_matrix and not solved:
            K.update_curvature(keeps=True)
            K.minimise(x, s, tolerance)
        return x

    def warm(self, P: Problem) -> None:
        WorkingSet(P).warm()  # on a set of its own: this one may have members


def _sweeps_before_matrix(P: Problem, K: WorkingSet) -> int:
    """Return the number of sweeps that cost about as much as the Gram matrix, which is formed if they fail."""
    sweeps = K.size / FEATURES_PER_SWEEP if P.is_full else K.matrix_cost() / (K.nonzeros + LOOK * K.size) / SWEEP_READS
    return min(MAX_SWEEPS, max(SWEEPS_BEFORE_MATRIX, int(sweeps)))


class BoxDescent(InnerSolver):
    """Sweeps in a box over all coordinates, along columns."""

    def __init__(self, P: Problem) -> None:
        self.features = np.arange(P.d)

    def step(self, P: Problem, model: Model) -> Step:
        weights, x = model.h / P.n, model.w.copy()
        columns = ResidualModel(P.columns, self.features, weights, np.zeros(P.n), model.g.copy(), model.ridge)
        state = _box_state(P, model, sums_of_squares(P.X, weights) + model.ridge)
        descend(columns, x, state, True, _allowed(P, model), MAX_BOX_SWEEPS)
        return Step(x - model.w, float((state.moves + state.looks) @ P.column_profile.counts) / 2)

    def warm(self, P: Problem) -> None:
        nothing = np.empty(0)
        warm_descend(ResidualModel(P.columns, self.features[:0], nothing, nothing, nothing, nothing))


class GramDescent(InnerSolver):
    """Coordinate descent on H as a matrix, with Newton steps on the support unless there is a box."""

    def __init__(self, P: Problem) -> None:
        self.gram = Gram(P)

    def step(self, P: Problem, model: Model) -> Step:
        visits, H = self.gram.update(P, model.h), self.gram.G
        mirror(P.d, H)
        diagonal = H.diagonal() + model.ridge
        if not isfinite(np.maximum.reduce(diagonal)):
            raise OverflowError("the Gram matrix overflows")
        x, matrix, allowed = model.w.copy(), MatrixModel(H, model.g.copy(), model.ridge), _allowed(P, model)
        if P.bounded:
            state = _box_state(P, model, diagonal)
            descend(matrix, x, state, True, allowed, MAX_BOX_SWEEPS)
            return Step(x - model.w, visits + P.d * float((state.moves + state.looks).sum()) / 2)
        state = sweep_state(diagonal, model.l1, P.l2, free_size(P, model))
        products = minimise_by_matrix(new_factor(P.d), matrix, x, state, allowed, MAX_ROUNDS)
        return Step(x - model.w, visits + P.d * float(state.moves.sum()) + products)

    def warm(self, P: Problem) -> None:
        self.gram.warm(P)
        mirror(0, self.gram.G)
        H, nothing = np.empty((0, 0)), np.empty(0)
        if P.bounded:
            warm_descend(MatrixModel(H, nothing, nothing))
        else:
            warm_matrix_kernels(new_factor(0), H)


def _box_state(P: Problem, model: Model, diagonal: np.ndarray) -> SweepState:
    box = P.of_features.lower, P.of_features.upper
    return sweep_state(diagonal, model.l1, P.mu, free_size(P, model), box)


def _allowed(P: Problem, model: Model) -> float:
    """Return what a model may leave of the gap."""
    share = QUADRATIC_GAP_SHARE if hess_lipschitz(P.loss) == 0 else GAP_SHARE * model.accuracy
    return share * cost_of_violations(P, model)
