"""Regularisers g(w): L2, the elastic net, either in a box, or with weights and a box of each feature; weights as texts.

They are l2-strongly convex if l2 > 0, and grad g*(v)_j = shrink_at(j, v_j)/l2. Kernels apply ``shrink_at`` to each
coordinate as they read v and divide by l2 once per dot product. Primal kernels take, of ``of_coordinate(j)``,
``prox_at``, ``prox_steps``: k proximal gradient steps along a constant slope at once (see lazy_prox.py), or ``l1_step``
where the quadratic is in the smooth part.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .numerics import checks
from .numerics.jit import struct
from .numerics.lazy_prox import soft_steps, step_factors
from .numerics.matrix_lines import Place


@struct
class L2(NamedTuple):
    """g(w) = (l2/2) ||w||^2."""

    l2: float

    @property
    def l2s(self) -> float:
        """The l2 of each coordinate: one number if all are alike, else (d,), or (d, 1)."""
        return self.l2

    @property
    def l1s(self) -> float:
        """The l1 of each coordinate."""
        return 0.0

    def of_coordinate(self, j: Place) -> L2:
        """The regulariser of coordinate j."""
        return self

    def shrink(self, v: float) -> float:
        """l2 times the coordinate of grad g* that belongs to v."""
        return v

    def shrink_at(self, j: Place, v: float) -> float:
        """`shrink` of coordinate j."""
        return v

    def inside(self, x: float) -> float:
        """The number nearest to x that a coordinate may have."""
        return x

    def clipped(self, w: np.ndarray) -> np.ndarray:
        """The point nearest to w where g is finite."""
        return w

    def g(self, w: np.ndarray) -> float:
        """g(w), of w (d,) or (d, K)."""
        c = power_of_two_root(self.l2)
        return 0.5 * (self.l2 / c / c) * _norm2(c * w)

    def g_conj(self, v: np.ndarray) -> float:
        """The conjugate g*(v) = sup_w { v'w - g(w) }; l2 > 0."""
        c = power_of_two_root(self.l2)
        return _norm2(v / c) / (2 * (self.l2 / c / c))

    def grad_g_conj(self, v: np.ndarray) -> np.ndarray:
        """grad g*(v), the w at which the supremum is attained, shaped like v; l2 > 0."""
        return v / self.l2

    def prox_g(self, x: np.ndarray, step: float) -> np.ndarray:
        """argmin_w { step g(w) + ||w - x||^2/2 }, shaped like x; step >= 0."""
        return x / (1 + step * self.l2)

    def prox_at(self, x: float, step: float) -> float:
        """Coordinate of `prox_g`."""
        return x / (1 + step * self.l2)

    def l1_step(self, x: float, h: float, L: float) -> float:
        """The s that minimises L (s - h)^2/2 + l1 |x + s|: with l1 the step in place of h."""
        return h

    def prox_steps(self, k: float, c: float, s: float, x: float, u: float, tau: float) -> float:
        """k steps x <- prox_at(x - tau u, tau) at once, with c = c^k and s = S_k of `lazy_prox.powers`."""
        return c * x - s * u


@struct
class ElasticNet(NamedTuple):
    """g(w) = (l2/2) ||w||^2 + l1 ||w||_1.

    g*(v) = ||shrink(v)||^2 / (2 l2), because sup_w { v w - l2 w^2/2 - l1 |w| } is attained at w = shrink(v) / l2.
    """

    l2: float
    l1: float

    @property
    def l2s(self) -> float:
        return self.l2

    @property
    def l1s(self) -> float:
        return self.l1

    def of_coordinate(self, j: Place) -> ElasticNet:
        return self

    def shrink(self, v: float) -> float:  # soft threshold, without a branch
        return v - min(max(v, -self.l1), self.l1)

    def shrink_at(self, j: Place, v: float) -> float:
        return self.shrink(v)

    def inside(self, x: float) -> float:
        return x

    def clipped(self, w: np.ndarray) -> np.ndarray:
        return w

    def g(self, w: np.ndarray) -> float:
        c = power_of_two_root(self.l2)
        return 0.5 * (self.l2 / c / c) * _norm2(c * w) + self.l1 * np.abs(w).sum()

    def g_conj(self, v: np.ndarray) -> float:
        shrunk = soft_threshold(v, self.l1)
        c = power_of_two_root(self.l2)
        return _norm2(shrunk / c) / (2 * (self.l2 / c / c))

    def grad_g_conj(self, v: np.ndarray) -> np.ndarray:
        return soft_threshold(v, self.l1) / self.l2

    def prox_g(self, x: np.ndarray, step: float) -> np.ndarray:
        return soft_threshold(x, step * self.l1) / (1 + step * self.l2)

    def prox_at(self, x: float, step: float) -> float:
        t = step * self.l1
        return (x - min(max(x, -t), t)) / (1 + step * self.l2)

    def l1_step(self, x: float, h: float, L: float) -> float:
        t, u = self.l1 / L, x + h
        return u - min(max(u, -t), t) - x

    def prox_steps(self, k: float, c: float, s: float, x: float, u: float, tau: float) -> float:
        return soft_steps(k, c, s, x, u, tau, self.l2, self.l1)


@struct
class Bounded(NamedTuple):
    """The elastic net of lower <= w_j <= upper, a box that contains 0; inf outside of it."""

    l2: float
    l1: float
    lower: float
    upper: float

    @property
    def l2s(self) -> float:
        return self.l2

    @property
    def l1s(self) -> float:
        return self.l1

    def of_coordinate(self, j: Place) -> Bounded:
        return self

    def shrink(self, v: float) -> float:
        return min(max(v - min(max(v, -self.l1), self.l1), self.l2 * self.lower), self.l2 * self.upper)

    def shrink_at(self, j: Place, v: float) -> float:
        return self.shrink(v)

    def inside(self, x: float) -> float:
        return min(max(x, self.lower), self.upper)

    def clipped(self, w: np.ndarray) -> np.ndarray:
        return np.clip(w, self.lower, self.upper)

    def g(self, w: np.ndarray) -> float:
        return of_each(self, w.shape).g(w)

    def g_conj(self, v: np.ndarray) -> float:
        return of_each(self, v.shape).g_conj(v)

    def grad_g_conj(self, v: np.ndarray) -> np.ndarray:
        return of_each(self, v.shape).grad_g_conj(v)

    def prox_g(self, x: np.ndarray, step: float) -> np.ndarray:
        return of_each(self, x.shape).prox_g(x, step)

    def prox_at(self, x: float, step: float) -> float:
        t = step * self.l1
        return self.inside((x - min(max(x, -t), t)) / (1 + step * self.l2))

    def l1_step(self, x: float, h: float, L: float) -> float:
        t, u = self.l1 / L, x + h
        return self.inside(u - min(max(u, -t), t)) - x

    def prox_steps(self, k: float, c: float, s: float, x: float, u: float, tau: float) -> float:
        c, s = step_factors(k, tau, self.l2)  # of this coordinate: a table for all may be of another l2
        return self.inside(soft_steps(k, c, s, x, u, tau, self.l2, self.l1))  # steps on a line go one way


@struct
class PerFeature(NamedTuple):
    """The sum of a `Bounded` for each coordinate; without weights and box for the last `free` of them, an intercept.

    g_j*(v) = S w - l2_j w^2/2 at w = clip(S/l2_j, lower_j, upper_j), S = `soft_threshold` of v by l1_j. With an
    intercept it is not strongly convex, and v, which is 0 there, determines no intercept.
    """

    l2: float  # least of all but those
    free: int
    l2s: np.ndarray  # (d,), or with softmax (d, 1), as all that follow
    l1s: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    def of_coordinate(self, j: Place) -> Bounded:
        return Bounded(self.l2s[j], self.l1s[j], self.lower[j], self.upper[j])

    def shrink_at(self, j: Place, v: float) -> float:
        w = (v - min(max(v, -self.l1s[j]), self.l1s[j])) / self.l2s[j]
        return self.l2 * min(max(w, self.lower[j]), self.upper[j])

    def clipped(self, w: np.ndarray) -> np.ndarray:
        return np.clip(w, self.lower, self.upper)

    @property
    def slopes(self) -> tuple[np.ndarray, np.ndarray]:
        """The ends of the interval (d,) of v_j where g_j* is finite; nothing is said of an intercept."""
        low = np.where((self.l2s > 0) | (self.lower > -np.inf), -np.inf, -self.l1s)
        high = np.where((self.l2s > 0) | (self.upper < np.inf), np.inf, self.l1s)
        ends = slice(len(low) - self.free, None)
        low[ends], high[ends] = -np.inf, np.inf
        return low, high

    def smallest_subgradient(self, w: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """That of P, where `slope` is the gradient without l1 and box: 0 where the slopes to both sides allow it."""
        right = np.where(w >= self.upper, np.inf, slope + np.where(w >= 0, self.l1s, -self.l1s))
        left = np.where(w <= self.lower, -np.inf, slope + np.where(w > 0, self.l1s, -self.l1s))
        return np.where(right < 0, right, np.where(left > 0, left, 0.0))

    def g(self, w: np.ndarray) -> float:
        if not ((w >= self.lower) & (w <= self.upper)).all():
            return math.inf
        c = power_of_two_root(self.l2s.max())
        squares = np.square(c * np.where(self.l2s > 0, w, 0.0))
        return 0.5 * float(np.add.reduce((self.l2s / c / c * squares).ravel())) + float((self.l1s * np.abs(w)).sum())

    def g_conj(self, v: np.ndarray) -> float:
        w, s = self.grad_g_conj(v), soft_threshold(v, self.l1s)
        with np.errstate(invalid="ignore"):
            each = np.where(s == 0, 0.0, w * (s - np.where(self.l2s > 0, self.l2s * w / 2, 0.0)))
        return float(np.add.reduce(each[: len(v) - self.free].ravel()))

    def grad_g_conj(self, v: np.ndarray) -> np.ndarray:
        s = soft_threshold(v, self.l1s)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            w = self.clipped(np.where(s == 0, 0.0, s / self.l2s))
        w[len(w) - self.free :] = 0.0
        return w

    def prox_g(self, x: np.ndarray, step: float) -> np.ndarray:
        return self.clipped(soft_threshold(x, step * self.l1s) / (1 + step * self.l2s))


def soft_threshold(x: np.ndarray, t: float | np.ndarray) -> np.ndarray:
    """Each x_j moved towards 0 by t (or t_j) >= 0, or to 0 where it is nearer; numpy's clip takes longer on few."""
    return x - np.minimum(np.maximum(x, -t), t)


def _norm2(x: np.ndarray) -> float:
    """||x||^2. Not by BLAS, whose threads take 5 ms of CPU time to start on a vector of 50,000."""
    return float(np.add.reduce(np.square(x.ravel())))


def power_of_two_root(l2: float) -> float:
    """A power of two near sqrt(l2): w is multiplied by it before it is squared, for squares may leave float64."""
    return math.ldexp(1.0, math.frexp(l2)[1] // 2) if l2 > 0 else 1.0


def checked_weight(name: str, value: Any) -> float:
    """A regulariser's weight l2 or l1 as a float, checked.

    Raises
    ------
    TypeError
        If it is not a number.
    ValueError
        If it is not finite, or below 0.
    """
    if not checks.is_number(value):
        over_n = isinstance(value, str) and value.endswith("/n")  # as commands and sweeps take it
        how = f": write {value.removesuffix('/n')} / len(y)" if over_n else ""
        raise TypeError(f"{name} must be a number, not {checks.short_repr(value)}{how}")
    return checks.number(name, value, "a finite number >= 0", ends="[)")


def parse_weight(text: str) -> Callable[[int], float]:
    """The weight that a text stands for, given the number of examples n: "0.1" or "0.1/n".

    Raises
    ------
    ValueError
        If it is neither.

    Examples
    --------
    >>> parse_weight("0.1/n")(10)
    0.01
    """
    number, slash, n = text.partition("/")
    try:
        c = float(number)
        if slash and n.strip() != "n":
            raise ValueError
    except ValueError:
        raise ValueError(
            f"a weight is a number or c/n, such as 1e-3, 1/n or 0.1/n, not {checks.short_repr(text)}"
        ) from None
    return (lambda n: c / n) if slash else (lambda n: c)


Regularizer: TypeAlias = L2 | ElasticNet | Bounded | PerFeature
Limit: TypeAlias = float | np.ndarray  # of all features, or (d,) of each


def regularizer(
    l2: float, l1: float, lower: Limit = -math.inf, upper: Limit = math.inf, penalty_factor: Limit = 1.0
) -> Regularizer:
    """The simplest with weights l2, l1 >= 0, times the factors, and a box."""
    parts = l2 * penalty_factor, l1 * penalty_factor, lower, upper
    if any(isinstance(part, np.ndarray) for part in parts):
        l2s, l1s, low, high = map(np.array, np.broadcast_arrays(*parts))
        return PerFeature(float(l2s.min()), 0, l2s, l1s, low, high)
    if lower > -math.inf or upper < math.inf:
        return Bounded(*map(float, parts))
    two, one = map(float, parts[:2])
    return ElasticNet(two, one) if one > 0 else L2(two)


def convexity(reg: Regularizer) -> float:
    """The modulus of strong convexity."""
    return 0.0 if isinstance(reg, PerFeature) and reg.free else reg.l2


def plus(reg: Any, weight: float) -> Any:
    """The regulariser of g(w) + (weight/2) ||w||^2."""
    each = {"l2s": reg.l2s + weight} if isinstance(reg, PerFeature) else {}
    return reg._replace(l2=reg.l2 + weight, **each)


def of_l1(reg: Any) -> Any:
    """The regulariser without its quadratic."""
    return reg._replace(l2=0.0, **({"l2s": np.zeros_like(reg.l2s)} if isinstance(reg, PerFeature) else {}))


def of_each(reg: Regularizer, shape: tuple[int, ...]) -> PerFeature:
    """The same with weights and a box for each feature."""
    if isinstance(reg, PerFeature):
        return reg
    box = getattr(reg, "lower", -math.inf), getattr(reg, "upper", math.inf)
    return PerFeature(reg.l2, 0, *(np.full(shape, x) for x in (reg.l2, reg.l1s, *box)))


def has_box(reg: Regularizer) -> bool:
    """Tell whether some w_j is bounded."""
    each = of_each(reg, (1,))
    return bool((each.lower > -np.inf).any() or (each.upper < np.inf).any())


def beside_intercept(reg: Regularizer, features: int, axes: int = 1, l2: float = 0.0) -> PerFeature:
    """The regulariser of so many features and of an intercept with this l2, of a w with `axes` axes."""
    box = getattr(reg, "lower", -math.inf), getattr(reg, "upper", math.inf)
    parts = [np.full((features + 1, *(1,) * (axes - 1)), own) for own in (l2, 0.0, -math.inf, math.inf)]
    for part, x in zip(parts, (reg.l2s, reg.l1s, *box), strict=True):
        part[:-1].T[...] = x
    return PerFeature(reg.l2, 1, *parts)
