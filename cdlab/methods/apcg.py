"""APCG, the accelerated proximal coordinate gradient method, on the dual.

Problem     min F(alpha) = -D(alpha) = f(alpha) + sum_i Psi_i(alpha_i), phi smooth, l2 > 0, with
            f = g*(X'alpha/n) + (gamma/(2n)) ||alpha||^2,  Psi_i = (phi*(-alpha_i) - (gamma/2) alpha_i^2)/n
Algorithm   y = (x + a z)/(1 + a);  z~ = (1 - a) z + a y;  pick i uniformly;  z <- z~, but
            z_i <- argmin_t { (Q_i/(2n)) (t - z~_i)^2 + grad_i f(y) t + Psi_i(t) };  x <- y + n a (z - z~)
            with mu = (gamma/n)/max_i L_i, a = sqrt(mu)/n, Q_i = n^2 a L_i;
            L_i = ||x_i||^2/(l2 n^2) + gamma/n is the smoothness of f along e_i ("individual"), or their maximum
Guarantee   E[D* - D(x_k)] <= (1 - sqrt(mu)/n)^k (D* - D(x_0) + (mu/2) sum_i L_i (x_0i - alpha*_i)^2);
            after a primal step, P(w) - P* <= (L_f/l2) (D* - D(x_k)), because (l2/2) ||w(x) - w*||^2 <= D* - D(x)
Reference   Lin, Lu & Xiao, An accelerated randomized proximal coordinate gradient method and its application to
            regularized empirical risk minimization (2015), Theorem 2.1 and its efficient form for dual problems
            Its x_i are blocks: with softmax (apcg_vectors_epoch) alpha_i in R^K is one. Where L_i is below
            gamma/(n sqrt(mu)) it is that: then Q_i - gamma is 0, not negative, as dualprox_into wants it, and mu L_i,
            all that the theorem asks of it, is at most gamma/n still
Notation    alpha is x_k; y is a point of the algorithm, P.y are the labels; their data matrix A is X'
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..numerics import checks
from ..numerics.checks import set_number_field
from ..numerics.jit import kernel
from ..numerics.matrices import scale_second
from ..problems.convexity import smoothness
from ..problems.points import View
from ..problems.problem import Problem
from ..samplings import SamplingLike
from .base import Count, Method, Points

SMALLEST_FACTOR = 1e-8  # Below it r is multiplied into u and p.
LARGEST_ROOT = 1 - 1e-8  # Largest sqrt(mu) = n a: it keeps rho > 0 with a single example that hardly matters.


class State(NamedTuple):
    """The two sequences of the method as combinations that a step leaves sparse."""

    u: np.ndarray  # (n,) x = v + r u and; (n, K) with softmax
    v: np.ndarray  # (n,) z = v - r u; (n, K)
    qp: np.ndarray  # (d, 2) q = X'v/n and p = X'u/n, side by side because they are read together; (d, K, 2)
    c: np.ndarray  # (n,) Q_i - gamma, the curvature of the step beside phi*: above -gamma, and can be below 0
    r: float  # rho^k, rho = (1 - a)/(1 + a)
    a: float  # sqrt(mu)/n
    gamma: float  # of the loss
    L_f: float  # smoothness of the mean loss in w; 0 without primal step
    extra: float  # passes spent beside the updates: finding L_f, and the primal step
    epochs: int  # done so far


@kernel
def apcg_epoch(P: View, S: State, order: np.ndarray) -> float:
    """Take an accelerated step for each coordinate of `order`. Returns r = rho^k.

    Change of variables: with y = v + rho^(k+1) u and z~ = v - rho^(k+1) u, a step moves no more than u_i and v_i,
    and q and p where x_i has nonzeros.
    """
    u, v, qp, c, y, n, l2, a, r = S.u, S.v, S.qp, S.c, P.y, P.y.size, P.reg.l2, S.a, S.r
    for k in range(order.size):
        i = P.X.pick(order, k, (u, v, c, y))
        r *= (1 - a) / (1 + a)
        slope = P.X.dot2(i, qp, r, P.reg)  # l2 x_i'w, w = grad g*(X'y/n): n grad_i f(y) = x_i'w + gamma y_i
        z = v[i] - r * u[i]  # z~_i, and y_i - z~_i = 2 r u_i
        change = -P.loss.dualprox(slope / l2 + S.gamma * 2 * r * u[i], -z, c[i], y[i]) - z
        if change != 0:
            du, dv = (n * a - 1) / (2 * r) * change, (n * a + 1) / 2 * change
            u[i] += du
            v[i] += dv
            P.X.add2(i, dv / n, du / n, qp)
        if r < SMALLEST_FACTOR:
            for m in range(n):
                u[m] *= r
            scale_second(qp, r)
            r = 1.0
    return r


@kernel
def apcg_vectors_epoch(P: View, S: State, order: np.ndarray, room: np.ndarray) -> float:
    """The same for a loss of K predictions, given room (3, K), row by row of u and v. Returns r = rho^k."""
    u, v, qp, c, y, n, l2, a, r = S.u, S.v, S.qp, S.c, P.y, P.y.size, P.reg.l2, S.a, S.r
    slope, old, new = room[0], room[1], room[2]
    for m in range(order.size):
        i = P.X.pick(order, m, (c, y))
        r *= (1 - a) / (1 + a)
        for k in range(slope.size):
            slope[k], old[k] = S.gamma * 2 * r * u[i, k], r * u[i, k] - v[i, k]  # the second is -z~_i
        for p in P.X.line(i):
            j, x = P.X.index(i, p), P.X.value(i, p) / l2
            for k in range(slope.size):
                slope[k] += x * P.reg.shrink_at(j, qp[j, k, 0] + r * qp[j, k, 1])
        P.loss.dualprox_into(slope, old, c[i], y[i], new)
        for k in range(slope.size):
            new[k] = old[k] - new[k]  # the change of z_i
            u[i, k] += (n * a - 1) / (2 * r) * new[k]
            v[i, k] += (n * a + 1) / 2 * new[k]
        for p in P.X.line(i):
            j, x = P.X.index(i, p), P.X.value(i, p) / n
            for k in range(slope.size):
                qp[j, k, 0] += (n * a + 1) / 2 * new[k] * x
                qp[j, k, 1] += (n * a - 1) / (2 * r) * new[k] * x
        if r < SMALLEST_FACTOR:
            for k in range(slope.size):
                for e in range(n):
                    u[e, k] *= r
                for j in range(qp.shape[0]):
                    qp[j, k, 1] *= r
            r = 1.0
    return r


@dataclass(frozen=True)
class APCG(Method[State]):
    """Accelerated proximal coordinate gradient, for the dual of smooth losses.

    Parameters
    ----------
    smoothness : "individual" or "uniform", default "individual"
        Each coordinate's own L_i, or the largest for all.
    convexity : float in (0, 1], optional
        mu, the strong convexity of -D in the norm sum_i L_i alpha_i^2. Default: (gamma/n)/max_i L_i, what theory
        guarantees; with a larger one the theorem does not hold.
    primal_step : bool, default False
        Report w = prox_{g/L_f}(w(x) - grad f(w(x))/L_f), f the mean loss, in place of w(x) = grad g*(X'x/n). What
        follows does not depend on it, so a run counts it once, in its first epoch: a pass for the step, and those that
        finding L_f takes.

    References
    ----------
    Lin, Lu & Xiao, An accelerated randomized proximal coordinate gradient method and its application to regularized
    empirical risk minimization (2015), Theorem 2.1.
    """

    smoothness: str = "individual"
    convexity: float | None = None
    primal_step: bool = False

    name: ClassVar[str] = "apcg"
    can_split_epoch: ClassVar[bool] = True
    summary: ClassVar[str] = "accelerated, dual, one example at a time"
    guarantee: ClassVar[str] = "(n + √(nκ)) log"
    reference: ClassVar[str] = "Lin, Lu & Xiao 2015"
    side: ClassVar[str] = "dual"
    needs: ClassVar[tuple[str, ...]] = ("l2", "smooth")
    takes: ClassVar[tuple[str, ...]] = ("l1", "vectors", "bounds")
    samplings: ClassVar[tuple[str, ...]] = ("uniform",)

    def __post_init__(self) -> None:
        checks.one_of("apcg's smoothness", self.smoothness, ("individual", "uniform"))
        set_number_field(self, "convexity", "a number in (0, 1]", high=1, ends="(]")
        checks.flag("apcg primal_step", self.primal_step)

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        n, gamma = problem.n, problem.loss.gamma
        nL = problem.dual_curvatures + gamma  # n L_i
        mu = gamma / nL.max() if self.convexity is None else self.convexity
        a = min(float(np.sqrt(mu)), LARGEST_ROOT) / n
        if self.smoothness == "uniform":
            nL = np.full(n, nL.max())
        c = n * a * nL - gamma
        if problem.outputs:
            c = np.maximum(c, 0.0)
        alpha = problem.zeros(n) if start is None else start.alpha.copy()
        qp = np.zeros((problem.d, *problem.outputs, 2))
        qp[..., 0] = problem.v(alpha)  # a proximal problem's shift of v is in q
        L_f, passes = smoothness(problem) if self.primal_step else (0.0, -1)
        return State(problem.zeros(n), alpha, qp, c, 1.0, a, gamma, L_f, passes + 1.0, 0)

    def epoch(self, P: View, S: State, order: np.ndarray) -> State:
        if S.u.ndim == 1:
            r = apcg_epoch(P, S, order)
        else:
            r = apcg_vectors_epoch(P, S, order, np.empty((3, S.u.shape[1])))
        return S._replace(r=r, epochs=S.epochs + 1)

    def count(self, problem: Problem, S: State, order: Any) -> Count:
        count = super().count(problem, S, order)
        return count._replace(visits=count.visits + S.extra * problem.nnz) if S.epochs == 1 else count

    def points(self, problem: Problem, S: State) -> Points:
        alpha, v = S.v + S.r * S.u, S.qp[..., 0] + S.r * S.qp[..., 1]
        w = problem.reg.grad_g_conj(v)
        if self.primal_step and S.epochs > 0:  # the start is reported as it is
            slope = problem.gradient(w) - problem.reg.l2s * w  # of the mean loss, and of a proximal problem's shift
            w = problem.reg.prox_g(w - slope / S.L_f, 1 / S.L_f)
        return Points(w, alpha, v=v)

    def refresh(self, problem: Problem, S: State) -> None:
        S.qp[..., 0] = problem.v(S.v)
        S.qp[..., 1] = problem.X.T @ S.u / problem.n
