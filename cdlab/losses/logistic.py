"""The logistic loss. See the package's docstring for the four formulas."""

from __future__ import annotations

import math
from typing import NamedTuple

from ..numerics.jit import struct
from .scalars import INFINITY, ROUNDING, entropy, sigmoid


@struct
class Logistic(NamedTuple):
    """phi(u; y) = log(1 + exp(-m)).

    Parameters
    ----------
    tol : float > 0, default 1e-8
        Ends dualprox's Newton iteration at |dt| <= tol (1 + |t|): convergence is quadratic, so the default leaves an
        error below 2e-16.
    """

    tol: float = 1e-8

    @property
    def classification(self) -> bool:
        return True

    @property
    def lipschitz(self) -> float:
        return 1.0

    @property
    def gamma(self) -> float:
        return 4.0

    @property
    def hess_lipschitz(self) -> float:  # the largest s (1 - s)(1 - 2 s)
        return 1 / (6 * math.sqrt(3))

    @property
    def name(self) -> str:
        return "logistic"

    def phi(self, u: float, y: float) -> float:
        m = y * u
        return math.log1p(math.exp(-abs(m))) + max(-m, 0.0)

    def grad_phi(self, u: float, y: float) -> float:
        return -y * sigmoid(-y * u)

    def hess_phi(self, u: float, y: float) -> float:  # sigmoid(m) sigmoid(-m), which is even in m
        return sigmoid(u) * sigmoid(-u)

    def phi_conj(self, a: float, y: float) -> float:
        b = y * a
        if b < -ROUNDING or b > 1 + ROUNDING:
            return INFINITY
        return entropy(b) + entropy(1 - b)

    def dualprox(self, u: float, y0: float, q: float, y: float) -> float:
        # With c = -y u, a0 = -y y0 and beta = -y sigmoid(t), optimality reads G(t) = t - c + q (sigmoid(t) - a0) = 0.
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
