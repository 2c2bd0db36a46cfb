"""The largest curvature of a conjugate loss, which says whether the dual is smooth, from its formula phi*(-a)."""

from __future__ import annotations

from typing import Any

import numpy as np

POINTS = 257
NEAR, FACTOR = 1e-3, 1e-3  # distances from an end of the domain, each a thousandth of the one before
GROWS = 0.02  # of slopes at such distances: a finite curvature leaves a thousandth of their difference, an entropy all


def of_conjugate(loss: Any) -> float:
    """The largest curvature of phi*(-a) in its domain, for labels 1 and -1; inf where the slope has no limit at an end.

    Examples
    --------
    >>> from cdlab.losses import Logistic, SmoothHinge
    >>> of_conjugate(Logistic()), round(of_conjugate(SmoothHinge(gamma=0.5)), 6)
    (inf, 0.5)
    """
    if getattr(loss, "vector", False):  # the conjugate of a log-sum is an entropy
        return np.inf
    reach = loss.lipschitz if np.isfinite(loss.lipschitz) else 1.0
    return max(_curvature(loss, y, reach) for y in (1.0, -1.0))


def _curvature(loss: Any, y: float, reach: float) -> float:
    a = np.linspace(-reach, reach, POINTS)
    values = np.array([loss.phi_conj(x, y) for x in a])
    inside = np.isfinite(values)
    if inside.sum() < 3:
        return 0.0
    for end, inwards in ((a[inside][0], reach), (a[inside][-1], -reach)):
        steps = inwards * NEAR * FACTOR ** np.arange(3)
        slopes = np.array([(loss.phi_conj(end + step, y) - loss.phi_conj(end, y)) / step for step in steps])
        if abs(slopes[2] - slopes[1]) > GROWS * abs(slopes[1] - slopes[0]) + 1e-6:
            return np.inf
    return float(np.abs(np.diff(values[inside], 2)).max() / (a[1] - a[0]) ** 2)
