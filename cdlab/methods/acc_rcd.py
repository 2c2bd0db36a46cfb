"""Accelerated primal randomized coordinate descent, for any probabilities; with l1, or l2 = 0, see acc_rcd_proximal.

Problem     min_w P(w) = (1/n) sum_i phi(x_i'w) + (l2/2)||w||^2, phi smooth, l2 > 0
Box         pick j with probability p_j;  x = tau z + (1 - tau) y;  g = (1/n) sum_i X_ij phi'(x_i'x) + l2 x_j
            y <- x - (g/L_j) e_j;  z <- (z + eta l2 x - (eta/p_j) g e_j)/(1 + eta l2)
            with L_j = (beta ||X_:j||^2 + l2 n)/n, M = max_j sqrt(L_j)/p_j,
            tau = 2/(1 + sqrt(1 + 4 M^2/l2)), eta = 1/(tau M^2)
Guarantee   V = (eta/tau) (P(y) - P*) + ((1 + eta l2)/2) ||z - w*||^2:  E V_t <= (1 - tau)^t V_0;
            fastest with p_j ~ sqrt(L_j), which is the sampling lipschitz(0.5)
Reference   Allen-Zhu, Qu, Richtarik & Yuan, Even faster accelerated coordinate descent using non-uniform sampling
            (2016); step sizes as in Csiba & Richtarik, Coordinate descent face-off: primal or dual? (2016)
Notation    x, y, z and tau, eta as in the papers; our w is y; P.y are the labels
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..numerics.jit import kernel, scalar
from ..problems.points import View
from ..problems.problem import Problem
from ..samplings import Sampling, SamplingLike
from .acc_rcd_proximal import ConvexState, StrongState, before, begun, convex_epoch, strong_epoch
from .base import Method, Points

FOLD = 1e-100  # r is folded into q before it underflows


class State(NamedTuple):
    """The two sequences of the method as combinations that a step leaves sparse."""

    mq: np.ndarray  # (d, 2) y = m + b r q and z = m - a r q; side by side, because they are read together
    Xmq: np.ndarray  # (n, 2) X m and X q
    L: np.ndarray  # (d,) smoothness of P along e_j
    p: np.ndarray  # (d,) probabilities
    r: float  # ((1 - tau)/(1 + eta l2))^k
    tau: float
    eta: float
    a: float  # eta l2 (1 - tau)/(eta l2 + tau), and b = 1 - a: m = a y + b z


@scalar
def fold(r: float, pairs: np.ndarray) -> None:
    """Multiply the second of each pair by r, before it gets too small for float64."""
    for k in range(pairs.shape[0]):
        pairs[k, 1] *= r


@kernel
def acc_rcd_epoch(P: View, S: State, order: np.ndarray) -> float:
    """One accelerated step for each coordinate of `order`. Returns r.

    The box moves every coordinate of y and z. But it multiplies y - z by (1 - tau)/(1 + eta l2) and leaves
    m = a y + b z where it is, but for coordinate j: with y - z = r q a step costs O(nonzeros of column j).

    (y, z) -> (x, (z + eta l2 x)/(1 + eta l2)) is linear, and these are its two eigenvectors.
    """
    mq, Xmq, L, p, y, n, l2, r = S.mq, S.Xmq, S.L, S.p, P.y, P.y.size, P.reg.l2, S.r
    a, b, tau, weight = S.a, 1 - S.a, S.tau, 1 + S.eta * l2
    for k in range(order.size):
        j = P.X.pick(order, k, (mq, L, p))
        c = (b - tau) * r  # x = tau z + (1 - tau) y = m + (b - tau) r q
        g = 0.0
        for e in P.X.line(j):
            i = P.X.index(j, e)
            g += P.X.value(j, e) * P.loss.grad_phi(Xmq[i, 0] + c * Xmq[i, 1], y[i])
        g = g / n + l2 * (mq[j, 0] + c * mq[j, 1])
        r *= (1 - tau) / weight
        in_y, in_z = -g / L[j], -S.eta / p[j] * g / weight
        in_m, in_q = a * in_y + b * in_z, (in_y - in_z) / r
        mq[j, 0] += in_m
        mq[j, 1] += in_q
        for e in P.X.line(j):
            i, x = P.X.index(j, e), P.X.value(j, e)
            Xmq[i, 0] += in_m * x
            Xmq[i, 1] += in_q * x
        if r < FOLD:
            fold(r, mq)
            fold(r, Xmq)
            r = 1.0
    return r


@dataclass(frozen=True)
class AccRCD(Method):
    """Accelerated primal randomized coordinate descent; with l1 > 0 or l2 = 0 for uniform probabilities.

    References
    ----------
    Allen-Zhu, Qu, Richtarik & Yuan, Even faster accelerated coordinate descent using non-uniform sampling (2016); with
    l1 Lin, Lu & Xiao, An accelerated randomized proximal coordinate gradient method (2015); l2 = 0 Fercoq & Richtarik,
    Accelerated, parallel, and proximal coordinate descent (2015).
    """

    name: ClassVar[str] = "acc_rcd"
    reference: ClassVar[str] = "Allen-Zhu, Qu, Richtarik & Yuan 2016"
    side: ClassVar[str] = "primal"
    needs_smooth: ClassVar[bool] = True

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> Any:
        L, p = problem.coordinates(self.side).smoothness / problem.n, self.probabilities(problem, sampling)
        if proximal(problem):
            w = np.zeros(problem.d) if start is None else start.w.copy()
            return begun(w, problem.predict(w), L, problem.l2)
        M2 = float((L / p**2).max())
        tau = 2 / (1 + math.sqrt(1 + 4 * M2 / problem.l2))
        eta = 1 / (tau * M2)
        a = eta * problem.l2 * (1 - tau) / (eta * problem.l2 + tau)
        mq = np.zeros((problem.d, 2))
        if start is not None:
            mq[:, 0] = start.w
        S = State(mq, np.zeros((problem.n, 2)), L, p, 1.0, tau, eta, a)
        self.refresh(problem, S)
        return S

    def epoch(self, P: View, S: Any, order: np.ndarray) -> Any:
        match S:
            case StrongState():
                return S._replace(r=strong_epoch(P, S, order))
            case ConvexState():
                return S._replace(theta=convex_epoch(P, S, order))
        return S._replace(r=acc_rcd_epoch(P, S, order))

    def points(self, problem: Problem, S: Any) -> Points:
        match S:  # the weight of the second of each pair
            case StrongState():
                second = S.r
            case ConvexState():
                second = before(S.theta)
            case _:
                second = (1 - S.a) * S.r
        w, z = (pairs @ np.array([1.0, second]) for pairs in S[:2])
        return Points(w, problem.alpha(w, z=z), z=z)

    def refresh(self, problem: Problem, S: Any) -> None:
        pairs, images = S[:2]
        images[:] = problem.X @ pairs

    def refusal(self, problem: Problem, sampling: Sampling) -> str | None:
        reason = super().refusal(problem, sampling)
        if reason is None and proximal(problem) and np.ptp(self.probabilities(problem, sampling)) > 0:
            where = "l1 > 0" if problem.l1 > 0 else "l2 = 0"
            return (
                f"{self.name} with {where} is proved here for uniform probabilities only, not for {sampling.name}: "
                "use uniform, or rcd"
            )
        return reason


def proximal(problem: Problem) -> bool:
    """Whether the problem is one for the methods of acc_rcd_proximal."""
    return problem.l1 > 0 or problem.l2 == 0
