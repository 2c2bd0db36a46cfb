"""Coordinate descent on a model with l1 > 0, by whatever knows H along a coordinate: columns of X, or a Gram matrix.

Columns     for a model that is P (squared loss) of many features: those of a working set, which grows. Sweeps along
            copies of its columns with points that are extrapolated; where SWEEPS_BEFORE_MATRIX, or as many as it costs,
            do not end it, on its Gram matrix with the leaps of leaping.py, if that pays. Until the violations cost
            SET_SHARE of the gap, or WHOLE_SHARE where nobody who violates |g_j| <= l1 was left out. Cost: half a pass
            for copies where features enter; a coordinate that is looked at reads its column, one that moves visits it
Gram        for few; sweeps as in sweeps.py with the leaps of leaping.py, until what is left costs the duality gap a
            share of what it is. With the squared loss one model will do: the share is tiny then. Cost: the Gram matrix
            as in gram.py; d visits for each coordinate that moves, d k for a leap over k of them
Reference   Massias, Gramfort & Salmon, Celer (2018), for working sets; Friedman, Hastie & Tibshirani, Regularization
            paths for generalized linear models via coordinate descent (2010); Lee, Sun & Saunders, Proximal Newton-type
            methods for minimizing composite functions (2014)
"""

from __future__ import annotations

from math import isfinite

import numpy as np

from ...losses import hess_lipschitz
from ...problems.problem import Problem
from . import leaping
from .feature_set import entering
from .gram import Gram
from .model import Inner, Model, Step, free_size, share_of_gap
from .set_gram import mirror
from .sweeps import OnMatrix, Sweeps
from .working_set import MAX_ROUNDS, MAX_SWEEPS, Terms, WorkingSet

SWEEP_READS, LOOK = 2.4, 3  # of a column in a sweep; what it takes to begin one, in nonzeros
SWEEPS_BEFORE_MATRIX = 10  # along columns, which do where columns hardly correlate
FEATURES_PER_SWEEP = 9  # of a full X: their products with all of the set take BLAS as long as a sweep
FIRST_SHARE = 0.1  # of the smaller side of X, which the first set may be: a Gram matrix of it takes its square
SET_SHARE, WHOLE_SHARE = 0.01, 1e-6  # of the gap at w, which a working set may leave; where it lacks nobody
GAP_SHARE, QUADRATIC_GAP_SHARE = 0.1, 1e-9  # of the gap at w, which a model may leave; that of one that is P


class ColumnDescent(Inner):
    """Coordinate descent on a working set of columns, which grows; their copies and the Gram matrix are kept."""

    decreases_objective = True

    def __init__(self, P: Problem) -> None:
        self.set = WorkingSet(P, is_quadratic=True)

    def step(self, P: Problem, model: Model) -> Step:
        K = self.set
        before, (new, left_out) = K.visits, entering(P, K, model, FIRST_SHARE)
        if new.size:
            K.enter(new)
        if not K.size:  # w = 0 is optimal
            return Step(np.zeros(P.d), 0.0, np.zeros(P.n))
        K.h[:] = model.h
        features = K.features
        x, s = model.w[features], model.g[features]
        on_matrix = K.has_matrix and (P.is_full or K.known > 0)
        share = SET_SHARE if left_out else WHOLE_SHARE
        allowed = share_of_gap(P, model, QUADRATIC_GAP_SHARE if on_matrix else share)
        terms = Terms(model.ridge[features], P.l1, P.l2, allowed, free_size(P, model))
        sweeps = _sweeps_before_matrix(P, K) if K.has_matrix else MAX_SWEEPS
        solved = not on_matrix and K.sweep(x, s, terms, sweeps)
        if K.has_matrix and not solved:
            K.update_curvature(keeps=True)
            K.minimise(x, s, terms)
        p = np.zeros(P.d)
        p[features] = x - model.w[features]
        return Step(p, K.visits - before, K.columns.times((model.w + p)[features]))

    def warm(self, P: Problem) -> None:
        WorkingSet(P, is_quadratic=True).warm()  # on a set of its own: this one may have members


def _sweeps_before_matrix(P: Problem, K: WorkingSet) -> int:
    """Sweeps that cost about as much as the Gram matrix, which is made if they do not do."""
    sweeps = K.size / FEATURES_PER_SWEEP if P.is_full else K.matrix_cost() / (K.nonzeros + LOOK * K.size) / SWEEP_READS
    return min(MAX_SWEEPS, max(SWEEPS_BEFORE_MATRIX, int(sweeps)))


class GramDescent(Inner):
    """Coordinate descent on H as a matrix."""

    def __init__(self, P: Problem) -> None:
        self.gram = Gram(P)

    def step(self, P: Problem, model: Model) -> Step:
        visits = self.gram.update(P, model.h)
        H = self.gram.G
        mirror(P.d, H)
        diagonal = H.diagonal() + model.ridge
        if not isfinite(np.maximum.reduce(diagonal)):
            raise OverflowError("the Gram matrix overflows")
        diagonal[diagonal <= 0] = 1.0  # of a coordinate that the model knows nothing about: g_j = 0
        whole, counts, x = np.arange(P.d), np.zeros((2, P.d)), model.w.copy()
        sweeps = Sweeps(diagonal, model.l1, P.l2, free_size(P, model), whole, whole.copy(), counts[0], counts[1])
        on = OnMatrix(H, model.g.copy(), model.ridge)
        share = QUADRATIC_GAP_SHARE if hess_lipschitz(P.loss) == 0 else GAP_SHARE * model.accuracy
        allowed = share_of_gap(P, model, share)
        leaps = leaping.minimise(leaping.new_factor(P.d), on, x, sweeps, allowed, MAX_ROUNDS)
        return Step(x - model.w, visits + P.d * float(counts[0].sum()) + leaps)

    def warm(self, P: Problem) -> None:
        self.gram.warm(P)
        mirror(0, self.gram.G)
        leaping.warm(leaping.new_factor(0), np.empty((0, 0)))
