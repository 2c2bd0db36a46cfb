"""APCG, the accelerated proximal coordinate gradient method, on the dual: any sampling, one example or a block a step.

Problem     min F(alpha) = -D(alpha) = f(alpha) + sum_i Psi_i(alpha_i), phi smooth, l2 > 0, with
            f = g*(X'alpha/n) + (gamma/(2n)) ||alpha||^2,  Psi_i = (phi*(-alpha_i) - (gamma/2) alpha_i^2)/n
Algorithm   y = (x + a z)/(1 + a);  z~ = (1 - a) z + a y;  draw a random set S of examples (one, or a block), p_i =
            Prob(i in S);  z <- z~, but for all i in S
            z_i <- argmin_t { (Q_i/(2n)) (t - z~_i)^2 + grad_i f(y) t + Psi_i(t) };  x <- y + b (z - z~)
            with a = min_i p_i sqrt(gamma/(n L_i)), b_i = a/p_i, Q_i = n b_i L_i;
            L_i = v_i/(l2 n^2) + gamma/n ("individual"), or their maximum, with v_i from cdlab.eso(X, sampling, "dual");
            serial: v_i = ||x_i||^2, and L_i is the smoothness of f along e_i
Guarantee   E[D* - D(x_k)] <= (1 - a)^k (D* - D(x_0) + (1/2) sum_i b_i^2 L_i (x_0i - alpha*_i)^2), b_i^2 L_i <= gamma/n;
            fastest one by one with p_i ~ sqrt(L_i), which is the sampling lipschitz(0.5);
            after a primal step, P(w) - P* <= (L_f/l2) (D* - D(x_k)), because (l2/2) ||w(x) - w*||^2 <= D* - D(x)
Reference   Lin, Lu & Xiao, An accelerated randomized proximal coordinate gradient method and its application to
            regularized empirical risk minimization (2015), Theorem 2.1 and its efficient form for dual problems: single
            examples, all equally likely, where a = sqrt(mu)/n, mu = (gamma/n)/max_i L_i. Blocks and other
            probabilities: theory/theorems/apcg.py
            Its x_i are blocks: with softmax (apcg_vectors_epoch) alpha_i in R^K is one. Where L_i is below
            gamma/(n b_i) it is that: then Q_i - gamma is 0, not negative, as dualprox_into wants it, and b_i^2 L_i, all
            that the theorem asks of it, is at most gamma/n still
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
from ..samplings import BLOCKS, Batches, SamplingLike
from .base import Count, Points
from .blocks import OneOrMany, in_blocks

SMALLEST_FACTOR = 1e-8  # Below it r is multiplied into u and p.
LARGEST_ROOT = 1 - 1e-8  # Largest sqrt(mu) = n a: it keeps rho > 0 with a single example that hardly matters.


class State(NamedTuple):
    """The two sequences of the method as combinations that a step leaves sparse."""

    u: np.ndarray  # (n,) x = v + r u and z = v - r u; (n, K) with softmax
    v: np.ndarray  # (n,); (n, K)
    qp: np.ndarray  # (d, 2) q = X'v/n and p = X'u/n, side by side because they are read together; (d, K, 2)
    c: np.ndarray  # (n,) Q_i - gamma, the curvature of the step beside phi*: above -gamma, and can be below 0
    b: np.ndarray  # (n,) a/p_i; (0,) where all p are 1/n and a prediction is one number
    h: np.ndarray  # (n,) scratch: changes of the current block, (n, K) with softmax; (0,) where b is
    r: float  # rho^k, rho = (1 - a)/(1 + a)
    a: float  # sqrt(mu)/n where all p are 1/n
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
def apcg_block_epoch(P: View, S: State, batches: Batches) -> float:
    """Take a step for each block, of any probabilities, over all of its examples from the same y. Returns r."""
    u, v, qp, c, h, y, n, l2, a, r = S.u, S.v, S.qp, S.c, S.h, P.y, P.y.size, P.reg.l2, S.a, S.r
    starts, order = batches.starts, batches.indices
    for s in range(starts.size - 1):
        r *= (1 - a) / (1 + a)
        for k in range(starts[s], starts[s + 1]):
            i = P.X.pick(order, k, (u, v, c, y))
            slope = P.X.dot2(i, qp, r, P.reg)  # as in apcg_epoch
            z = v[i] - r * u[i]
            h[i] = -P.loss.dualprox(slope / l2 + S.gamma * 2 * r * u[i], -z, c[i], y[i]) - z
        for k in range(starts[s], starts[s + 1]):  # only now: all of a block starts from the same y
            i = order[k]
            if h[i] != 0:
                du, dv = (S.b[i] - 1) / (2 * r) * h[i], (S.b[i] + 1) / 2 * h[i]
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
def apcg_vectors_epoch(P: View, S: State, batches: Batches, room: np.ndarray) -> float:
    """The same for a loss of K predictions, given room (2, K), row by row of u and v; blocks may be of one example."""
    u, v, qp, c, h, y, n, l2, a, r = S.u, S.v, S.qp, S.c, S.h, P.y, P.y.size, P.reg.l2, S.a, S.r
    slope, old, starts, order = room[0], room[1], batches.starts, batches.indices
    for s in range(starts.size - 1):
        r *= (1 - a) / (1 + a)
        for m in range(starts[s], starts[s + 1]):
            i = P.X.pick(order, m, (c, y))
            for k in range(slope.size):
                slope[k], old[k] = S.gamma * 2 * r * u[i, k], r * u[i, k] - v[i, k]  # the second is -z~_i
            for p in P.X.line(i):
                j, x = P.X.index(i, p), P.X.value(i, p) / l2
                for k in range(slope.size):
                    slope[k] += x * P.reg.shrink_at(j, qp[j, k, 0] + r * qp[j, k, 1])
            P.loss.dualprox_into(slope, old, c[i], y[i], h[i])
            for k in range(slope.size):
                h[i, k] = old[k] - h[i, k]  # the change of z_i
        for m in range(starts[s], starts[s + 1]):
            i = order[m]
            in_u, in_v = (S.b[i] - 1) / (2 * r), (S.b[i] + 1) / 2
            for k in range(slope.size):
                u[i, k] += in_u * h[i, k]
                v[i, k] += in_v * h[i, k]
            for p in P.X.line(i):
                j, x = P.X.index(i, p), P.X.value(i, p) / n
                for k in range(slope.size):
                    qp[j, k, 0] += in_v * h[i, k] * x
                    qp[j, k, 1] += in_u * h[i, k] * x
        if r < SMALLEST_FACTOR:
            for k in range(slope.size):
                for e in range(n):
                    u[e, k] *= r
                for j in range(qp.shape[0]):
                    qp[j, k, 1] *= r
            r = 1.0
    return r


@dataclass(frozen=True)
class APCG(OneOrMany[State]):
    """Accelerated proximal coordinate gradient, for the dual of smooth losses, one example or a block at a time.

    Parameters
    ----------
    batch_size : int, optional
        Examples updated together: with uniform sampling the same as ``TauNice(batch_size)``.
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
    summary: ClassVar[str] = "accelerated, dual, one example or a block at a time"
    guarantee: ClassVar[str] = "(n + √(nκ)) log; max_i √(1 + vᵢ/(γλn))/pᵢ log for any p"
    reference: ClassVar[str] = "Lin, Lu & Xiao 2015"
    side: ClassVar[str] = "dual"
    needs: ClassVar[tuple[str, ...]] = ("l2", "smooth")
    takes: ClassVar[tuple[str, ...]] = ("l1", "vectors", "blocks", "bounds")
    zero_rows: ClassVar[str] = "drawn"
    samplings: ClassVar[tuple[str, ...]] = (
        *("uniform", "importance", "norms", "lipschitz", "clipped", "mixture", "given"),
        *BLOCKS,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.one_of("apcg's smoothness", self.smoothness, ("individual", "uniform"))
        set_number_field(self, "convexity", "a number in (0, 1]", high=1, ends="(]")
        checks.flag("apcg primal_step", self.primal_step)

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        n, gamma, h = problem.n, problem.loss.gamma, self.scratch_of_blocks(problem, sampling)
        own = self.norms2_in_blocks(problem, sampling) / (problem.mu * n) if h.size else problem.dual_curvatures
        p, nL = self.probabilities(problem, sampling), own + gamma  # n L_i
        largest = nL.max()
        if self.smoothness == "uniform":
            nL = np.full(n, largest)
        alpha = problem.zeros(n) if start is None else start.alpha.copy()
        if h.size == 0 and np.ptp(p) == 0 and not problem.outputs:
            mu = gamma / largest if self.convexity is None else self.convexity
            a = min(float(np.sqrt(mu)), LARGEST_ROOT) / n
            b, c = h, n * a * nL - gamma
        else:
            mu = gamma / nL if self.convexity is None else np.full(n, self.convexity)
            a = float((p * np.minimum(np.sqrt(mu), LARGEST_ROOT)).min())
            b, h = a / p, np.zeros(alpha.shape)
            c = b * nL - gamma
        if problem.outputs:
            c = np.maximum(c, 0.0)
        qp = np.zeros((problem.d, *problem.outputs, 2))
        qp[..., 0] = problem.v(alpha)  # a proximal problem's shift of v is in q
        L_f, passes = smoothness(problem) if self.primal_step else (0.0, -1)
        return State(problem.zeros(n), alpha, qp, c, b, h, 1.0, a, gamma, L_f, passes + 1.0, 0)

    def epoch(self, P: View, S: State, order: Any) -> State:
        order = in_blocks(S, order)
        if S.u.ndim == 2:
            r = apcg_vectors_epoch(P, S, order, np.empty((2, S.u.shape[1])))
        else:
            r = (apcg_block_epoch if S.h.size else apcg_epoch)(P, S, order)
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
