"""auto: coordinate descent first, Newton's method or acceleration as soon as that promises to be cheaper.

Box         begin with the first method that fits; when its epochs have cost a fifth of what the cheapest other would,
            and then each time they have grown by half, measure the gap; by its fall predict the epochs left until
            `aim`; where newton_cd or apcg would cost at most 0.85 of that from here, go on with it, once, from the
            same points
Costs       `costs.py`: epochs and Newton iterations in products of a nonzero, counted, not timed; so the same
            seed gives the same run on every machine
First       Newton's method at once where it costs no more than 30 epochs of sdca (for 1e-6; for the Lasso only by a
            Gram matrix); else the first that fits of: rcd on few features for the squared loss with l1 > 0; sdca in a
            random permutation, which leaves out examples on straight parts of the loss; Newton's method (l2 = 0, an
            intercept); and those of `shared/beginnings.py`
Guarantee   that of whichever runs: none of its own
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..losses import hess_lipschitz
from ..numerics import checks
from ..problems.certificates import certificate
from ..problems.problem import Problem
from ..samplings import Sampling, SamplingLike
from . import costs
from .apcg import APCG
from .base import Method, Points, smoothness_hint
from .shared.beginnings import NEWTON, ON_FEW, OTHERS, SHRINKING, UNIFORM, fitting, sampled
from .shared.screening import Active, LeavesOut

AIM = 1e-6
FIRST_LOOK, LOOKS = 4, 1.5  # epochs before the first gap is taken, and by what they grow then
AT_ONCE, ONE_STEP = 30.0, 20.0  # epochs of coordinate descent until AIM; where one exact step solves the problem
SAVING = 0.85  # of the cost that is left: a change must promise to cost less, as predicted costs err by more than 15%
FEW = 0.6  # of the nonzeros: where more would be left, all are, as drawing anew costs what that saves
WORTH = 0.2  # of what the cheapest other method costs, which is spent before the first look


class Orders(NamedTuple):
    """The orders of the methods that run; each draws from when it begins."""

    problem: Problem
    rng: np.random.Generator
    known: dict[str, Iterator[Any]]

    def next(self, method: Method) -> Any:
        """The method's next order."""
        if method.name not in self.known:
            self.known[method.name] = method.orders(self.problem, sampled(method), self.rng)
        return next(self.known[method.name])


class State(NamedTuple):
    """The method that runs, its state, and what is known about its progress."""

    method: Method
    core: Any
    words: str  # which methods ran, and why
    epochs: int
    visits: float  # nonzeros of the last epoch
    updates: int  # of the last epoch
    examples: float  # of the last epoch
    looked: tuple[int, float]  # epochs and logarithm of the relative gap at the last look
    next_look: int  # epochs; 0: nothing is left to choose
    began: int  # epochs after which the method began


@dataclass(frozen=True)
class Auto(LeavesOut):
    """Coordinate descent, Newton's method or accelerated descent, whichever promises to be cheapest.

    Parameters
    ----------
    aim : float > 0 or None, default None
        The relative gap that costs are predicted for. None: the `tol` of `solve`, or 1e-6.
    """

    aim: float | None = None

    name: ClassVar[str] = "auto"
    side: ClassVar[str] = "dual"
    takes_vectors: ClassVar[bool] = True
    takes_intercept: ClassVar[bool] = True
    samplings: ClassVar[tuple[str, ...]] = ("uniform",)  # solve's default: the methods choose theirs

    def __post_init__(self) -> None:
        if self.aim is not None:
            checks.number("auto's aim", self.aim, "a number > 0 or None")

    @property
    def label(self) -> str:
        return self.name

    def aimed(self, tol: float) -> Method:
        return replace(self, aim=tol) if self.aim is None and tol > 0 else self

    # ------------------------------------------------------------ the choice
    def _at_once(self, P: Problem) -> bool:
        """Whether Newton's method costs no more than coordinate descent usually needs."""
        if NEWTON.refusal(P, UNIFORM) is not None:
            return False
        if next(fitting(P)) is ON_FEW and costs.cheapest_model(P) == "columns":
            return False  # both would descend along columns, and rcd along few of them
        left = self._left()
        needed = costs.epoch(P, "dual") * left / -math.log(AIM)
        if hess_lipschitz(P.loss) == 0 and P.l1 == 0:
            return costs.model(P) <= ONE_STEP * needed
        return costs.newton(P, left) <= AT_ONCE * needed

    def _left(self) -> float:
        return -math.log(min(1.0, self.aim or AIM))

    def _others(self, P: Problem, left: float) -> dict[Method, float]:
        """What the methods that it may go on with cost, until the logarithm of the gap has fallen by `left`."""
        return {m: _cost_to_end(P, m, left) for m in OTHERS if m.refusal(P, UNIFORM) is None}

    def refusal(self, problem: Problem, sampling: Sampling) -> str | None:
        if sampling.name not in self.samplings:
            return (
                f"auto does not run with {sampling.name} sampling, because what it chooses draws in its own way: leave "
                "the sampling out, or name a method"
            )
        if any(fitting(problem)):
            return super().refusal(problem, sampling)
        if problem.intercept:
            return f"auto with an intercept needs a smooth loss, and {smoothness_hint(problem.loss)}"
        here = f"{problem.loss.name} with l2 = {problem.l2:g}, l1 = {problem.l1:g}"
        return f"auto knows no method for {here}: cdlab.advise(P) says which fit"

    def effective(self, sampling: Sampling) -> Sampling | None:
        return None

    def drawn(self, problem: Problem) -> np.ndarray:
        return np.zeros(problem.n, dtype=bool)  # nothing is asked of a sampling

    # ------------------------------------------------------------ the algorithm
    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        at_once = self._at_once(problem)
        method = NEWTON if at_once else next(fitting(problem))  # there is one, or it was refused before
        core = method.init(problem, sampled(method), start)
        look = 0
        if method is NEWTON:
            why = "at once: " + ("its models are cheap here" if at_once else "sdca does not fit")
        elif others := self._others(problem, self._left()):
            why = "to begin with"  # before a part of what another costs is spent, a change cannot save much
            look = max(FIRST_LOOK, math.ceil(WORTH * min(others.values()) / costs.epoch(problem, method.side)))
        else:
            why = "alone: neither Newton's method nor acceleration fits"
        return State(method, core, f"{method.label} {why}", 0, 0.0, 0, 0.0, (0, 0.0), look, 0)

    def view(self, problem: Problem) -> Problem:
        return problem

    def screens(self, problem: Problem) -> bool:
        return not self._at_once(problem) and next(fitting(problem)) is SHRINKING

    def screened(
        self, problem: Problem, S: State, points: Points, gap: float, active: Active
    ) -> tuple[State, Active, float]:
        everything = np.ones(problem.n, dtype=bool)
        if S.method is not SHRINKING:
            return S, Active(everything), 0.0
        core, active, visited = SHRINKING.screened(problem, S.core, points, gap, active)
        if problem.row_profile.counts[active.mask].sum() > FEW * problem.nnz:
            active = active._replace(mask=everything)
        return S._replace(core=core), active, visited

    def orders_among(
        self, problem: Problem, sampling: Sampling, rng: np.random.Generator, mask: np.ndarray
    ) -> Iterator[Any]:
        few = SHRINKING.orders_among(problem, sampled(SHRINKING), rng, mask)
        return repeat(Orders(problem, rng, {SHRINKING.name: few}))

    def orders(self, problem: Problem, sampling: Sampling, rng: np.random.Generator) -> Iterator[Any]:
        return repeat(Orders(problem, rng, {}))

    def epoch(self, P: Problem, S: State, order: Orders) -> State:
        drawn = order.next(S.method)
        core = S.method.epoch(S.method.view(P), S.core, drawn)
        updates, visits = S.method.count(P, core, drawn)
        examples = S.method.examples(P, core, drawn)
        S = S._replace(core=core, epochs=S.epochs + 1, visits=visits, updates=updates, examples=examples)
        return self._look(P, S) if S.epochs == S.next_look else S

    def _look(self, P: Problem, S: State) -> State:
        """Compare what is left for the method that runs with what the others would need."""
        points, visits = S.method.points(P, S.core), S.visits
        products = (points.z is None) + (points.v is None)
        S = S._replace(visits=visits + products * P.nnz / 2)
        level = _level(P, points)
        before, level_before = S.looked
        rate = (level_before - level) / (S.epochs - before)
        S = S._replace(looked=(S.epochs, level), next_look=math.ceil(LOOKS * S.epochs))
        left = max(0.0, level - math.log(self.aim or AIM))
        epochs = left / rate if rate > 0 else math.inf
        others = self._others(P, left)
        other = min(others, key=others.__getitem__)
        partial = S.method in (SHRINKING, ON_FEW)  # an epoch visits a part of the nonzeros, or some of them often
        share = visits / max(1, P.nnz) if partial else 1.0
        mine, its = epochs * share * costs.epoch(P, S.method.side), others[other]
        if not its < SAVING * mine:
            return S
        when = f"it promised {its / mine:.0%} of the work" if rate > 0 else f"{S.method.name} made no progress"
        why = f"{other.name} after {S.epochs} epochs, when {when}"
        core = other.init(P, UNIFORM, points)
        return S._replace(method=other, core=core, words=f"{S.words}; {why}", next_look=0, began=S.epochs)

    def ready(self, P: Problem, S: State) -> None:
        if S.epochs == S.began > 0:
            self.warm(P, S)

    def warm(self, P: Problem, S: State) -> None:
        S.method.warm(S.method.view(P), S.core)

    def count(self, problem: Problem, S: State, order: Any) -> tuple[int, float]:
        return S.updates, S.visits

    def examples(self, problem: Problem, S: State, order: Any) -> float:
        return S.examples

    def points(self, problem: Problem, S: State) -> Points:
        return S.method.points(problem, S.core)

    def refresh(self, problem: Problem, S: State) -> None:
        S.method.refresh(problem, S.core)

    def chosen(self, S: State) -> str:
        return S.words


def _cost_to_end(P: Problem, method: Method, left: float) -> float:
    """newton_cd or apcg, until the logarithm of the gap has fallen by `left`."""
    if isinstance(method, APCG):  # with l1 > 0 it brought nothing where it was measured
        return math.inf if P.l1 > 0 else costs.apcg(P, left)
    return costs.newton(P, left)


def _level(P: Problem, points: Points) -> float:
    """The logarithm of the relative gap; 0 where nothing is certified."""
    known = certificate(P, points, None)
    gap, scale = known.gap, max(P.at_zero - known.dual, 1e-6 * P.at_zero)
    return math.log(gap / scale) if 0 < gap < math.inf and scale > 0 else 0.0 if gap else -math.inf
