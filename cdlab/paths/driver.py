"""The driver of a path: proximal Newton on a working set, from weight to weight.

For each weight

    start    from the last two solutions, continued in a line; the features that may enter soon join the working set
    model    of P at that point over the working set; with the squared loss it is P, and its Gram matrix is kept
    descend  until what is left costs the gap less than was asked for; then a line search, unless the model is P
    look     at all features that may matter: P(w), D(alpha), and the features that the working set lacks

until the gap is as small as was asked for. Screening and certificate read the same X'alpha.

References: Tibshirani et al., Strong rules for discarding predictors in lasso-type problems (2012); Friedman, Hastie &
Tibshirani, Regularization paths for generalized linear models via coordinate descent (2010); Massias, Gramfort &
Salmon, Celer (2018).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..losses import has_hessian, hess_lipschitz, is_vector, unweighted
from ..problems.problem import Problem
from ..problems.rounding import gap_between, rounding_of_sums
from ..regularizers import L2
from . import descent, looking
from .state import DUAL, ENTERING, PRIMAL, ROUNDING, VISITS, data_of, first_state
from .working_set import WorkingSet

MAX_LOOKS = 100  # at a weight, after which the driver gives it up
GAP_SHARE = 0.5  # of the gap that was asked for, which the working set may leave
SHARE_DECAY = 0.2  # of that share, from look to look
MODEL_SHARE = 0.05  # of the gap at its start, which a model may leave that is not P
STALE_CONTRACTION = 0.2  # of the gap by a step, above which the next model is formed anew
DAMPING = 1e-3
FIRST_REACH, MIN_REACH, MAX_REACH = 0.3, 0.05, 1.0  # of the fall of l1: by how much |v_j| is expected to rise
REACH_GROWTH, REACH_DECAY = 1.5, 0.9
HALVINGS = 30
SIGMA = 1e-4
ROUNDING_SHARE = 1e-14  # of P, which a line search cannot see
MAX_LEAPS = 200
PLAIN = L2(0.0)


class Found(NamedTuple):
    """A point on the path."""

    w: np.ndarray  # (d,)
    alpha: np.ndarray  # (n,)
    primal: float
    dual: float
    rounding: float
    gap: float
    looks: int
    visits: float  # nonzeros
    reached: bool  # whether the relative gap is at most what was asked for


def fits(P: Problem) -> bool:
    """Whether the driver is for this problem: a smooth loss of one prediction with a second derivative, and l1 > 0."""
    return P.l1 > 0 and not is_vector(P.loss) and P.loss.gamma > 0 and has_hessian(unweighted(P.loss))


class Driver:
    """Solves a problem for one weight after the other, each from what the last ones left.

    Parameters
    ----------
    P : Problem
        One that `fits`.
    w : (d,) array, optional
        Where the first solution starts.
    """

    def __init__(self, P: Problem, w: np.ndarray | None = None) -> None:
        self.P = P
        self.data, self.S = data_of(P), first_state(P)
        self.is_quadratic = hess_lipschitz(P.loss) == 0
        self.set = WorkingSet(P, self.data, self.S, self.is_quadratic)
        if P.intercept:
            self.set.enter(np.array([P.d - 1]))
        if w is not None:
            self.set.enter(np.flatnonzero(w[: self.data.free]))
            self.S.w[:] = w
        if self.is_quadratic:
            looking.set_slopes_and_curvature(self.data, self.S, False, True)
        self.last: tuple[float, float] | None = None  # weights l2, l1 of the last solution
        self.before: tuple[float, float, np.ndarray] | None = None  # those of the one before, and its w
        self.reach = FIRST_REACH
        self.damping = DAMPING
        self.scratch = np.zeros(P.d)
        self.u = np.zeros(P.n)
        self.looked_at = math.nan  # the weight l1 of the last look

    # ------------------------------------------------------------ one weight
    def solve(self, l2: float, l1: float, tol: float, max_visits: float = math.inf) -> Found:
        """The solution for these weights, from the last."""
        S, N = self.S, self.S.numbers
        N[VISITS] = 0.0
        if self.last is None:
            self._look(l2, l1)
            self._enter_violators()
        elif l1 < self.last[1]:
            self._enter_expected(l1, self.last[1])
        last_w = S.w.copy()
        gap = self._first_gap(l2, l1)
        self._extrapolate(l2, l1)
        share, stale = GAP_SHARE, False
        for looks in range(1, MAX_LOOKS + 1):
            allowed = share * tol * self._scale()
            self._step(l2, l1, allowed, gap, stale, looks == 1)
            self._look(l2, l1)
            found = self._certified()
            if found <= tol * self._scale():
                break
            if not math.isfinite(found) or N[VISITS] > max_visits:
                break
            stale = found <= STALE_CONTRACTION * gap
            gap, share = found, share * SHARE_DECAY
            if self._enter_violators():
                self.reach = min(MAX_REACH, self.reach * REACH_GROWTH)
        else:
            looks = MAX_LOOKS
        if looks == 1:
            self.reach = max(MIN_REACH, self.reach * REACH_DECAY)
        if self.last is not None:
            self.before = (*self.last, last_w)
        self.last = (l2, l1)
        gap = self._certified()
        rounding = N[ROUNDING] + rounding_of_sums(self.P.at_zero, N[PRIMAL], N[DUAL])
        return Found(
            S.w.copy(), S.alpha.copy(), float(N[PRIMAL]), float(N[DUAL]), float(rounding), gap, looks,
            float(N[VISITS]), gap <= tol * self._scale(),
        )  # fmt: skip

    def _scale(self) -> float:
        at_zero = self.P.at_zero
        return max(at_zero - float(self.S.numbers[DUAL]), 1e-6 * at_zero)

    def _certified(self) -> float:
        N = self.S.numbers
        primal, dual = float(N[PRIMAL]), float(N[DUAL])
        return gap_between(primal, dual, float(N[ROUNDING]) + rounding_of_sums(self.P.at_zero, primal, dual))

    def _look(self, l2: float, l1: float) -> None:
        looking.look(self.data, self.S, self.set.features, l2, l1, PLAIN)

    # ------------------------------------------------------------ the working set
    def _enter_violators(self) -> int:
        count = int(self.S.numbers[ENTERING])
        if count:
            self.set.enter(self.S.entering[:count])
        return count

    def _enter_expected(self, l1: float, last: float) -> None:
        """The features whose slopes may reach l1."""
        count = looking.expected(self.data, self.S, l1, l1 - self.reach * (last - l1), self.S.entering)
        if count:
            self.set.enter(self.S.entering[:count])

    # ------------------------------------------------------------ the start
    def _first_gap(self, l2: float, l1: float) -> float:
        """About the gap of the last solution at the new weights."""
        if self.last is None:
            return self._certified()
        return (self.last[1] - l1) * float(np.abs(self.S.w[self.set.features]).sum()) + self._certified()

    def _extrapolate(self, l2: float, l1: float) -> None:
        """Move w along the line through the last two solutions; slopes are those there."""
        S, features = self.S, self.set.features
        if self.before is None or self.last is None or not self.before[0] == self.last[0] == l2:
            return
        (_, last), (_, first, w) = self.last, self.before
        if not first > last > l1:
            return
        before, now = w[features], S.w[features]
        x = now + (last - l1) / (first - last) * (now - before)
        x[(x * now < 0) & (self.set.l1_share > 0)] = 0.0
        if self.is_quadratic:
            S.w[features] = x
            return
        kept = self._objective(now, l2, l1)
        S.w[features] = x
        looking.set_products(self.data, S, features, S.w, S.z)
        if not self._objective(x, l2, l1) < kept:
            S.w[features] = now

    def _objective(self, x: np.ndarray, l2: float, l1: float) -> float:
        """P where z is the X w of this x."""
        share = self.set.l1_share
        loss = looking.mean_loss_along(self.data, self.S.z, self.u, 0.0)
        return loss + l2 / 2 * float(share @ x**2) + l1 * float(share @ np.abs(x))

    # ------------------------------------------------------------ a step
    def _step(self, l2: float, l1: float, allowed: float, gap: float, stale: bool, is_first: bool) -> None:
        S, K = self.S, self.set
        features = K.features
        if features.size == 0:
            return
        if is_first:  # no look has been made at the start
            looking.set_products(self.data, S, features, S.w, S.z)
        looking.set_slopes_and_curvature(self.data, S, True, not (self.is_quadratic or stale))
        x = S.w[features]
        s = np.empty(features.size)
        looking.set_model_slopes(self.data, S, features, x, l2, PLAIN, s)
        ridge = l2 * K.l1_share
        if not self.is_quadratic:
            allowed = max(allowed, MODEL_SHARE * gap)
            left = min(1.0, gap / self._scale())
            ridge = ridge + self.damping * left * self.data.norms[features] ** 2 * (self.P.beta / self.P.n)
        K.update_curvature(stale or self.is_quadratic)
        start = x.copy()
        K.minimise(x, s, ridge, l1, l2, allowed)
        if self.is_quadratic:
            S.w[features] = x
            return
        p = x - start
        self.scratch[features] = p
        looking.set_products(self.data, S, features, self.scratch, self.u)
        self.scratch[features] = 0.0
        t = self._share(start, p, s, l2, l1)
        S.w[features] = x if t == 1 else start + t * p

    def _share(self, x: np.ndarray, p: np.ndarray, s: np.ndarray, l2: float, l1: float) -> float:
        """How far to go along p: halved until P falls by a share of what the slope promises."""
        share, z, u = self.set.l1_share, self.S.z, self.u
        here = looking.mean_loss_along(self.data, z, u, 0.0)
        slope = -float(self.S.pulls @ u) / z.size + l2 * float((share * x) @ p)
        size = float(share @ np.abs(x))
        unseen = ROUNDING_SHARE * (here + l1 * size)
        promised = slope + l1 * (float(share @ np.abs(x + p)) - size)
        t = 1.0
        for _ in range(HALVINGS):
            y = x + t * p
            change = looking.mean_loss_along(self.data, z, u, t) - here
            change += l2 / 2 * float(share @ (y * y - x * x)) + l1 * (float(share @ np.abs(y)) - size)
            if change <= SIGMA * t * promised + unseen:
                return t
            t /= 2
        return 0.0
