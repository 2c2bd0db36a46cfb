"""Regularisers g(w): L2 and the elastic net.

Both are l2-strongly convex with l2 > 0, and grad g*(v) = shrink(v) / l2 coordinate by coordinate. Kernels apply
``shrink`` to each coordinate as they read v and divide by l2 once per dot product. Primal kernels take ``prox_at`` of
one coordinate, or ``prox_steps``: k proximal gradient steps along a constant slope at once (see lazy.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .numerics.jit import struct
from .numerics.lazy_prox import soft_steps


@struct
class L2(NamedTuple):
    """g(w) = (l2/2) ||w||^2."""

    l2: float

    def shrink(self, v):
        return v

    def g(self, w):
        return 0.5 * self.l2 * np.vdot(w, w)

    def g_conj(self, v):
        return np.vdot(v, v) / (2 * self.l2)

    def grad_g_conj(self, v):
        return v / self.l2

    def prox_g(self, x, step):
        return x / (1 + step * self.l2)

    def prox_at(self, x, step):
        return x / (1 + step * self.l2)

    def prox_steps(self, k, c, s, x, u, tau):
        return c * x - s * u


@struct
class ElasticNet(NamedTuple):
    """g(w) = (l2/2) ||w||^2 + l1 ||w||_1.

    g*(v) = ||shrink(v)||^2 / (2 l2), because sup_w { v w - l2 w^2/2 - l1 |w| } is attained at w = shrink(v) / l2.
    """

    l2: float
    l1: float

    def shrink(self, v):  # soft threshold, without a branch
        return v - min(max(v, -self.l1), self.l1)

    def g(self, w):
        return 0.5 * self.l2 * np.vdot(w, w) + self.l1 * np.abs(w).sum()

    def g_conj(self, v):
        shrunk = v - np.clip(v, -self.l1, self.l1)
        return np.vdot(shrunk, shrunk) / (2 * self.l2)

    def grad_g_conj(self, v):
        return (v - np.clip(v, -self.l1, self.l1)) / self.l2

    def prox_g(self, x, step):
        t = step * self.l1
        return (x - np.clip(x, -t, t)) / (1 + step * self.l2)

    def prox_at(self, x, step):
        t = step * self.l1
        return (x - min(max(x, -t), t)) / (1 + step * self.l2)

    def prox_steps(self, k, c, s, x, u, tau):
        return soft_steps(k, c, s, x, u, tau, self.l2, self.l1)


def regularizer(l2: float, l1: float) -> L2 | ElasticNet:
    """The simplest regulariser that has these weights."""
    return ElasticNet(l2, l1) if l1 > 0 else L2(l2)
