"""SDCA and Prox-SDCA: exact maximisation of the dual along one random coordinate at a time, or along a block.

Problem     max_alpha D(alpha) = -(1/n) sum_i phi*(-alpha_i) - g*(X'alpha/n),  g = (l2/2)||.||^2 + l1||.||_1, l2 > 0
Algorithm   pick i;  alpha_i <- argmax of D along e_i (with l1 > 0: of its standard quadratic lower bound);
            keep v = X'alpha/n
Blocks      draw a random set S of examples; for all i in S, from the same w = grad g*(v):
            alpha_i <- argmax_a { -phi*(-a) - (a - alpha_i) x_i'w - (q_i/2)(a - alpha_i)^2 },  q_i = v_i/(l2 n),
            v_i from cdlab.eso(X, sampling, "dual"): g* is 1/l2-smooth, so in expectation D gains at least what this
            model says, for every loss, kinks included: for the hinge these are the safe mini-batches. ||x_i||^2 for v_i
            is the step of one example at a time
Intercept   b is the multiplier of sum_i alpha_i = 0 (sdca_free_epoch): steps are on the problem with the penalty
            (kappa/2)(b - c)^2, kappa = CENTRED_SHARE l2/mean ||x_i||^2, where b = c + mean(alpha)/kappa; and every n
            steps c <- b. Points are w with b, of a loss with kinks with the best b for w
Guarantee   1/gamma-smooth losses, uniform i: E[P - D] <= C (1 - 1/C)^t (D* - D_0), C = n + R^2/(l2 gamma);
            L-Lipschitz losses: O(n + L^2 R^2/(l2 eps)) updates for the averaged iterate; see cdlab.theory
Reference   Shalev-Shwartz & Zhang, Stochastic dual coordinate ascent methods for regularized loss minimization (2013),
            Procedure SDCA; Accelerated proximal SDCA (2014), Option I of Prox-SDCA, for l1 > 0
            With softmax (sdca_vectors_epoch) alpha_i, x_i'w are in R^K, alpha (n, K), w and v (d, K): the step is over
            the i-th row of alpha, and gamma and L are the loss's in the Euclidean norm: w -> w'x_i has the norm
            ||x_i||. Proximal stochastic dual coordinate ascent (2012), whose X_i is our x_i (x) I_K
            The intercept: Hestenes, Multiplier and gradient methods (1969), without a bound of ours
            Blocks: Csiba & Richtarik, Coordinate descent face-off: primal or dual? (2016), Algorithm 2; of the hinge
            Takac, Bijral, Richtarik & Srebro, Mini-batch primal and dual methods for SVMs (2013), the safe variant
Notation    our v is their v times l2 (lambda); our alpha, phi and w are theirs

The paper's step without an argmax, alpha_i += s_i (-phi'(x_i'w) - alpha_i) with s_i = l2 n gamma/(l2 n gamma +
||x_i||^2), has the same guarantee for smooth losses: it is ``Quartz(step="local")``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..numerics.jit import kernel
from ..problems.points import View
from ..problems.problem import Problem
from ..problems.smoothed import best_intercept, is_piecewise_linear
from ..regularizers import PerFeature, beside_intercept
from ..samplings import Batches, Sampling, SamplingLike
from .base import Points
from .blocks import OneOrMany
from .descent import Descent, dual_start

CENTRED_SHARE = 10.0  # A column of ones is so much smaller than rows of X: a larger one slows the steps down.


class State(NamedTuple):
    """The dual point, its v, and the curvatures along the coordinates."""

    alpha: np.ndarray  # (n,) dual variables; (n, K) with softmax
    v: np.ndarray  # (d,) X'alpha/n; (d, K)
    q: np.ndarray  # (n,) v_i/(l2 n), v_i = ||x_i||^2 but in blocks: n times the curvature along e_i, or more
    scratch: np.ndarray  # (3, K) with softmax: w'x_i, and -alpha_i before and after a step; else (3,), unused
    h: np.ndarray  # (n,) or (n, K), the new alpha of the current block; (0,) where examples come one at a time


class FreeState(NamedTuple):
    """The same with an intercept."""

    alpha: np.ndarray  # (n,) dual variables
    v: np.ndarray  # (d,) X'alpha/n, whose last is mean(alpha)
    q: np.ndarray  # (n,) n times the curvature along e_i, with that of the penalty of b
    center: np.ndarray  # (2,) c, and the steps since it was moved
    kappa: float
    h: np.ndarray  # (0,)


@kernel
def sdca_epoch(P: View, S: State, order: np.ndarray) -> None:
    """Take an exact step for each example of `order`, of alpha and v in place."""
    alpha, v, q, y, n = S.alpha, S.v, S.q, P.y, P.y.size
    for k in range(order.size):
        i = P.X.pick(order, k, (alpha, q, y))
        u = P.X.dot(i, v, P.reg) / P.reg.l2  # u = x_i'w, w = grad g*(v)
        new = -P.loss.dualprox(u, -alpha[i], q[i], y[i])  # maximise the dual along e_i
        if new != alpha[i]:
            P.X.add(i, (new - alpha[i]) / n, v)  # v += (alpha_i' - alpha_i) x_i/n
            alpha[i] = new


@kernel
def sdca_block_epoch(P: View, S: State, batches: Batches) -> None:
    """Take a step for each block, along all of its examples from the same w."""
    alpha, v, q, h, y, n, starts, order = S.alpha, S.v, S.q, S.h, P.y, P.y.size, batches.starts, batches.indices
    for b in range(starts.size - 1):
        for k in range(starts[b], starts[b + 1]):
            i = P.X.pick(order, k, (alpha, q, y))
            u = P.X.dot(i, v, P.reg) / P.reg.l2
            h[i] = -P.loss.dualprox(u, -alpha[i], q[i], y[i])
        for k in range(starts[b], starts[b + 1]):  # only now: all of a block starts from the same w
            i = order[k]
            if h[i] != alpha[i]:
                P.X.add(i, (h[i] - alpha[i]) / n, v)
                alpha[i] = h[i]


@kernel
def sdca_vectors_epoch(P: View, S: State, order: np.ndarray) -> None:
    """The same for a loss of K predictions, row by row of alpha."""
    alpha, v, q, y, n, K = S.alpha, S.v, S.q, P.y, P.y.size, S.alpha.shape[1]
    u, old, new = S.scratch[0], S.scratch[1], S.scratch[2]
    for m in range(order.size):
        i = P.X.pick(order, m, (q, y))
        for k in range(K):
            u[k], old[k] = 0.0, -alpha[i, k]
        for p in P.X.line(i):  # u = w'x_i, w = grad g*(v)
            j, x = P.X.index(i, p), P.X.value(i, p) / P.reg.l2
            for k in range(K):
                u[k] += x * P.reg.shrink_at(j, v[j, k])
        P.loss.dualprox_into(u, old, q[i], y[i], new)  # maximise the dual over row i
        for p in P.X.line(i):  # v += x_i (alpha_i' - alpha_i)'/n
            j, x = P.X.index(i, p), P.X.value(i, p) / n
            for k in range(K):
                v[j, k] += x * (old[k] - new[k])
        for k in range(K):
            alpha[i, k] = -new[k]


@kernel
def sdca_vectors_block_epoch(P: View, S: State, batches: Batches) -> None:
    """Take a step for each block, of a loss of K predictions, over all of its rows of alpha from the same w."""
    alpha, v, q, h, y, n, K = S.alpha, S.v, S.q, S.h, P.y, P.y.size, S.alpha.shape[1]
    u, old, starts, order = S.scratch[0], S.scratch[1], batches.starts, batches.indices
    for b in range(starts.size - 1):
        for m in range(starts[b], starts[b + 1]):
            i = P.X.pick(order, m, (q, y))
            for k in range(K):
                u[k], old[k] = 0.0, -alpha[i, k]
            for p in P.X.line(i):
                j, x = P.X.index(i, p), P.X.value(i, p) / P.reg.l2
                for k in range(K):
                    u[k] += x * P.reg.shrink_at(j, v[j, k])
            P.loss.dualprox_into(u, old, q[i], y[i], h[i])
        for m in range(starts[b], starts[b + 1]):
            i = order[m]
            for p in P.X.line(i):
                j, x = P.X.index(i, p), P.X.value(i, p) / n
                for k in range(K):
                    v[j, k] -= x * (h[i, k] + alpha[i, k])
            for k in range(K):
                alpha[i, k] = -h[i, k]


@kernel
def sdca_free_epoch(P: View, S: FreeState, order: np.ndarray) -> None:
    """The same with an intercept, a column of ones that is the last."""
    alpha, v, q, y, n, center = S.alpha, S.v, S.q, P.y, P.y.size, S.center
    last = v.size - 1
    for k in range(order.size):
        i = P.X.pick(order, k, (alpha, q, y))
        b = center[0] + v[last] / S.kappa
        u = P.X.dot(i, v, P.reg) / P.reg.l2 + (b - P.reg.shrink_at(last, v[last]) / P.reg.l2)
        new = -P.loss.dualprox(u, -alpha[i], q[i], y[i])
        if new != alpha[i]:
            P.X.add(i, (new - alpha[i]) / n, v)
            alpha[i] = new
        center[1] += 1
        if center[1] == n:
            center[0] += v[last] / S.kappa
            center[1] = 0


@dataclass(frozen=True)
class SDCA(OneOrMany, Descent[Any]):
    """Stochastic dual coordinate ascent, exact steps; Prox-SDCA when l1 > 0. Takes softmax, blocks, or an intercept.

    Parameters
    ----------
    batch_size : int, optional
        Examples updated together: with uniform sampling the same as ``TauNice(batch_size)``.

    References
    ----------
    Shalev-Shwartz & Zhang, Stochastic dual coordinate ascent methods for regularized loss minimization (2013); with l1
    Accelerated proximal SDCA (2014); softmax: Proximal stochastic dual coordinate ascent (2012); blocks: Csiba &
    Richtarik, Coordinate descent face-off: primal or dual? (2016), Algorithm 2.
    """

    name: ClassVar[str] = "sdca"
    can_split_epoch: ClassVar[bool] = True
    summary: ClassVar[str] = "exact steps on one example at a time"
    guarantee: ClassVar[str] = "(n + κ) log"
    reference: ClassVar[str] = "Shalev-Shwartz & Zhang 2013"
    side: ClassVar[str] = "dual"
    needs: ClassVar[tuple[str, ...]] = ("l2",)
    takes: ClassVar[tuple[str, ...]] = ("l1", "vectors", "intercept", "blocks", "bounds")

    def objections(self, problem: Problem, sampling: Sampling) -> Iterator[str]:
        yield from super().objections(problem, sampling)
        if problem.intercept and not self.draws(sampling).serial:
            other = "lbfgs" if problem.loss.gamma > 0 else "ssnal"
            yield f"sdca takes an intercept one example at a time: leave blocks out, or use {other}"
        if problem.intercept and problem.outputs:
            yield f"sdca takes {problem.loss.name} without an intercept: use lbfgs"

    def view(self, problem: Problem) -> View:
        P, reg = problem.by_rows, problem.feature_reg
        if isinstance(reg, PerFeature) and problem.intercept:  # the kernel takes out what this l2 gives b
            reg = beside_intercept(reg, problem.d - 1, l2=problem.mu)
        return P._replace(reg=reg)

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State | FreeState:
        alpha, h = dual_start(problem, start), self.scratch_of_blocks(problem, sampling)
        norms2 = self.norms2_in_blocks(problem, sampling)
        if not problem.intercept:
            q = norms2 / (problem.mu * problem.n) if h.size else problem.dual_curvatures
            return State(alpha, problem.v(alpha), q, np.zeros((3, *problem.outputs)), h)
        if problem.dual(alpha) < problem.dual_at_zero:  # as that of the null point may be: w(alpha) would be far off
            alpha[:] = 0.0
        norms2 = norms2 - 1  # without the column of ones
        kappa = CENTRED_SHARE * problem.mu / (float(norms2.mean()) or 1.0)
        own = norms2 / problem.mu if np.ndim(problem.feature_reg.l2s) == 0 else problem.dual_curvatures * problem.n
        q = (own + 1 / kappa) / problem.n
        center = np.array([0.0 if start is None else start.w[-1], 0.0])
        return FreeState(alpha, problem.v(alpha), q, center, kappa, h)

    def epoch(self, P: View, S: State | FreeState, order: Any) -> State | FreeState:
        if isinstance(S, FreeState):
            sdca_free_epoch(P, S, order)
        elif S.alpha.ndim == 1:
            (sdca_block_epoch if S.h.size else sdca_epoch)(P, S, order)
        else:
            (sdca_vectors_block_epoch if S.h.size else sdca_vectors_epoch)(P, S, order)
        return S

    def points(self, problem: Problem, S: State | FreeState) -> Points:
        if not isinstance(S, FreeState):
            return Points(problem.reg.grad_g_conj(S.v), S.alpha, v=S.v)
        w = problem.reg.grad_g_conj(S.v)  # 0 for the intercept
        z = problem.predict(w)
        b = best_intercept(problem, z) if is_piecewise_linear(problem.loss) else S.center[0] + S.v[-1] / S.kappa
        w[-1] = b
        return Points(w, S.alpha, z=z + b, v=S.v, products=1)
