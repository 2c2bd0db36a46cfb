"""The loss of examples with weights and offsets: s phi(u + o; y), where a label holds the weight s and o, too.

Such a label is an element of a structured array with the fields "label" and "weight": both are loaded at once, and
kernels are the same with and without weights. (With arrays of their own, and the number of the example in place of its
label, rcd took 1.2 to 2.4 times as long.) The formulas of s phi follow from those of phi: (s phi)*(b) = s phi*(b/s),
and with b = s c the step of dual methods maximises u c - phi*(c) - (q s/2)(c - y0/s)^2, times s. With s = 0 the loss
is 0, and the dual variable can only be 0.

An offset moves the prediction: phi*(-a) gains a o, and the step sees u + o. A loss of u - y takes y - o for its label
instead, and stays what it is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..numerics.jit import scalar, struct
from .base import INFINITY, ROUNDING, Loss, has_kinks, hess_lipschitz, is_of_residual, is_vector

LABEL_WITH_WEIGHT = np.dtype([("label", np.float64), ("weight", np.float64)])
LABEL_WITH_OFFSET = np.dtype([*LABEL_WITH_WEIGHT.descr, ("offset", np.float64)])


class _Facts:
    """Attributes of s phi, which hold for all examples by the largest weight."""

    loss: Any
    largest: float

    @property
    def name(self) -> str:
        return self.loss.name

    @property
    def classification(self) -> bool:
        return self.loss.classification

    @property
    def vector(self) -> bool:
        return is_vector(self.loss)

    @property
    def residual(self) -> bool:
        return is_of_residual(self.loss)

    @property
    def kinks(self) -> bool:
        return has_kinks(self.loss)

    @property
    def gamma(self) -> float:
        return self.loss.gamma / self.largest

    @property
    def lipschitz(self) -> float:
        return self.loss.lipschitz * self.largest

    @property
    def hess_lipschitz(self) -> float:
        return hess_lipschitz(self.loss) * self.largest


class _Parts(NamedTuple):
    loss: Any  # phi
    largest: float  # the largest s


@struct
class Weighted(_Facts, _Parts):
    """s phi of a loss phi of one prediction, for a label with its weight."""

    def phi(self, u: float, y: Any) -> float:
        return y["weight"] * self.loss.phi(u, y["label"])

    def grad_phi(self, u: float, y: Any) -> float:
        return y["weight"] * self.loss.grad_phi(u, y["label"])

    def hess_phi(self, u: float, y: Any) -> float:
        return y["weight"] * self.loss.hess_phi(u, y["label"])

    def domain(self, y: Any) -> tuple[float, float]:
        s = y["weight"]
        low, high = self.loss.domain(y["label"])
        return (s * low, s * high) if s > 0 else (0.0, 0.0)

    def phi_conj(self, a: float, y: Any) -> float:
        s = y["weight"]
        if s == 0:
            return 0.0 if abs(a) <= ROUNDING else INFINITY
        return s * self.loss.phi_conj(a / s, y["label"])

    def dualprox(self, u: float, y0: float, q: float, y: Any) -> float:
        s = y["weight"]
        return s * self.loss.dualprox(u, y0 / s, q * s, y["label"]) if s > 0 else 0.0


class _Inside(NamedTuple):
    loss: Weighted


@struct
class Offset(_Facts, _Inside):
    """s phi(u + o) of a weighted loss, for a label with its weight and its offset o."""

    largest = 1.0

    def phi(self, u: float, y: Any) -> float:
        return self.loss.phi(u + y["offset"], y)

    def grad_phi(self, u: float, y: Any) -> float:
        return self.loss.grad_phi(u + y["offset"], y)

    def hess_phi(self, u: float, y: Any) -> float:
        return self.loss.hess_phi(u + y["offset"], y)

    def phi_conj(self, a: float, y: Any) -> float:
        return self.loss.phi_conj(a, y) + a * y["offset"]

    def domain(self, y: Any) -> tuple[float, float]:
        return self.loss.domain(y)

    def dualprox(self, u: float, y0: float, q: float, y: Any) -> float:
        return self.loss.dualprox(u + y["offset"], y0, q, y)


@scalar
def _scale(x: np.ndarray, s: float) -> None:
    for k in range(x.size):
        x[k] *= s


@scalar
def _divide(x: np.ndarray, s: float) -> None:
    for k in range(x.size):
        x[k] /= s


@struct
class WeightedVectors(_Facts, _Parts):
    """s phi of a loss phi of K predictions. Kernels make no arrays: `a` and `y0` are divided by s for a while."""

    def phi(self, u: np.ndarray, y: Any) -> float:
        return y["weight"] * self.loss.phi(u, y["label"])

    def grad_phi_into(self, u: np.ndarray, y: Any, out: np.ndarray) -> None:
        self.loss.grad_phi_into(u, y["label"], out)
        _scale(out, y["weight"])

    def hess_phi_into(self, u: np.ndarray, y: Any, s: np.ndarray, out: np.ndarray) -> None:
        self.loss.hess_phi_into(u, y["label"], s, out)
        _scale(out, y["weight"])

    def phi_conj(self, a: np.ndarray, y: Any) -> float:
        s = y["weight"]
        if s == 0:
            return 0.0 if not a.any() else INFINITY
        _divide(a, s)
        value = s * self.loss.phi_conj(a, y["label"])
        _scale(a, s)
        return value

    def dualprox_into(self, u: np.ndarray, y0: np.ndarray, q: float, y: Any, out: np.ndarray) -> None:
        s = y["weight"]
        if s == 0:
            out[:] = 0.0
            return
        _divide(y0, s)
        self.loss.dualprox_into(u, y0, q * s, y["label"], out)
        _scale(y0, s)
        _scale(out, s)


def weighted(
    loss: Loss, labels: np.ndarray, weights: np.ndarray | None, offset: np.ndarray | None = None
) -> tuple[Loss, np.ndarray]:
    """The loss of examples with these weights and offsets (n,), and labels (n,) as its formulas take them: with both.

    Raises
    ------
    ValueError
        For an offset of a loss of several predictions.
    """
    if offset is not None and is_vector(loss):
        raise ValueError(f"{loss.name} takes no offset, which is for losses of one prediction: leave offset out")
    if offset is not None and is_of_residual(loss):
        labels, offset = labels - offset, None
    if weights is None and offset is None:
        return loss, labels
    full = np.empty(labels.size, LABEL_WITH_WEIGHT if offset is None else LABEL_WITH_OFFSET)
    full["label"], full["weight"] = labels, 1.0 if weights is None else weights
    cls: Any = WeightedVectors if is_vector(loss) else Weighted
    made = cls(loss, 1.0 if weights is None else float(weights.max()))
    if offset is None:
        return made, full
    full["offset"] = offset
    return Offset(made), full


def unweighted(loss: Loss) -> Loss:
    """phi of a loss with weights and offsets; of any other the loss itself."""
    while isinstance(loss, _Facts):
        loss = loss.loss
    return loss
