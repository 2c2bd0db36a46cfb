"""ASDCA, accelerated mini-batch stochastic dual coordinate ascent.

Problem     min_w P(w) and max_alpha D(alpha), as in sdca.py, phi smooth, l2 > 0
Algorithm   u = (1 - theta) x + theta grad g*(v);  draw a set I of m examples
            alpha_i <- (1 - theta) alpha_i - theta phi'(x_i'u), i in I;  keep v = X'alpha/n
            x <- (1 - theta) x + theta grad g*(v)
            with gamma_s = gamma/R^2, k = gamma_s l2 n, theta = min{1, sqrt(k/m), k, k^(2/3)/m^(1/3)}/4
Guarantee   l1 = 0: E[m (P(x_t) - P*) + n (D* - D(alpha_t))] <= (1 - theta m/n)^t (its value at t = 0).
            With l1 > 0 no theorem is known; in practice it converges alike.
Reference   Shalev-Shwartz & Zhang, Accelerated mini-batch stochastic dual coordinate ascent (2013), Theorem 1
            Its phi_i are functions of w: with softmax (asdca_vectors_epoch) they are w -> phi(w'x_i), of w (d, K)
Notation    their gamma is gamma_s, of w -> phi(x_i'w): with ||x_i|| > 1, gamma in its place diverges. Their alpha_i in
            R^d is alpha_i x_i, with softmax x_i alpha_i' in R^(d x K); our v is theirs times l2
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ..numerics.checks import set_number_field
from ..numerics.jit import kernel
from ..numerics.lazy_prox import StepTable, step_table
from ..problems.points import View
from ..problems.problem import Problem
from ..regularizers import L2
from ..samplings import Batches, Sampling, SamplingLike
from .base import Points
from .blocks import MiniBatch


class State(NamedTuple):
    """The dual point, its v, and the primal average, which is brought up to date when it is read."""

    alpha: np.ndarray  # (n,) dual variables; (n, K) with softmax
    v: np.ndarray  # (d,) X'alpha/n; (d, K)
    x: np.ndarray  # (d, 2) l2 x_j, and the iteration that it is of; (d, K, 2)
    change: np.ndarray  # (n,) scratch: what a block adds to alpha; (n, K)
    t: float  # iterations done
    theta: float
    table: StepTable  # k steps x <- (1 - theta) x + theta c at once,
    plain: L2  # which are lazy_prox.py's with this regulariser, tau = theta/(1 - theta) and u = -c


@kernel
def asdca_epoch(P: View, S: State, order: Batches) -> float:
    """Take a step for each block of `order`, all of its examples from the same point. Returns t.

    x moves everywhere, but as long as v_j rests it is the same step towards c = grad g*(v)_j again and again: it is
    made up for when x_j is read. c and x are kept times l2.
    """
    alpha, v, x, change, t, theta, y, l2 = S.alpha, S.v, S.x, S.change, S.t, S.theta, P.y, P.reg.l2
    indices, starts, n = order.indices, order.starts, P.y.size
    for b in range(starts.size - 1):
        for k in range(starts[b], starts[b + 1]):  # the set I
            i = P.X.pick(indices, k, (alpha, change, y))
            slope = 0.0  # x_i'u
            for e in P.X.line(i):
                j = P.X.index(i, e)
                c = P.reg.shrink_at(j, v[j])
                x[j, 0] = S.table.steps(t - x[j, 1], x[j, 0], -c, S.plain)
                x[j, 1] = t
                slope += P.X.value(i, e) * ((1 - theta) * x[j, 0] + theta * c)
            change[i] = -theta * (alpha[i] + P.loss.grad_phi(slope / l2, y[i]))
        for k in range(starts[b], starts[b + 1]):
            i = indices[k]
            alpha[i] += change[i]
            P.X.add(i, change[i] / n, v)
        t += 1  # x <- (1 - theta) x + theta grad g*(v), when next read
    return t


@kernel
def asdca_vectors_epoch(P: View, S: State, order: Batches, room: np.ndarray) -> float:
    """The same for a loss of K predictions, given room (2, K)."""
    alpha, v, x, change, t, theta, y, l2 = S.alpha, S.v, S.x, S.change, S.t, S.theta, P.y, P.reg.l2
    indices, starts, n, u, slope = order.indices, order.starts, P.y.size, room[0], room[1]
    for b in range(starts.size - 1):
        for m in range(starts[b], starts[b + 1]):  # the set I
            i = P.X.pick(indices, m, (y,))
            for k in range(u.size):
                u[k] = 0.0
            for e in P.X.line(i):  # u'x_i
                j, value = P.X.index(i, e), P.X.value(i, e) / l2
                for k in range(u.size):
                    c = P.reg.shrink_at(j, v[j, k])
                    x[j, k, 0] = S.table.steps(t - x[j, k, 1], x[j, k, 0], -c, S.plain)
                    x[j, k, 1] = t
                    u[k] += value * ((1 - theta) * x[j, k, 0] + theta * c)
            P.loss.grad_phi_into(u, y[i], slope)
            for k in range(u.size):
                change[i, k] = -theta * (alpha[i, k] + slope[k])
        for m in range(starts[b], starts[b + 1]):
            i = indices[m]
            for k in range(u.size):
                alpha[i, k] += change[i, k]
            for e in P.X.line(i):
                j, value = P.X.index(i, e), P.X.value(i, e) / n
                for k in range(u.size):
                    v[j, k] += value * change[i, k]
        t += 1
    return t


def theta(k: float, m: int) -> float:
    """The step of Theorem 1, for k = gamma l2 n/R^2 and blocks of m.

    Its last term is a weighted geometric mean of the two before it: it never decides.
    """
    return min(1.0, (k / m) ** 0.5, k, k ** (2 / 3) / m ** (1 / 3)) / 4


@dataclass(frozen=True)
class ASDCA(MiniBatch[State]):
    """Accelerated mini-batch SDCA, for smooth losses.

    Parameters
    ----------
    batch_size : int, optional
        Examples updated together, drawn without replacement; 1 by default.
    theta : float in (0, 1), optional
        The step. Default: the one of Theorem 1; with a larger one the theorem does not hold.
    factor : float > 0, default 1
        Times which Theorem 1's step is taken, where theta is not given; above 1 the theorem does not hold.

    References
    ----------
    Shalev-Shwartz & Zhang, Accelerated mini-batch stochastic dual coordinate ascent (2013), Theorem 1.
    """

    theta: float | None = None
    factor: float = 1.0

    name: ClassVar[str] = "asdca"
    can_split_epoch: ClassVar[bool] = True
    summary: ClassVar[str] = "accelerated, dual, with small batches of examples"
    guarantee: ClassVar[str] = "n/(mθ) log"
    reference: ClassVar[str] = "Shalev-Shwartz & Zhang 2013"
    side: ClassVar[str] = "dual"
    needs: ClassVar[tuple[str, ...]] = ("l2", "smooth")
    takes: ClassVar[tuple[str, ...]] = ("l1", "vectors", "blocks", "bounds")
    samplings: ClassVar[tuple[str, ...]] = ("uniform", "tau_nice")

    def __post_init__(self) -> None:
        super().__post_init__()
        set_number_field(self, "theta", "a number between 0 and 1", high=1)
        set_number_field(self, "factor", "a number > 0", ())
        if self.theta is not None and self.factor != 1:
            raise ValueError("asdca's factor is of Theorem 1's step, and theta is another one: give one of them")

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        step = self.step(problem, sampling)
        alpha, x = problem.zeros(problem.n), np.zeros((problem.d, *problem.outputs, 2))
        if start is not None:
            alpha, x[..., 0] = start.alpha.copy(), problem.mu * start.w
        table = step_table(step / (1 - step), 1.0)
        return State(alpha, problem.v(alpha), x, problem.zeros(problem.n), 0.0, step, table, L2(1.0))

    def step(self, problem: Problem, sampling: SamplingLike) -> float:
        """The theta of a run."""
        if self.theta is not None:
            return self.theta
        m = round(self.probabilities(problem, sampling).sum())
        k = problem.n / problem.kappa if problem.kappa > 0 else np.inf
        return self.factor * theta(k, m)

    def objections(self, problem: Problem, sampling: Sampling) -> Iterator[str]:
        yield from super().objections(problem, sampling)
        if (step := self.step(problem, sampling)) >= 1:
            yield f"asdca's factor {self.factor:g} makes theta = {step:g} here, which must be below 1: take less"

    def epoch(self, P: View, S: State, order: Batches) -> State:
        if S.alpha.ndim == 1:
            return S._replace(t=asdca_epoch(P, S, order))
        return S._replace(t=asdca_vectors_epoch(P, S, order, np.empty((2, S.alpha.shape[1]))))

    def points(self, problem: Problem, S: State) -> Points:
        c = problem.reg.grad_g_conj(S.v)
        left = np.exp((S.t - S.x[..., 1]) * np.log1p(-S.theta))  # (1 - theta)^k
        return Points(problem.reg.clipped(c + left * (S.x[..., 0] / problem.mu - c)), S.alpha, v=S.v)

    def refresh(self, problem: Problem, S: State) -> None:
        S.v[:] = problem.v(S.alpha)
