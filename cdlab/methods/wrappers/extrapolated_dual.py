"""Dual extrapolation: a better certificate for primal methods, from the dual points alpha(w) of the last sweeps.

alpha(w_k) = -phi'(X w_k) is as far from alpha* as w_k is from w*. For the squared loss and sweeps that repeat it is a
linear iteration: the combination of K consecutive points whose combined difference is smallest is alpha* itself once
K exceeds the degree of its minimal polynomial (at most d + 1). Elsewhere it is a guess, which costs nothing where it is
wrong: any alpha in the domain of phi* certifies, and the best one so far is kept, so that D never falls.

The run itself is left alone: w, passes and random numbers are those of the method.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ... import samplings
from ...losses.per_example import gradients
from ...numerics import checks
from ...problems.points import Points
from ...problems.problem import Problem
from ...samplings import Sampling, SamplingLike
from ..base import Method
from ..shared.anderson import POINTS, weights
from .wrapper import Wrapper

CURRENT, EXTRAPOLATED = "current", "extrapolated"
FAR_PREDICTION = 1e100  # Prediction at which phi' is as good as its limit.


class State(NamedTuple):
    """A run of a method, the dual points of its last sweeps, and the best dual point so far."""

    core: Any  # the method's own state
    points: np.ndarray  # (K + 1, n) alpha(w) after the last sweeps, the newest last
    rows: int  # in use, from the end
    period: int  # epochs after which the order repeats
    epochs: int  # since the last row
    alpha: np.ndarray  # (n,) the best dual point so far
    v: np.ndarray  # (d,) X'alpha/n
    dual: np.ndarray  # (1,) D(alpha)


@dataclass(frozen=True)
class ExtrapolatedDual(Wrapper):
    """The certificate's dual point is extrapolated from those of the last sweeps; the run itself stays as it is.

    Measuring costs one product with X more, and after each epoch alpha(w) is computed from X w.

    Parameters
    ----------
    method : Descent
        Of the primal.
    dual : "extrapolated"

    References
    ----------
    Massias, Gramfort & Salmon, Celer: a fast solver for the Lasso with dual extrapolation (2018).
    """

    dual: str = EXTRAPOLATED

    keyword: ClassVar[str] = "dual"
    off: ClassVar[str] = CURRENT
    wanted: ClassVar[str] = "a primal method whose state is its point, and with one wrapper at a time"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.one_of(f"{self.name}'s dual", self.dual, (EXTRAPOLATED,))

    @classmethod
    def fits(cls, method: Method) -> bool:
        return super().fits(method) and method.side == "primal"

    def wrapper_objections(self, problem: Problem, sampling: Sampling | None) -> Iterator[str]:
        if problem.outputs:
            yield f"{self.name}'s dual is for losses of one prediction, unlike {problem.loss.name}: leave dual out"
        if not problem.is_certified:
            yield f"{self.name}'s dual needs a dual point, and without l2 and l1 none is known: leave dual out"

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        core = self.method.init(problem, sampling, start)
        drawn = self.method.draws(samplings.resolve(sampling))
        period = 1 if drawn is None or drawn.period is None else drawn.period
        points = np.zeros((POINTS + 1, problem.n))
        points[-1] = self.method.points(problem, core).alpha
        nothing = np.zeros(problem.n), np.zeros(problem.d), np.array([-np.inf])
        return State(core, points, 1, period, 0, *nothing)

    def epoch(self, P: Any, S: State, order: Any) -> State:
        core = self.method.epoch(P, S.core, order)
        if S.epochs + 1 < S.period:
            return S._replace(core=core, epochs=S.epochs + 1)
        _, z = self.method.coordinates(core)
        S.points[:-1] = S.points[1:]
        S.points[-1] = -gradients(P.loss, z, P.y)
        return S._replace(core=core, rows=min(S.rows + 1, S.points.shape[0]), epochs=0)

    def points(self, problem: Problem, S: State) -> Points:
        """The method's w, and the best of its alpha(w), the extrapolated alpha, and the best one so far."""
        now = self.method.points(problem, S.core)
        for alpha in (now.alpha, *extrapolated(problem, S.points[-S.rows :])):
            v = problem.v(alpha)
            if (dual := problem.dual(alpha, v=v)) > S.dual[0]:
                S.alpha[:], S.v[:], S.dual[0] = alpha, v, dual
        if S.dual[0] == -np.inf:
            return now
        return Points(now.w, S.alpha.copy(), z=now.z, v=S.v.copy())

    def warm(self, P: Any, S: State) -> None:
        super().warm(P, S)
        gradients(P.loss, np.zeros(P.y.size), P.y)
        weights(np.empty((3, 0)))


def extrapolated(problem: Problem, points: np.ndarray) -> Iterator[np.ndarray]:
    """The combination of dual points (K + 1, n), one a row, in the domain of phi*; none of fewer than three points.

    phi*'s domain is the interval of the values of phi', so that each alpha_i is moved to the nearest end of its own.
    """
    if points.shape[0] < 3:
        return
    far = np.full(problem.n, FAR_PREDICTION)
    low, high = (-gradients(problem.loss, z, problem.loss_y) for z in (far, -far))
    yield np.clip(weights(points) @ points[1:], low, high)
