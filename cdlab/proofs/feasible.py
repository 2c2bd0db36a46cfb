"""An exactly feasible dual point near one that is feasible but for rounding.

The numbers a_i are those of `cdlab.checker`: per weight s_i, of SDCA's sign, with V = sum_i a_i x_i. They must lie in
the domain of s_i phi*(-a_i/s_i); with a free intercept their sum must be 0; where l2_j = 0 V_j <= l1_j S without an
upper bound, and -V_j <= l1_j S without a lower one. Softmax has a row (K,) for each example, whose entry of its own
class is 0 and stands for minus the sum of the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ..checker import Loss

BITS = 52  # Multiples of a power of two with so many bits are added without rounding.
SHRINKAGE = 2.0**-50  # of the first step into |V_j| <= l1_j S; doubled until the exact test holds
ATTEMPTS = 60


def feasible(
    a: np.ndarray,
    y: np.ndarray,
    s: np.ndarray,
    loss: Loss,
    is_free: bool,
    exceeds: Callable[[np.ndarray], Fraction] | None,
) -> np.ndarray:
    """The nearest feasible doubles that are found, (n,) or (n, K).

    Parameters
    ----------
    a : (n,) array; (n, K) with softmax
        Feasible but for rounding; with softmax the entries of all classes.
    y, s : (n,) arrays
        Labels, with softmax indices of classes; and weights.
    loss : checker.Loss
        What it is a function of, and the ends of its slopes.
    is_free : bool
        Whether the intercept is.
    exceeds : function or None
        Where an l2_j is 0: max |V_j|/(l1_j S) of a point over what must not exceed 1, exactly.
    """
    a = _inside(a, y, s, loss)
    most = Fraction(0) if exceeds is None else exceeds(a)
    for attempt in range(ATTEMPTS):
        point = a
        if most > 1 - Fraction(SHRINKAGE * 2**attempt) * (attempt > 0):
            point = _inside(a * (float(1 / most) * (1 - SHRINKAGE * 2**attempt)), y, s, loss)
        if is_free:
            point = _balanced(point, y, s, loss)
        if exceeds is None or exceeds(point) <= 1:
            return point
    return np.zeros_like(a)


def _inside(a: np.ndarray, y: np.ndarray, s: np.ndarray, loss: Loss) -> np.ndarray:
    """Each a_i moved into its domain; exact, as bounds are doubles."""
    if loss.kind == "classes":
        masses = np.maximum(-a, 0.0)
        masses[np.arange(y.size), y.astype(np.intp)] = 0.0
        for i in np.flatnonzero(masses.sum(axis=1) >= s * (1 - 1e-12)):
            while sum(map(Fraction, masses[i].tolist())) > Fraction(float(s[i])):
                masses[i] *= 1 - SHRINKAGE
        return -masses + 0.0
    least, most = _bounds(y, s, loss)
    return np.where(s > 0, np.clip(a, least, most), 0.0) + 0.0


def _bounds(y: np.ndarray, s: np.ndarray, loss: Loss) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest a_i, (n,) each."""
    low, most = _times(s, loss.high), _times(s, -loss.low)
    if loss.kind == "residual":
        return 0.0 - low, most
    return np.where(y > 0, 0.0, -most), np.where(y > 0, most, 0.0)


def _times(s: np.ndarray, end: Fraction | float) -> np.ndarray:
    """The weights (n,) times the end of an interval; where that is rounded, a little below it."""
    exact = end in (0, 1, math.inf)
    return np.multiply(s, float(end) * (1 if exact else 1 - SHRINKAGE), out=np.zeros_like(s), where=s > 0)


def _balanced(a: np.ndarray, y: np.ndarray, s: np.ndarray, loss: Loss) -> np.ndarray:
    """The same with sums of exactly 0: on a grid of a power of two, what is left goes to examples with most room."""
    largest = largest_of(a, s, loss)
    if largest == 0:
        return a
    grid = Grid(a, y, s, loss, largest)
    if loss.kind == "classes":
        _balance_classes(grid.k, y.astype(np.intp), grid.ends[1])
        return grid.point()
    return grid.point() if grid.take_away(grid.total()) == 0 else np.zeros_like(a)


def largest_of(a: np.ndarray, s: np.ndarray, loss: Loss) -> float:
    """The largest number that a point can need on a grid."""
    return float(max(np.abs(a).max(), s.max() if loss.low > -math.inf else 0.0))


class Grid:
    """A feasible point, moved to multiples k q of a power of two, towards 0, which every domain contains.

    Parameters
    ----------
    a, y, s, loss
        As of `feasible`.
    largest : float > 0
        As of `largest_of`, of all examples whose sum is to be 0: multiples are added without rounding.
    """

    def __init__(self, a: np.ndarray, y: np.ndarray, s: np.ndarray, loss: Loss, largest: float) -> None:
        self.q = q = math.ldexp(1.0, math.frexp(largest)[1] - BITS)
        self.k, room = np.trunc(a / q).astype(np.int64), 2.0**BITS * q
        ends = (np.zeros_like(s), s) if loss.kind == "classes" else _bounds(y, s, loss)
        self.ends = [np.trunc(np.clip(x, -room, room) / q).astype(np.int64) for x in ends]

    def point(self) -> np.ndarray:
        """The point itself."""
        return self.k * self.q + 0.0

    def total(self) -> int:
        """The sum of all k."""
        return int(self.k.sum(dtype=object))

    def rooms(self) -> tuple[int, int]:
        """How much can be taken away from the sum, and how much can be added."""
        low, high = self.ends
        return int((self.k - low).sum(dtype=object)), int((high - self.k).sum(dtype=object))

    def take_away(self, left: int) -> int:
        """Take so much away from the sum, at a bound last, where it costs most; what is left is returned."""
        low, high = self.ends
        sign = 1 if left > 0 else -1
        rooms = self.k - low if left > 0 else high - self.k
        for i in np.argsort(-np.minimum(self.k - low, high - self.k), kind="stable"):
            if left == 0:
                break
            step = sign * min(abs(left), int(rooms[i]))
            self.k[i] -= step
            left -= step
        return left


def _balance_classes(k: np.ndarray, own: np.ndarray, top: np.ndarray) -> None:
    """Exchanges between two classes, until all columns of a point of softmax add up to 0; in place."""
    n = own.size
    rows = np.arange(n)

    def totals() -> list[int]:
        whole = k.copy()
        whole[rows, own] = -k.sum(axis=1)
        return [int(each) for each in whole.sum(axis=0, dtype=object)]

    for _ in range(8 * k.shape[1] * n):
        T = totals()
        more, less = int(np.argmax(T)), int(np.argmin(T))
        if T[more] == T[less] == 0:
            return
        wanted = min(T[more], -T[less])
        used = -k.sum(axis=1)
        # of the own class `more` the mass of `less` may fall; of `less` that of `more` may rise; else it moves
        room = np.where(own == more, -k[:, less], np.where(own == less, top - used, -k[:, less]))
        i = int(np.argmax(room))
        step = min(wanted, int(room[i]))
        if step <= 0:
            break
        if own[i] != less:
            k[i, less] += step
        if own[i] != more:
            k[i, more] -= step
    k[:] = 0


def exact_share(
    rows: Any, limits: Sequence[tuple[Fraction, Fraction]], own: np.ndarray | None
) -> Callable[[np.ndarray], Fraction]:
    """max |V_j| over limits as a function of a point (n,) or (n, K), in fractions.

    Parameters
    ----------
    rows : list of (columns, values)
        The examples.
    limits : sequence of pairs of Fraction
        For each column one over the limits of -V_j and of V_j; 0 where there is none.
    own : (n,) array of indices, or None
        With softmax: the classes, whose entries stand for minus the sum of the others.
    """
    exact = [(columns, list(map(Fraction, values))) for columns, values in rows]

    def share(a: np.ndarray) -> Fraction:
        slopes = [list(map(Fraction, row)) for row in a.reshape(a.shape[0], -1).tolist()]
        for i, k in enumerate([] if own is None else own.tolist()):
            slopes[i][k] = -sum(slopes[i], Fraction(0))
        V = [[Fraction(0)] * len(limits) for _ in slopes[0]]
        for row, (columns, values) in zip(slopes, exact, strict=True):
            for sums, slope in zip(V, row, strict=True):
                for j, x in zip(columns, values, strict=True) if slope else ():
                    sums[j] += slope * x
        return max(
            x * above if x > 0 else -x * below for sums in V for x, (below, above) in zip(sums, limits, strict=True)
        )

    return share
