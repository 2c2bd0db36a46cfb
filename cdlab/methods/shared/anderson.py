"""Anderson extrapolation: the combination of the last iterates whose combined residual is smallest.

With x_0, ..., x_K and residuals r_k = x_k - x_(k-1), the weights c_k of sum 1 make ||sum_k c_k r_k|| least, and
sum_k c_k x_k is the extrapolated point. Where the residuals of a linear iteration are dependent, it is the fixed point.

Reference: Bertrand & Massias, Anderson acceleration of coordinate descent (2021).
"""

from __future__ import annotations

import numpy as np

from ...numerics.jit import kernel

POINTS = 5  # Residuals of an extrapolation where nobody asks for another number.
DEPENDENT = 1e-28  # Share of a squared length below which what is left of it is rounding.


@kernel
def set_weights(points: np.ndarray, residuals: np.ndarray, factors: np.ndarray) -> None:
    """Write the weights of the last K points (K + 1, m) into the last column of `factors` (K, K).

    They solve the least squares of r_K + sum_(k<K) c_k (r_k - r_K) by the modified Gram-Schmidt process, with the
    scratch `residuals` (K, m). A residual that depends on those before it has weight 0. Where a point is not finite,
    all weights are NaN.
    """
    last, m = factors.shape[0] - 1, points.shape[1]
    for k in range(m):
        residuals[last, k] = points[last + 1, k] - points[last, k]
        for a in range(last):
            residuals[a, k] = points[a + 1, k] - points[a, k] - residuals[last, k]
    for a in range(last):
        factors[a, a] = 0.0
        for k in range(m):
            factors[a, a] += residuals[a, k] ** 2
    factors[last, last] = 1.0
    for a in range(last):
        left = 0.0
        for k in range(m):
            left += residuals[a, k] ** 2
        for b in range(a + 1, last + 1):
            factors[a, b] = 0.0
            if left <= DEPENDENT * factors[a, a]:
                continue
            for k in range(m):
                factors[a, b] += residuals[a, k] * residuals[b, k]
            factors[a, b] /= left
            for k in range(m):
                residuals[b, k] -= factors[a, b] * residuals[a, k]
    for a in range(last - 1, -1, -1):
        factors[a, last] *= -1.0
        for b in range(a + 1, last):
            factors[a, last] -= factors[a, b] * factors[b, last]
        factors[last, last] -= factors[a, last]


def weights(points: np.ndarray) -> np.ndarray:
    """Return the weights (K,) of the last K of the points (K + 1, m), one iterate a row."""
    count = points.shape[0] - 1
    factors = np.empty((count, count))
    set_weights(points, np.empty((count, points.shape[1])), factors)
    return factors[:, -1]
