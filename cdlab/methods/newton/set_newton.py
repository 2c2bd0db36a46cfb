"""Newton's method on P over a working set: some sweeps on a model, the next model, until the set is solved.

Algorithm   h = phi''(z) at z = X w; the model of P over the set has H = X'diag(h)X/n + diag(ridge)
            a sweep of coordinate descent on it over all of the set, then over the support, with points that are
            extrapolated (extrapolated.py), until the violations cost a share of what they did in the first: at most
            MODEL_SHARE, less near the optimum, where models are right; p is what has moved
            t halves from 1 until P(w + t p) <= P(w) + SIGMA t D, with D = g'p + l1(||w + p||_1 - ||w||_1)
            w += t p
            until a model's violations cost SET_SHARE of those of all features at the start, or WHOLE_SHARE where
            nobody who violated |g_j| <= l1 was left out of the set; once sweeps have cost as much as MATRIX_MODELS
            Gram matrices of the set, models are solved by these, with Newton steps on the support
Why         a step of the outer iteration costs a full gradient, a model here what the set has: exponentials for the
            examples, half a visit for the diagonal. Where features hardly correlate, a few sweeps are enough; where
            they do, sweeps would hardly come to an end
Cost        a coordinate that is looked at reads its column, one that moves visits it; half a visit a model for the
            diagonal, and for X p; a Gram matrix as in set_gram.py
Reference   Friedman, Hastie & Tibshirani, Regularization paths for generalized linear models via coordinate descent
            (2010); Yuan, Ho & Lin, An improved GLMNET for l1-regularized logistic regression (2012)
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from ...losses.per_example import expansion
from ...problems.problem import Problem
from .line_search import ROUNDING, SIGMA, halved
from .model import Model, cost_of_violations, free_size
from .set_model import Descent, descend_model, set_direction, set_expansion, set_model
from .sweeps import find_violations, set_slopes, violation_cost
from .working_set import GapTolerance, SetSolver, WorkingSet

SET_SHARE = 0.03  # Share of the cost of all violations at w that the set may leave.
WHOLE_SHARE = 0.001  # The same of a set that leaves out no feature with |g_j| > l1.
USUAL_SHARE, USUAL_REST = 0.1, 1e-7  # Share of the same, and of P(0): below it the usual tolerance is reached.
MODEL_SHARE, LEAST_MODEL_SHARE = 0.5, 0.05  # Share of the cost of a model's violations that its sweeps may leave.
MAX_SWEEPS, MAX_MODELS = 20, 30  # Sweeps of a model, models of an iteration.
MATRIX_MODELS = 4  # Gram matrices whose cost sweeps along columns should reach before the set is solved by them.


class SetNewton(SetSolver):
    """Models of P over a working set of columns, one after the other."""

    first_share = 0.15

    def __init__(self, P: Problem) -> None:
        super().__init__(P)
        self.sweep_visits = 0.0  # see `Iterate.descend`

    def minimise(self, P: Problem, model: Model, left_out: int) -> np.ndarray:
        here = Iterate(P, self.set, model)
        self.sweep_visits = here.descend(_allowed(P, model, SET_SHARE if left_out else WHOLE_SHARE), self.sweep_visits)
        return here.x

    def warm(self, P: Problem) -> None:
        K = WorkingSet(P)  # of its own: that of this run may have members
        K.warm()
        nothing = np.empty(0)
        S = set_model(P, K, nothing, nothing, 0.0)
        set_expansion(S, nothing, nothing)
        set_slopes(S.model)
        descend_model(S, nothing, nothing, 0.0, 0.0, 1)
        set_direction(S, nothing)
        expansion(P.loss, nothing, P.loss_y[:0])


def _allowed(P: Problem, model: Model, share: float) -> float:
    """Return the cost that the set may leave."""
    rest = cost_of_violations(P, model)
    usual = min(USUAL_SHARE * rest, USUAL_REST * P.at_zero)
    return max(share * rest, usual, ROUNDING * P.at_zero)


class Iterate:
    """Coordinates of w in the set, and z = X w."""

    def __init__(self, P: Problem, K: WorkingSet, model: Model) -> None:
        self.P, self.K = P, K
        ridge, self.free_size = model.ridge[K.features], free_size(P, model)
        self.model = set_model(P, K, model.w[K.features], ridge, self.free_size)
        self.z, self.losses = model.z, model.at
        self.value = self.losses.mean + self._penalty(self.x)

    @property
    def x(self) -> np.ndarray:
        """Coordinates (size,) of w in the set."""
        return self.model.x

    def descend(self, allowed: float, sweep_visits: float) -> float:
        """Move until the rest is allowed; return `sweep_visits` for the next time.

        Parameters
        ----------
        allowed : float
            Cost that may be left.
        sweep_visits : float
            Nonzeros that sweeps have visited since they last solved a set.
        """
        K, left = self.K, self.P.at_zero
        for _ in range(MAX_MODELS):
            by_matrix = K.has_matrix and sweep_visits > MATRIX_MODELS * K.matrix_cost()
            if by_matrix:
                did = self._solve(allowed)
            else:
                did = self._sweep(allowed, left)
                sweep_visits += did.visits
            K.visits += did.visits
            moved, left = self._go(did.promised), did.left
            if left <= allowed or not moved:
                return sweep_visits if by_matrix else 0.0
        return sweep_visits

    def _sweep(self, allowed: float, left: float) -> Descent:
        """Sweep on the model a few times; `left` is what the last model left."""
        if self.P.is_full:  # sparse columns are visited in the order in which they lie in memory
            self.model.state.whole[:] = self.K.rng.permutation(self.K.size)
        nearness = left / self.P.at_zero if self.P.at_zero > 0 else 1.0
        share = min(MODEL_SHARE, max(LEAST_MODEL_SHARE, sqrt(nearness)))
        at = self.losses
        return descend_model(self.model, at.slopes, at.curvatures, allowed, share, MAX_SWEEPS)

    def _solve(self, allowed: float) -> Descent:
        """Minimise the model by its Gram matrix; `left` is what was left of P before."""
        P, K, S, at = self.P, self.K, self.model, self.losses
        set_expansion(S, at.slopes, at.curvatures)
        set_slopes(S.model)
        l1, violations = S.state.l1, np.empty(self.x.size)
        find_violations(self.x, S.model.s, l1, violations)
        left = violation_cost(self.x, violations, l1, P.l2, self.free_size)
        if left > allowed:
            K.h[:] = at.curvatures
            K.update_curvature(keeps=False)
            enough = max(MODEL_SHARE * allowed, MODEL_SHARE**2 * left)
            K.minimise(self.x, S.model.s, GapTolerance(S.model.ridge, P.l1, P.l2, enough, self.free_size))
        promised, visits = set_direction(S, at.slopes)
        return Descent(left, promised, visits + K.nonzeros / 2)

    def _go(self, promised: float) -> bool:
        """Go from `start` towards x until P decreases as it should; False where no trial does, and x is `start`."""
        S, start, target = self.model, self.model.history.start, self.x.copy()
        unseen = ROUNDING * abs(self.value)

        def goes(t: float) -> bool:
            if t < 1:
                self.x[:] = start + t * (target - start)
            z = self.z + t * S.direction
            losses = expansion(self.P.loss, z, self.P.loss_y)
            value = losses.mean + self._penalty(self.x)
            if not value <= self.value + SIGMA * t * promised + unseen:
                return False
            self.z, self.losses, self.value = z, losses, value
            return True

        if halved(goes):
            return True
        self.x[:] = start
        return False

    def _penalty(self, x: np.ndarray) -> float:
        """Return the penalty of P at the w that is x over the set."""
        return float(x @ (self.model.l2 * x)) / 2 + float(self.model.state.l1 @ np.abs(x))
