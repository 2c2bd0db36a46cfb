"""The loss at every example: phi, its gradient and its conjugate, summed up or one by one.

Predictions z and dual variables alpha are (n,), or (n, K) for a vector loss: one row an example.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..numerics.jit import kernel
from . import Loss, ScalarLoss, VectorLoss, is_vector, logistic_arrays


@kernel
def _losses(loss: Loss, z: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    for i in range(out.size):
        out[i] = loss.phi(z[i], y[i])


@kernel
def _conjugates(loss: Loss, alpha: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    for i in range(out.size):
        out[i] = loss.phi_conj(alpha[i], y[i])


@kernel
def _slopes(loss: ScalarLoss, z: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    for i in range(y.size):
        out[i] = loss.grad_phi(z[i], y[i])


@kernel
def _gradients(loss: VectorLoss, z: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    for i in range(y.size):
        loss.grad_phi_into(z[i], y[i], out[i])


@kernel
def _curvatures(loss: Any, z: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    for i in range(y.size):
        out[i] = loss.hess_phi(z[i], y[i])


def curvatures(loss: Any, z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """phi''(z_i; y_i) of every example, (n,); the loss has the formula."""
    out = np.empty(z.shape)
    if logistic_arrays.fits(loss, y.size):
        logistic_arrays.evaluate(z, y, curvatures=out)
    else:
        _curvatures(loss, z, y, out)
    return out


@kernel
def _expansion(
    loss: Any, z: np.ndarray, y: np.ndarray, losses: np.ndarray, slopes: np.ndarray, curvatures: np.ndarray
) -> None:
    for i in range(y.size):
        losses[i] = loss.phi(z[i], y[i])
        slopes[i] = loss.grad_phi(z[i], y[i])
        curvatures[i] = loss.hess_phi(z[i], y[i])


class Expansion(NamedTuple):
    """The losses to second order around predictions z."""

    losses: np.ndarray  # (n,) phi(z_i)
    slopes: np.ndarray  # phi'(z_i), shaped like z
    curvatures: np.ndarray  # (n,) phi''(z_i); empty of a vector loss

    @property
    def mean(self) -> float:
        """(1/n) sum_i phi(z_i)."""
        return _mean_of(self.losses)


def expansion(loss: Any, z: np.ndarray, y: np.ndarray) -> Expansion:
    """Compute losses, `gradients` and `curvatures`, from one pass over the examples; a scalar loss has phi''."""
    if is_vector(loss):
        losses = np.empty(y.size)
        _losses(loss, z, y, losses)
        return Expansion(losses, gradients(loss, z, y), np.empty(0))
    losses, slopes, bends = np.empty((3, y.size))
    if logistic_arrays.fits(loss, y.size):
        logistic_arrays.evaluate(z, y, losses=losses, slopes=slopes, curvatures=bends)
    else:
        _expansion(loss, z, y, losses, slopes, bends)
    return Expansion(losses, slopes, bends)


def mean_loss(loss: Loss, z: np.ndarray, y: np.ndarray) -> float:
    """(1/n) sum_i phi(z_i; y_i)."""
    if not logistic_arrays.fits(loss, y.size):
        return _mean(_losses, loss, z, y)
    out = np.empty(y.size)
    logistic_arrays.evaluate(z, y, losses=out)
    return _mean_of(out)


def mean_conjugate(loss: Loss, alpha: np.ndarray, y: np.ndarray) -> float:
    """(1/n) sum_i phi*(-alpha_i; y_i)."""
    if logistic_arrays.fits(loss, y.size):
        out = np.empty(y.size)
        logistic_arrays.conjugates(alpha, y, out)
        return _mean_of(out)
    alpha = alpha.copy() if is_vector(loss) else alpha  # formulas with weights divide it for a while
    return _mean(_conjugates, loss, alpha, y)


@kernel
def set_domains(loss: Any, y: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
    """Set the ends (n,) of the intervals of dual variables, of a loss that says them."""
    for i in range(y.size):
        low[i], high[i] = loss.domain(y[i])


@kernel
def are_between(x: np.ndarray, low: np.ndarray, high: np.ndarray) -> bool:
    """Tell whether low <= x <= high everywhere."""
    between = True
    for i in range(x.size):
        between &= low[i] <= x[i] <= high[i]
    return between


@kernel
def _slopes_within(loss: Any, z: np.ndarray, y: np.ndarray, reach: np.ndarray, out: np.ndarray) -> None:
    for i in range(y.size):
        out[i] = max(abs(loss.grad_phi(z[i] - reach[i], y[i])), abs(loss.grad_phi(z[i] + reach[i], y[i])))


def slopes_within(loss: Loss, z: np.ndarray, y: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """The largest ||phi'|| (n,) within reach_i of z_i; of a vector loss a bound of it, where the loss is smooth."""
    if z.ndim == 1:
        out = np.empty(y.size)
        _slopes_within(loss, z, y, reach, out)
        return out
    sizes = np.sqrt(np.square(gradients(loss, z, y)).sum(axis=1))
    return np.minimum(sizes + reach / loss.gamma, loss.lipschitz) if loss.gamma > 0 else sizes


def gradients(loss: Loss, z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """phi'(z_i; y_i) of every example, shaped like z."""
    out = np.empty(z.shape)
    if logistic_arrays.fits(loss, y.size):
        logistic_arrays.evaluate(z, y, slopes=out)
    else:
        (_slopes if z.ndim == 1 else _gradients)(loss, z, y, out)
    return out


def prediction_error(loss: Loss, z: np.ndarray, y: np.ndarray) -> float:
    """The share of wrong signs or wrong classes (0, a tie and NaN are wrong); regression: the mean loss."""
    if not loss.classification:
        return mean_loss(loss, z, y)
    if z.ndim == 1:
        return sign_error(z, y)
    own = np.arange(y.size), y.astype(np.intp)
    rest = z.copy()
    rest[own] = -np.inf
    return float(np.mean(~(z[own] > rest.max(axis=1))))


def sign_error(z: np.ndarray, y: np.ndarray) -> float:
    """The share of wrong signs; a prediction of 0 is wrong, and so is one that is not a number."""
    return float(np.mean(~(y * z > 0)))


def _mean(values: Callable[..., None], loss: Loss, u: np.ndarray, y: np.ndarray) -> float:
    out = np.empty(y.size)
    values(loss, u, y, out)
    return _mean_of(out)


def _mean_of(values: np.ndarray) -> float:
    return float(np.add.reduce(values)) / values.size  # numpy adds in pairs: round-off stays near 1e-16 for any n
