"""Losses of the margin m = y u: hinge, smoothed and squared. See the package's docstring for the four formulas."""

from __future__ import annotations

from typing import NamedTuple

from ..numerics.jit import struct
from .scalars import INFINITY, ROUNDING, clip


@struct
class SmoothHinge(NamedTuple):
    """phi(u; y) = 0 for m >= 1, 1 - m - gamma/2 for m <= 1 - gamma, (1 - m)^2/(2 gamma) between; gamma = 0: the hinge.

    phi*(-a) = -b + gamma b^2/2 on b in [0, 1]: the hinge's conjugate plus (gamma/2) b^2, so one class serves both.

    Parameters
    ----------
    gamma : float >= 0, default 1
        phi is (1/gamma)-smooth; 0 for the hinge, which is not smooth.

    References
    ----------
    Shalev-Shwartz & Zhang, Stochastic dual coordinate ascent methods for regularized loss minimization (2013).
    """

    gamma: float = 1.0

    @property
    def classification(self) -> bool:
        return True

    @property
    def lipschitz(self) -> float:
        return 1.0

    def __repr__(self) -> str:
        return f"SmoothHinge(gamma={self.gamma!r})" if self.gamma != 0 else "hinge()"

    @property
    def name(self) -> str:
        return "smooth_hinge" if self.gamma > 0 else "hinge"

    def phi(self, u: float, y: float) -> float:
        short = 1 - y * u
        if short <= 0:
            return 0.0
        return short - self.gamma / 2 if short >= self.gamma else short * short / (2 * self.gamma)

    def grad_phi(self, u: float, y: float) -> float:
        short = 1 - y * u
        if short <= 0:
            return y * 0.0
        return -y if short >= self.gamma else -y * short / self.gamma

    def hess_phi(self, u: float, y: float) -> float:  # at the ends of the parabola, one of the two slopes' slopes
        short = 1 - y * u
        return 1 / self.gamma if 0 < short < self.gamma else 0.0

    def phi_conj(self, a: float, y: float) -> float:
        b = y * a
        if b < -ROUNDING or b > 1 + ROUNDING:
            return INFINITY
        return -b + self.gamma * b * b / 2

    def dualprox(
        self, u: float, y0: float, q: float, y: float
    ) -> float:  # maximise b (1 - m) - gamma b^2/2 - (q/2)(b - b0)^2 over [0, 1], b0 = -y y0
        slope, curvature = 1 - y * u - y * y0 * q, q + self.gamma
        if curvature > 0:
            return -y * clip(slope / curvature, 0.0, 1.0)
        return -y if slope > 0 else y * 0.0


@struct
class SquaredHinge(NamedTuple):
    """phi(u; y) = c max(0, 1 - m)^2; liblinear's has c = 1.

    Parameters
    ----------
    c : float > 0, default 0.5
        The weight; phi is 2c-smooth.
    """

    c: float = 0.5

    @property
    def classification(self) -> bool:
        return True

    @property
    def lipschitz(self) -> float:
        return INFINITY

    @property
    def name(self) -> str:
        return "squared_hinge"

    @property
    def gamma(self) -> float:
        return 1 / (2 * self.c)

    def phi(self, u: float, y: float) -> float:
        short = max(1 - y * u, 0.0)  # in this order NaN stays NaN
        return self.c * short * short

    def grad_phi(self, u: float, y: float) -> float:
        return -y * 2 * self.c * max(1 - y * u, 0.0)

    def hess_phi(self, u: float, y: float) -> float:  # phi' bends at m = 1: there it is that of the flat side
        return 2.0 * self.c if y * u < 1 else 0.0

    def phi_conj(self, a: float, y: float) -> float:  # b >= 0; attained at 1 - m = b/(2c)
        b = y * a
        if b < -ROUNDING:
            return INFINITY
        return -b + b * b / (4 * self.c)

    def dualprox(
        self, u: float, y0: float, q: float, y: float
    ) -> float:  # maximise b (1 - m) - b^2/(4c) - (q/2)(b - b0)^2 over b >= 0, b0 = -y y0
        return -y * max((1 - y * u - y * y0 * q) / (q + 1 / (2 * self.c)), 0.0)
