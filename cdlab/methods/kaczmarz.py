"""Randomized Kaczmarz: project w onto the solutions of one random equation at a time.

Problem     X w = y, a consistent system (the squared loss with l2 = l1 = 0); inconsistent, it does not converge
Algorithm   pick i with probability ||x_i||^2/||X||_F^2;  w += (y_i - x_i'w) x_i/||x_i||^2
Guarantee   E||w_t - w*||^2 <= (1 - sigma^2/||X||_F^2)^t ||w_0 - w*||^2, w* the solution nearest to w_0, sigma the
            smallest positive singular value of X. With any probabilities p > 0 of the nonzero rows the factor is
            1 - lambda, lambda the smallest positive eigenvalue of sum_i p_i x_i x_i'/||x_i||^2. An epoch that takes
            every row once, in whatever order ("permutation", "cyclic"), leaves at most 1 - 1/K of ||w - w*||^2, of our
            own: K = min{n + c, (1 + sqrt c)^2}/mu, c the sum of cos^2 over pairs of rows, mu the smallest positive
            eigenvalue of X'X with rows of norm 1
Reference   Strohmer & Vershynin, A randomized Kaczmarz algorithm with exponential convergence (2009), Theorem 2
Notation    their A is X, their b is y. The step is that of sdca with the squared loss as l2 -> 0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ..numerics.jit import kernel
from ..problems.certificates import points_of
from ..problems.points import View
from ..problems.problem import Problem
from ..samplings import Importance, Sampling, SamplingLike
from .base import Points
from .shared.linear_system import LinearSystem, inverse_norms


class State(NamedTuple):
    """The iterate, and the inverse squared norms of the rows."""

    w: np.ndarray  # (d,) the solution so far
    inverse: np.ndarray  # (n,) 1/||x_i||^2; 0 for rows of zeros


@kernel
def kaczmarz_epoch(P: View, S: State, order: np.ndarray) -> None:
    """Project w onto the equation of each row of `order` in turn."""
    w, inverse, y = S.w, S.inverse, P.y
    for k in range(order.size):
        i = P.X.pick(order, k, (inverse, y))
        residual = y[i] - P.X.dot(i, w, P.reg)
        P.X.add(i, residual * inverse[i], w)  # w += (y_i - x_i'w) x_i/||x_i||^2


@dataclass(frozen=True)
class Kaczmarz(LinearSystem[State]):
    """Randomized Kaczmarz for consistent linear systems.

    "uniform" sampling, solve's default, stands for the method's own probabilities ||x_i||^2/||X||_F^2, which are also
    those of "importance" here: rows of zeros are never drawn. For equal chances pass ``np.full(n, 1 / n)``.

    References
    ----------
    Strohmer & Vershynin, A randomized Kaczmarz algorithm with exponential convergence (2009), Theorem 2.
    """

    name: ClassVar[str] = "kaczmarz"
    can_split_epoch: ClassVar[bool] = True
    summary: ClassVar[str] = "satisfies one equation of X w = y at a time"
    guarantee: ClassVar[str] = "‖X‖²_F/σ²_min log"
    reference: ClassVar[str] = "Strohmer & Vershynin 2009"
    side: ClassVar[str] = "dual"
    zero_rows: ClassVar[str] = "skipped"  # no row of zeros says anything of w

    def draws(self, sampling: Sampling) -> Sampling:
        """The sampling that rows are drawn from."""
        return Importance() if sampling.name == "uniform" else sampling

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        w = np.zeros(problem.d) if start is None else start.w.copy()
        return State(w, inverse_norms(problem.row_profile.norms2) ** 2)

    def epoch(self, P: View, S: State, order: np.ndarray) -> State:
        kaczmarz_epoch(P, S, order)
        return S

    def points(self, problem: Problem, S: State) -> Points:
        return points_of(problem, S.w)
