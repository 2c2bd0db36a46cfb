"""The loss of examples with weights: s phi(u; y), where the label as kernels see it carries the weight s.

Such a label is the complex number y + i s, so that both are loaded at once and kernels stay as they are. The formulas
of s phi follow from those of phi: (s phi)*(b) = s phi*(b/s), and with b = s c the step of dual methods maximises
u c - phi*(c) - (q s/2)(c - y0/s)^2, times s. With s = 0 the loss is 0, and the dual variable can only be 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..numerics.jit import scalar, struct
from .base import INFINITY, ROUNDING, Loss, has_kinks, hess_lipschitz, is_vector


class _Facts:
    """The facts of s phi, where the largest weight bounds all."""

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
    """s phi(u; y) of a loss phi of one prediction, for a label y + i s."""

    def phi(self, u: float, y: complex) -> float:
        return y.imag * self.loss.phi(u, y.real)

    def grad_phi(self, u: float, y: complex) -> float:
        return y.imag * self.loss.grad_phi(u, y.real)

    def hess_phi(self, u: float, y: complex) -> float:
        return y.imag * self.loss.hess_phi(u, y.real)

    def phi_conj(self, a: float, y: complex) -> float:
        s = y.imag
        if s == 0:
            return 0.0 if abs(a) <= ROUNDING else INFINITY
        return s * self.loss.phi_conj(a / s, y.real)

    def dualprox(self, u: float, y0: float, q: float, y: complex) -> float:
        s = y.imag
        return s * self.loss.dualprox(u, y0 / s, q * s, y.real) if s > 0 else 0.0


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
    """s phi(u; y) of a loss phi of K predictions. Kernels make no arrays: `a` and `y0` are divided by s for a while."""

    def phi(self, u: np.ndarray, y: complex) -> float:
        return y.imag * self.loss.phi(u, y.real)

    def grad_phi_into(self, u: np.ndarray, y: complex, out: np.ndarray) -> None:
        self.loss.grad_phi_into(u, y.real, out)
        _scale(out, y.imag)

    def hess_phi_into(self, u: np.ndarray, y: complex, s: np.ndarray, out: np.ndarray) -> None:
        self.loss.hess_phi_into(u, y.real, s, out)
        _scale(out, y.imag)

    def phi_conj(self, a: np.ndarray, y: complex) -> float:
        s = y.imag
        if s == 0:
            return 0.0 if not a.any() else INFINITY
        _divide(a, s)
        value = s * self.loss.phi_conj(a, y.real)
        _scale(a, s)
        return value

    def dualprox_into(self, u: np.ndarray, y0: np.ndarray, q: float, y: complex, out: np.ndarray) -> None:
        s = y.imag
        if s == 0:
            out[:] = 0.0
            return
        _divide(y0, s)
        self.loss.dualprox_into(u, y0, q * s, y.real, out)
        _scale(y0, s)
        _scale(out, s)


def weighted(loss: Loss, y: np.ndarray, weights: np.ndarray) -> tuple[Loss, np.ndarray]:
    """The loss of examples with these weights (n,), and the labels (n,) as its formulas take them."""
    cls: Any = WeightedVectors if is_vector(loss) else Weighted
    return cls(loss, float(weights.max())), y + 1j * weights


def unweighted(loss: Loss) -> Loss:
    """phi of a weighted loss; of any other the loss itself."""
    return loss.loss if isinstance(loss, _Facts) else loss
