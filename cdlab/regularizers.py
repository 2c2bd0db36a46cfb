"""Regularisers g(w): L2 and the elastic net, either beside a free intercept, and their weights as texts ("1/n").

The first two are l2-strongly convex if l2 > 0, and grad g*(v) = shrink(v) / l2 coordinate by coordinate. Kernels apply
``shrink`` to each coordinate as they read v and divide by l2 once per dot product. Primal kernels take ``prox_at`` of
one coordinate, ``prox_steps``: k proximal gradient steps along a constant slope at once (see lazy_prox.py), or
``l1_step`` where the quadratic is in the smooth part.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np

from .numerics import checks
from .numerics.jit import struct
from .numerics.lazy_prox import soft_steps


@struct
class L2(NamedTuple):
    """g(w) = (l2/2) ||w||^2."""

    l2: float

    @property
    def convexity(self) -> float:
        """The modulus of strong convexity."""
        return self.l2

    @property
    def penalised(self) -> float:
        """1 for penalised coordinates, 0 for free ones: one number if all are alike, else (d,), or (d, 1)."""
        return 1.0

    def of_coordinate(self, j: int) -> L2 | ElasticNet:
        """The regulariser of coordinate j."""
        return self

    def shrink(self, v: float) -> float:
        """l2 times the coordinate of grad g* that belongs to v."""
        return v

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
    def convexity(self) -> float:
        return self.l2

    @property
    def penalised(self) -> float:
        return 1.0

    def of_coordinate(self, j: int) -> L2 | ElasticNet:
        return self

    def shrink(self, v: float) -> float:  # soft threshold, without a branch
        return v - min(max(v, -self.l1), self.l1)

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
class FreeIntercept(NamedTuple):
    """The elastic net of all coordinates but the last, which is an intercept: what methods that take one ask for.

    It is not strongly convex, and v determines no intercept, so much that the other two have makes no sense here.
    """

    l2: float
    l1: float
    place: int  # of the intercept
    axes: int  # of w, two with softmax

    @property
    def convexity(self) -> float:
        return 0.0

    @property
    def penalised(self) -> np.ndarray:
        return np.append(np.ones(self.place), 0.0).reshape(-1, *(1,) * (self.axes - 1))

    def of_coordinate(self, j: int) -> L2 | ElasticNet:
        share = 0.0 if j == self.place else 1.0
        return ElasticNet(share * self.l2, share * self.l1)

    def g(self, w: np.ndarray) -> float:
        return ElasticNet(self.l2, self.l1).g(w[:-1])

    def g_conj(self, v: np.ndarray) -> float:
        """Return the conjugate where the last of v is 0; elsewhere it is infinite."""
        return ElasticNet(self.l2, self.l1).g_conj(v[:-1])

    def prox_g(self, x: np.ndarray, step: float) -> np.ndarray:
        return np.concatenate([ElasticNet(self.l2, self.l1).prox_g(x[:-1], step), x[-1:]])


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
        raise ValueError(f"a weight is a number or c/n, such as 1e-3, 1/n or 0.1/n, not {text!r}") from None
    return (lambda n: c / n) if slash else (lambda n: c)


Regularizer: TypeAlias = L2 | ElasticNet


def regularizer(l2: float, l1: float, free: int | None = None, axes: int = 1) -> Regularizer:
    """The simplest with weights l2, l1 >= 0 that leaves row `free`, the last, of a w with `axes` axes alone."""
    if free is not None:
        return cast(Any, FreeIntercept(l2, l1, free, axes))  # it has what is asked for where an intercept is taken
    return ElasticNet(l2, l1) if l1 > 0 else L2(l2)
