"""SDCA in mini-batches without any safeguard, as a method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from cdlab import Problem
from cdlab.methods import Points
from cdlab.methods.blocks import MiniBatch
from cdlab.numerics.jit import kernel
from cdlab.problems import View
from cdlab.samplings import Batches, SamplingLike


class State(NamedTuple):
    """The dual point, its v, and the curvatures along the coordinates."""

    alpha: np.ndarray  # (n,) dual variables
    v: np.ndarray  # (d,) X'alpha/n
    q: np.ndarray  # (n,) ||x_i||^2/(l2 n): n times the curvature of g*(X'alpha/n) along e_i (l1 > 0: a bound on it)
    change: np.ndarray  # (n,) scratch: what a block adds to alpha


@kernel
def naive_epoch(P: View, S: State, batches: Batches) -> None:
    """For each block the exact steps of its examples, all from the same w."""
    alpha, v, q, change, y, n = S.alpha, S.v, S.q, S.change, P.y, P.y.size
    starts, order = batches.starts, batches.indices
    for b in range(starts.size - 1):
        for k in range(starts[b], starts[b + 1]):
            i = P.X.pick(order, k, (alpha, q, y))
            u = P.X.dot(i, v, P.reg) / P.reg.l2  # u = x_i'w, w = grad g*(v)
            change[i] = -P.loss.dualprox(u, -alpha[i], q[i], y[i]) - alpha[i]
        for k in range(starts[b], starts[b + 1]):
            i = order[k]
            alpha[i] += change[i]
            P.X.add(i, change[i] / n, v)


@dataclass(frozen=True)
class NaiveSDCA(MiniBatch):
    """SDCA in blocks without any safeguard: to show what mini-batches need one for, and for nothing else.

    Parameters
    ----------
    batch_size : int, optional
        Examples updated together, drawn without replacement; 1 by default, which is SDCA.

    References
    ----------
    Takac, Bijral, Richtarik & Srebro, Mini-batch primal and dual methods for SVMs (2013).
    """

    name: ClassVar[str] = "naive_sdca"
    reference: ClassVar[str] = "Takac et al. 2013"
    side: ClassVar[str] = "dual"
    needs: ClassVar[tuple[str, ...]] = ("l2",)

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        alpha = np.zeros(problem.n) if start is None else start.alpha.copy()
        q = problem.row_profile.norms2 / (problem.l2 * problem.n)
        return State(alpha, problem.v(alpha), q, np.zeros(problem.n))

    def epoch(self, P: View, S: State, order: Batches) -> State:
        naive_epoch(P, S, order)
        return S

    def points(self, problem: Problem, S: State) -> Points:
        return Points(problem.reg.grad_g_conj(S.v), S.alpha, v=S.v)

    def refresh(self, problem: Problem, S: State) -> None:
        S.v[:] = problem.v(S.alpha)
