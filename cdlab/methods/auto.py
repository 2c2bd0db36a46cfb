"""auto: coordinate descent first, Newton's method or acceleration as soon as that promises to be cheaper.

Algorithm   begin with the first method that fits; when its epochs have cost a fifth of what the cheapest other would,
            and then each time they have grown by half, or at the latest when they have cost as much as that other
            would, measure the gap; by its fall predict the epochs left until
            `aim`; where newton_cd or apcg would cost at most 0.85 of that from here, go on with it, once, from the
            same points
Costs       `cost_model.py`: epochs and Newton iterations in products of a nonzero, counted, not timed; so the same
            seed gives the same run on every machine
First       Newton's method at once where it costs no more than 30 epochs of sdca (for 1e-6), and for the squared loss
            with l1 > 0; else the first that fits of: sdca in a random permutation, which leaves out examples on
            straight parts of the loss; Newton's method (l2 = 0, an intercept); and the rest of FIRST_METHODS
Guarantee   that of whichever runs: none of its own
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..losses import hess_lipschitz, smoothness_hint
from ..numerics import checks
from ..problems.certificates import certificate
from ..problems.problem import Problem
from ..samplings import Permutation, Sampling, SamplingLike, Uniform
from . import cost_model
from .apcg import APCG
from .base import Count, Method, Points
from .dual_appa import DualAPPA
from .lbfgs import LBFGS
from .newton_cd import NewtonCD
from .rcd import RCD
from .sdca import SDCA
from .spdc import SPDC
from .wrappers import Screened, WorkingSet
from .wrappers.screened import Active, ScreeningMethod

AIM = 1e-6
FIRST_LOOK_EPOCHS, LOOK_GROWTH = 4, 1.5  # before the first gap is taken, and by what they grow then
AT_ONCE_EPOCHS, ONE_STEP_EPOCHS = 30.0, 20.0  # of coordinate descent until AIM; where one exact step solves the problem
LARGEST_COST_SHARE = 0.85  # of the cost that is left: a change must promise less, as predictions err by 15% and more
MAX_SCREENED_SHARE = 0.6  # of the nonzeros: where more would be left, all are, as drawing anew costs what that saves
FIRST_LOOK_SHARE = 0.2  # of what the cheapest other method costs, which is spent before the first look

PERMUTED, UNIFORM = Permutation(), Uniform()
PLAIN_SDCA, NEWTON, WORKING_SET_RCD = SDCA(), NewtonCD(), WorkingSet(RCD())
SHRINKING_SDCA = Screened(PLAIN_SDCA, "shrink")  # for losses with straight parts
FIRST_METHODS: tuple[Method, ...] = (  # the first that fits begins
    SHRINKING_SDCA,
    PLAIN_SDCA,
    NEWTON,
    WORKING_SET_RCD,
    LBFGS(),
    RCD(),
    DualAPPA(),
    SPDC(),
)
NEXT_METHODS: tuple[Method, ...] = (NEWTON, APCG())  # one of which may go on


class Orders(NamedTuple):
    """The orders of the methods that run; each draws from when it begins."""

    problem: Problem
    rng: np.random.Generator
    known: dict[str, Iterator[Any]]

    def next(self, method: Method) -> Any:
        """The method's next order."""
        if method.name not in self.known:
            self.known[method.name] = method.orders(self.problem, sampling_for(method), self.rng)
        return next(self.known[method.name])


class State(NamedTuple):
    """The method that runs, its state, and what is known about its progress."""

    method: Method
    core: Any
    words: str  # which methods ran, and why
    epochs: int
    passes: float  # in these epochs; one of a working set may take hundreds
    last: Count  # of the last epoch
    looked: tuple[int, float]  # epochs and logarithm of the relative gap at the last look
    next_look: int  # epochs; 0: nothing is left to choose


@dataclass(frozen=True)
class Auto(ScreeningMethod):
    """Coordinate descent, Newton's method or accelerated descent, whichever promises to be cheapest.

    Parameters
    ----------
    aim : float > 0 or None, default None
        The relative gap that costs are predicted for. None: the `tol` of `solve`, or 1e-6.
    """

    aim: float | None = None

    name: ClassVar[str] = "auto"
    side: ClassVar[str] = "dual"
    takes: ClassVar[tuple[str, ...]] = ("l1", "vectors", "intercept")
    sees: ClassVar[str] = "problem"
    samplings: ClassVar[tuple[str, ...]] = ("uniform",)  # solve's default: the methods choose theirs

    def __post_init__(self) -> None:
        if self.aim is not None:
            checks.number("auto's aim", self.aim, "a number > 0 or None")

    @property
    def label(self) -> str:
        return self.name

    # ------------------------------------------------------------ the choice
    def _newton_at_once(self, P: Problem) -> bool:
        """Whether Newton's method costs no more than coordinate descent usually needs."""
        if NEWTON.refusal(P, UNIFORM) is not None:
            return False
        if P.l1 > 0 and hess_lipschitz(P.loss) == 0:
            return True  # its model is P, and of few features
        left = self._log_to_aim()
        needed = cost_model.epoch(P, "dual") * left / -math.log(AIM)
        if hess_lipschitz(P.loss) == 0 and P.l1 == 0:
            return cost_model.model(P) <= ONE_STEP_EPOCHS * needed
        return cost_model.newton(P, left) <= AT_ONCE_EPOCHS * needed

    def _log_to_aim(self) -> float:
        return -math.log(min(1.0, self.aim or AIM))

    def _costs_of_next(self, P: Problem, left: float) -> dict[Method, float]:
        """What the methods that it may go on with cost, until the logarithm of the gap has fallen by `left`."""
        return {m: _cost_to_end(P, m, left) for m in NEXT_METHODS if m.refusal(P, UNIFORM) is None}

    def refusal(self, problem: Problem, sampling: Sampling) -> str | None:
        if sampling.name not in self.samplings:
            return (
                f"auto does not run with {sampling.name} sampling, because what it chooses draws in its own way: leave "
                "the sampling out, or name a method"
            )
        return super().refusal(problem, sampling)

    def objections(self, problem: Problem, sampling: Sampling) -> Iterator[str]:
        if any(first_methods(problem)):
            return
        if problem.intercept:
            yield f"auto with an intercept needs a smooth loss, and {smoothness_hint(problem.loss)}"
        here = f"{problem.loss.name} with l2 = {problem.l2:g}, l1 = {problem.l1:g}"
        yield f"auto knows no method for {here}: cdlab.advise(P) says which fit"

    def draws(self, sampling: Sampling) -> Sampling | None:
        return None

    def must_be_drawn(self, problem: Problem) -> np.ndarray:
        return np.zeros(problem.n, dtype=bool)  # nothing is asked of a sampling

    # ------------------------------------------------------------ the algorithm
    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        at_once = self._newton_at_once(problem)
        method = NEWTON if at_once else next(first_methods(problem))  # there is one, or it was refused before
        core = method.init(problem, sampling_for(method), start)
        look = 0
        if method is NEWTON:
            why = "at once: " + ("its models are cheap here" if at_once else "sdca does not fit")
        elif others := self._costs_of_next(problem, self._log_to_aim()):
            why = "to begin with"  # before a part of what another costs is spent, a change cannot save much
            cost = FIRST_LOOK_SHARE * min(others.values())
            look = max(FIRST_LOOK_EPOCHS, math.ceil(cost / cost_model.epoch(problem, method.side)))
        else:
            why = "alone: neither Newton's method nor acceleration fits"
        return State(method, core, f"{method.label} {why}", 0, 0.0, Count(0, 0.0), (0, 0.0), look)

    def can_screen(self, problem: Problem) -> bool:
        return next(first_methods(problem)) is SHRINKING_SDCA and not self._newton_at_once(problem)

    def screen(
        self, problem: Problem, S: State, points: Points, gap: float, active: Active
    ) -> tuple[State, Active, float]:
        everything = np.ones(problem.n, dtype=bool)
        if S.method is not SHRINKING_SDCA:
            return S, Active(everything), 0.0
        core, active, visited = SHRINKING_SDCA.screen(problem, S.core, points, gap, active)
        if problem.row_profile.counts[active.mask].sum() > MAX_SCREENED_SHARE * problem.nnz:
            active = active._replace(mask=everything)
        return S._replace(core=core), active, visited

    def orders_among(
        self, problem: Problem, sampling: Sampling, rng: np.random.Generator, mask: np.ndarray
    ) -> Iterator[Any]:
        few = SHRINKING_SDCA.orders_among(problem, sampling_for(SHRINKING_SDCA), rng, mask)
        return repeat(Orders(problem, rng, {SHRINKING_SDCA.name: few}))

    def orders(self, problem: Problem, sampling: Sampling, rng: np.random.Generator) -> Iterator[Any]:
        return repeat(Orders(problem, rng, {}))

    def epoch(self, P: Problem, S: State, order: Orders) -> State:
        drawn = order.next(S.method)
        core = S.method.epoch(S.method.view(P), S.core, drawn)
        last = S.method.counted(P, core, drawn)
        S = S._replace(core=core, epochs=S.epochs + 1, passes=S.passes + last.visits / max(1, P.nnz), last=last)
        is_due = S.epochs >= S.next_look or S.passes >= S.next_look / FIRST_LOOK_SHARE
        return self._change_if_cheaper(P, S) if S.next_look and is_due else S

    def _change_if_cheaper(self, P: Problem, S: State) -> State:
        """Go on with another method, if it needs clearly less for what is left than the one that runs."""
        points, visits = S.method.points(P, S.core), S.last.visits
        products = (points.z is None) + (points.v is None)
        S = S._replace(last=S.last._replace(visits=visits + products * P.nnz / 2))
        level = _level(P, points)
        before, level_before = S.looked
        rate = (level_before - level) / (S.epochs - before)
        S = S._replace(looked=(S.epochs, level), next_look=math.ceil(LOOK_GROWTH * S.epochs))
        left = max(0.0, level - math.log(self.aim or AIM))
        epochs = left / rate if rate > 0 else math.inf
        others = self._costs_of_next(P, left)
        other = min(others, key=others.__getitem__)
        partial = S.method in (
            SHRINKING_SDCA,
            WORKING_SET_RCD,
        )  # an epoch visits a part of the nonzeros, or some of them often
        share = visits / max(1, P.nnz) if partial else 1.0
        mine, its = epochs * share * cost_model.epoch(P, S.method.side), others[other]
        if not its < LARGEST_COST_SHARE * mine:
            return S
        when = f"it promised {its / mine:.0%} of the work" if rate > 0 else f"{S.method.name} made no progress"
        why = f"{other.name} after {S.epochs} epochs, when {when}"
        core = other.init(P, UNIFORM, points)
        return S._replace(method=other, core=core, words=f"{S.words}; {why}", next_look=0)

    def warm(self, P: Problem, S: State) -> None:
        S.method.warm(S.method.view(P), S.core)

    def count(self, problem: Problem, S: State, order: Any) -> Count:
        return S.last

    def points(self, problem: Problem, S: State) -> Points:
        return S.method.points(problem, S.core)

    def refresh(self, problem: Problem, S: State) -> None:
        S.method.refresh(problem, S.core)


def _level(P: Problem, points: Points) -> float:
    """The logarithm of the relative gap; 0 where nothing is certified."""
    known = certificate(P, points, None)
    gap, scale = known.gap, max(P.at_zero - known.dual, 1e-6 * P.at_zero)
    return math.log(gap / scale) if 0 < gap < math.inf and scale > 0 else 0.0 if gap else -math.inf


def _cost_to_end(P: Problem, method: Method, left: float) -> float:
    """newton_cd or apcg, until the logarithm of the gap has fallen by `left`."""
    if isinstance(method, APCG):  # with l1 > 0 it brought nothing where it was measured
        return math.inf if P.l1 > 0 else cost_model.apcg(P, left)
    return cost_model.newton(P, left)


def first_methods(problem: Problem) -> Iterator[Method]:
    """The methods that auto may begin with, the best first."""
    return (m for m in FIRST_METHODS if m.refusal(problem, sampling_for(m)) is None)


def sampling_for(method: Method) -> Sampling:
    """How auto draws for a method: in a random permutation where it can."""
    return PERMUTED if method.samplings is None or PERMUTED.name in method.samplings else UNIFORM
