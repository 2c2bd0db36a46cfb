"""Coordinate descent on a model with l1 > 0, by whatever knows H along a coordinate: columns of X, or a Gram matrix.

Columns     for many features: those of a working set, which holds where w is not 0 and what is nearest to leaving 0,
            and grows. Rounds of sweeps along copies of its columns with a point extrapolated from each; where two, or
            as many as it costs, do not end it, on its Gram matrix with the leaps of leaping.py, if that pays. Cost:
            half a pass for copies where features enter; a coordinate that is looked at reads its column, one that moves
            visits it
Gram        for few; sweeps as in sweeps.py with the leaps of leaping.py, until what is left costs the duality gap a
            share of what it is. With the squared loss the model is P, and one will do: the share is tiny then. Cost:
            the Gram matrix as in gram.py; d visits for each coordinate that moves, d k for a leap over k of them
Reference   Massias, Gramfort & Salmon, Celer (2018), for working sets; Friedman, Hastie & Tibshirani, Regularization
            paths for generalized linear models via coordinate descent (2010); Lee, Sun & Saunders, Proximal Newton-type
            methods for minimizing composite functions (2014)
"""

from __future__ import annotations

import numpy as np

from ...losses import hess_lipschitz
from ...problems.problem import Problem
from . import leaping
from .gram import Gram
from .model import Inner, Model, Step, dual_share
from .sweeps import OnMatrix, Sweeps
from .working_set import MAX_ROUNDS, Terms, WorkingSet

MIN_SET_SIZE, FIRST_SHARE = 50, 0.03  # features of a working set, and those of the first one: of the smaller side of X
CHEAP_NONZEROS = 1e4  # of a set whose sweeps cost no more than the measurements that it saves
GROWTH, FULL_GROWTH = 2, 4  # of a set over the support of w; where w fills the last one
FULL_SHARE = 0.9  # of a set: a support that fills it
KEPT_MATRIX, PASSING_MATRIX = (10.0, 40.0), (2.0, 20.0)  # of P itself, or of a model whose next has another h:
# its most entries for each nonzero of the set, and nonzeros of a row in the set; with more, columns are cheaper
ROUNDS_BEFORE_MATRIX = 2  # of sweeps along columns, which do where columns hardly correlate
FEATURES_PER_ROUND = 45  # of a full X: their products with all of the set take BLAS as long as a round of sweeps
SET_MODEL_SHARE = 1.0  # of the accuracy times the gap at w, which a working set may leave of a model that is not P
SET_GAP_SHARE = 0.01  # of the gap at w, which it may leave of one that is P
GAP_SHARE, QUADRATIC_GAP_SHARE = 0.1, 1e-9  # of the gap at w, which a model may leave; that of one that is P
ROUNDING = 1e-15  # of P, below which sweeps change nothing


class ColumnDescent(Inner):
    """Coordinate descent on a working set of columns, which grows; their copies and the Gram matrix are kept."""

    def __init__(self, P: Problem) -> None:
        self.is_quadratic = hess_lipschitz(P.loss) == 0
        self.set: WorkingSet | None = None

    def step(self, P: Problem, model: Model) -> Step:
        K = self.set = self.set or WorkingSet(P, self.is_quadratic)
        before, entering = K.visits, _entering(P, K, model)
        if entering.size:
            K.enter(entering)
        K.h[:] = model.h
        features = K.features
        x, s = model.w[features], model.g[features]
        per_nonzero, row_count = KEPT_MATRIX if self.is_quadratic else PASSING_MATRIX
        rare = K.nonzeros <= row_count * P.n
        if not (K.size**2 <= per_nonzero * K.nonzeros and (P.is_full or rare)):
            K.drop_matrix()
        on_matrix = K.has_matrix and self.is_quadratic and (P.is_full or K.known > 0)
        allowed = _allowed(P, model, SET_MODEL_SHARE, QUADRATIC_GAP_SHARE if on_matrix else SET_GAP_SHARE)
        terms = Terms(model.ridge[features], P.l1, P.l2, allowed, _free_size(P, model))
        rounds = _rounds_before_matrix(P, K) if K.has_matrix else MAX_ROUNDS
        solved = not on_matrix and K.sweep(x, s, terms, self.is_quadratic, rounds)
        if K.has_matrix and not solved:
            K.update_curvature(self.is_quadratic)
            K.minimise(x, s, terms)
        p = np.zeros(P.d)
        p[features] = x - model.w[features]
        return Step(p, K.visits - before, K.columns.times(p[features]))

    def warm(self, P: Problem) -> None:
        WorkingSet(P, self.is_quadratic).warm()


def _rounds_before_matrix(P: Problem, K: WorkingSet) -> int:
    """Rounds of sweeps that cost about as much as the Gram matrix, which is made if they do not do."""
    return max(ROUNDS_BEFORE_MATRIX, K.size // FEATURES_PER_ROUND if P.is_full else 0)


def _entering(P: Problem, K: WorkingSet, model: Model) -> np.ndarray:
    """The features that join the working set: where w is not 0, and those nearest to leaving 0.

    Feature j leaves 0 where |g_j| reaches l1; how far w has to move until it does is measured by ||X_:j||.
    """
    outside, norms2 = K.place < 0, P.column_profile.norms2
    used = model.w != 0
    missing = outside & used
    count = int(used.sum())
    growth = FULL_GROWTH if count >= FULL_SHARE * K.size else GROWTH
    size = max(MIN_SET_SIZE, int(FIRST_SHARE * min(P.n, P.d)), growth * count)
    distance = np.full(P.d, np.inf)
    candidates = outside & ~used & (norms2 > 0)
    distance[candidates] = (P.l1 - np.abs(model.g[candidates])) / np.sqrt(norms2[candidates])
    violating = int((distance < 0).sum())
    cheap = int(CHEAP_NONZEROS * P.d / max(1, P.nnz)) - K.size  # of columns as long as the mean
    room = max(size - K.size - int(missing.sum()), min(violating, max(MIN_SET_SIZE, count, cheap)))
    room = min(room, int(candidates.sum())) if violating else 0
    nearest = np.argpartition(distance, room - 1)[:room] if room > 0 else np.empty(0, np.intp)
    return np.sort(np.concatenate([np.flatnonzero(missing), nearest]))


class GramDescent(Inner):
    """Coordinate descent on H as a matrix."""

    def __init__(self, P: Problem) -> None:
        self.gram = Gram(P)

    def step(self, P: Problem, model: Model) -> Step:
        visits = self.gram.update(P, model.h)
        H = self.gram.G + self.gram.G.T  # of which G has the lower triangle
        H[np.diag_indices(P.d)] /= 2
        if not np.isfinite(H.diagonal().max()):
            raise OverflowError("the Gram matrix overflows")
        diagonal = H.diagonal() + model.ridge
        diagonal[diagonal <= 0] = 1.0  # of a coordinate that the model knows nothing about: g_j = 0
        whole, counts, x = np.arange(P.d), np.zeros((2, P.d)), model.w.copy()
        sweeps = Sweeps(diagonal, model.l1, P.l2, _free_size(P, model), whole, whole.copy(), counts[0], counts[1])
        on = OnMatrix(H, model.g.copy(), model.ridge)
        allowed = _allowed(P, model, GAP_SHARE, QUADRATIC_GAP_SHARE)
        leaps = leaping.minimise(leaping.new_factor(P.d), on, x, sweeps, allowed, MAX_ROUNDS)
        return Step(x - model.w, visits + P.d * float(counts[0].sum()) + leaps)

    def warm(self, P: Problem) -> None:
        self.gram.warm(P)
        leaping.warm(leaping.new_factor(0), np.empty((0, 0)))


def _free_size(P: Problem, model: Model) -> float:
    """What a violation of the intercept costs the gap at least."""
    return float(np.abs(model.z).mean()) if P.intercept else 0.0


def _allowed(P: Problem, model: Model, share: float, quadratic_share: float) -> float:
    """What the rest of a model may cost the duality gap: shares of it, the second where the model is P."""
    share = share * model.accuracy if hess_lipschitz(P.loss) > 0 else quadratic_share
    primal = P.primal(model.w, z=model.z)
    alpha, v = model.alpha, P.l2 * P.reg.penalised * model.w - model.g
    multiple = 1.0 if P.intercept else dual_share(P, alpha, v)
    gap = primal - P.dual(multiple * alpha, v=multiple * v)
    return max(share * min(gap, primal), ROUNDING * abs(primal))  # far from w* a small l2 makes gaps of any size
