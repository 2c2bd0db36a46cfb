"""Quartz, the dual RCD of the face-off: damped steps towards -phi'(x_i'w) along random dual coordinates.

Problem     max_alpha D(alpha), as in sdca.py, phi smooth, l2 > 0
Algorithm   draw a random set S of examples (one, or a block); for all i in S, from the same w:
            alpha_i += s_i (-phi'(x_i'w) - alpha_i);  keep v = X'alpha/n
            step="fixed": s_i = theta/q_i, theta = min_i q_i l2 n/(beta v_i + l2 n), q_i = Prob(i in S),
                          v_i from cdlab.eso(X, sampling, "dual"); serial: v_i = ||x_i||^2
            step="local": s_i = l2 n/(beta v_i + l2 n), never shorter (equal for importance sampling)
            step="long":  fixed steps with beta/2 in place of beta, up to twice as long
            w = grad g*(v), or with averaged_primal=True, before each update, w <- (1 - theta) w + theta grad g*(v)
Guarantee   any sampling with q_i > 0; averaged with fixed steps:
            E[P(w_t) - D(alpha_t)] <= (1 - theta)^t (P(w_0) - D(alpha_0));
            plain, fixed or local: the same with (D* - D(alpha_0))/theta in place of the first gap; plain, fixed or
            long, without l1: of (1/n) sum_i gamma (alpha_i - alpha*_i)^2 + (l2/2)||w - w*||^2 a share 1 - theta is left
Reference   Qu, Richtarik & Zhang, Quartz (2015); Csiba & Richtarik, Coordinate descent face-off: primal or dual?
            (2016), Algorithm 2 and Theorem 1, eq. (9). With uniform sampling and fixed steps it is dual-free SDCA, of
            gradients alone: Shalev-Shwartz, SDCA without duality, regularization, and individual convexity (2016), with
            eta = s/(l2 n) and their alpha ours
Notation    our X (n, d) is the transpose of theirs; v_i is their ESO parameter, v our X'alpha/n
"""

from __future__ import annotations

import warnings
from dataclasses import InitVar, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..numerics import checks
from ..numerics.jit import kernel, scalar
from ..problems.points import View
from ..problems.problem import Problem
from ..regularizers import L2
from ..samplings import Batches, SamplingLike
from .base import Points
from .blocks import OneOrMany
from .descent import Descent, dual_start

STEPS = ("fixed", "local", "long")
FOLD = 1e-100  # r is folded into e before it underflows


class State(NamedTuple):
    """The dual point, its v, and the steps."""

    alpha: np.ndarray  # (n,) dual variables
    v: np.ndarray  # (d,) X'alpha/n
    s: np.ndarray  # (n,) step lengths in (0, 1]
    h: np.ndarray  # (n,) scratch: steps of the current block; (0,) in serial runs


class AveragedState(NamedTuple):
    """The same with the averaged primal point, w = grad g*(v) + r e."""

    alpha: np.ndarray  # (n,) dual variables
    v: np.ndarray  # (d,) X'alpha/n
    s: np.ndarray  # (n,) step lengths in (0, 1]
    h: np.ndarray  # (n,) scratch: steps of the current block; (0,) in serial runs
    e: np.ndarray  # (d,) the averaged primal point is w = grad g*(v) + r e
    r: float
    theta: float
    plain: L2  # reads e as it is: L2's shrink is the identity


@kernel
def quartz_epoch(P: View, S: State, order: np.ndarray) -> None:
    """Take a damped step for each example of `order`, of alpha and v in place."""
    alpha, v, s, y, n = S.alpha, S.v, S.s, P.y, P.y.size
    for k in range(order.size):
        i = P.X.pick(order, k, (alpha, s, y))
        u = P.X.dot(i, v, P.reg) / P.reg.l2  # u = x_i'w, w = grad g*(v)
        change = -s[i] * (P.loss.grad_phi(u, y[i]) + alpha[i])
        alpha[i] += change
        P.X.add(i, change / n, v)


@scalar
def folded(r: float, e: np.ndarray) -> float:
    """1, after r has been multiplied into e."""
    for j in range(e.size):
        e[j] *= r
    return 1.0


@kernel
def quartz_averaged_epoch(P: View, S: AveragedState, order: np.ndarray) -> float:
    """Take a damped step, after one averaging, for each example of `order`. Returns r.

    Averaging moves every coordinate of w. With w = wb + r e, wb = grad g*(v), it is r *= 1 - theta: only what x_i
    touches moves, since w <- (1 - theta)(wb + r e) + theta wb = wb + (1 - theta) r e. An update of v must leave w
    alone, so e takes up -1/r times the change of wb.
    """
    alpha, v, s, e, y, n, l2, r = S.alpha, S.v, S.s, S.e, P.y, P.y.size, P.reg.l2, S.r
    for k in range(order.size):
        i = P.X.pick(order, k, (alpha, s, y))
        r *= 1 - S.theta  # w <- (1 - theta) w + theta grad g*(v)
        if r < FOLD:
            r = folded(r, e)
        u = P.X.dot(i, v, P.reg) / l2 + r * P.X.dot(i, e, S.plain)  # u = x_i'w
        change = -s[i] * (P.loss.grad_phi(u, y[i]) + alpha[i])
        alpha[i] += change
        P.X.add_shrunk(i, 1 / (r * l2), v, P.reg, e)  # keep w while v moves
        P.X.add(i, change / n, v)
        P.X.add_shrunk(i, -1 / (r * l2), v, P.reg, e)
    return r


@kernel
def quartz_block_epoch(P: View, S: State, batches: Batches) -> None:
    """Take a damped step for each block, all of its examples from the same w."""
    alpha, v, s, h, y, n, starts, order = S.alpha, S.v, S.s, S.h, P.y, P.y.size, batches.starts, batches.indices
    for b in range(starts.size - 1):
        for k in range(starts[b], starts[b + 1]):
            i = P.X.pick(order, k, (alpha, s, y))
            u = P.X.dot(i, v, P.reg) / P.reg.l2  # u = x_i'w, w = grad g*(v)
            h[i] = -s[i] * (P.loss.grad_phi(u, y[i]) + alpha[i])
        for k in range(starts[b], starts[b + 1]):  # only now: all of a block starts from the same w
            i = order[k]
            alpha[i] += h[i]
            P.X.add(i, h[i] / n, v)


@kernel
def quartz_averaged_block_epoch(P: View, S: AveragedState, batches: Batches) -> float:
    """One averaging a block; otherwise as quartz_averaged_epoch. Returns r."""
    alpha, v, s, h, e, y, n, l2, r = S.alpha, S.v, S.s, S.h, S.e, P.y, P.y.size, P.reg.l2, S.r
    starts, order = batches.starts, batches.indices
    for b in range(starts.size - 1):
        r *= 1 - S.theta  # w <- (1 - theta) w + theta grad g*(v)
        if r < FOLD:
            r = folded(r, e)
        for k in range(starts[b], starts[b + 1]):
            i = P.X.pick(order, k, (alpha, s, y))
            u = P.X.dot(i, v, P.reg) / l2 + r * P.X.dot(i, e, S.plain)  # u = x_i'w
            h[i] = -s[i] * (P.loss.grad_phi(u, y[i]) + alpha[i])
        for k in range(starts[b], starts[b + 1]):
            i = order[k]
            alpha[i] += h[i]
            P.X.add_shrunk(i, 1 / (r * l2), v, P.reg, e)  # keep w while v moves
            P.X.add(i, h[i] / n, v)
            P.X.add_shrunk(i, -1 / (r * l2), v, P.reg, e)
    return r


@dataclass(frozen=True)
class Quartz(OneOrMany, Descent[Any]):
    """Dual RCD with fixed steps, one coordinate or a block at a time; plain or averaged primal point.

    Parameters
    ----------
    batch_size : int, optional
        Examples updated together: with uniform sampling the same as ``TauNice(batch_size)``.
    step : "fixed", "local" or "long", default "fixed"
        theta/q_i as in the paper; the longest step that each coordinate's own bound allows; or theta/q_i with beta/2
        for beta in theta, for which the distances to w* and alpha* fall, and not the gap.
    averaged_primal : bool, default False
        Keep Quartz's averaged primal point instead of w = grad g*(v).
    averaged : bool, optional
        The former name of averaged_primal.

    References
    ----------
    Qu, Richtarik & Zhang, Quartz (2015);
    Csiba & Richtarik, Coordinate descent face-off: primal or dual? (2016), Algorithm 2 and Theorem 1, eq. (9).
    """

    step: str = "fixed"
    averaged_primal: bool = False
    averaged: InitVar[bool | None] = None

    name: ClassVar[str] = "quartz"
    can_split_epoch: ClassVar[bool] = True
    summary: ClassVar[str] = "fixed steps on one example at a time, those of the face-off's theorem"
    guarantee: ClassVar[str] = "max_i (βvᵢ + λn)/(qᵢλn) log"
    reference: ClassVar[str] = "Qu, Richtarik & Zhang 2015"
    side: ClassVar[str] = "dual"
    needs: ClassVar[tuple[str, ...]] = ("l2", "smooth")
    takes: ClassVar[tuple[str, ...]] = ("l1", "blocks", "bounds")

    def __post_init__(self, averaged: bool | None = None) -> None:
        super().__post_init__()
        if averaged is not None:
            warnings.warn("quartz's averaged is called averaged_primal now", DeprecationWarning, stacklevel=3)
            object.__setattr__(self, "averaged_primal", averaged)
        checks.one_of("quartz's step", self.step, STEPS)
        if checks.flag("quartz's averaged_primal", self.averaged_primal) and self.step == "long":
            raise ValueError('quartz averages w with "fixed" or "local" steps, not with "long" ones')

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> Any:
        p, smoothness, h = self.step_sizes(problem, sampling)
        local = problem.mu * problem.n / smoothness
        if self.step == "long":
            local = 2 * local / (1 + local)  # l2 n/(beta v_i/2 + l2 n)
        drawn = p > 0
        theta = float((p * local)[drawn].min())
        s = local if self.step == "local" else theta / np.where(drawn, p, np.inf)
        alpha = dual_start(problem, start)
        v = problem.v(alpha)
        if not self.averaged_primal:
            return State(alpha, v, s, h)
        return AveragedState(alpha, v, s, h, np.zeros(problem.d), 1.0, theta, L2(1.0))

    def epoch(self, P: View, S: Any, order: Any) -> Any:
        if not self.averaged_primal:
            (quartz_block_epoch if S.h.size else quartz_epoch)(P, S, order)
            return S
        return S._replace(r=(quartz_averaged_block_epoch if S.h.size else quartz_averaged_epoch)(P, S, order))

    @property
    def state_is_point(self) -> bool:
        return not self.averaged_primal

    def points(self, problem: Problem, S: Any) -> Points:
        at = super().points(problem, S)
        return Points(problem.reg.clipped(at.w + S.r * S.e), S.alpha, v=S.v) if self.averaged_primal else at

    def refresh(self, problem: Problem, S: Any) -> None:
        before = problem.reg.grad_g_conj(S.v)
        super().refresh(problem, S)
        if self.averaged_primal:  # the averaged w has no definition in alpha: keep it while v is refreshed
            S.e[:] += (before - problem.reg.grad_g_conj(S.v)) / S.r
