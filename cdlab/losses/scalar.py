"""The losses of one prediction: of the residual u - y, or of the margin m = y u; the package's docstring says how."""

from __future__ import annotations

import math
from collections import namedtuple
from typing import NamedTuple

from ..numerics.jit import struct
from .base import INFINITY, ROUNDING, beyond, clip, entropy, sigmoid


@struct
class Squared(NamedTuple):
    """phi(u; y) = c (u - y)^2.

    Parameters
    ----------
    c : float > 0, default 0.5
        The weight; phi is 2c-smooth.
    """

    c: float = 0.5

    name = "squared"
    classification = False
    residual = True
    lipschitz = INFINITY
    hess_lipschitz = 0.0

    @property
    def gamma(self) -> float:
        return 1 / (2 * self.c)

    def phi(self, u: float, y: float) -> float:
        return self.c * (u - y) ** 2

    def grad_phi(self, u: float, y: float) -> float:
        return 2 * self.c * (u - y)

    def hess_phi(self, u: float, y: float) -> float:
        return 2.0 * self.c

    def domain(self, y: float) -> tuple[float, float]:
        return -INFINITY, INFINITY

    def phi_conj(self, a: float, y: float) -> float:  # sup_u { -a u - c (u - y)^2 } at u = y - a/(2c)
        return a * a / (4 * self.c) - a * y

    def dualprox(self, u: float, y0: float, q: float, y: float) -> float:  # beta/(2c) + y = u - q (beta - y0)
        return (u - y + q * y0) / (1 / (2 * self.c) + q)


class _OfResidual:
    """The losses max_beta { beta r - eps abs(beta) - (gamma/2) beta^2 } over low <= beta <= high, r = u - y.

    With t = r moved by eps towards 0, phi' = t/gamma within [low, high], or its nearest end.
    phi*(-a) = -a y + eps abs(a) + (gamma/2) a^2 where low <= -a <= high.
    """

    classification = False
    residual = True

    def family(self) -> tuple[float, float, float, float]:
        """The numbers low <= 0, high >= 0, eps >= 0 and gamma >= 0."""
        raise NotImplementedError

    @property
    def lipschitz(self) -> float:
        return max(-self.family()[0], self.family()[1])

    def phi(self, u: float, y: float) -> float:
        low, high, eps, gamma = self.family()
        t = beyond(u - y, eps)
        size, most = abs(t), high if t > 0 else -low
        is_straight = most < INFINITY and size >= most * gamma
        return most * (size - most * gamma / 2) if is_straight else size * size / (2 * gamma)

    def grad_phi(self, u: float, y: float) -> float:
        low, high, eps, gamma = self.family()
        t = beyond(u - y, eps)
        if abs(t) >= (high if t > 0 else -low) * gamma:
            return high if t > 0 else (low if t < 0 else 0.0)
        return t / gamma

    def hess_phi(self, u: float, y: float) -> float:  # where phi' bends, that of one side
        low, high, eps, gamma = self.family()
        t = beyond(u - y, eps)
        is_bent = abs(u - y) >= eps and abs(t) < (high if t > 0 else -low) * gamma
        return 1 / gamma if is_bent else 0.0

    def domain(self, y: float) -> tuple[float, float]:
        low, high, _, _ = self.family()
        return -high, -low

    def phi_conj(self, a: float, y: float) -> float:
        low, high, eps, gamma = self.family()
        if -a < low - ROUNDING or -a > high + ROUNDING:
            return INFINITY
        return -a * y + eps * abs(a) + gamma * a * a / 2

    def dualprox(self, u: float, y0: float, q: float, y: float) -> float:
        # maximise beta (u - y) - eps abs(beta) - gamma beta^2/2 - (q/2)(beta - y0)^2 over [low, high]
        low, high, eps, gamma = self.family()
        slope, curvature = beyond(u - y + q * y0, eps), q + gamma
        if curvature > 0:
            return clip(slope / curvature, low, high)
        return high if slope > 0 else (low if slope < 0 else 0.0)


@struct
class Huber(_OfResidual, namedtuple("Huber", "gamma", defaults=[1.0])):
    """phi(u; y) = r^2/(2 gamma) for abs(r) <= gamma, abs(r) - gamma/2 beyond, r = u - y; gamma = 0: the absolute loss.

    phi*(-a) = -a y + gamma a^2/2 on -1 <= a <= 1: the absolute loss's conjugate plus (gamma/2) a^2.

    Parameters
    ----------
    gamma : float >= 0, default 1
        Where the parabola ends; phi is (1/gamma)-smooth. 0 for the absolute loss, which is not smooth.
    """

    gamma: float
    ranges = {"gamma": "[0, inf)"}

    def __repr__(self) -> str:
        return f"Huber(gamma={self.gamma!r})" if self.gamma != 0 else "absolute()"

    @property
    def name(self) -> str:
        return "huber" if self.gamma > 0 else "absolute"

    def family(self) -> tuple[float, float, float, float]:
        return -1.0, 1.0, 0.0, self.gamma


@struct
class Pinball(_OfResidual, namedtuple("Pinball", "quantile gamma", defaults=[0.5, 0.0])):
    """phi(u; y) = quantile (y - u) for u <= y, (1 - quantile)(u - y) beyond: the best constant u is that quantile of y.

    At 1/2 it is half the absolute loss.

    Parameters
    ----------
    quantile : float between 0 and 1, default 0.5
        The share of the labels that should be below the prediction.
    gamma : float >= 0, default 0
        Above 0 a parabola rounds the kink, and phi is (1/gamma)-smooth.

    References
    ----------
    Koenker & Bassett, Regression quantiles (1978).
    """

    quantile: float
    gamma: float
    name = "pinball"
    ranges = {"quantile": "(0, 1)", "gamma": "[0, inf)"}

    def family(self) -> tuple[float, float, float, float]:
        return -self.quantile, 1.0 - self.quantile, 0.0, self.gamma


@struct
class EpsilonInsensitive(_OfResidual, namedtuple("EpsilonInsensitive", "epsilon gamma", defaults=[0.1, 0.0])):
    """phi(u; y) = max(0, abs(u - y) - epsilon): what is off by up to epsilon costs nothing.

    Parameters
    ----------
    epsilon : float >= 0, default 0.1
        In the units of y; 0 for the absolute loss.
    gamma : float >= 0, default 0
        Above 0 parabolas round the kinks, and phi is (1/gamma)-smooth.
    """

    epsilon: float
    gamma: float
    name = "epsilon_insensitive"
    ranges = {"epsilon": "[0, inf)", "gamma": "[0, inf)"}

    def family(self) -> tuple[float, float, float, float]:
        return -1.0, 1.0, self.epsilon, self.gamma


@struct
class SquaredEpsilonInsensitive(_OfResidual, namedtuple("SquaredEpsilonInsensitive", "epsilon c", defaults=[0.1, 0.5])):
    """phi(u; y) = c max(0, abs(u - y) - epsilon)^2; liblinear's has c = 1.

    Parameters
    ----------
    epsilon : float >= 0, default 0.1
        In the units of y; 0 for the squared loss.
    c : float > 0, default 0.5
        The weight; phi is 2c-smooth.
    """

    epsilon: float
    c: float
    name = "squared_epsilon_insensitive"
    ranges = {"epsilon": "[0, inf)"}

    @property
    def gamma(self) -> float:
        return 1 / (2 * self.c)

    def family(self) -> tuple[float, float, float, float]:
        return -INFINITY, INFINITY, self.epsilon, 1 / (2 * self.c)


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

    ranges = {"gamma": "[0, inf)"}
    classification = True
    lipschitz = 1.0

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

    def domain(self, y: float) -> tuple[float, float]:
        return min(y, 0.0), max(y, 0.0)

    def phi_conj(self, a: float, y: float) -> float:
        b = y * a
        if b < -ROUNDING or b > 1 + ROUNDING:
            return INFINITY
        return -b + self.gamma * b * b / 2

    def dualprox(self, u: float, y0: float, q: float, y: float) -> float:
        # maximise b (1 - m) - gamma b^2/2 - (q/2)(b - b0)^2 over [0, 1], b0 = -y y0
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

    name = "squared_hinge"
    classification = True
    lipschitz = INFINITY

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

    def domain(self, y: float) -> tuple[float, float]:
        return (0.0, INFINITY) if y > 0 else (-INFINITY, 0.0)

    def phi_conj(self, a: float, y: float) -> float:  # b >= 0; attained at 1 - m = b/(2c)
        b = y * a
        if b < -ROUNDING:
            return INFINITY
        return -b + b * b / (4 * self.c)

    def dualprox(self, u: float, y0: float, q: float, y: float) -> float:
        # maximise b (1 - m) - b^2/(4c) - (q/2)(b - b0)^2 over b >= 0, b0 = -y y0
        return -y * max((1 - y * u - y * y0 * q) / (q + 1 / (2 * self.c)), 0.0)


@struct
class Logistic(NamedTuple):
    """phi(u; y) = log(1 + exp(-m)).

    Parameters
    ----------
    tol : float > 0, default 1e-8
        Ends dualprox's Newton iteration at ``|dt| <= tol (1 + |t|)``: convergence is quadratic, so the default leaves
        an error below 2e-16.
    """

    tol: float = 1e-8

    name = "logistic"
    classification = True
    lipschitz = 1.0
    gamma = 4.0
    hess_lipschitz = 1 / (6 * math.sqrt(3))  # the largest s (1 - s)(1 - 2 s)

    def phi(self, u: float, y: float) -> float:
        m = y * u
        return math.log1p(math.exp(-abs(m))) + max(-m, 0.0)

    def grad_phi(self, u: float, y: float) -> float:
        return -y * sigmoid(-y * u)

    def hess_phi(self, u: float, y: float) -> float:  # sigmoid(m) sigmoid(-m), which is even in m
        return sigmoid(u) * sigmoid(-u)

    def domain(self, y: float) -> tuple[float, float]:
        return min(y, 0.0), max(y, 0.0)

    def phi_conj(self, a: float, y: float) -> float:
        b = y * a
        if b < -ROUNDING or b > 1 + ROUNDING:
            return INFINITY
        return entropy(b) + entropy(1 - b)

    def dualprox(self, u: float, y0: float, q: float, y: float) -> float:
        # The exact step, by Newton's method:
        # with c = -y u, a0 = -y y0 and beta = -y sigmoid(t), optimality reads G(t) = t - c + q (sigmoid(t) - a0) = 0.
        # G increases (G' >= 1 for q >= 0), is convex for t < 0 and concave for t > 0, and its root lies between c and
        # logit(a0): Newton started on the root's side of 0 at the far end is monotone, and needs no line search.
        # A step from the near end leads to a far end, too.
        # (For -4 < q < 0, APCG's small rows, G stays increasing, the curvature flips, and so does the far end.)
        c, a0 = -y * u, -y * y0
        left = q * (0.5 - a0) >= c  # G(0) >= 0: the root is <= 0
        if q < 0:
            t = c + q * a0 if left else c + q * a0 - q
        else:
            logit = math.log(a0 / (1 - a0)) if 0 < a0 < 1 else (-INFINITY if a0 <= 0 else INFINITY)
            t, near = (min(0.0, max(logit, c)), min(0.0, logit)) if left else (max(0.0, min(logit, c)), max(0.0, logit))
            if math.isfinite(near):  # sigmoid(near) is a0 or 1/2: this step costs no exponential, and ends at a far end
                s = min(0.5, a0) if left else max(0.5, a0)
                h = q * s * (1 - s)
                step = (near * h + c - q * (s - a0)) / (1 + h)
                t = min(t, step) if left else max(t, step)
        for _ in range(2000):  # about 2; grows with log q, 690 at q = 1e301
            s, r = sigmoid(t), sigmoid(-t)
            excess = (1 - a0) - r if t > 0 else s - a0  # sigmoid(t) - a0, without cancellation
            g = t - c + q * excess
            dt = g / (1 + q * s * r)
            t -= dt
            # a step against the monotone direction is rounding
            if abs(dt) <= self.tol * (1 + abs(t)) or (q >= 0 and (dt < 0) == left):
                break
        return -y * (s - s * r * dt)  # sigmoid(t), whose next term is rounding as dt is so small
