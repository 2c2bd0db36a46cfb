"""Accelerated primal randomized coordinate descent: any sampling, one coordinate or a block at a time.

Problem     min_w P(w) = f(w) + l1 ||w||_1, f = (1/n) sum_i phi(x_i'w) + (l2/2)||w||^2, phi smooth
Algorithm   L_j = (beta u_j + l2 n)/n, u_j from cdlab.eso(X, sampling, "primal"); serial: u_j = ||X_:j||^2 and L_j is
            the smoothness of f along e_j. Draw a random set S of coordinates, p_j = Prob(j in S); for all j in S
            l2 > 0 = l1:  x = tau z + (1 - tau) y;  g = grad_j f(x)
                y <- x - (g/L_j) e_j;  z <- (z + eta l2 x - (eta/p_j) g e_j)/(1 + eta l2)
                with M = max_j sqrt(L_j)/p_j, tau = 2/(1 + sqrt(1 + 4 M^2/l2)), eta = 1/(tau M^2)
            l2 > 0, l1 > 0 (APCG):  y = (x + a z)/(1 + a);  z~ = (1 - a) z + a y;  z <- z~, but
                z_j <- argmin_t { grad_j f(y) t + (b_j L_j/2)(t - z~_j)^2 + l1 |t| };  x <- y + b (z - z~)
                with a = min_j p_j sqrt(l2/L_j), b_j = a/p_j
            l2 = 0 (APPROX):  y = (1 - theta) x + theta z;  the same z_j from z~ = z, and x, with b_j = theta/p_j;
                theta <- (sqrt(theta^4 + 4 theta^2) - theta^2)/2, which begins at min_j p_j
Guarantee   V = (eta/tau) (P(y) - P*) + ((1 + eta l2)/2) ||z - w*||^2:  E V_t <= (1 - tau)^t V_0;
            fastest one by one with p_j ~ sqrt(L_j), which is the sampling lipschitz(0.5)
            APCG: E[P(x_k)] - P* <= (1 - a)^k (P(x_0) - P* + (l2/2) ||x_0 - w*||^2)
            APPROX: E[P(x_k)] - P* <= (2/((k - 1) p_min + 2))^2 ((1 - p_min)(P(x_0) - P*)
                                      + (1/2) sum_j L_j (p_min/p_j)^2 (x_0j - w*_j)^2)
Reference   Allen-Zhu, Qu, Richtarik & Yuan, Even faster accelerated coordinate descent using non-uniform sampling
            (2016); step sizes as in Csiba & Richtarik, Coordinate descent face-off: primal or dual? (2016).
            APCG, single coordinates, all equally likely: Lin, Lu & Xiao, An accelerated randomized proximal coordinate
            gradient method and its application to regularized empirical risk minimization (2015), Theorem 2.1; APPROX,
            the same: Fercoq & Richtarik, Accelerated, parallel, and proximal coordinate descent (2015), Theorem 3; both
            in their efficient forms. Blocks, and other probabilities with l1 or l2 = 0: theory/theorems/apcg.py
Notation    x, y, z and tau, eta as in the papers; our w is y, of APCG and APPROX x; P.y are the labels.
            The algorithm moves every coordinate of two sequences. As combinations of two others, of which one is
            multiplied by a number that is kept apart (r, or theta^2), a step moves one coordinate: O(nonzeros of
            column j)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..numerics.jit import kernel, scalar
from ..numerics.matrices import scale_second
from ..problems.points import View
from ..problems.problem import Problem
from ..samplings import Batches, SamplingLike
from .base import Points
from .blocks import OneOrMany, in_blocks

SMALLEST_FACTOR = 1e-100  # Below it r is multiplied into the second of each pair.
LARGEST_B = 1 - 1e-8  # It keeps 1 - a > 0 with a single feature that hardly matters.


class State(NamedTuple):
    """l2 > 0 = l1: y = m + b r q and z = m - a r q."""

    mq: np.ndarray  # (d, 2) side by side, because they are read together
    Xmq: np.ndarray  # (n, 2) X m and X q
    L: np.ndarray  # (d,) smoothness of P along e_j, or what takes its place in blocks
    p: np.ndarray  # (d,) probabilities
    h: np.ndarray  # (d,) scratch: slopes of the current block; (0,) in serial runs
    r: float  # ((1 - tau)/(1 + eta l2))^k
    tau: float
    eta: float
    a: float  # eta l2 (1 - tau)/(eta l2 + tau), and b = 1 - a: m = a y + b z


class APCGState(NamedTuple):
    """l2 > 0, l1 > 0: x = v + r u and z = v - r u."""

    vu: np.ndarray  # (d, 2)
    Xvu: np.ndarray  # (n, 2) X v and X u
    L: np.ndarray  # (d,) smoothness of f along e_j, or what takes its place in blocks
    p: np.ndarray  # (d,) probabilities; (0,) where all are 1/d
    h: np.ndarray  # (d,) scratch: steps of the current block; (0,) where all p are 1/d
    r: float  # ((1 - a)/(1 + a))^k
    b: float  # d a where all p are 1/d, else a


class APPROXState(NamedTuple):
    """l2 = 0: y = z + theta^2 u, and x the same with the theta before."""

    zu: np.ndarray  # (d, 2)
    Xzu: np.ndarray  # (n, 2) X z and X u
    L: np.ndarray  # (d,) smoothness of f along e_j, or what takes its place in blocks; 1 where it is 0
    p: np.ndarray  # (d,) probabilities; (0,) where all are 1/d
    h: np.ndarray  # (d,) scratch: steps of the current block; (0,) where all p are 1/d
    theta: float  # of the next step


@kernel
def acc_rcd_epoch(P: View, S: State, order: np.ndarray) -> float:
    """Take an accelerated step for each coordinate of `order`. Returns r.

    The algorithm multiplies y - z by (1 - tau)/(1 + eta l2) and leaves m = a y + b z where it is, but for coordinate j:
    (y, z) -> (x, (z + eta l2 x)/(1 + eta l2)) is linear, and these are its two eigenvectors.
    """
    mq, Xmq, L, p, y, n, l2, r = S.mq, S.Xmq, S.L, S.p, P.y, P.y.size, P.reg.l2, S.r
    a, b, tau, weight = S.a, 1 - S.a, S.tau, 1 + S.eta * l2
    for k in range(order.size):
        j = P.X.pick(order, k, (mq, L, p))
        c = (b - tau) * r  # x = tau z + (1 - tau) y = m + (b - tau) r q
        g = P.X.slope2(j, Xmq, c, y, P.loss) / n + l2 * (mq[j, 0] + c * mq[j, 1])
        r *= (1 - tau) / weight
        in_y, in_z = -g / L[j], -S.eta / p[j] * g / weight
        in_m, in_q = a * in_y + b * in_z, (in_y - in_z) / r
        mq[j, 0] += in_m
        mq[j, 1] += in_q
        P.X.add2(j, in_m, in_q, Xmq)
        if r < SMALLEST_FACTOR:
            scale_second(mq, r)
            scale_second(Xmq, r)
            r = 1.0
    return r


@kernel
def acc_rcd_block_epoch(P: View, S: State, batches: Batches) -> float:
    """Take a step for each block, along all of its coordinates from the same x. Returns r."""
    mq, Xmq, L, p, h, y, n, l2, r = S.mq, S.Xmq, S.L, S.p, S.h, P.y, P.y.size, P.reg.l2, S.r
    a, b, tau, weight, starts, order = S.a, 1 - S.a, S.tau, 1 + S.eta * l2, batches.starts, batches.indices
    for s in range(starts.size - 1):
        c = (b - tau) * r  # x = m + (b - tau) r q
        for k in range(starts[s], starts[s + 1]):
            j = P.X.pick(order, k, (mq, L, p))
            h[j] = P.X.slope2(j, Xmq, c, y, P.loss) / n + l2 * (mq[j, 0] + c * mq[j, 1])
        r *= (1 - tau) / weight
        for k in range(starts[s], starts[s + 1]):  # only now: all of a block starts from the same x
            j = order[k]
            in_y, in_z = -h[j] / L[j], -S.eta / p[j] * h[j] / weight
            in_m, in_q = a * in_y + b * in_z, (in_y - in_z) / r
            mq[j, 0] += in_m
            mq[j, 1] += in_q
            P.X.add2(j, in_m, in_q, Xmq)
        if r < SMALLEST_FACTOR:
            scale_second(mq, r)
            scale_second(Xmq, r)
            r = 1.0
    return r


@kernel
def apcg_step_epoch(P: View, S: APCGState, order: np.ndarray) -> float:
    """Take a step for each coordinate of `order`, l2 > 0. Returns r.

    y = v + r u and z~ = v - r u with the r after the step, so that a step moves no more than u_j and v_j.
    """
    vu, Xvu, L, y, n, r, b = S.vu, S.Xvu, S.L, P.y, P.y.size, S.r, S.b
    a = b / L.size
    for k in range(order.size):
        j = P.X.pick(order, k, (vu, L))
        r *= (1 - a) / (1 + a)
        reg = P.reg.of_coordinate(j)
        g = P.X.slope2(j, Xvu, r, y, P.loss) / n + reg.l2 * (vu[j, 0] + r * vu[j, 1])
        step = reg.l1_step(vu[j, 0] - r * vu[j, 1], -g / (b * L[j]), b * L[j])
        if step != 0:
            in_v, in_u = (b + 1) / 2 * step, (b - 1) / (2 * r) * step
            vu[j, 0] += in_v
            vu[j, 1] += in_u
            P.X.add2(j, in_v, in_u, Xvu)
        if r < SMALLEST_FACTOR:
            scale_second(vu, r)
            scale_second(Xvu, r)
            r = 1.0
    return r


@scalar
def move_block(P: View, S: Any, pairs: np.ndarray, products: np.ndarray, block: np.ndarray, *abc: float) -> None:
    """Move a block from y = first + b second and z~ = first + c second of the pairs, with a/p_j for b_j in the box.

    z_j = z~_j + h_j and x_j = y_j + (a/p_j) h_j are the same two combinations of the new pair.
    """
    L, p, h, y, n, (a, b, c) = S.L, S.p, S.h, P.y, P.y.size, abc
    for k in range(block.size):
        j = P.X.pick(block, k, (pairs, L, p))
        reg, weight = P.reg.of_coordinate(j), a / p[j] * L[j]
        g = P.X.slope2(j, products, b, y, P.loss) / n + reg.l2 * (pairs[j, 0] + b * pairs[j, 1])
        h[j] = reg.l1_step(pairs[j, 0] + c * pairs[j, 1], -g / weight, weight)
    for k in range(block.size):  # only now: all of a block starts from the same y
        j = block[k]
        if h[j] != 0:
            second = (a / p[j] - 1) / (b - c) * h[j]
            first = h[j] - c * second
            pairs[j, 0] += first
            pairs[j, 1] += second
            P.X.add2(j, first, second, products)


@kernel
def apcg_step_block_epoch(P: View, S: APCGState, batches: Batches) -> float:
    """Take a step for each block, of any probabilities, l2 > 0. Returns r."""
    r, a, starts = S.r, S.b, batches.starts
    for s in range(starts.size - 1):
        r *= (1 - a) / (1 + a)
        move_block(P, S, S.vu, S.Xvu, batches.indices[starts[s] : starts[s + 1]], a, r, -r)
        if r < SMALLEST_FACTOR:
            scale_second(S.vu, r)
            scale_second(S.Xvu, r)
            r = 1.0
    return r


@kernel
def approx_epoch(P: View, S: APPROXState, order: np.ndarray) -> float:
    """Take a step for each coordinate of `order`, l2 = 0. Returns theta."""
    zu, Xzu, L, y, n, d, theta = S.zu, S.Xzu, S.L, P.y, P.y.size, S.L.size, S.theta
    for k in range(order.size):
        j = P.X.pick(order, k, (zu, L))
        square, b = theta * theta, d * theta
        reg = P.reg.of_coordinate(j)
        g = P.X.slope2(j, Xzu, square, y, P.loss) / n + reg.l2 * (zu[j, 0] + square * zu[j, 1])
        step = reg.l1_step(zu[j, 0], -g / (b * L[j]), b * L[j])
        if step != 0:
            in_u = (b - 1) / square * step
            zu[j, 0] += step
            zu[j, 1] += in_u
            P.X.add2(j, step, in_u, Xzu)
        theta *= (math.sqrt(square + 4) - theta) / 2
    return theta


@kernel
def approx_block_epoch(P: View, S: APPROXState, batches: Batches) -> float:
    """Take a step for each block, of any probabilities, l2 = 0. Returns theta."""
    theta, starts = S.theta, batches.starts
    for s in range(starts.size - 1):
        move_block(P, S, S.zu, S.Xzu, batches.indices[starts[s] : starts[s + 1]], theta, theta * theta, 0.0)
        theta *= (math.sqrt(theta * theta + 4) - theta) / 2
    return theta


@dataclass(frozen=True)
class AccRCD(OneOrMany[Any]):
    """Accelerated primal randomized coordinate descent, one coordinate or a block at a time.

    Parameters
    ----------
    batch_size : int, optional
        Features updated together: with uniform sampling the same as ``TauNice(batch_size)``.

    References
    ----------
    Allen-Zhu, Qu, Richtarik & Yuan, Even faster accelerated coordinate descent using non-uniform sampling (2016); with
    l1 Lin, Lu & Xiao, An accelerated randomized proximal coordinate gradient method (2015); l2 = 0 Fercoq & Richtarik,
    Accelerated, parallel, and proximal coordinate descent (2015).
    """

    name: ClassVar[str] = "acc_rcd"
    can_split_epoch: ClassVar[bool] = True
    summary: ClassVar[str] = "accelerated, primal, one feature or a block at a time"
    guarantee: ClassVar[str] = "max_j √Lⱼ/pⱼ / √λ log (any p: Nesterov & Stich 2017)"
    reference: ClassVar[str] = "Allen-Zhu, Qu, Richtarik & Yuan 2016"
    side: ClassVar[str] = "primal"
    needs: ClassVar[tuple[str, ...]] = ("smooth",)
    zero_rows: ClassVar[str] = "drawn"

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> Any:
        p, s, h = self.step_sizes(problem, sampling)
        L, l2 = s / problem.n, problem.mu
        pairs, products = np.zeros((problem.d, 2)), np.zeros((problem.n, 2))
        if start is not None:
            pairs[:, 0] = start.w
            products[:, 0] = problem.predict(start.w)
        if l2 > 0 == problem.l1 and not problem.bounded:
            M2 = float((L / p**2).max())
            tau = 2 / (1 + math.sqrt(1 + 4 * M2 / l2))
            eta = 1 / (tau * M2)
            S = State(pairs, products, L, p, h, 1.0, tau, eta, eta * l2 * (1 - tau) / (eta * l2 + tau))
            self.refresh(problem, S)
            return S
        if h.size == 0 and np.ptp(p) == 0:
            if l2 == 0:
                return APPROXState(pairs, products, np.where(L > 0, L, 1.0), h, h, 1 / problem.d)
            return APCGState(pairs, products, L, h, h, 1.0, min(LARGEST_B, math.sqrt(l2 / L.max())))
        h = np.zeros(problem.d)
        if l2 == 0:
            return APPROXState(pairs, products, np.where(L > 0, L, 1.0), p, h, float(p.min()))
        a = float((p * np.minimum(LARGEST_B, np.sqrt(l2 / L))).min())
        return APCGState(pairs, products, L, p, h, 1.0, a)

    def epoch(self, P: View, S: Any, order: Any) -> Any:
        order = in_blocks(S, order)
        match S:
            case APCGState():
                return S._replace(r=(apcg_step_block_epoch if S.h.size else apcg_step_epoch)(P, S, order))
            case APPROXState():
                return S._replace(theta=(approx_block_epoch if S.h.size else approx_epoch)(P, S, order))
        return S._replace(r=(acc_rcd_block_epoch if S.h.size else acc_rcd_epoch)(P, S, order))

    def points(self, problem: Problem, S: Any) -> Points:
        match S:  # what the second of each pair is multiplied by
            case APCGState():
                factor = S.r
            case APPROXState():  # the theta^2 before: theta_(k+1)^2 = (1 - theta_(k+1)) theta_k^2; at the start u = 0
                factor = S.theta**2 / (1 - S.theta) if S.theta < 1 else 1.0
            case _:
                factor = (1 - S.a) * S.r
        w, z = (pairs @ np.array([1.0, factor]) for pairs in S[:2])
        return Points(problem.reg.clipped(w), problem.alpha(w, z=z), z=z)

    def refresh(self, problem: Problem, S: Any) -> None:
        pairs, products = S[:2]
        products[:] = problem.X @ pairs
