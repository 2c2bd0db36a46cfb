"""The driver of a path: proximal Newton on a working set, from weight to weight.

For each weight

    start    from the last two solutions, continued in a line; the features that may enter soon join the working set
    model    of P at that point over the working set; with the squared loss it is P, and its Gram matrix is kept
    descend  until what is left costs the gap less than was asked for; then a line search, unless the model is P
    scan     of all features that may matter: P(w), D(alpha), and the features that the working set lacks

until the gap is as small as was asked for. Screening and certificate read the same X'alpha.

References: Tibshirani et al., Strong rules for discarding predictors in lasso-type problems (2012); Friedman, Hastie &
Tibshirani, Regularization paths for generalized linear models via coordinate descent (2010); Massias, Gramfort &
Salmon, Celer (2018).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..losses import has_hessian, is_vector, logistic_arrays, unweighted
from ..losses.per_example import curvatures
from ..methods.newton.line_search import ROUNDING, halved
from ..methods.newton.working_set import GapTolerance, WorkingSet
from ..problems.points import Points
from ..problems.problem import COARSE_BOUND_SHARE, Problem
from ..problems.products import NO_SHRINKING
from ..problems.rounding import (
    EPS,
    LARGEST_ROUNDING,
    ROUNDING_FALL,
    STALLED_UNITS,
    gap_between,
    is_within_rounding,
    rounding_of_sums,
)
from . import kkt_scan
from .kkt_scan import INTERCEPT_STEPS
from .state import DUAL, ENTERING, LOSS, NORM2, PRIMAL, SHARE, SIZE, VISITS, State, data_of, first_state

MAX_SCANS = 50  # Scans at a weight after which the driver gives it up.
MAX_STALLS = 3  # Scans in succession in which a gap near its rounding has not fallen.
GAP_SHARE = 0.5  # Share of the required gap that the working set may leave.
SHARE_DECAY = 0.2  # Factor by which that share shrinks from scan to scan.
MODEL_SHARE = 0.05  # Share of the gap at its start that a model which is not P may leave.
STALE_CONTRACTION = 0.2  # Ratio of successive gaps above which the next model is formed anew.
FIRST_DAMPING, LEAST_DAMPING = 1e-4, 1e-10  # Relative to the smoothness along a coordinate, for models that are not P.
SHORT_STEP_DAMPING = 1e-3  # Least damping after a step that was too long.
DAMPING_CHANGE = 10.0  # The damping falls by this factor after a full step, and rises after a shorter one.
FIRST_REACH, MIN_REACH, MAX_REACH = 0.3, 0.05, 1.0  # Expected rise of |v_j|, relative to the fall of l1.
REACH_GROWTH, REACH_DECAY = 1.5, 0.9
SIGMA = 0.1  # Share of the promised fall of P that is required; near the optimum Newton's step brings a half.


class PathPoint(NamedTuple):
    """A solution and its weight l1."""

    l1: float
    w: np.ndarray


class Known(NamedTuple):
    """P(w), D(alpha), the bound of their rounding errors, and the gap."""

    primal: float
    dual: float
    rounding: float
    gap: float


class PathStep(NamedTuple):
    """A point on the path with its certificate."""

    w: np.ndarray  # (d,)
    alpha: np.ndarray  # (n,)
    primal: float
    dual: float
    rounding: float
    gap: float
    reached: bool  # the relative gap is at most the tolerance
    scans: int
    visits: float  # nonzeros visited
    seconds: float
    settled: bool = False  # the gap is within its rounding and does not fall


@dataclass(frozen=True)
class PathLimits:
    """PathLimits after which the driver leaves a weight, whether its gap is small or not.

    Attributes
    ----------
    tol : float > 0
        On the relative gap.
    visits, seconds : float
        Checked after each scan.
    stop : callable, optional
        Called with the start and with each point whose gap is larger; True makes the driver leave.
    """

    tol: float
    visits: float = math.inf
    seconds: float = math.inf
    stop: Callable[[PathStep], bool] | None = None


def fits(P: Problem) -> bool:
    """Tell whether the driver solves P with l1 > 0: a smooth loss of one prediction with a second derivative."""
    return not (P.bounded or is_vector(P.loss)) and P.loss.gamma > 0 and has_hessian(unweighted(P.loss))


def _largest_l1_in_box(P: Problem) -> float:
    alpha = P.alpha(P.zeros(P.d)) if P.start is None else P.start.alpha
    d, factor = P.d - P.intercept, np.broadcast_to(P.penalty_factor, P.d - P.intercept)
    v = P.v(alpha)[:d]
    moves = np.where(v > 0, P.of_features.upper[:d] > 0, P.of_features.lower[:d] < 0)
    if not factor[moves & (v != 0)].all():
        raise ValueError("no l1 makes w = 0 optimal, as some features have a penalty_factor of 0: give weights")
    return float(np.max(np.abs(v[moves]) / factor[moves], initial=0.0))


def largest_l1(P: Problem) -> float:
    """Return the least l1 for which w = 0 is optimal, with the best intercept where there is one."""
    if P.bounded:
        return _largest_l1_in_box(P.centred)
    driver = Driver(P.centred)
    driver._evaluate(0.0, 0.0)
    driver._scan(0.0, 0.0, math.inf)
    return float(np.abs(driver.S.v[: driver.data.free]).max(initial=0.0))


class Driver:
    """Solver for one weight after the other, each from the last solutions.

    Parameters
    ----------
    P : Problem
        A centred problem that `fits`.
    w : (d,) array, optional
        Start of the first solution; the null point by default.
    """

    def __init__(self, P: Problem, w: np.ndarray | None = None) -> None:
        self.P, self.at_zero = P, P.at_zero
        self.data, self.set = data_of(P), WorkingSet(P)
        self.is_quadratic = self.set.is_quadratic
        self.S = first_state(P, self.set.h, self.set.position_in_set)
        self.is_scanned = False  # at the point that was evaluated last
        self.known: Known | None = None  # the certificate of the last scan, once it is asked for
        self.tol, self.weights = 0.0, (P.l2, P.l1)  # on the relative gap, and (l2, l1), at the current weight
        self._evaluate_all, self._scan_all = kkt_scan.evaluate, kkt_scan.scan_features
        if logistic_arrays.fits(P.loss, P.n):
            self._evaluate_all, self._scan_all = kkt_scan.evaluate_logistic, kkt_scan.scan_features_logistic
        self._warm()
        if w is None and P.start is not None:
            w = P.start.w
        if w is not None:
            self.set.enter(np.flatnonzero(w[: self.data.free]))
            self.S.w[:] = w
        if self.is_quadratic:
            self._set_curvature()
        self.last: PathPoint | None = None  # the last solution, and the one before it
        self.before: PathPoint | None = None
        self.reach = FIRST_REACH
        self.damping = FIRST_DAMPING

    def _warm(self) -> None:
        """Compile or load the kernels on empty arrays, so that this does not count as time of the first weight."""
        data = self.data._replace(y=self.data.y[:0], norms=self.data.norms[:0])
        S = State._make([*(field[..., :0] for field in self.S[:-1]), self.S.numbers.copy()])
        none, nothing = np.empty(0, np.uint64), np.empty(0)
        with np.errstate(invalid="ignore"):  # means over no examples
            self._evaluate_all(data, S, none, 1.0, 1.0)
            self._scan_all(data, S, 1.0, 1.0, math.inf)
        kkt_scan.expected_features(S, nothing, 1.0, S.entering)
        curvatures(data.loss, S.z, data.y)
        kkt_scan.set_model_slopes(data, S, none, nothing, 1.0, False, NO_SHRINKING, nothing)
        self.set.warm()

    # ------------------------------------------------------------ one weight
    def solve(self, l2: float, l1: float, limits: PathLimits) -> PathStep | None:
        """Return the solution for these weights, from the last one; None where it was stopped."""
        N, begun, stop = self.S.numbers, time.perf_counter(), limits.stop
        tol = self.tol = limits.tol
        self.weights = l2, l1
        N[VISITS] = self.set.visits = 0.0
        if self.last is None or stop is not None:
            self._evaluate(l2, l1)
            self._scan(l2, l1, math.inf)
            self._enter_violators()
            if stop is not None and not (found := self._result(tol, 0, begun)).reached and stop(found):
                return None
        if self.last is not None and l1 < self.last.l1:
            self._enter_expected(l1, self.last.l1)
        gap = math.inf if self.is_quadratic else self._first_gap(l1)  # read by models that are not P
        if not (self.is_quadratic and self.set.has_matrix):
            self._start(l2, l1)
        share, stale, exact, settled, stalls = GAP_SHARE, False, False, False, 0
        for scans in range(1, MAX_SCANS + 1):
            wanted = max(tol * self._scale(), self._certificate().rounding)
            self._step(l2, l1, share * wanted, gap, stale, scans == 1)
            exact = self._scan(l2, l1, wanted)
            known, scale = self._certificate(), self._scale()
            left = known.gap
            stalls = 0 if left < ROUNDING_FALL * gap else stalls + 1
            settled = left <= LARGEST_ROUNDING * scale and is_within_rounding(
                left, known.rounding, STALLED_UNITS if stalls >= MAX_STALLS else 1.0
            )
            if exact and (left <= tol * scale or settled):
                break
            late = self._visits() > limits.visits or time.perf_counter() - begun > limits.seconds
            if late or not left < math.inf:
                break
            if stop is not None:
                exact = self._scan(l2, l1, math.inf)
                if stop(self._result(tol, scans, begun)):
                    return None
            stale = bool(left <= STALE_CONTRACTION * gap)
            gap, share = left, share * SHARE_DECAY
            if self._enter_violators():
                self.reach = min(MAX_REACH, self.reach * REACH_GROWTH)
        if not exact:
            self._scan(l2, l1, math.inf)
        if scans == 1:
            self.reach = max(MIN_REACH, self.reach * REACH_DECAY)
        found = self._result(tol, scans, begun)._replace(settled=settled)
        self.last, self.before = PathPoint(l1, found.w), self.last
        return found

    def _result(self, tol: float, scans: int, begun: float) -> PathStep:
        known = self._certificate()
        seconds = time.perf_counter() - begun
        w, alpha = self.S.w.copy(), float(self.S.numbers[SHARE]) * self.S.alpha
        if more := self.P.rounding_of_coefficients(Points(w, alpha, z=self.S.z)):
            known = known._replace(rounding=known.rounding + more, gap=known.gap + more)
        reached = known.gap <= tol * self._scale()
        return PathStep(w, alpha, *known, reached, scans, self._visits(), seconds)

    def _visits(self) -> float:
        """Return the nonzeros visited for this weight."""
        return float(self.S.numbers[VISITS]) + self.set.visits

    def _scale(self) -> float:
        """Return the value that gaps are relative to."""
        return max(self.at_zero - float(self.S.numbers[DUAL]), 1e-6 * self.at_zero)

    def _certificate(self) -> Known:
        """Return the certificate of the last scan."""
        if self.known is not None:
            return self.known
        S, N, P = self.S, self.S.numbers, self.P
        if N[DUAL] < P.dual_at_zero:  # alpha = 0 is better
            N[DUAL], N[SHARE] = P.dual_at_zero, 0.0
        primal, dual, share = float(N[PRIMAL]), float(N[DUAL]), float(N[SHARE])
        enough = COARSE_BOUND_SHARE * max(primal - dual, self.tol * self._scale())
        rounding = rounding_of_sums(P.null_value, primal, dual)
        unit = P.unit_of_z + (INTERCEPT_STEPS * EPS if P.intercept else 0.0)
        rounding += P.rounding_of_primal(S.w, S.z, primal, enough, unit=unit)
        if share > 0:  # where the share is not 1, D was computed as for l2 = 0
            l2, l1 = self.weights
            rounding += P.rounding_of_dual(S.alpha, S.v, dual, enough, weights=(l2 if share == 1 else 0.0, l1))
        self.known = Known(primal, dual, rounding, gap_between(primal, dual, rounding))
        return self.known

    def _gap(self) -> float:
        return self._certificate().gap

    def _evaluate(self, l2: float, l1: float) -> None:
        self._evaluate_all(self.data, self.S, self.set.features, l2, l1)
        self.is_scanned = False

    def _scan(self, l2: float, l1: float, wanted: float) -> bool:
        self.is_scanned, self.known = True, None
        return self._scan_all(self.data, self.S, l2, l1, wanted)

    def _set_curvature(self) -> None:
        self.S.h[:] = curvatures(self.data.loss, self.S.z, self.data.y)

    # ------------------------------------------------------------ the working set
    def _enter_violators(self) -> int:
        count = int(self.S.numbers[ENTERING])
        if count:
            self.set.enter(self.S.entering[:count])
        return count

    def _enter_expected(self, l1: float, last: float) -> None:
        """Enter the features whose slopes may reach l1."""
        if self.set.size == self.P.d:
            return
        count = kkt_scan.expected_features(self.S, self.data.norms, l1 - self.reach * (last - l1), self.S.entering)
        if count:
            self.set.enter(self.S.entering[:count])

    # ------------------------------------------------------------ the start
    def _first_gap(self, l1: float) -> float:
        """Estimate the gap of the last solution at the new weights."""
        if self.last is None:
            return self._gap()
        fall = max(0.0, self.last.l1 - l1)  # w stays where it is, and alpha is scaled by 1 - fall/l1
        return float(fall * self.S.numbers[SIZE] + (fall / self.last.l1) ** 2 * self.S.numbers[LOSS]) + self._gap()

    def _continued(self, l1: float) -> np.ndarray | None:
        """Extrapolate the last two solutions over the working set; None where there are not two."""
        features, before, last = self.set.features, self.before, self.last
        if before is None or last is None or not before.l1 > last.l1 > l1:
            return None
        now = self.S.w[features]
        x = now + (last.l1 - l1) / (before.l1 - last.l1) * (now - before.w[features])
        crossing = x * now < 0
        if self.P.intercept:
            crossing[0] = False
        x[crossing] = 0.0
        return x

    def _start(self, l2: float, l1: float) -> None:
        """Move w along the line through the last two solutions, if P is lower there."""
        S, N, features = self.S, self.S.numbers, self.set.features
        N[PRIMAL] = here = N[LOSS] + l2 / 2 * N[NORM2] + l1 * N[SIZE]
        if (x := self._continued(l1)) is None:
            return
        now = S.w[features]
        S.w[features] = x
        self._evaluate(l2, l1)
        if not N[PRIMAL] <= here:
            S.w[features] = now
            self._evaluate(l2, l1)

    def _start_model(self, x: np.ndarray, s: np.ndarray, ridge: np.ndarray, l1: float) -> None:
        """Move x and the slopes s likewise, where P is its own model and its Gram matrix is at hand."""
        K = self.set
        if (there := self._continued(l1)) is None:
            return
        p = there - x
        change = K.G[: K.size, : K.size] @ p + ridge * p
        if p @ (s + change / 2) + l1 * (K.l1_share @ (np.abs(there) - np.abs(x))) <= 0:
            x += p
            s += change

    # ------------------------------------------------------------ a step
    def _step(self, l2: float, l1: float, allowed: float, gap: float, stale: bool, is_first: bool) -> None:
        """Minimise the model over the working set, and evaluate P there."""
        S, K, N = self.S, self.set, self.S.numbers
        features = K.features
        if not (self.is_quadratic or stale):
            self._set_curvature()
        x, s = S.w[features], np.empty(features.size)
        kkt_scan.set_model_slopes(self.data, S, features, x, l2, self.is_scanned, NO_SHRINKING, s)
        ridge = l2 * K.l1_share
        if not self.is_quadratic:
            allowed = max(allowed, MODEL_SHARE * gap)
            ridge = ridge + self.damping * self.data.norms[features] ** 2 * (self.P.beta / self.P.n)
        K.update_curvature(stale or self.is_quadratic)
        free_size = float(np.add.reduce(np.abs(S.z))) / S.z.size if self.P.intercept else 0.0
        tolerance = GapTolerance(ridge, l1, l2, allowed, free_size)
        if self.is_quadratic:
            if is_first and K.has_matrix:
                self._start_model(x, s, ridge, l1)
            K.minimise(x, s, tolerance)
            S.w[features] = x
            self._evaluate(l2, l1)
            return
        start, slopes, before = x.copy(), s.copy(), float(N[PRIMAL])
        K.minimise(x, s, tolerance)
        promised = float(slopes @ (x - start)) + l1 * float(K.l1_share @ (np.abs(x) - np.abs(start)))

        def decreases(t: float) -> bool:
            S.w[features] = x if t == 1 else start + t * (x - start)
            self._evaluate(l2, l1)
            return bool(N[PRIMAL] <= before + SIGMA * t * promised + ROUNDING * before)

        if not (t := halved(decreases)):
            S.w[features] = start
            self._evaluate(l2, l1)
        lower, higher = self.damping / DAMPING_CHANGE, self.damping * DAMPING_CHANGE
        self.damping = max(LEAST_DAMPING, lower) if t == 1 else min(1.0, max(SHORT_STEP_DAMPING, higher))
