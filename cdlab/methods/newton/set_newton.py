"""Newton's method on P over a working set: some sweeps on a model, the next model, until the set is solved.

Algorithm   h = phi''(z) at z = X w; the model of P over the set has H = X'diag(h)X/n + diag(ridge)
            a sweep of coordinate descent on it over all of the set, then over the support until the violations cost
            MODEL_SHARE of what they did in the first; p is what has moved
            t halves from 1 until P(w + t p) <= P(w) + SIGMA t D, with D = g'p + l1(||w + p||_1 - ||w||_1)
            w += t p; after COMBINED_POINTS of them a point is extrapolated, and kept where P is smaller
            until a model's violations cost SET_SHARE of those of all features at the start; once sweeps have cost as
            much as MATRIX_MODELS Gram matrices of the set, models are solved by these, with the leaps of leaping.py
Why         a step of the outer iteration costs a full gradient, a model here what the set has: exponentials for the
            examples, half a visit for the diagonal. Where features hardly correlate, a few sweeps are enough; where
            they do, sweeps would hardly come to an end
Cost        a coordinate that is looked at reads its column, one that moves visits it; half a visit a model for the
            diagonal, and for X p; a Gram matrix as in set_gram.py
Reference   Friedman, Hastie & Tibshirani, Regularization paths for generalized linear models via coordinate descent
            (2010); Yuan, Ho & Lin, An improved GLMNET for l1-regularized logistic regression (2012); for the points
            Bertrand & Massias, Anderson acceleration of coordinate descent (2021)
"""

from __future__ import annotations

import numpy as np

from ...losses.per_example import curvatures, gradients, mean_loss
from ...problems.problem import Problem
from ..wrappers.anderson import weights
from . import set_gram
from .feature_set import entering
from .line_search import HALVINGS, ROUNDING, SIGMA
from .model import PLAIN, Inner, Model, Step, free_size
from .sweeps import OnLines, Sweeps, descend_by_share, set_slopes, violation_cost
from .working_set import Terms, WorkingSet

SET_SHARE = 0.03  # of what all violations at w cost, which the set may leave
MODEL_SHARE = 0.1  # of what the violations of a model cost, which its sweeps may leave
MAX_SWEEPS, MAX_MODELS = 20, 30  # a model, an iteration
MODELS_IN_PLACE = 3  # of sparse columns in the order in which they lie in memory, before they are permuted
COMBINED_POINTS = 5
MATRIX_MODELS = 4  # that sweeps along columns should have cost before the set is solved by Gram matrices


class SetNewton(Inner):
    """Models of P over a working set of columns, which grows, one after the other; the columns are kept."""

    decreases_objective = True

    def __init__(self, P: Problem) -> None:
        self.set: WorkingSet | None = None
        self.swept = 0.0  # see `Iterate.descend`

    def step(self, P: Problem, model: Model) -> Step:
        K = self.set = self.set or WorkingSet(P, is_quadratic=False)
        before, new = K.visits, entering(P, K, model)
        if new.size:
            K.enter(new)
        here = Iterate(P, K, model)
        self.swept = here.descend(_allowed(P, model), self.swept)
        p = np.zeros(P.d)
        p[K.features] = here.x - model.w[K.features]
        return Step(p, K.visits - before, here.z - model.z)

    def warm(self, P: Problem) -> None:
        K = WorkingSet(P, is_quadratic=False)
        K.warm()
        none, nothing = np.empty(0, np.uint64), np.empty(0)
        places = none.astype(np.int64)
        set_gram.set_diagonal(K.columns.lines, nothing, none, nothing)
        violation_cost(nothing, nothing, nothing, 1.0, 0.0)
        on = OnLines(K.columns.lines, none, nothing, nothing, nothing, nothing, PLAIN)
        set_slopes(on)
        descend_by_share(on, nothing, Sweeps(nothing, nothing, 1.0, 0.0, places, places, nothing, nothing), 0.0, 0.0, 1)


def _allowed(P: Problem, model: Model) -> float:
    """What the set may leave: a share of P(0) from w = 0, where violations cost nothing in `violation_cost`."""
    rest = P.at_zero
    if model.w[model.l1 > 0].any():
        rest = min(rest, violation_cost(model.w, model.g, model.l1, P.l2, free_size(P, model)))
    return max(SET_SHARE * rest, ROUNDING * P.at_zero)


class Iterate:
    """The coordinates of w in the set, and z = X w."""

    def __init__(self, P: Problem, K: WorkingSet, model: Model) -> None:
        self.P, self.K = P, K
        self.x, self.z = model.w[K.features], model.z
        self.ridge, self.free_size = model.ridge[K.features], free_size(P, model)
        self.l1, self.l2 = P.l1 * K.l1_share, P.l2 * K.l1_share  # of each coordinate
        self.value = self._objective(self.x, self.z)

    def descend(self, allowed: float, swept: float) -> float:
        """Move until what is left is allowed.

        Parameters
        ----------
        allowed : float
            What may be left.
        swept : float
            Nonzeros that sweeps have visited since they last solved a set. What is returned is that for the next time.
        """
        P, K = self.P, self.K
        points, products = np.empty((COMBINED_POINTS + 1, K.size)), np.empty((COMBINED_POINTS + 1, P.n))
        points[0], products[0] = self.x, self.z
        for models in range(MAX_MODELS):
            h, slopes = curvatures(P.loss, self.z, P.loss_y), gradients(P.loss, self.z, P.loss_y) / P.n
            s = self.l2 * self.x
            on = OnLines(K.columns.lines, K.columns.places, h / P.n, slopes.copy(), s, self.ridge, PLAIN)
            start, before = self.x.copy(), K.visits
            by_matrix = K.has_matrix and swept > MATRIX_MODELS * K.matrix_cost()
            if by_matrix:
                left = self._solve(on, h, allowed)
            else:
                left = self._sweep(on, h, allowed, in_place=not P.is_full and models < MODELS_IN_PLACE)
                swept += K.visits - before
            moved = self._go(start, slopes)
            if left <= allowed or not moved:
                return swept if by_matrix else 0.0
            row = models % COMBINED_POINTS + 1
            points[row], products[row] = self.x, self.z
            if row == COMBINED_POINTS:
                self._combine(points, products)
                points[0], products[0] = self.x, self.z
        return swept

    def _sweep(self, on: OnLines, h: np.ndarray, allowed: float, in_place: bool) -> float:
        """Some sweeps on the model; what is left of it."""
        K, counts = self.K, np.zeros((2, self.K.size))
        diagonal = np.empty(K.size)
        set_gram.set_diagonal(K.columns.lines, h, K.columns.places, diagonal)
        diagonal += self.ridge
        diagonal[diagonal <= 0] = 1.0  # of a coordinate that the model knows nothing about
        whole = np.arange(K.size) if in_place else K.rng.permutation(K.size)
        M = Sweeps(diagonal, self.l1, self.P.l2, self.free_size, whole, whole.copy(), counts[0], counts[1])
        left = descend_by_share(on, self.x, M, allowed, MODEL_SHARE, MAX_SWEEPS)
        K.visits += K.nonzeros / 2 + K.nonzeros_of(counts[0] + counts[1] / 2)
        return left

    def _solve(self, on: OnLines, h: np.ndarray, allowed: float) -> float:
        """Minimise the model by its Gram matrix; what was left of P before."""
        K = self.K
        set_slopes(on)
        K.visits += K.nonzeros / 2
        left = violation_cost(self.x, on.s, self.l1, self.P.l2, self.free_size)
        if left > allowed:
            K.h[:] = h
            K.update_curvature(keeps=False)
            enough = max(MODEL_SHARE * allowed, MODEL_SHARE**2 * left)
            K.minimise(self.x, on.s, Terms(self.ridge, self.P.l1, self.P.l2, enough, self.free_size))
        return left

    def _go(self, start: np.ndarray, slopes: np.ndarray) -> bool:
        """Go from `start` towards x until P decreases as it should; False where no trial does, and x is `start`."""
        p, z, target = self.x - start, self.z, self.x
        u = self.K.columns.times(p)
        self.K.visits += self.K.nonzeros_of(p != 0) / 2
        promised = float(slopes @ u) + float((self.l2 * start) @ p)
        promised += float(self.l1 @ (np.abs(target) - np.abs(start)))
        t, unseen = 1.0, ROUNDING * abs(self.value)
        for _ in range(HALVINGS):
            x = target if t == 1 else start + t * p
            value = self._objective(x, further := z + t * u)
            if value <= self.value + SIGMA * t * promised + unseen:
                self.x, self.z, self.value = x, further, value
                return True
            t /= 2
        self.x = start
        return False

    def _combine(self, points: np.ndarray, products: np.ndarray) -> None:
        """Go to the point that is extrapolated from these, where P is smaller there."""
        c = weights(points)
        x, z = c @ points[1:], c @ products[1:]
        if (value := self._objective(x, z)) < self.value:
            self.x, self.z, self.value = x, z, value

    def _objective(self, x: np.ndarray, z: np.ndarray) -> float:
        """P at the w that is x over the set."""
        return mean_loss(self.P.loss, z, self.P.loss_y) + float(x @ (self.l2 * x)) / 2 + float(self.l1 @ np.abs(x))
