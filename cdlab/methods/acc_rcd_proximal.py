"""Accelerated proximal primal coordinate descent, with uniform probabilities: acc_rcd where l1 > 0 or l2 = 0.

Problem     min_w P(w) = f(w) + l1 ||w||_1, f = (1/n) sum_i phi(x_i'w) + (l2/2)||w||^2, phi smooth
Box         l2 > 0 (APCG): y = (x + a z)/(1 + a);  z~ = (1 - a) z + a y;  pick j uniformly;  z <- z~, but
            z_j <- argmin_t { grad_j f(y) t + (b L_j/2)(t - z~_j)^2 + l1 |t| };  x <- y + b (z - z~)
            with L_j = (beta ||X_:j||^2 + l2 n)/n, b = sqrt(l2/max_j L_j), a = b/d
            l2 = 0 (APPROX): y = (1 - theta) x + theta z;  the same z_j from z~ = z, and x, with b = d theta;
            theta <- (sqrt(theta^4 + 4 theta^2) - theta^2)/2, which begins at 1/d
Guarantee   l2 > 0: E[P(x_k)] - P* <= (1 - a)^k (P(x_0) - P* + (l2/2) ||x_0 - w*||^2)
            l2 = 0: E[P(x_k)] - P* <= (2d/(k - 1 + 2d))^2 ((1 - 1/d)(P(x_0) - P*) + (1/2) sum_j L_j (x_0j - w*_j)^2)
Reference   Lin, Lu & Xiao, An accelerated randomized proximal coordinate gradient method and its application to
            regularized empirical risk minimization (2015), Theorem 2.1; Fercoq & Richtarik, Accelerated, parallel, and
            proximal coordinate descent (2015), Theorem 3; both in their efficient forms
Notation    our w is x; y and z are points of the box, P.y are the labels
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..numerics.jit import kernel, scalar
from ..problems.points import View

FOLD = 1e-100  # r is folded into u before it underflows
LARGEST = 1 - 1e-8  # of b: keeps 1 - a > 0 with a single feature that hardly matters


class StrongState(NamedTuple):
    """l2 > 0: the two sequences as combinations that a step leaves sparse."""

    vu: np.ndarray  # (d, 2) x = v + r u and z = v - r u; side by side, because they are read together
    Xvu: np.ndarray  # (n, 2) X v and X u
    L: np.ndarray  # (d,) smoothness of f along e_j
    r: float  # ((1 - a)/(1 + a))^k
    b: float


class ConvexState(NamedTuple):
    """l2 = 0: y = z + theta^2 u, and x the same with the theta before."""

    zu: np.ndarray  # (d, 2)
    Xzu: np.ndarray  # (n, 2) X z and X u
    L: np.ndarray  # (d,) smoothness of f along e_j; 1 where it is 0
    theta: float  # of the next step


@scalar
def fold(pairs: np.ndarray, r: float) -> None:
    """Multiply the second of each pair by r, before it gets too small for float64."""
    for k in range(pairs.shape[0]):
        pairs[k, 1] *= r


@kernel
def strong_epoch(P: View, S: StrongState, order: np.ndarray) -> float:
    """One step for each coordinate of `order`, l2 > 0. Returns r.

    y = v + r u and z~ = v - r u with the r after the step, so that a step moves no more than u_j and v_j.
    """
    vu, Xvu, L, y, n, r, b = S.vu, S.Xvu, S.L, P.y, P.y.size, S.r, S.b
    a = b / L.size
    for k in range(order.size):
        j = P.X.pick(order, k, (vu, L))
        r *= (1 - a) / (1 + a)
        g = 0.0
        for e in P.X.line(j):
            i = P.X.index(j, e)
            g += P.X.value(j, e) * P.loss.grad_phi(Xvu[i, 0] + r * Xvu[i, 1], y[i])
        g = g / n + P.reg.l2 * (vu[j, 0] + r * vu[j, 1])
        step = P.reg.l1_step(vu[j, 0] - r * vu[j, 1], -g / (b * L[j]), b * L[j])
        if step != 0:
            in_v, in_u = (b + 1) / 2 * step, (b - 1) / (2 * r) * step
            vu[j, 0] += in_v
            vu[j, 1] += in_u
            for e in P.X.line(j):
                i, x = P.X.index(j, e), P.X.value(j, e)
                Xvu[i, 0] += in_v * x
                Xvu[i, 1] += in_u * x
        if r < FOLD:
            fold(vu, r)
            fold(Xvu, r)
            r = 1.0
    return r


@kernel
def convex_epoch(P: View, S: ConvexState, order: np.ndarray) -> float:
    """One step for each coordinate of `order`, l2 = 0. Returns theta."""
    zu, Xzu, L, y, n, d, theta = S.zu, S.Xzu, S.L, P.y, P.y.size, S.L.size, S.theta
    for k in range(order.size):
        j = P.X.pick(order, k, (zu, L))
        square, b = theta * theta, d * theta
        g = 0.0
        for e in P.X.line(j):
            i = P.X.index(j, e)
            g += P.X.value(j, e) * P.loss.grad_phi(Xzu[i, 0] + square * Xzu[i, 1], y[i])
        step = P.reg.l1_step(zu[j, 0], -g / n / (b * L[j]), b * L[j])
        if step != 0:
            in_u = (b - 1) / square * step
            zu[j, 0] += step
            zu[j, 1] += in_u
            for e in P.X.line(j):
                i, x = P.X.index(j, e), P.X.value(j, e)
                Xzu[i, 0] += step * x
                Xzu[i, 1] += in_u * x
        theta *= (math.sqrt(square + 4) - theta) / 2
    return theta


def before(theta: float) -> float:
    """The square of the theta before: theta_(k+1)^2 = (1 - theta_(k+1)) theta_k^2; at the start u = 0."""
    return theta**2 / (1 - theta) if theta < 1 else 1.0


def begun(w: np.ndarray, Xw: np.ndarray, L: np.ndarray, l2: float) -> StrongState | ConvexState:
    """The state at w (d,), with its predictions (n,)."""
    pairs, images = np.zeros((w.size, 2)), np.zeros((Xw.size, 2))
    pairs[:, 0], images[:, 0] = w, Xw
    if l2 > 0:
        return StrongState(pairs, images, L, 1.0, min(LARGEST, math.sqrt(l2 / L.max())))
    return ConvexState(pairs, images, np.where(L > 0, L, 1.0), 1 / w.size)
