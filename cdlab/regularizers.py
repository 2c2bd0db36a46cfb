"""Regularisers g(w): L2 and the elastic net.

Both are l2-strongly convex with l2 > 0, and grad g*(v) = shrink(v) / l2 coordinate by coordinate. Kernels apply
``shrink`` to each coordinate as they read v and divide by l2 once per dot product. Primal kernels take ``prox_at`` of
one coordinate, ``prox_steps``: k proximal gradient steps along a constant slope at once (see lazy_prox.py), or
``l1_step`` where the quadratic is in the smooth part.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .numerics import checks
from .numerics.jit import struct
from .numerics.lazy_prox import soft_steps


@struct
class L2(NamedTuple):
    """g(w) = (l2/2) ||w||^2."""

    l2: float

    def shrink(self, v: float) -> float:
        """l2 times the coordinate of grad g* that belongs to v."""
        return v

    def g(self, w: np.ndarray) -> float:
        """g(w), of w (d,) or (d, K)."""
        return 0.5 * self.l2 * _norm2(w)

    def g_conj(self, v: np.ndarray) -> float:
        """The conjugate g*(v) = sup_w { v'w - g(w) }; l2 > 0."""
        return _norm2(v) / (2 * self.l2)

    def grad_g_conj(self, v: np.ndarray) -> np.ndarray:
        """grad g*(v), the w at which the supremum is attained, shaped like v; l2 > 0."""
        return v / self.l2

    def prox_g(self, x: np.ndarray, step: float) -> np.ndarray:
        """argmin_w { step g(w) + ||w - x||^2/2 }, shaped like x; step >= 0."""
        return x / (1 + step * self.l2)

    def prox_at(self, x: float, step: float) -> float:
        """One coordinate of `prox_g`."""
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

    def shrink(self, v: float) -> float:  # soft threshold, without a branch
        return v - min(max(v, -self.l1), self.l1)

    def g(self, w: np.ndarray) -> float:
        return 0.5 * self.l2 * _norm2(w) + self.l1 * np.abs(w).sum()

    def g_conj(self, v: np.ndarray) -> float:
        shrunk = v - np.clip(v, -self.l1, self.l1)
        return _norm2(shrunk) / (2 * self.l2)

    def grad_g_conj(self, v: np.ndarray) -> np.ndarray:
        return (v - np.clip(v, -self.l1, self.l1)) / self.l2

    def prox_g(self, x: np.ndarray, step: float) -> np.ndarray:
        t = step * self.l1
        return (x - np.clip(x, -t, t)) / (1 + step * self.l2)

    def prox_at(self, x: float, step: float) -> float:
        t = step * self.l1
        return (x - min(max(x, -t), t)) / (1 + step * self.l2)

    def l1_step(self, x: float, h: float, L: float) -> float:
        t, u = self.l1 / L, x + h
        return u - min(max(u, -t), t) - x

    def prox_steps(self, k: float, c: float, s: float, x: float, u: float, tau: float) -> float:
        return soft_steps(k, c, s, x, u, tau, self.l2, self.l1)


def _norm2(x: np.ndarray) -> float:
    """||x||^2. Not by BLAS, whose threads take 5 ms of CPU time to start on a vector of 50,000."""
    x = x.ravel()
    return float(np.einsum("i,i", x, x))


def weight(name: str, value: Any) -> float:
    """A regulariser's weight l2 or l1 as a float, checked.

    Raises
    ------
    TypeError
        If it is not a number.
    ValueError
        If it is not finite, or below 0.
    """
    if not checks.is_number(value):
        raise TypeError(f"{name} must be a number, not {checks.shown(value)}")
    return checks.number(name, value, "a finite number >= 0", ends="[)")


Regularizer: TypeAlias = L2 | ElasticNet


def regularizer(l2: float, l1: float) -> Regularizer:
    """The simplest regulariser with the weights l2 >= 0 and l1 >= 0."""
    return ElasticNet(l2, l1) if l1 > 0 else L2(l2)
