"""Anderson extrapolation: the combination of the last iterates whose combined residual is smallest.

A method whose sweeps repeat is a fixed-point iteration. After K repetitions the extrapolated point is tried, and kept
only if the objective is lower there; then everything begins anew from the better one. There is a bound for symmetric
linear iterations alone, so that without this safeguard nothing would be promised. What a method maintains (X w,
X'alpha/n) is linear in the coordinates and combined with the same weights: a trial visits no nonzero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ... import samplings
from ...problems.problem import Problem
from ...samplings import Sampling, SamplingLike


class Extrapolated(NamedTuple):
    """A run of a method, and what is kept of its last repetitions."""

    core: Any  # the method's own state
    points: np.ndarray  # (K + 1, m) its coordinates, one repetition a row
    images: np.ndarray  # (K + 1, k) what it maintains beside them
    kept: int  # rows in use
    period: int  # epochs after which the order repeats
    epochs: int  # since the last row


def extrapolating(core: Any, x: np.ndarray, image: np.ndarray, K: int | None, sampling: SamplingLike) -> Any:
    """The state of a run that begins at x (m,) with its image (k,): `core` itself where K is None."""
    period = samplings.resolve(sampling).period
    if K is None or period is None:
        return core
    points, images = np.empty((K + 1, x.size)), np.empty((K + 1, image.size))
    points[0], images[0] = x, image
    return Extrapolated(core, points, images, 1, period, 0)


def advanced(
    S: Extrapolated, core: Any, x: np.ndarray, image: np.ndarray, objective: Callable[[np.ndarray, np.ndarray], float]
) -> Extrapolated:
    """The run after an epoch that led to the state `core` with x and its image, which an extrapolation moves in place.

    Parameters
    ----------
    S : Extrapolated
        The run before it.
    core : state
        The method's own state after it.
    x : (m,) array
        The coordinates in `core`.
    image : (k,) array
        What it maintains beside them.
    objective : callable
        ``objective(x, image)``, what the method minimises.
    """
    if S.epochs + 1 < S.period:
        return S._replace(core=core, epochs=S.epochs + 1)
    S.points[S.kept], S.images[S.kept] = x, image
    if S.kept + 1 < S.points.shape[0]:
        return S._replace(core=core, kept=S.kept + 1, epochs=0)
    c = weights(S.points)
    better, its_image = c @ S.points[1:], c @ S.images[1:]
    if objective(better, its_image) < objective(x, image):
        x[:], image[:] = better, its_image
    S.points[0], S.images[0] = x, image
    return S._replace(core=core, kept=1, epochs=0)


def refusal(name: str, K: int | None, problem: Problem, sampling: Sampling) -> str | None:
    """Why sweeps in this order, or of this loss, are not extrapolated; None if they are, or nobody asked."""
    if K is None:
        return None
    if sampling.period is None:
        return (
            f"{name}'s anderson extrapolates sweeps that repeat, and {sampling.name} does not: use symmetric, cyclic "
            "or fixed_permutation, or leave anderson out"
        )
    if problem.outputs:
        return f"{name}'s anderson is for losses of one prediction, unlike {problem.loss.name}: leave anderson out"
    return None


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
    R = np.asarray(np.linalg.qr(np.diff(points, axis=0).T, mode="r"))
    c = np.linalg.lstsq(R[:, :-1] - R[:, -1:], -R[:, -1], rcond=None)[0]
    return np.append(c, 1 - c.sum())
