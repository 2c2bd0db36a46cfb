"""Coordinate descent on the quadratic model of P over the working set: on its Gram matrix, or along columns of X.

The model at a point x0 with slopes s0 is s0'p + p'Hp/2 + sum_k l1_k |x0_k + p_k|, H = X'diag(h)X/n + diag(ridge). With
the squared loss it is P itself.

    sweep      x_k <- the minimiser of the model along k, for k in the support; when that has converged, for all k
    converged  where what the violations of a sweep, r_k = H_kk |step_k|, cost the duality gap is allowed: with l2 = 0
               sum_k r_k |x_k| + max_k r_k ||x||_1, for the dual point is scaled by l1/(l1 + max r); with l2 > 0
               sum_k r_k^2/(2 l2), which is what its conjugate makes of them
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..numerics.jit import kernel, reduction, struct
from ..numerics.matrix_lines import Lines, Place
from ..regularizers import L2


@reduction
def _add_multiple(c: float, a: np.ndarray, k: Place, s: np.ndarray) -> None:
    for m in range(s.size):
        s[m] += c * a[k, m]


@struct
class OnMatrix(NamedTuple):
    """H by its Gram matrix: the slopes of all coordinates are kept up to date."""

    H: np.ndarray  # (capacity, capacity) without the ridge; the first (size, size) count
    s: np.ndarray  # (size,) slopes of the model at x
    ridge: np.ndarray  # (size,)

    def slope_at(self, k: Place) -> float:
        return self.s[k]

    def shift(self, k: Place, step: float) -> None:
        _add_multiple(step, self.H, k, self.s)
        self.s[k] += step * self.ridge[k]


@struct
class OnLines(NamedTuple):
    """H by the columns of X: u = diag(h) X p/n is kept up to date."""

    X: Lines
    features: np.ndarray  # (size,)
    weights: np.ndarray  # (n,) h/n
    u: np.ndarray  # (n,)
    s: np.ndarray  # (size,) slopes at p = 0, and the ridge's part since
    ridge: np.ndarray  # (size,)
    plain: L2

    def slope_at(self, k: Place) -> float:
        return self.s[k] + self.X.dot(self.features[k], self.u, self.plain)

    def shift(self, k: Place, step: float) -> None:
        u, weights, j = self.u, self.weights, self.features[k]
        for e in self.X.line(j):
            i = self.X.index(j, e)
            u[i] += step * weights[i] * self.X.value(j, e)
        self.s[k] += step * self.ridge[k]


@kernel
def descend(
    on: Any,
    x: np.ndarray,
    diagonal: np.ndarray,
    l1: np.ndarray,
    l2: float,
    scale_free: float,
    allowed: float,
    max_sweeps: int,
    order: np.ndarray,
    moves: np.ndarray,
    looks: np.ndarray,
) -> bool:
    """Sweeps until the model is minimised as far as is allowed; whether it is. `moves`, `looks` (size,) are counted.

    A coordinate without l1 costs the gap its violation times `scale_free`.
    """
    size = x.size
    everything = True
    count = size
    for _ in range(max_sweeps):
        weighed, worst, norm = 0.0, 0.0, 0.0
        kept = 0
        for m in range(count):
            k = m if everything else order[m]
            slope = on.slope_at(k)
            target = x[k] - slope / diagonal[k]
            t = l1[k] / diagonal[k]
            target -= min(max(target, -t), t)
            step = target - x[k]
            looks[k] += 1
            if step != 0.0:
                on.shift(k, step)
                x[k] = target
                moves[k] += 1
                r = abs(step) * diagonal[k]
                if l1[k] == 0.0:
                    weighed += r * (scale_free + abs(target))
                elif l2 > 0:
                    weighed += r * r / (2 * l2)
                else:
                    weighed += r * abs(target)
                    worst = max(worst, r)
            norm += abs(x[k]) if l1[k] > 0 else 0.0
            if x[k] != 0.0 or step != 0.0:
                order[kept] = k
                kept += 1
        cost = weighed + worst * norm
        if cost <= allowed:
            if everything:
                return True
            everything, count = True, size
        else:
            if everything:
                count = kept
            everything = False
    return False
