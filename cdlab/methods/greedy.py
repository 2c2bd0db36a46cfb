"""Greedy primal coordinate descent: always the coordinate that promises most. A reference for teaching.

Problem     min_w P(w) = (1/n) sum_i phi(x_i'w) + (l2/2)||w||^2, phi smooth, l2 > 0
Algorithm   g = grad P(w);  pick j = argmax |g_j| (Gauss-Southwell, rule="gs")
            or argmax |g_j|/sqrt(L_j), which gains most (Gauss-Southwell-Lipschitz, rule="gsl");
            w_j -= g_j/L_j;  keep z = X w
            with L_j = (beta ||X_:j||^2 + l2 n)/n
Guarantee   every step, nothing is random: P(w+) - P* <= rate (P(w) - P*),
            rate = 1 - l2/(d max_j L_j) for "gs" and 1 - l2/sum_j L_j for "gsl"
Cost        a gradient at every step: X'phi'(z), half a pass. `Count.ideal` counts the updates alone, as if
            somebody told j
Reference   Nutini, Schmidt, Laradji, Friedlander & Koepke, Coordinate descent converges faster with the Gauss-Southwell
            rule than random selection (2015), sections 3 and 6
Notation    our X (n, d) is the transpose of the face-off's; w is their x
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..numerics import checks
from ..numerics.jit import kernel
from ..problems.points import View
from ..problems.problem import Problem
from ..regularizers import L2
from ..samplings import Sampling, SamplingLike
from .base import Count, Method, Points

STEPS = 2  # Steps of an epoch: with half a pass for each it is about one pass.


class State(NamedTuple):
    """The iterate with X w and the derivatives there, so that a search costs half a pass."""

    w: np.ndarray  # (d,) primal variables
    z: np.ndarray  # (n,) X w
    derivative: np.ndarray  # (n,) phi'(z)
    L: np.ndarray  # (d,) smoothness of P along e_j
    scale: np.ndarray  # (d,) the score of j is scale_j |g_j|
    counts: np.ndarray  # (d,) nonzeros of each feature
    plain: L2  # reads derivative as it is: L2's shrink is the identity
    visited: int  # nonzeros of the features picked in the last epoch


@kernel
def greedy_epoch(P: View, S: State, steps: np.ndarray) -> int:
    """Take a step along the best coordinate for each entry of `steps`. Returns the nonzeros of those coordinates."""
    w, z, derivative, L, scale, y, n, visited = S.w, S.z, S.derivative, S.L, S.scale, P.y, P.y.size, 0
    for _ in range(steps.size):
        j, best, score = np.uint64(0), 0.0, -1.0
        for k in range(np.uint64(w.size)):
            g = P.X.dot(k, derivative, S.plain) / n + P.reg.of_coordinate(k).l2 * w[k]
            if scale[k] * abs(g) > score:
                j, best, score = k, g, scale[k] * abs(g)  # type: ignore[assignment]  # unsigned, too
        step = -best / L[j]
        w[j] += step
        for e in P.X.line(j):
            i = P.X.index(j, e)
            z[i] += step * P.X.value(j, e)
            derivative[i] = P.loss.grad_phi(z[i], y[i])
        visited += S.counts[j]
    return visited


@dataclass(frozen=True)
class Greedy(Method[State]):
    """Greedy primal coordinate descent by the Gauss-Southwell rule or its Lipschitz form, for teaching.

    Parameters
    ----------
    rule : "gs" or "gsl", default "gs"
        Gauss-Southwell, the steepest coordinate, or its Lipschitz form, the one that gains most.

    References
    ----------
    Nutini, Schmidt, Laradji, Friedlander & Koepke, Coordinate descent converges faster with the Gauss-Southwell rule
    than random selection (2015), sections 3 and 6.
    """

    rule: str = "gs"

    name: ClassVar[str] = "greedy"
    can_join_epochs: ClassVar[bool] = True
    summary: ClassVar[str] = "always the feature with the largest gradient; nothing is drawn"
    guarantee: ClassVar[str] = "d L_max/λ log, or ΣLⱼ/λ log by its Lipschitz form"
    reference: ClassVar[str] = "Nutini et al. 2015"
    side: ClassVar[str] = "primal"
    needs: ClassVar[tuple[str, ...]] = ("l2", "smooth")
    takes: ClassVar[tuple[str, ...]] = ("intercept",)
    samplings: ClassVar[tuple[str, ...]] = ("uniform",)  # solve's default: none is drawn
    counts_ideal: ClassVar[bool] = True

    def __post_init__(self) -> None:
        checks.one_of("greedy's rule", self.rule, ("gs", "gsl"))

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        L = problem.coordinates(self.side).smoothness / problem.n
        scale = np.ones(problem.d) if self.rule == "gs" else 1 / np.sqrt(L)
        w = np.zeros(problem.d) if start is None else start.w.copy()
        counts = problem.column_profile.counts
        S = State(w, np.empty(problem.n), np.empty(problem.n), L, scale, counts, L2(1.0), 0)
        self.refresh(problem, S)
        return S

    def epoch(self, P: View, S: State, order: np.ndarray) -> State:
        return S._replace(visited=greedy_epoch(P, S, order))

    def points(self, problem: Problem, S: State) -> Points:
        return Points(S.w, -S.derivative, z=S.z)

    def refresh(self, problem: Problem, S: State) -> None:
        S.z[:] = problem.predict(S.w)
        S.derivative[:] = -problem.alpha(S.w, z=S.z)

    def draws(self, sampling: Sampling) -> Sampling | None:
        return None

    def orders(self, problem: Problem, sampling: Sampling, rng: np.random.Generator) -> Iterator[Any]:
        """Return as many entries as an epoch has steps; nothing is drawn."""
        while True:
            yield np.zeros(STEPS, np.uint64)

    def count(self, problem: Problem, S: State, order: Any) -> Count:
        return Count(order.size, order.size * problem.nnz / 2 + S.visited, ideal=S.visited)
