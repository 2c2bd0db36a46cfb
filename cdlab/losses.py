"""Losses phi(u; y) of a prediction u = x'w and a label y.

A loss is one class with four formulas. Copy one to add your own (put it into a module, so that its compiled kernels are
kept), and pass an instance to ``Problem``:

    phi(u, y)              the loss
    grad_phi(u, y)         its derivative in u (a subgradient at a kink)
    phi_conj(a, y)         its conjugate at -a, that is phi*(-a): the dual objective contains -phi_conj(alpha)
    dualprox(u, y0, q, y)  argmax_beta  u beta - phi*(beta) - (q/2)(beta - y0)^2: the one step of every dual method.
                           By optimality beta = phi'(u - q (beta - y0)): a damped derivative. SDCA calls it with
                           y0 = -alpha_i, q = ||x_i||^2/(l2 n) and sets alpha_i = -beta.

and the plain facts ``gamma`` (phi is 1/gamma-smooth; 0: not smooth), ``lipschitz`` (of phi itself) and
``classification`` (labels are mapped to -1, +1). Below m = y u is the margin, and a hinge-type dual variable is written
b = y a in [0, 1].
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable
from typing import NamedTuple

from .jit import scalar, struct

INFINITY = math.inf
ROUNDING = 1e-12  # a dual variable this far outside its domain got there by rounding


@scalar
def _clip(x, low, high):
    return min(max(x, low), high)


@scalar
def _sigmoid(t):
    e = math.exp(-abs(t))
    return 1.0 / (1.0 + e) if t >= 0 else e / (1.0 + e)


@scalar
def _entropy(b):  # b ln b, 0 at 0
    return b * math.log(b) if b > 0 else 0.0


@struct
class Squared(NamedTuple):
    """phi(u; y) = c (u - y)^2."""

    c: float = 0.5

    classification = False
    lipschitz = INFINITY

    @property
    def name(self) -> str:
        return "squared"

    @property
    def gamma(self) -> float:
        return 1 / (2 * self.c)

    def phi(self, u, y):
        return self.c * (u - y) ** 2

    def grad_phi(self, u, y):
        return 2 * self.c * (u - y)

    def phi_conj(self, a, y):  # sup_u { -a u - c (u - y)^2 } at u = y - a/(2c)
        return a * a / (4 * self.c) - a * y

    def dualprox(self, u, y0, q, y):  # beta/(2c) + y = u - q (beta - y0)
        return (u - y + q * y0) / (1 / (2 * self.c) + q)


@struct
class Logistic(NamedTuple):
    """phi(u; y) = log(1 + exp(-m)).

    ``tol`` ends dualprox's Newton iteration at |dt| <= tol (1 + |t|): convergence is quadratic, so the default leaves
    an error below 2e-16.
    """

    tol: float = 1e-8

    classification = True
    lipschitz = 1.0
    gamma = 4.0

    @property
    def name(self) -> str:
        return "logistic"

    def phi(self, u, y):
        m = y * u
        return math.log1p(math.exp(-abs(m))) + max(-m, 0.0)

    def grad_phi(self, u, y):
        return -y * _sigmoid(-y * u)

    def phi_conj(self, a, y):
        b = y * a
        if b < -ROUNDING or b > 1 + ROUNDING:
            return INFINITY
        return _entropy(b) + _entropy(1 - b)

    def dualprox(self, u, y0, q, y):
        # With c = -y u, a0 = -y y0 and beta = -y sigmoid(t), optimality reads G(t) = t - c + q (sigmoid(t) - a0) = 0.
        # G increases (G' >= 1 for q >= 0), is convex for t < 0 and concave for t > 0, and its root lies between c and
        # logit(a0): Newton started on the root's side of 0 at the far end is monotone, and needs no line search.
        # (For -4 < q < 0, APCG's small rows, G stays increasing, the curvature flips, and so does the far end.)
        c, a0 = -y * u, -y * y0
        left = q * (0.5 - a0) >= c  # G(0) >= 0: the root is <= 0
        if q < 0:
            t = c + q * a0 if left else c + q * a0 - q
        else:
            logit = math.log(a0 / (1 - a0)) if 0 < a0 < 1 else (-INFINITY if a0 <= 0 else INFINITY)
            t = min(0.0, max(logit, c)) if left else max(0.0, min(logit, c))
        for _ in range(2000):  # about 4; grows with log q, 690 at q = 1e301
            s, r = _sigmoid(t), _sigmoid(-t)
            excess = (1 - a0) - r if t > 0 else s - a0  # sigmoid(t) - a0, without cancellation
            g = t - c + q * excess
            dt = g / (1 + q * s * r)
            t -= dt
            # a step against the monotone direction is rounding
            if abs(dt) <= self.tol * (1 + abs(t)) or (q >= 0 and (dt < 0) == left):
                break
        return -y * _sigmoid(t)


@struct
class SmoothHinge(NamedTuple):
    """phi(u; y) = 0 for m >= 1, 1 - m - gamma/2 for m <= 1 - gamma, (1 - m)^2/(2 gamma) between; gamma = 0: the hinge.

    phi*(-a) = -b + gamma b^2/2 on b in [0, 1]: the hinge's conjugate plus (gamma/2) b^2, so one class serves both.
    """

    gamma: float = 1.0

    classification = True
    lipschitz = 1.0

    @property
    def name(self) -> str:
        return "smooth_hinge" if self.gamma > 0 else "hinge"

    def phi(self, u, y):
        short = 1 - y * u
        if short <= 0:
            return 0.0
        return short - self.gamma / 2 if short >= self.gamma else short * short / (2 * self.gamma)

    def grad_phi(self, u, y):
        short = 1 - y * u
        if short <= 0:
            return 0.0 * y
        return -y if short >= self.gamma else -y * short / self.gamma

    def phi_conj(self, a, y):
        b = y * a
        if b < -ROUNDING or b > 1 + ROUNDING:
            return INFINITY
        return -b + self.gamma * b * b / 2

    def dualprox(self, u, y0, q, y):  # maximise b (1 - m) - gamma b^2/2 - (q/2)(b - b0)^2 over [0, 1], b0 = -y y0
        slope, curvature = 1 - y * u - q * y * y0, q + self.gamma
        if curvature > 0:
            return -y * _clip(slope / curvature, 0.0, 1.0)
        return -y if slope > 0 else 0.0 * y


@struct
class SquaredHinge(NamedTuple):
    """phi(u; y) = c max(0, 1 - m)^2. (liblinear's has c = 1.)"""

    c: float = 0.5

    classification = True
    lipschitz = INFINITY

    @property
    def name(self) -> str:
        return "squared_hinge"

    @property
    def gamma(self) -> float:
        return 1 / (2 * self.c)

    def phi(self, u, y):
        short = max(0.0, 1 - y * u)
        return self.c * short * short

    def grad_phi(self, u, y):
        return -2 * self.c * y * max(0.0, 1 - y * u)

    def phi_conj(self, a, y):  # b >= 0; attained at 1 - m = b/(2c)
        b = y * a
        if b < -ROUNDING:
            return INFINITY
        return -b + b * b / (4 * self.c)

    def dualprox(self, u, y0, q, y):  # maximise b (1 - m) - b^2/(4c) - (q/2)(b - b0)^2 over b >= 0, b0 = -y y0
        return -y * max(0.0, (1 - y * u - q * y * y0) / (q + 1 / (2 * self.c)))


@struct
class Huber(NamedTuple):
    """phi(u; y) = r^2/(2 gamma) for |r| <= gamma, |r| - gamma/2 beyond, r = u - y; gamma = 0: the absolute loss.

    phi*(-a) = -a y + gamma a^2/2 on |a| <= 1: the absolute loss's conjugate plus (gamma/2) a^2.
    """

    gamma: float = 1.0

    classification = False
    lipschitz = 1.0

    @property
    def name(self) -> str:
        return "huber" if self.gamma > 0 else "absolute"

    def phi(self, u, y):
        size = abs(u - y)
        return size - self.gamma / 2 if size >= self.gamma else size * size / (2 * self.gamma)

    def grad_phi(self, u, y):
        r = u - y
        if abs(r) >= self.gamma:
            return 1.0 if r > 0 else (-1.0 if r < 0 else 0.0)
        return r / self.gamma

    def phi_conj(self, a, y):
        if abs(a) > 1 + ROUNDING:
            return INFINITY
        return -a * y + self.gamma * a * a / 2

    def dualprox(self, u, y0, q, y):  # maximise beta (u - y) - gamma beta^2/2 - (q/2)(beta - y0)^2 over [-1, 1]
        slope, curvature = u - y + q * y0, q + self.gamma
        if curvature > 0:
            return _clip(slope / curvature, -1.0, 1.0)
        return 1.0 if slope > 0 else (-1.0 if slope < 0 else 0.0)


# ---------------------------------------------------------------- by name
Loss = Squared | Logistic | SmoothHinge | SquaredHinge | Huber

LOSSES: dict[str, Callable[..., Loss]] = {
    "squared": Squared,
    "logistic": Logistic,
    "hinge": lambda: SmoothHinge(gamma=0.0),
    "smooth_hinge": SmoothHinge,
    "squared_hinge": SquaredHinge,
    "absolute": lambda: Huber(gamma=0.0),
    "huber": Huber,
}


def make(loss: str | Loss) -> Loss:
    """The loss with this name and its default parameters, or the instance itself, checked.

    Raises
    ------
    ValueError
        For an unknown name, or a parameter that is not a finite number of the right sign.
    TypeError
        For something that is not a loss.
    """
    if isinstance(loss, str):
        if loss not in LOSSES:
            close = difflib.get_close_matches(loss, LOSSES, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise ValueError(f"there is no loss named {loss!r}{hint} (losses: {', '.join(LOSSES)})")
        loss = LOSSES[loss]()
    parts = ("phi", "grad_phi", "phi_conj", "dualprox", "gamma", "lipschitz")
    missing = [part for part in parts if not hasattr(type(loss), part)]
    if missing:
        raise TypeError(
            f"loss {loss!r} has no {', '.join(missing)}; pass a name or an instance such as SmoothHinge(0.5)"
        )
    for field, value in zip(loss._fields, loss, strict=True):
        positive = field != "gamma"
        if not (math.isfinite(value) and (value > 0 if positive else value >= 0)):
            raise ValueError(f"{loss!r}: {field} must be a finite number {'> 0' if positive else '>= 0'}")
    return loss
