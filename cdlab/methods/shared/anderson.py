"""Anderson extrapolation: the combination of the last iterates whose combined residual is smallest."""

from __future__ import annotations

import numpy as np


def weights(points: np.ndarray) -> np.ndarray:
    """The weights c (K,), of sum 1, that minimise ||sum_k c_k (x_k - x_(k-1))||; NaN where points are not finite.

    Least squares in c_1, ..., c_(K-1), from the triangle of the residuals' QR factorisation. Where the residuals are
    dependent their combination can vanish: for a linear iteration sum_k c_k x_k is the fixed point then.

    Parameters
    ----------
    points : (K + 1, m) array
        x_0, ..., x_K, one iterate a row; sum_k c_k x_k of the last K is the extrapolated point.

    References
    ----------
    Bertrand & Massias, Anderson acceleration of coordinate descent (2021).
    """
    if not np.isfinite(points).all():
        return np.full(points.shape[0] - 1, np.nan)
    R = np.linalg.qr(np.diff(points, axis=0).T, mode="r")
    c = np.linalg.lstsq(R[:, :-1] - R[:, -1:], -R[:, -1], rcond=None)[0]
    return np.append(c, 1 - c.sum())
