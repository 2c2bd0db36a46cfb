"""Coordinate descent on a quadratic model of P over some features: on its Gram matrix, or along columns of X.

The model at a point x0 with slopes s0 is s0'p + p'Hp/2 + sum_k l1_k |x0_k + p_k|, H = X'diag(h)X/n + diag(ridge). With
the squared loss it is P itself.

    sweep      x_k <- the minimiser of the model along k, for k in the support; when that has converged, for all k
    converged  where the cost of a sweep's violations r_k = H_kk |step_k| in the duality gap is allowed: with l2 = 0
               sum_k r_k |x_k| + max_k r_k ||x||_1, for the dual point is scaled by l1/(l1 + max r); with l2 > 0
               sum_k r_k^2/(2 l2), which is what its conjugate makes of them, or with the scaled point
               l2 (||x||_inf ||x||_1 + ||x||^2/2) more than with l2 = 0, whichever is less
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...numerics.jit import kernel, reduction, scalar, struct
from ...numerics.matrix_lines import Lines, Place

STEP_ROUNDING = 1e-13  # Relative step below which a move counts as rounding.


@reduction
def _add_multiple(c: float, a: np.ndarray, k: Place, s: np.ndarray) -> None:
    for m in range(s.size):
        s[m] += c * a[k, m]


@struct
class MatrixModel(NamedTuple):
    """Model by its Gram matrix: the slopes of all coordinates are kept up to date."""

    H: np.ndarray  # (capacity, capacity) without the ridge; the first (size, size) are in use
    s: np.ndarray  # (size,) slopes of the model at x
    ridge: np.ndarray  # (size,)

    def slope_at(self, k: Place) -> float:
        """The slope of the model along coordinate k."""
        return self.s[k]

    def shift(self, k: Place, step: float) -> None:
        """Move coordinate k by a step: what it changes of the slopes."""
        _add_multiple(step, self.H, k, self.s)
        self.s[k] += step * self.ridge[k]


@struct
class ResidualModel(NamedTuple):
    """Model by the columns of X: u = diag(h) X p/n is kept up to date; it may begin with phi'(z)/n."""

    X: Lines
    features: np.ndarray  # (size,)
    weights: np.ndarray  # (n,) h/n
    u: np.ndarray  # (n,)
    s: np.ndarray  # (size,) slopes at p = 0, and the ridge's part since
    ridge: np.ndarray  # (size,)

    def slope_at(self, k: Place) -> float:
        """The slope of the model along coordinate k."""
        return self.s[k] + self.X.dot_on_lanes(self.features[k], self.u)

    def shift(self, k: Place, step: float) -> None:
        """Move coordinate k by a step: what it changes of the slopes."""
        u, weights, j = self.u, self.weights, self.features[k]
        for e in self.X.line(j):
            i = self.X.index(j, e)
            u[i] += step * weights[i] * self.X.value(j, e)
        self.s[k] += step * self.ridge[k]

    def energy(self) -> float:
        """Compute p'X'diag(h)X p/(2n), up to a constant where u did not begin with 0."""
        total = 0.0
        for i in range(self.u.size):
            if self.u[i] != 0.0:  # inf or NaN where phi'' = 0 and phi' is not: u does not determine the energy there
                total += self.u[i] * self.u[i] / self.weights[i]
        return total / 2


@struct
class ColumnModel(NamedTuple):
    """Model by the columns of X where h is constant: u = X p is kept up to date, for which a step reads only X."""

    X: Lines
    features: np.ndarray  # (size,)
    share: float  # h/n
    u: np.ndarray  # (n,)
    s: np.ndarray  # (size,) slopes at p = 0, and the ridge's part since
    ridge: np.ndarray  # (size,)

    def slope_at(self, k: Place) -> float:
        """The slope of the model along coordinate k."""
        return self.s[k] + self.share * self.X.dot_on_lanes(self.features[k], self.u)

    def shift(self, k: Place, step: float) -> None:
        """Move coordinate k by a step: what it changes of the slopes."""
        self.X.add(self.features[k], step, self.u)
        self.s[k] += step * self.ridge[k]

    def energy(self) -> float:
        """Compute p'X'diag(h)X p/(2n)."""
        total = 0.0
        for i in range(self.u.size):
            total += self.u[i] * self.u[i]
        return self.share * total / 2


class SweepState(NamedTuple):
    """Weights, orders and counts of sweeps."""

    diagonal: np.ndarray  # (size,) of H
    l1: np.ndarray  # (size,) weights
    lower: np.ndarray  # (size,) bounds
    upper: np.ndarray
    l2: float
    free_size: float  # least cost of a violation of the intercept, which has no l1, in the gap
    whole: np.ndarray  # (size,) int64, all coordinates in the order of visits
    order: np.ndarray  # (size,) int64, coordinates of the support
    moves: np.ndarray  # (size,) steps of each coordinate
    looks: np.ndarray  # (size,) visits to each coordinate


def sweep_state(
    diagonal: np.ndarray, l1: np.ndarray, l2: float, free_size: float, box: tuple[np.ndarray, np.ndarray] | None = None
) -> SweepState:
    """Return the state before the first sweep; a coordinate on which the model does not depend has curvature 1."""
    whole, counts, ends = np.arange(diagonal.size), np.zeros((2, diagonal.size)), np.empty((2, diagonal.size))
    ends[0], ends[1] = (-np.inf, np.inf) if box is None else box
    diagonal[diagonal <= 0] = 1.0
    return SweepState(diagonal, l1, ends[0], ends[1], l2, free_size, whole, whole.copy(), counts[0], counts[1])


@scalar
def _cost(l2: float, weighed: float, worst: float, squares: float, largest: float, norm: float, norm2: float) -> float:
    """Return the cost of violations r in the gap, from sum r|x|, max r, sum r^2, max |x|, sum |x| and sum x^2."""
    scaled = weighed + (worst + l2 * largest) * norm + l2 / 2 * norm2
    return min(scaled, squares / (2 * l2)) if l2 > 0 else scaled


@kernel
def find_violations(x: np.ndarray, s: np.ndarray, l1: np.ndarray, out: np.ndarray) -> None:
    """Set `out` to the smallest subgradient at x, where the slopes without l1 are s: 0 if k is optimal."""
    for k in range(x.size):
        if x[k] != 0.0:
            out[k] = s[k] + (l1[k] if x[k] > 0.0 else -l1[k])
        else:
            out[k] = s[k] - min(max(s[k], -l1[k]), l1[k])


@kernel
def violation_cost(x: np.ndarray, violations: np.ndarray, l1: np.ndarray, l2: float, free_size: float) -> float:
    """Return the cost of the violations at x in the gap.

    The violations of a sweep tell less where columns depend on each other: later ones compensate for earlier ones.
    """
    free, weighed, worst, squares, largest, norm, norm2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(x.size):
        size, r = abs(x[k]), abs(violations[k])
        if l1[k] == 0.0:
            free += r * (free_size + size)
            continue
        weighed += r * size
        squares += r * r
        worst = max(worst, r)
        largest = max(largest, size)
        norm += size
        norm2 += size * size
    return free + _cost(l2, weighed, worst, squares, largest, norm, norm2)


class SweepResult(NamedTuple):
    """Result of a sweep."""

    cost: float  # cost of its violations in the gap
    support: int  # coordinates whose x_k is not 0, or has just become 0: `SweepState.order` begins with them


@scalar
def sweep(model: Any, x: np.ndarray, state: SweepState, among: np.ndarray, count: int) -> SweepResult:
    """Sweep over among[:count]."""
    free, weighed, worst, norm, squares, kept = 0.0, 0.0, 0.0, 0.0, 0.0, 0
    largest, norm2 = 0.0, 0.0
    for m in range(count):
        k = among[m]
        target = x[k] - model.slope_at(k) / state.diagonal[k]
        t = state.l1[k] / state.diagonal[k]
        target = min(max(target - min(max(target, -t), t), state.lower[k]), state.upper[k])
        step = target - x[k]
        state.looks[k] += 1
        if abs(step) > STEP_ROUNDING * abs(x[k]):
            model.shift(k, step)
            x[k] = target
            state.moves[k] += 1
            r = abs(step) * state.diagonal[k]
            if state.l1[k] == 0.0:
                free += r * (state.free_size + abs(target))
            else:
                weighed += r * abs(target)
                squares += r * r
                worst = max(worst, r)
        if x[k] == 0.0 and step == 0.0:
            continue
        state.order[kept] = k
        kept += 1
        if state.l1[k] > 0.0:
            norm += abs(x[k])
            norm2 += x[k] ** 2
            largest = max(largest, abs(x[k]))
    return SweepResult(free + _cost(state.l2, weighed, worst, squares, largest, norm, norm2), kept)


@kernel
def descend(model: Any, x: np.ndarray, state: SweepState, over_all: bool, allowed: float, max_sweeps: int) -> bool:
    """Sweep, first over all coordinates or over the support; return whether a sweep over all has converged."""
    size, order = x.size, state.order
    count = size
    if not over_all:
        count = 0
        for k in state.whole:
            if x[k] != 0.0:
                order[count] = k
                count += 1
    for _ in range(max_sweeps):
        result = sweep(model, x, state, state.whole if over_all else order, count)
        converged = result.cost <= allowed
        if converged and over_all:
            return True
        over_all, count = converged, size if converged else result.support
    return False


def warm_descend(model: Any) -> None:
    """Compile or load `descend` for models of this type, given one of no coordinates."""
    nothing = np.empty(0)
    descend(model, nothing, sweep_state(nothing, nothing, 1.0, 0.0), True, 0.0, 1)


@kernel
def set_slopes(model: Any) -> None:
    """Set s to the slopes of the model at this point, as if p were 0."""
    for k in range(model.s.size):
        model.s[k] = model.slope_at(k)


@kernel
def model_value(model: Any, x: np.ndarray, start: np.ndarray, first: np.ndarray, l1: np.ndarray) -> float:
    """Return the model at x = start + p with its l1, up to a constant; s was `first` at p = 0."""
    total = 0.0
    for k in range(x.size):
        p = x[k] - start[k]
        total += p * (first[k] + 0.5 * model.ridge[k] * p) + l1[k] * abs(x[k])
    return total + model.energy()
