"""auto: coordinate descent first, Newton's method or acceleration as soon as that promises to be cheaper.

Algorithm   begin with the first method that fits; after eight epochs, or more where these have not cost a fifth of what
            the cheapest other would, and then each time they have grown by half, or at the latest when they have cost
            as much as that other would, measure the gap; by its fall predict the epochs left until `aim`; where
            newton_cd, ssnal (losses with kinks, or nearly) or apcg, or lbfgs where none of these fits, would cost at
            most 0.85 of that from here, go on with it from the same points. Each has
            one turn: newton_cd by conjugate gradients, whose number is the least certain, is looked at when it has
            cost twice the prediction
Costs       `cost_model.py`: epochs and Newton iterations in products of a nonzero, counted, not timed; so the same
            seed gives the same run on every machine
First       With an intercept and kinks ssnal at once where its models cost no more than its iterations in Python;
            Newton's method at once for the squared loss with l1 > 0, and where it costs no more than the epochs that
            sdca needs on such rows if they are independent, `cost_model.sdca_epochs`, or half as many again, as
            features often correlate (with l1 > 0 no more than 60, for 1e-6); else the first that fits of: sdca in a
            random permutation, which leaves out examples on straight parts of the loss; Newton's method (l2 = 0, an
            intercept), of losses with kinks ssnal; and the rest of FIRST_METHODS. With an intercept sdca begins only
            where the loss has kinks
Guarantee   that of whichever runs: none of its own
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ..losses import hess_lipschitz, smoothness_hint
from ..numerics import checks
from ..problems.certificates import certificate
from ..problems.problem import Problem
from ..problems.smoothed import can_smooth
from ..samplings import Permutation, Sampling, SamplingLike, Uniform
from ..samplings.base import Epochs, take
from . import cost_model
from .apcg import APCG
from .base import Count, Method, Points
from .dual_appa import DualAPPA
from .lbfgs import LBFGS
from .newton_cd import NewtonCD
from .rcd import RCD
from .sdca import SDCA
from .spdc import SPDC
from .ssnal import SSNAL
from .wrappers import Screened, WorkingSet
from .wrappers.screened import Active, ScreeningMethod

AIM = 1e-6
FIRST_EPOCHS, EPOCHS_GROWTH = 8, 1.5  # Epochs of the first phase, when descent is fastest; their growth afterwards.
CORRELATED_SHARE = 1.5  # sdca takes more than predicted where features are correlated, as on most data
UNKNOWN_EPOCHS = 60.0  # Epochs of sdca until AIM, where nothing predicts them.
STALLED_GROWTH = 2  # Factor of the epochs at the last larger gap after which there is no progress.
NEARLY_KINKED = 3e-3  # Share of P(0) up to which a gamma leaves newton_cd hardly a curved example to begin with.
LARGEST_COST_SHARE = 0.85  # Share of the remaining cost that a change must stay below: predictions err by 15%.
FIRST_SCREENED_EPOCHS = 3  # Epochs before which hardly any example leaves.
MAX_SCREENED_SHARE = 0.6  # Share of the nonzeros above which all stay: drawing anew would cost more.
FIRST_COST_SHARE = 0.2  # Share of the cheapest other method's cost spent before the first measurement.
LATEST_FIRST_MEASUREMENT = 200  # Epochs after which a method that has made little progress may stall.

PERMUTED, UNIFORM = Permutation(), Uniform()
PLAIN_SDCA, NEWTON, KINKS_NEWTON, WORKING_SET_RCD = SDCA(), NewtonCD(), SSNAL(), WorkingSet(RCD())
SHRINKING_SDCA = Screened(PLAIN_SDCA, "shrink")  # for losses with straight parts
ACCELERATED, QUASI_NEWTON = APCG(), LBFGS()
FIRST_METHODS: tuple[Method, ...] = (  # the first that fits begins
    SHRINKING_SDCA,
    PLAIN_SDCA,
    NEWTON,
    KINKS_NEWTON,
    WORKING_SET_RCD,
    QUASI_NEWTON,
    RCD(),
    DualAPPA(),
    SPDC(),
)
NEXT_METHODS: tuple[Method, ...] = (NEWTON, KINKS_NEWTON, ACCELERATED)  # one of which may go on,
LAST_METHODS: tuple[Method, ...] = (QUASI_NEWTON,)  # or this, where none of those fits
COSTS: dict[Method, Callable[[Problem, float], float]] = {  # until the logarithm of the gap has fallen so far
    NEWTON: lambda P, left: cost_model.newton(P, left).units,
    KINKS_NEWTON: cost_model.ssnal,
    ACCELERATED: cost_model.apcg,
    QUASI_NEWTON: cost_model.lbfgs,
}


class Orders(NamedTuple):
    """The orders of the methods that run; each draws from when it begins."""

    problem: Problem
    rng: np.random.Generator
    known: dict[str, Iterator[Any]]

    def take(self, method: Method, epochs: int) -> Any:
        """The orders of the method's next epochs, as one."""
        if method.name not in self.known:
            self.known[method.name] = method.orders(self.problem, sampling_for(method), self.rng)
        return take(self.known[method.name], epochs)


class Order(NamedTuple):
    """Input of `Auto.epoch`: so many epochs of these orders."""

    orders: Orders
    epochs: int


class Measurement(NamedTuple):
    """Due time of a measurement of the gap: after so many epochs of the current method, or passes if sooner."""

    epochs: float
    passes: float


NO_MEASUREMENT = Measurement(math.inf, math.inf)


class First(NamedTuple):
    """The method that begins: None fits where none is known; `at_once` if it is Newton's because it is cheap."""

    method: Method | None
    at_once: bool


_firsts: WeakKeyDictionary[Problem, dict[float | None, First]] = WeakKeyDictionary()


class Distance(NamedTuple):
    """Distance to the aim at the last measurement, or at the start."""

    epochs: int  # of the method that runs, until then
    passes: float  # in these
    to_aim: float  # of the logarithm of the relative gap


class State(NamedTuple):
    """The method that runs, its state, and what is known about its progress."""

    method: Method
    core: Any
    words: str  # which methods ran, and why
    later: tuple[Method, ...] | None  # that may still go on; None: not looked up yet
    epochs: int  # of the method that runs
    passes: float  # in these epochs; one of a working set may take hundreds
    pace: float  # passes of the last epoch
    last: Count  # of the last epoch
    distance: Distance
    next_measurement: Measurement


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
    takes: ClassVar[tuple[str, ...]] = ("l1", "vectors", "intercept", "bounds")
    sees: ClassVar[str] = "problem"
    samplings: ClassVar[tuple[str, ...]] = ("uniform",)  # solve's default: the methods choose theirs

    def __post_init__(self) -> None:
        if self.aim is not None:
            checks.number("auto's aim", self.aim, "a number > 0 or None")

    @property
    def label(self) -> str:
        return self.name

    # ------------------------------------------------------------ the choice
    def _first(self, P: Problem) -> First:
        """The method that begins; asked for when a run is checked, and when it begins."""
        known = _firsts.setdefault(P, {})
        if self.aim not in known:
            newton = newton_for(P)
            at_once = (newton is NEWTON and self._newton_at_once(P)) or self._kinks_at_once(P)
            known[self.aim] = First(newton if at_once else next(first_methods(P, newton), None), at_once)
        return known[self.aim]

    def _newton_at_once(self, P: Problem) -> bool:
        """Tell whether Newton's method should cost no more than coordinate descent."""
        if not fits(NEWTON, P):
            return False
        if P.l1 > 0 and hess_lipschitz(P.loss) == 0:
            return True  # its model is P, and of few features
        left, is_known = self._log_to_aim(), P.l1 == 0 and P.loss.gamma > 0
        enough = cost_model.epoch(P, "dual") * (CORRELATED_SHARE if is_known else 1.0)
        # the measurements of a descent take as much of Python as an iteration
        at_least = (cost_model.exact_iterations(P, left) - 1) * cost_model.ITERATION / enough
        if is_known and cost_model.sdca_epochs(P, left, at_least) < at_least:
            return False
        epochs = (cost_model.newton(P, left).units - cost_model.ITERATION) / enough
        if not is_known:
            return epochs <= UNKNOWN_EPOCHS * left / -math.log(AIM)
        return epochs <= cost_model.sdca_epochs(P, left, epochs)

    def _kinks_at_once(self, P: Problem) -> bool:
        """Tell whether there is an intercept, and ssnal's models cost no more than its iterations in Python."""
        if not P.intercept or KINKS_NEWTON.refusal(P, UNIFORM) is not None:
            return False
        in_python = cost_model.SSNAL_ITERATIONS * cost_model.ITERATION
        return cost_model.ssnal(P, cost_model.USUAL_FALL) - in_python <= in_python

    def _log_to_aim(self) -> float:
        return -math.log(min(1.0, self.aim or AIM))

    def refusal(self, problem: Problem, sampling: Sampling) -> str | None:
        if sampling.name not in self.samplings:
            return (
                f"auto does not run with {sampling.name} sampling, because what it chooses draws in its own way: leave "
                "the sampling out, or name a method"
            )
        return super().refusal(problem, sampling)

    def objections(self, problem: Problem, sampling: Sampling) -> Iterator[str]:
        if self._first(problem).method is not None:
            return
        if problem.intercept and problem.loss.gamma == 0:
            what = "l2 = 0" if problem.l2 == 0 else "a penalty factor of 0"
            if problem.l2 == 0 and problem.bounded:
                what += ", and bounds or penalty factors,"
            yield f"auto with an intercept and {what} needs a smooth loss, and {smoothness_hint(problem.loss)}"
        here = f"{problem.loss.name} with l2 = {problem.l2:g}, l1 = {problem.l1:g}"
        yield f"auto knows no method for {here}: cdlab.advise(P) says which fit"

    def draws(self, sampling: Sampling) -> Sampling | None:
        return None

    def must_be_drawn(self, problem: Problem) -> np.ndarray:
        return np.zeros(problem.n, dtype=bool)  # nothing is asked of a sampling

    # ------------------------------------------------------------ the algorithm
    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        method, at_once = self._first(problem)
        assert method is not None, "refused before"
        later = None if at_once else next_methods(problem, method)
        if method in (NEWTON, KINKS_NEWTON):
            why = "at once: " + ("its models are cheap here" if at_once else "sdca does not fit")
        else:
            why = "to begin with" if later else "alone: no other method is known that could go on"
        core = method.init(problem, sampling_for(method), start)
        return self._begin(problem, method, core, f"{method.label} {why}", later, self._log_to_aim())

    def _begin(
        self, P: Problem, method: Method, core: Any, words: str, later: tuple[Method, ...] | None, to_aim: float
    ) -> State:
        """The state in which a method begins, `to_aim` above the logarithm of the aim."""
        measurement = NO_MEASUREMENT
        if method not in NEXT_METHODS:
            measurement = Measurement(FIRST_EPOCHS, FIRST_EPOCHS / FIRST_COST_SHARE)
        elif _is_truncated(P, method):  # the gap falls late, so it may cost twice what was predicted, or as the other
            later = next_methods(P, method) if later is None else later
            others = min(_costs_to_end(P, later, to_aim).values(), default=math.inf)
            promised = cost_model.newton(P, cost_model.USUAL_FALL).units
            measurement = Measurement(math.inf, max(2 * promised, others) / _pass_cost(P, method))
        return State(method, core, words, later, 0, 0.0, 0.0, Count(0, 0.0), Distance(0, 0.0, to_aim), measurement)

    def can_screen(self, problem: Problem, S: State) -> bool:
        return S.method is SHRINKING_SDCA

    def screen(
        self, problem: Problem, S: State, points: Points, gap: float, active: Active
    ) -> tuple[State, Active, float]:
        everything = np.ones(problem.n, dtype=bool)
        if S.method is not SHRINKING_SDCA or S.epochs < FIRST_SCREENED_EPOCHS:
            return S, Active(everything), 0.0
        core, active, visited = SHRINKING_SDCA.screen(problem, S.core, points, gap, active)
        if problem.row_profile.counts[active.mask].sum() > MAX_SCREENED_SHARE * problem.nnz:
            active = active._replace(mask=everything)
        return S._replace(core=core), active, visited

    def orders_among(
        self, problem: Problem, sampling: Sampling, rng: np.random.Generator, mask: np.ndarray
    ) -> Iterator[Any]:
        few = SHRINKING_SDCA.orders_among(problem, sampling_for(SHRINKING_SDCA), rng, mask)
        orders = Orders(problem, rng, {SHRINKING_SDCA.name: few})
        return Epochs(lambda epochs: Order(orders, epochs))

    def orders(self, problem: Problem, sampling: Sampling, rng: np.random.Generator) -> Iterator[Any]:
        orders = Orders(problem, rng, {})
        return Epochs(lambda epochs: Order(orders, epochs))

    def epochs_together(self, problem: Problem, S: State) -> float:
        return min(S.next_measurement.epochs - S.epochs, S.method.epochs_together(problem, S.core))

    def estimated_gap(self, problem: Problem, S: State) -> float:
        return S.method.estimated_gap(problem, S.core)

    def epoch(self, P: Problem, S: State, order: Order) -> State:
        drawn = order.orders.take(S.method, order.epochs)
        core = S.method.epoch(S.method.view(P), S.core, drawn)
        S = _with_epochs(P, S, core, order.epochs, S.method.counted(P, core, drawn))
        if _is_look_due(S) and S.method not in NEXT_METHODS and not S.distance.epochs:
            S = _with_first_look(P, S)
        return self._change_if_cheaper(P, S) if _is_look_due(S) else S

    def _change_if_cheaper(self, P: Problem, S: State) -> State:
        """Go on with another method, if it needs clearly less for what is left than the one that runs."""
        later = next_methods(P, S.method) if S.later is None else S.later
        points = S.method.points(P, S.core)
        products = (points.z is None) + (points.v is None)
        S = S._replace(last=S.last._replace(visits=S.last.visits + products * P.nnz / 2))
        to_aim, before = self._distance_to_aim(P, points), S.distance
        fall, epochs = before.to_aim - to_aim, S.epochs - before.epochs
        passes = min(S.passes - before.passes, S.pace * epochs)  # as screening leaves out more and more
        passes_to_aim = to_aim * passes / fall if fall > 0 else math.inf
        mine, others = passes_to_aim * _pass_cost(P, S.method), _costs_to_end(P, later, to_aim)
        other = min(others, key=others.__getitem__)
        is_early = fall <= 0 and S.epochs < STALLED_GROWTH * before.epochs  # gaps may rise for a while
        if is_early or not others[other] < LARGEST_COST_SHARE * mine:
            epochs = STALLED_GROWTH * before.epochs if is_early else math.ceil(EPOCHS_GROWTH * S.epochs)
            passes = epochs / FIRST_COST_SHARE if S.method is not NEWTON else EPOCHS_GROWTH * S.passes
            last = before if is_early else Distance(S.epochs, S.passes, to_aim)
            return S._replace(distance=last, next_measurement=Measurement(epochs, passes))
        when = (
            f"it promised {others[other] / mine:.0%} of the work" if fall > 0 else f"{S.method.name} made no progress"
        )
        words = f"{S.words}; {other.name} after {S.epochs} epochs, when {when}"
        core = other.init(P, sampling_for(other), points)
        later = tuple(m for m in later if m is not other)
        if _is_truncated(P, other):
            to_aim = self._distance_to_aim(P, other.points(P, core))
        return self._begin(P, other, core, words, later, to_aim)._replace(last=S.last)

    def _distance_to_aim(self, P: Problem, points: Points) -> float:
        """The logarithm of the relative gap above that of the aim; from P(0) on where nothing is certified."""
        known = certificate(P, points, None)
        gap, scale = known.gap, max(P.at_zero - known.dual, 1e-6 * P.at_zero)
        if not (gap < math.inf and scale > 0):
            return self._log_to_aim()
        return max(0.0, self._log_to_aim() + math.log(gap / scale)) if gap else 0.0

    def warm(self, P: Problem, S: State) -> None:
        S.method.warm(S.method.view(P), S.core)

    def count(self, problem: Problem, S: State, order: Any) -> Count:
        return S.last

    def points(self, problem: Problem, S: State) -> Points:
        return S.method.points(problem, S.core)

    def refresh(self, problem: Problem, S: State) -> None:
        S.method.refresh(problem, S.core)


def _with_epochs(P: Problem, S: State, core: Any, epochs: int, did: Count) -> State:
    """The state after so many epochs more of its method."""
    passes = did.visits / max(1, P.nnz)
    return S._replace(core=core, epochs=S.epochs + epochs, passes=S.passes + passes, pace=passes / epochs, last=did)


def _is_look_due(S: State) -> bool:
    return S.epochs >= S.next_measurement.epochs or S.passes >= S.next_measurement.passes


def _with_first_look(P: Problem, S: State) -> State:
    """Return the state whose first measurement is due after a share of the cheapest other method's cost."""
    cheapest = min(_costs_to_end(P, S.later or (), S.distance.to_aim).values(), default=math.inf)
    if cheapest == math.inf:
        return S._replace(next_measurement=NO_MEASUREMENT)
    epochs = FIRST_COST_SHARE * cheapest / _pass_cost(P, S.method)
    epochs = max(FIRST_EPOCHS, math.ceil(min(epochs, LATEST_FIRST_MEASUREMENT)))
    return S._replace(next_measurement=Measurement(epochs, epochs / FIRST_COST_SHARE))


def _pass_cost(P: Problem, method: Method) -> float:
    """Return the cost of a pass: half of it are conjugate gradients' products, or all of it are steps."""
    return cost_model.truncated_pass(P) if method is NEWTON else cost_model.epoch(P, method.side)


def _costs_to_end(P: Problem, methods: tuple[Method, ...], left: float) -> dict[Method, float]:
    """Predict the cost of each of these methods until the logarithm of the gap has fallen by `left`."""
    return {m: COSTS[m](P, left) for m in methods}


def _is_truncated(P: Problem, method: Method) -> bool:
    """Tell whether it is Newton's method by nothing but conjugate gradients."""
    return method is NEWTON and cost_model.cheapest_way(P) == "truncated" and cost_model.way_after_truncated(P) is None


def newton_for(P: Problem) -> Method:
    """Return Newton's method for a loss: on its smoothed kinks where its own models see hardly any curvature.

    Not in a box, where ssnal does not go.
    """
    is_nearly_kinked = P.loss.gamma <= NEARLY_KINKED * P.at_zero and can_smooth(P.loss)
    return KINKS_NEWTON if is_nearly_kinked and not P.bounded else NEWTON


def first_methods(problem: Problem, newton: Method) -> Iterator[Method]:
    """The methods that auto may begin with, the best first; Newton's is this one."""
    left_out: list[Method] = [KINKS_NEWTON if newton is NEWTON else NEWTON]
    if problem.loss.gamma > 0 and cost_model.epoch(problem, "dual") < cost_model.SCREENING:
        left_out.append(SHRINKING_SDCA)  # of few epochs, each shorter than that
    if problem.loss.gamma > 0 and problem.intercept:
        left_out.append(PLAIN_SDCA)
    return (m for m in FIRST_METHODS if m not in left_out and fits(m, problem))


def fits(method: Method, problem: Problem) -> bool:
    """Tell whether the method takes the problem; uncertified, newton_cd has not been measured beside lbfgs."""
    is_measured = method is not NEWTON or problem.is_certified
    return is_measured and method.refusal(problem, sampling_for(method)) is None


def next_methods(problem: Problem, method: Method) -> tuple[Method, ...]:
    """The methods that may go on after this one, which has begun."""

    def fitting(methods: tuple[Method, ...]) -> tuple[Method, ...]:
        return tuple(m for m in methods if m != method and fits(m, problem))

    # with l1 > 0 acceleration brought nothing in what was measured, and of softmax it has not been
    known = (newton_for(problem), ACCELERATED)[: 2 if problem.l1 == 0 and not problem.outputs else 1]
    return fitting(known) or fitting(LAST_METHODS)[:1]


def sampling_for(method: Method) -> Sampling:
    """Return the sampling for a method: a random permutation where it takes one."""
    return PERMUTED if method.samplings is None or PERMUTED.name in method.samplings else UNIFORM
