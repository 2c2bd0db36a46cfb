"""Losses of the residual r = u - y: squared, Huber and absolute. See the package's docstring for the four formulas."""

from __future__ import annotations

from typing import NamedTuple

from ..numerics.jit import struct
from .scalars import INFINITY, ROUNDING, clip


@struct
class Squared(NamedTuple):
    """phi(u; y) = c (u - y)^2.

    Parameters
    ----------
    c : float > 0, default 0.5
        The weight; phi is 2c-smooth.
    """

    c: float = 0.5

    @property
    def classification(self) -> bool:
        return False

    @property
    def lipschitz(self) -> float:
        return INFINITY

    @property
    def hess_lipschitz(self) -> float:
        return 0.0

    @property
    def name(self) -> str:
        return "squared"

    @property
    def gamma(self) -> float:
        return 1 / (2 * self.c)

    def phi(self, u: float, y: float) -> float:
        return self.c * (u - y) ** 2

    def grad_phi(self, u: float, y: float) -> float:
        return 2 * self.c * (u - y)

    def hess_phi(self, u: float, y: float) -> float:
        return 2.0 * self.c

    def phi_conj(self, a: float, y: float) -> float:  # sup_u { -a u - c (u - y)^2 } at u = y - a/(2c)
        return a * a / (4 * self.c) - a * y

    def dualprox(self, u: float, y0: float, q: float, y: float) -> float:  # beta/(2c) + y = u - q (beta - y0)
        return (u - y + q * y0) / (1 / (2 * self.c) + q)


@struct
class Huber(NamedTuple):
    """phi(u; y) = r^2/(2 gamma) for |r| <= gamma, |r| - gamma/2 beyond, r = u - y; gamma = 0: the absolute loss.

    phi*(-a) = -a y + gamma a^2/2 on |a| <= 1: the absolute loss's conjugate plus (gamma/2) a^2.

    Parameters
    ----------
    gamma : float >= 0, default 1
        Where the parabola ends; phi is (1/gamma)-smooth. 0 for the absolute loss, which is not smooth.
    """

    gamma: float = 1.0

    @property
    def classification(self) -> bool:
        return False

    @property
    def lipschitz(self) -> float:
        return 1.0

    def __repr__(self) -> str:
        return f"Huber(gamma={self.gamma!r})" if self.gamma != 0 else "absolute()"

    @property
    def name(self) -> str:
        return "huber" if self.gamma > 0 else "absolute"

    def phi(self, u: float, y: float) -> float:
        size = abs(u - y)
        return size - self.gamma / 2 if size >= self.gamma else size * size / (2 * self.gamma)

    def grad_phi(self, u: float, y: float) -> float:
        r = u - y
        if abs(r) >= self.gamma:
            return 1.0 if r > 0 else (-1.0 if r < 0 else 0.0)
        return r / self.gamma

    def hess_phi(self, u: float, y: float) -> float:  # where the parabola ends, that of the flat side
        return 1 / self.gamma if abs(u - y) < self.gamma else 0.0

    def phi_conj(self, a: float, y: float) -> float:
        if abs(a) > 1 + ROUNDING:
            return INFINITY
        return -a * y + self.gamma * a * a / 2

    def dualprox(
        self, u: float, y0: float, q: float, y: float
    ) -> float:  # maximise beta (u - y) - gamma beta^2/2 - (q/2)(beta - y0)^2 over [-1, 1]
        slope, curvature = u - y + q * y0, q + self.gamma
        if curvature > 0:
            return clip(slope / curvature, -1.0, 1.0)
        return 1.0 if slope > 0 else (-1.0 if slope < 0 else 0.0)
