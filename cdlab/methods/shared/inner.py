"""The part that outer loops share: running an inner method on P(w) + (weight/2)||w - center||^2 until that is solved.

A stage is one such inner problem. One epoch of an outer method is one epoch of its inner method, not one stage: a stage
can take hundreds of passes, and a run must be able to report and to stop within it. The outer step, which moves the
center, opens the next epoch instead of closing the last one, so that the record at the end of a stage shows the outer
iterate. Random numbers come from the run's own generator, through the inner method's orders.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...losses import smoothness_hint
from ...numerics import checks
from ...numerics.checks import set_integer_field, set_number_field
from ...problems.points import View
from ...problems.problem import Problem
from ...problems.proximal import ProximalProblem
from ...samplings import Sampling
from ..base import Method, Points
from ..sdca import SDCA
from .inner_problem import InnerProblem, origin, proximal, shift

DIGITS = 4 * np.finfo(float).eps  # of the objective: what is left of a gap that is 0
DRIFT = 1e-11  # of the objective: so much a maintained v can be off in D, after many updates


class Stage(NamedTuple):
    """An inner problem, how far it is solved, and what that took."""

    problem: Problem  # the inner problem
    state: Any  # the inner method's state on it
    epochs: int = 0  # since the stage began
    due: int = 1  # the epochs after which the gap is tested next
    solved: bool = False  # the next epoch begins with the outer step
    at: Points | Any = None  # where the last gap test found the inner method, with z and v
    primal: float = np.nan  # the inner objective there
    dual: float = np.nan
    iterations: int = 0  # of the last epoch
    visited: float = 0.0  # nonzeros, in the last epoch; before the first one: what opening the stage swept over


@dataclass(frozen=True)
class OuterInner(Method):
    """An outer loop around an inner method. Its states have the fields problem, sampling, stage and limit.

    ``limit`` is the number of epochs a stage lasts, or None: until the inner duality gap is at most ``target``. A gap
    test counts as what it is: half a pass for z = X w, and as much for v where the inner method does not maintain it,
    or the gap is so small that the rounding in it would matter.

    Parameters
    ----------
    inner : Method
        What solves the inner problems.
    prox_weight : float >= 0, optional
        Weight of (1/2)||w - center||^2; the default is in each method.
    epochs : int, optional
        Epochs a stage, instead of a certified stop.
    """

    inner: Method = SDCA()
    prox_weight: float | None = None
    epochs: int | None = None

    side: ClassVar[str] = "dual"
    takes_vectors: ClassVar[bool] = True  # if the inner method does
    inners: ClassVar[tuple[str, ...]]  # methods that minimise around a center as they are, and suit this loop

    def __post_init__(self) -> None:
        if not isinstance(self.inner, Method):
            raise TypeError(
                f"{self.name}'s inner must be a method's instance such as SDCA(), not {checks.short_repr(self.inner)}"
            )
        set_number_field(self, "prox_weight", "a finite number >= 0", ends="[)")
        set_integer_field(self, "epochs", "a whole number >= 1, or None")

    # ------------------------------------------------------------ what each loop says
    @abstractmethod
    def weight(self, problem: Problem) -> float:
        """The proximal weight (at the start, if it changes)."""

    @abstractmethod
    def next_stage(self, S: Any) -> Any:
        """The outer step: from where the stage ended to a new stage around the next center."""

    @abstractmethod
    def target(self, S: Any, stage: Stage) -> float:
        """The gap at which the inner problem is solved, given the last gap test."""

    # ------------------------------------------------------------ one epoch of it all
    def epoch(self, P: View, S: Any, order: Any) -> Any:
        if S.stage.solved:
            S = self.next_stage(S)
        stage, inner, Q = S.stage, self.inner, S.stage.problem
        state = inner.epoch(inner.view(Q), stage.state, order)
        iterations, visited = inner.count(Q, state, order)
        opening = stage.visited if stage.epochs == 0 else 0.0
        stage = stage._replace(state=state, epochs=stage.epochs + 1, iterations=iterations, visited=opening + visited)
        if S.limit is not None:
            stage = stage._replace(solved=stage.epochs >= S.limit)
        elif stage.epochs >= stage.due:
            stage = self.tested(stage)
            stage = stage._replace(solved=stage.primal - stage.dual <= max(self.target(S, stage), round_off(stage)))
        return S._replace(stage=stage)

    def reached(self, stage: Stage) -> Points:
        """The point that a stage would end at now."""
        return self.inner.points(stage.problem, stage.state)

    def tested(self, stage: Stage) -> Stage:
        """The stage after a gap test.

        The next test comes a quarter of the stage's epochs later: tests must not cost what they save.
        """
        Q, at = stage.problem, self.reached(stage)
        z = Q.X @ at.w if at.z is None else at.z
        primal, dual = Q.primal(at.w, z=z), -np.inf if at.v is None else Q.dual(at.alpha, v=at.v)
        if at.v is None or primal - dual <= DRIFT * size(Q, primal, dual):
            v, sweeps = Q.v(at.alpha), 2
            dual = Q.dual(at.alpha, v=v)
        else:
            v, sweeps = at.v, 1
        return stage._replace(
            at=Points(np.array(at.w), at.alpha, z=z, v=v),
            primal=primal,
            dual=dual,
            due=stage.epochs + 1 + stage.epochs // 4,
            visited=stage.visited + sweeps * Q.nnz / 2,
        )

    def opened(
        self, Q: Problem, sampling: Any, start: Points | None = None, of: Problem | None = None, swept: float = 0.0
    ) -> Stage:
        """The stage that solves Q from where `start` is, or from alpha = 0.

        ``start.v`` belongs to the problem `of`; v moves with the center, in O(n + d): a warm start sweeps over nothing.
        """
        start, of = (origin(Q), Q) if start is None else (start, of)
        start = Points(start.w, start.alpha, v=None if start.v is None else start.v - shift(of) + shift(Q))
        if not isinstance(Q, InnerProblem):
            return Stage(Q, self.inner.init(Q, sampling, start), visited=swept)
        Q.known = start
        state = self.inner.init(Q, sampling, start)
        Q.known = None  # from here on v means its definition
        return Stage(Q, state, visited=swept)

    def moved(self, S: Any, weight: float, center: np.ndarray, swept: float = 0.0) -> Stage:
        """The next stage: around a new center, from the alpha that the last one ended at.

        `swept` are the nonzeros that the outer step visited.
        """
        old, Q = S.stage, proximal(S.problem, weight, center)
        if Q is old.problem:  # weight = 0, so there is no center: go on
            return old._replace(epochs=0, due=1, solved=False, visited=swept)
        last = self.end(S)
        if last.v is not None:
            return self.opened(Q, S.sampling, Points(center, last.alpha, v=last.v), old.problem, swept)
        start = Points(center, origin(Q).alpha, v=origin(Q).v)  # a primal inner method starts from w alone
        return self.opened(Q, S.sampling, start, Q, swept + Q.nnz / 2)  # X w, for the points it ended at

    def end(self, S: Any) -> Points:
        """The point that a solved stage ended at."""
        return self.inner.points(S.stage.problem, S.stage.state) if S.limit is not None else S.stage.at

    # ------------------------------------------------------------ Method, passed on to the inner one
    def points(self, problem: Problem, S: Any) -> Points:
        """The inner method's current point: where a stage ends, the outer iterate."""
        Q = S.stage.problem
        at = self.inner.points(Q, S.stage.state)
        if problem.l2 == 0 and problem.l1 == 0:  # there is no dual to report on
            z = problem.X @ at.w if at.z is None else at.z
            return Points(at.w, problem.alpha(at.w, z=z), z=z)
        return Points(at.w, at.alpha, z=at.z, v=None if at.v is None else at.v - shift(Q) + shift(problem))

    def refresh(self, problem: Problem, S: Any) -> None:
        self.inner.refresh(S.stage.problem, S.stage.state)

    def effective(self, sampling: Sampling) -> Sampling | None:
        return self.inner.effective(sampling)

    def drawn(
        self, problem: Problem
    ) -> np.ndarray:  # with the prox weight in l2, importance sampling draws zero rows too
        return self.inner.drawn(self.first(problem)) & ((problem.l2 > 0) | (problem.row_profile.norms2 > 0))

    def orders(self, problem: Problem, sampling: Sampling, rng: np.random.Generator) -> Iterator[Any]:
        return self.inner.orders(self.first(problem), sampling, rng)

    def count(self, problem: Problem, S: Any, order: Any) -> tuple[int, float]:
        return S.stage.iterations, S.stage.visited

    def examples(self, problem: Problem, S: Any, order: Any) -> float:
        return self.inner.examples(S.stage.problem, S.stage.state, order)

    def warm(self, P: View, S: Any) -> None:
        self.inner.warm(self.inner.view(S.stage.problem), S.stage.state)

    @property
    def label(self) -> str:
        return super().label.replace(repr(self.inner), self.inner.label)

    def first(self, problem: Problem) -> Problem:
        """The inner problem around 0."""
        return proximal(problem, self.weight(problem), problem.zeros(problem.d))

    def refusal(self, problem: Problem, sampling: Sampling) -> str | None:
        if self.inner.name not in self.inners:
            return f"{self.name} cannot use {self.inner.name} inside: use {', '.join(self.inners)}"
        if getattr(self.inner, "average", None):
            return f"{self.name} cannot go on from an average: use {self.inner.name} with average=None inside"
        reason = super().refusal(problem, sampling)
        if reason is None and self.prox_weight is None and problem.loss.gamma == 0:
            reason = (
                f"{self.name} has a default prox_weight for smooth losses alone, and "
                f"{smoothness_hint(problem.loss)}, or "
                "give prox_weight"
            )
        if reason is None and problem.l2 == 0 and self.prox_weight == 0:
            reason = f"{self.name} with prox_weight = 0 is {self.inner.name}, and l2 = 0: set prox_weight > 0"
        return reason or self.inner.refusal(self.first(problem), sampling)


def round_off(stage: Stage) -> float:
    """A gap this small is rounding: the inner problem is solved, whatever the target asks."""
    return DIGITS * size(stage.problem, stage.primal, stage.dual)


def size(Q: Problem, primal: float, dual: float) -> float:
    """The size of the numbers that a gap is the difference of."""
    quadratic = Q.weight * np.vdot(Q.center, Q.center) if isinstance(Q, ProximalProblem) else 0.0
    return abs(primal) + abs(dual) + quadratic


def solving_weight(problem: Problem) -> float:
    """R^2/(gamma n): with this proximal weight coordinate ascent needs about 2n updates per digit of an inner problem.

    1 for X = 0, where every weight will do.
    """
    return problem.R**2 / (problem.loss.gamma * problem.n) or 1.0
