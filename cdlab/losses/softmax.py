"""The softmax loss, for several classes: a vector loss. See the package's docstring for the four formulas."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..numerics.jit import scalar, struct
from .base import INFINITY, ROUNDING, entropy

EPS = float(np.finfo(np.float64).eps)


def in_simplex(alpha: np.ndarray, y: np.ndarray, most: np.ndarray | float) -> np.ndarray:
    """alpha (n, K) with other classes at most 0 and their sum at least -most, and the own class minus that sum."""
    own, few = (np.arange(y.size), y.astype(np.intp)), EPS * alpha.shape[1] * most
    rest = np.minimum(alpha, 0.0)
    rest[own] = 0.0
    mass = -rest.sum(axis=1)
    share = np.divide(most, mass, out=np.ones(y.size), where=mass > most + few)
    rest *= share[:, None]
    rest[own] = np.where(np.abs(alpha[own] - share * mass) <= few, alpha[own], share * mass)
    return rest


@scalar
def wright_omega(x: float) -> float:
    """The w > 0 with w + ln w = x: two steps of order four (Fritsch, Shafer & Crowley 1973) from within 20%."""
    if x > 1:
        w = x - math.log(x)
    else:
        w = math.exp(x)
        w /= 1 + 0.632 * w
    for _ in range(2):
        if w == 0:  # e^x underflows
            break
        e = (x - w - math.log(w)) / (1 + w)  # Newton's relative step
        s, f = 2 + 4 * e / 3, e / (1 + w)
        w *= 1 + e * (s - f) / (s - 2 * f)
    return w


@scalar
def argmax(u: np.ndarray) -> int:
    """The first index of the largest entry of u (K,)."""
    top = 0
    for k in range(u.size):
        if u[k] > u[top]:
            top = k
    return top


@scalar
def sum_exp_others(u: np.ndarray, top: int) -> float:
    """sum over k != top of exp(u_k - u_top): log_sum_exp(u) = u_top + log1p(others), without overflow."""
    total = 0.0
    for k in range(u.size):
        if k != top:
            total += math.exp(u[k] - u[top])
    return total


@scalar
def normalise(pi: np.ndarray, y: int) -> None:
    """pi <- pi/sum(pi) - e_y; entry y as minus the others' sum, which keeps its digits when pi_y is near 1."""
    total = pi.sum()
    pi[y] = 0.0
    for k in range(pi.size):
        pi[k] /= total
    pi[y] = -pi.sum()


@struct
class Softmax(NamedTuple):
    """phi(u; y) = ln sum_k exp(u_k) - u_y: minus the logarithm of class y's probability, in proportion to exp(u_y).

    With the y-th unit vector e_y, pi = e_y - a is a probability vector, and phi*(-a) = sum_k pi_k ln pi_k. In the
    Euclidean norm the loss is 1/2-smooth (two classes of probability 1/2 attain it) and sqrt(2)-Lipschitz.

    Parameters
    ----------
    tol : float > 0, default 1e-8
        Ends dualprox_into's Newton iteration at ``|dt| <= tol``: convergence is quadratic, so the default leaves an
        error below 2e-16.
    """

    tol: float = 1e-8

    name = "softmax"
    vector = True  # predictions are K-vectors
    classification = True
    lipschitz = math.sqrt(2)
    gamma = 2.0
    # The third derivative along s is the third central moment of s under pi: on a range r at most r^3/(6 sqrt(3)), at
    # two points; and entries of a unit vector differ by at most sqrt(2).
    hess_lipschitz = math.sqrt(2) ** 3 / (6 * math.sqrt(3))

    def phi(self, u: np.ndarray, y: float) -> float:
        top = argmax(u)
        return math.log1p(sum_exp_others(u, top)) + (u[top] - u[int(y)])

    def grad_phi_into(self, u: np.ndarray, y: float, out: np.ndarray) -> None:  # softmax(u) - e_y
        top = u[argmax(u)]
        for k in range(u.size):
            out[k] = math.exp(u[k] - top)
        normalise(out, int(y))

    def hess_phi_into(self, u: np.ndarray, y: float, s: np.ndarray, out: np.ndarray) -> None:
        # The derivative of pi_k = exp(u_k)/sum_j exp(u_j) along s is pi_k (s_k - pi's), that is (diag(pi) - pi pi') s.
        top, total, mean = u[argmax(u)], 0.0, 0.0
        for k in range(u.size):
            out[k] = math.exp(u[k] - top)
            total += out[k]
            mean += out[k] * s[k]
        mean /= total
        for k in range(u.size):
            out[k] *= (s[k] - mean) / total

    def phi_conj(self, a: np.ndarray, y: float) -> float:
        total = 0.0
        for k in range(a.size):
            pi = (1.0 if k == int(y) else 0.0) - a[k]
            if pi < -ROUNDING:
                return INFINITY
            total += entropy(pi)
        return total if abs(a.sum()) <= ROUNDING * a.size else INFINITY

    def dualprox_into(self, u: np.ndarray, y0: np.ndarray, q: float, y: float, out: np.ndarray) -> None:
        # With pi = beta + e_y and pi0 = y0 + e_y: minimise sum pi ln pi - u'pi + (q/2)||pi - pi0||^2 over probability
        # vectors. With t the multiplier of sum pi = 1 and c = u + q pi0, ln pi_k + q pi_k = c_k + t, so q pi_k is
        # omega(ln q + c_k + t). h(t) = sum pi_k - 1 is convex and increases, h' = sum pi_k/(1 + q pi_k): from the right
        # of its root Newton is monotone, and from the left one step leads there. Right of the root are
        # q - ln sum exp(c_k), because all q pi_k <= q, and max ln pi0_k - u_k, because some pi_k <= pi0_k. We start
        # where the equations linearised at pi0 have their root, which near the solution is enough.
        if q < 1e-17:  # beta = phi'(u - q (beta - y0)) is phi'(u) in double precision; a zero row has q = 0
            self.grad_phi_into(u, y, out)
            return
        b, weight, mean, right = int(y), 0.0, 0.0, -INFINITY
        for k in range(u.size):
            pi0 = y0[k] + (1.0 if k == b else 0.0)
            out[k] = u[k] + q * pi0
            if pi0 > 0:
                s, root = pi0 / (1 + q * pi0), math.log(pi0) - u[k]
                weight, mean, right = weight + s, mean + s * root, max(right, root)
        top = argmax(out)
        right = min(right, q - out[top] - math.log1p(sum_exp_others(out, top)))
        t, log_q, step = min(mean / weight, right), math.log(q), 0.0
        for m in range(100):  # 1 to 7 are enough
            h, slope = -1.0, 0.0
            for k in range(u.size):
                w = wright_omega(log_q + (u[k] + q * (y0[k] + (1.0 if k == b else 0.0)) + t))
                out[k] = w / q
                h, slope = h + out[k], slope + out[k] / (1 + w)
            step = min(-h / slope, right - t) if slope > 0 else right - t
            # what remains is rounding if h is, or a step after the first goes right
            if abs(step) <= self.tol or abs(h) <= 1e-15 * u.size or (m > 0 and step > 0):
                break
            t += step
        for k in range(u.size):  # the last step, linearised
            out[k] *= 1 + step / (1 + q * out[k])
        normalise(out, b)
