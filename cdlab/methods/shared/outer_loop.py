"""The part that outer loops share: running an inner method on P(w) + (weight/2)||w - center||^2 until that is solved.

A stage is one such inner problem. One epoch of an outer method is one epoch of its inner method, not one stage: a stage
can take hundreds of passes, and a run must be able to report and to stop within it. The outer step, which moves the
center, opens the next epoch instead of closing the last one, so that the record at the end of a stage shows the outer
iterate. Random numbers come from the run's own generator, through the inner method's orders.

The family of APPA, and when an inner problem is solved well enough:
With f(w) = P(w) + (lambda/2)||w - x||^2 around the center x, q = lambda/(lambda + mu) and a duality gap of at most
(lambda/2)||x' - x||^2 at the end x' of a stage,

    P(x') <= D_x(alpha') <= min f <= P* + q (P(x) - P*).

So a stage contracts P - P* as an exact proximal step is promised to (Lemma 3.1), and mu need not be known.
What a fixed accuracy c asks for in advance, in case x' - x is as short as it can be, is rarely needed.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...losses import logistic_arrays, smoothness_hint
from ...numerics import checks
from ...numerics.checks import set_integer_field, set_number_field
from ...problems.certificates import objectives
from ...problems.points import View
from ...problems.problem import Problem
from ...problems.proximal import ProximalProblem
from ...samplings import Batches, Sampling
from ...samplings.base import Epochs, joined
from ..base import Count, Method, Points
from ..descent import Descent, dual_start
from ..sdca import SDCA
from ..wrappers import Averaged
from .inner_problem import init_at, origin, proximal, shift
from .outer_steps import DIGITS, DRIFT, TESTS, PrimalStart, Progress, Tested, WarmStart, after_step, copied, sdca_stages

THEORY = "theory"
EMPTY_ORDER = np.empty(0, np.uint64)
ACCELERATED = ("apcg", "accprox_sdca")  # Inner methods that repay a small proximal weight.
PRIMAL = ("svrg",)  # Inner methods that start from w.


class Stage(NamedTuple):
    """An inner problem, its state, and the work so far."""

    problem: Problem  # the inner problem
    state: Any  # the inner method's state on it
    epochs: int = 0  # since the stage began
    due: int = 1  # the epochs after which the gap is tested next
    solved: bool = False  # the next epoch begins with the outer step
    at: Points | Any = None  # where the last gap test found the inner method, with z and v
    primal: float = np.nan  # the inner objective there
    dual: float = np.nan
    last: Count = Count(0, 0.0)  # of the last epoch; before the first one: what opening the stage visited


class OuterState(NamedTuple):
    """The outer variables, the inner problem that is being solved, and when that ends."""

    problem: Problem
    sampling: Any
    stage: Stage
    limit: float | None  # epochs a stage, inf: a single one; None: until certified
    outer: Any  # the outer variables, see outer_steps.py; None where there is no outer step
    weight: float  # of the proximal term
    c: float | None = None  # accuracy of the oracle, where one is asked for
    value: float = np.nan  # with which a stage's gain is compared, where an accuracy is asked for
    decrease: Any = None  # how its weight has done, where it decreases


@dataclass(frozen=True)
class OuterInner(Method[OuterState]):
    """An outer loop around an inner method.

    The ``limit`` of its state is the number of epochs a stage lasts, or None: until the inner duality gap is at most
    ``target``. A gap test counts as what it is: half a pass for z = X w, and as much for v where the inner method does
    not maintain it, or the gap is so small that the rounding in it would matter.

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
    can_join_epochs: ClassVar[bool] = True
    group: ClassVar[str] = "Proximal point"
    takes: ClassVar[tuple[str, ...]] = ("l1", "vectors", "bounds")  # if the inner method does; an instance blocks, too
    inners: ClassVar[tuple[str, ...]]  # methods that minimise around a center as they are, and suit this loop
    begins: ClassVar[Any] = WarmStart()  # the alpha at which a dual inner method begins a stage

    def __post_init__(self) -> None:
        if not isinstance(self.inner, Method):
            raise TypeError(
                f"{self.name}'s inner must be a method's instance such as SDCA(), not {checks.short_repr(self.inner)}"
            )
        object.__setattr__(self, "takes", (*type(self).takes, *("blocks",) * ("blocks" in self.inner.takes)))
        set_number_field(self, "prox_weight", "a finite number >= 0", ends="[)")
        set_integer_field(self, "epochs", "a whole number >= 1, or None")

    # ------------------------------------------------------------ what each loop says
    @abstractmethod
    def weight(self, problem: Problem) -> float:
        """The proximal weight (at the start, if it changes)."""

    @abstractmethod
    def next_stage(self, S: Any) -> Any:
        """The outer step: from where the stage ended to a new stage around the next center."""

    def target(self, S: Any, stage: Stage) -> float:
        """The gap at which the inner problem is solved, given the last gap test."""
        step = stage.at.w - S.outer.center
        return S.outer.allowed_gap(float(np.vdot(step, step)))

    # ------------------------------------------------------------ one epoch of it all
    def epoch(self, P: View, S: Any, order: Any) -> Any:
        """Run an epoch of the inner method, or one for each of several orders."""
        if self.stages_are_compiled(S):
            return self.compiled_epochs(S, order if isinstance(order, list) else [order])
        if not isinstance(order, list):
            return self.inner_epochs(self.next_stage(S) if S.stage.solved else S, order)
        done, iterations, visits, examples = 0, 0, 0.0, 0.0
        while done < len(order):
            S = self.next_stage(S) if S.stage.solved else S
            count = self.num_joined(S, len(order) - done)
            S = self.inner_epochs(S, joined(order[done : done + count]), count)
            last, done = S.stage.last, done + count
            iterations, visits, examples = iterations + last.iterations, visits + last.visits, examples + last.examples
        return S._replace(stage=S.stage._replace(last=Count(iterations, visits, examples)))

    def stages_are_compiled(self, S: Any) -> bool:
        """Tell whether a kernel runs epochs, gap tests and outer steps; else they are called one by one."""
        P = S.problem
        return (
            type(self.inner) is SDCA
            and not S.stage.state.h.size  # of blocks
            and S.limit is None
            and not (P.outputs or P.bounded)
            and not isinstance(P, ProximalProblem)
            and not logistic_arrays.fits(P.loss, P.n)
        )

    def compiled_epochs(self, S: Any, several: list[np.ndarray]) -> Any:
        """The same, by a kernel."""
        stage, Q, outer = S.stage, S.stage.problem, copied(S.outer)
        order, ends = joined([EMPTY_ORDER, *several]), np.array([0, *accumulate(map(len, several))], np.uint64)
        found = Tested.none(S.problem, Q.weight, Q.l2)
        if stage.solved:
            found.w[:], found.z[:] = stage.at.w, stage.at.z
        progress, orders = Progress(stage.epochs, stage.due, stage.solved, 0), Batches(order, ends)
        P = self.inner.view(Q)
        epochs, due, solved, sweeps = sdca_stages(P, stage.state, outer, self.begins, found, orders, progress)
        visits = self.inner.count(Q, stage.state, order).visits + sweeps * Q.nnz / 2
        last = Count(order.size, visits + (0 if stage.epochs else stage.last.visits), order.size)
        at = Points(found.w, stage.state.alpha, z=found.z, v=stage.state.v)
        Q = proximal(S.problem, Q.weight, outer.center)
        return S._replace(stage=Stage(Q, stage.state, epochs, due, solved, at, last=last), outer=outer)

    def num_joined(self, S: Any, most: int) -> int:
        """Return the epochs of the inner method that may run at once: those before the stage is tested, or ends."""
        if not self.inner.can_split_epoch:
            return 1
        end = S.stage.due if S.limit is None else S.limit
        return int(max(1, min(most, end - S.stage.epochs)))

    def inner_epochs(self, S: Any, order: Any, count: int = 1) -> Any:
        """The state after so many epochs of the inner method on one order, and after a gap test if one is due."""
        stage, inner, Q = S.stage, self.inner, S.stage.problem
        state = inner.epoch(inner.view(Q), stage.state, order)
        epochs, last = stage.epochs + count, inner.counted(Q, state, order)
        if not stage.epochs:
            last = last._replace(visits=stage.last.visits + last.visits)
        tests = S.limit is None and epochs >= stage.due
        solved = S.limit is not None and epochs >= S.limit
        stage = Stage(Q, state, epochs, stage.due, solved, stage.at, stage.primal, stage.dual, last)
        return S._replace(stage=self.tested(S, stage) if tests else stage)

    def reached(self, stage: Stage) -> Points:
        """The point that a stage would end at now."""
        return self.inner.points(stage.problem, stage.state)

    def tested(self, S: Any, stage: Stage) -> Stage:
        """The stage after a gap test.

        The next test comes a quarter of the stage's epochs later, and the first after three quarters of those that the
        last stage took: tests must not cost what they save.
        """
        Q, at, last = stage.problem, self.reached(stage), stage.last
        z = Q.X @ at.w if at.z is None else at.z
        v, sweeps = (Q.v(at.alpha), 2) if at.v is None else (at.v, 1)
        primal, dual = objectives(Q, Points(at.w, at.alpha, z=z, v=v))
        largest = size(Q, primal, dual)
        if sweeps == 1 and primal - dual <= DRIFT * largest:
            v, sweeps = Q.v(at.alpha), 2
            dual = Q.dual(at.alpha, v=v)
            largest = size(Q, primal, dual)
        at, due = Points(np.array(at.w), at.alpha, z=z, v=v), TESTS.next_test(stage.epochs)
        last = Count(last.iterations, last.visits + sweeps * Q.nnz / 2, last.examples, last.ideal)
        stage = Stage(Q, stage.state, stage.epochs, due, False, at, primal, dual, last)
        # a gap that is rounding is solved, too, whatever the target asks
        is_solved = primal - dual <= max(self.target(S, stage), DIGITS * largest)
        return stage._replace(solved=True) if is_solved else stage

    def opened(
        self,
        Q: Problem,
        sampling: Any,
        start: Points | None = None,
        of: Problem | None = None,
        swept: float = 0.0,
        due: int = 1,
    ) -> Stage:
        """The stage that solves Q from where `start` is, or from alpha = 0, first tested after `due` epochs.

        ``start.v`` belongs to the problem `of`; v moves with the center, in O(n + d): a warm start sweeps over nothing.
        """
        start, of = (origin(Q), Q) if start is None else (start, of)
        start = Points(start.w, start.alpha, v=None if start.v is None else start.v - shift(of) + shift(Q))
        return Stage(Q, init_at(self.inner, Q, sampling, start), due=due, last=Count(0, swept))

    def moved(self, S: Any, weight: float, center: np.ndarray, at: Points, swept: float = 0.0) -> Stage:
        """The next stage: around a new center, from the point `at`, whose v is that on the last stage's problem.

        `swept` are the nonzeros that the outer step visited.
        """
        old, Q = S.stage, proximal(S.problem, weight, center)
        if Q is old.problem:  # weight = 0, so there is no center: go on
            return old._replace(epochs=0, due=1, solved=False, last=Count(0, swept))
        due = TESTS.first_test(old.epochs)
        if at.v is None:  # a primal inner method starts from w alone, and makes X w for the points it ended at
            start = Points(at.w, origin(Q).alpha, v=origin(Q).v)
            return self.opened(Q, S.sampling, start, Q, swept + Q.nnz / 2, due)
        if isinstance(self.inner, Descent) and self.inner.state_is_point and Q.l2 == old.problem.l2:
            alpha, v = self.inner.coordinates(old.state)  # all else is as it was
            alpha[:], v[:] = dual_start(Q, at), at.v - shift(old.problem) + shift(Q)
            return Stage(Q, old.state, due=due, last=Count(0, swept))
        return self.opened(Q, S.sampling, at, old.problem, swept, due)

    def end(self, S: Any) -> Points:
        """The point that a solved stage ended at."""
        return self.reached(S.stage) if S.limit is not None else S.stage.at

    def bounded_points(self, problem: Problem, S: Any) -> Points | None:
        """The outer iterate, of stages that end by a certificate: the last center is made of it."""
        if S.limit is not None:
            return None
        w, z = (S.stage.at.w, S.stage.at.z) if S.stage.solved else (S.outer.iterate(), S.outer.z)
        return Points(w, problem.alpha(w, z=z), z=z, fresh=("z",))

    # ------------------------------------------------------------ Method, passed on to the inner one
    def points(self, problem: Problem, S: Any) -> Points:
        """The inner method's current point: where a stage ends, the outer iterate."""
        Q = S.stage.problem
        at = self.inner.points(Q, S.stage.state)
        if not problem.is_certified:  # there is no dual to report on
            z = problem.X @ at.w if at.z is None else at.z
            return Points(at.w, problem.alpha(at.w, z=z), z=z)
        return Points(at.w, at.alpha, z=at.z, v=None if at.v is None else at.v - shift(Q) + shift(problem))

    def refresh(self, problem: Problem, S: Any) -> None:
        self.inner.refresh(S.stage.problem, S.stage.state)

    def draws(self, sampling: Sampling) -> Sampling | None:
        return self.inner.draws(sampling)

    def must_be_drawn(self, problem: Problem) -> np.ndarray:
        drawn = self.inner.must_be_drawn(self.first(problem))
        # with the prox weight in l2, importance sampling draws zero rows, too
        return drawn if problem.mu > 0 else drawn & (problem.row_profile.norms2 > 0)

    def orders(self, problem: Problem, sampling: Sampling, rng: np.random.Generator) -> Iterator[Any]:
        """Return the orders of the inner method; of several epochs a list."""
        first = self.first(problem)
        orders = self.inner.orders(first, sampling, rng)
        if isinstance(orders, Epochs) and self.inner.can_split_epoch and self.inner.drawable(first) is None:
            return Epochs(lambda k: next(orders) if k == 1 else list(orders.draw(k).reshape(k, -1)))
        return Epochs(lambda k: next(orders) if k == 1 else [next(orders) for _ in range(k)])

    def count(self, problem: Problem, S: Any, order: Any) -> Count:
        return S.stage.last

    def warm(self, P: View, S: Any) -> None:
        if self.stages_are_compiled(S):
            self.compiled_epochs(S, [])
            return
        self.inner.warm(self.inner.view(S.stage.problem), S.stage.state)
        if S.outer is not None:
            after_step(S.outer, S.outer.center, None)

    def first(self, problem: Problem) -> Problem:
        """The inner problem around 0."""
        return proximal(problem, self.weight(problem), problem.zeros(problem.d))

    def objections(self, problem: Problem, sampling: Sampling) -> Iterator[str]:
        if self.inner.name not in self.inners:
            yield f"{self.name} cannot use {self.inner.name} inside: use {', '.join(self.inners)}"
        if isinstance(self.inner, Averaged):
            yield f"{self.name} cannot go on from an average: use {self.inner.name} with average=None inside"
        if self.prox_weight is None and problem.loss.gamma == 0:
            yield (
                f"{self.name} has a default prox_weight for smooth losses alone, and "
                f"{smoothness_hint(problem.loss)}, or give prox_weight"
            )
        if problem.mu == 0 and self.prox_weight == 0:
            yield f"{self.name} with prox_weight = 0 is {self.inner.name}, and l2 = 0: set prox_weight > 0"
        if (reason := self.inner.refusal(self.first(problem), sampling)) is not None:
            yield reason


@dataclass(frozen=True)
class ProximalPoint(OuterInner):
    """An outer loop that minimises P, which is mu-strongly convex, by approximate proximal steps.

    Parameters
    ----------
    mu : float > 0, optional
        Strong convexity of P; l2 if that is > 0.
    accuracy : float > 0 or "theory", optional
        By which factor a stage reduces the inner error; "theory" is what the paper's theorem asks for. By default a
        stage ends once its gap is small beside how far it has moved.
    """

    mu: float | None = None
    accuracy: float | str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        set_number_field(self, "mu", "a finite number > 0")
        set_number_field(self, "accuracy", 'a finite number > 0, "theory" or None', (THEORY, None))
        if self.epochs is not None and self.accuracy is not None:
            raise ValueError(f"{self.name} ends its stages by epochs or by accuracy; give one of them")

    @abstractmethod
    def theory(self, problem: Problem, mu: float) -> float | None:
        """The accuracy that the paper's guarantee needs; None if there is no such theory."""

    @abstractmethod
    def gained(self, S: Any, stage: Stage) -> float:
        """The stage's progress so far; the gap may be this divided by the accuracy."""

    def dual_point(self, Q: Problem, at: Points) -> tuple[Points, float]:
        """The w of `at` with alpha(w) = -phi'(X w) and its v on Q, and the nonzeros visited.

        These are half a pass for v, and as much for X w where it is not at hand.
        """
        z, sweeps = (Q.predict(at.w), 1 + at.w.any()) if at.z is None else (at.z, 1)
        alpha = Q.alpha(at.w, z=z)
        return Points(at.w, alpha, z=z, v=Q.v(alpha)), sweeps * Q.nnz / 2

    def beginning(self, Q: Problem, at: Points, weight: float) -> tuple[Points, float]:
        """Where a stage begins after one that ended at this point, with its v on Q, and the nonzeros visited."""
        is_new = isinstance(self.begins, PrimalStart) and self.inner.name not in PRIMAL and weight > 0
        return self.dual_point(Q, at) if is_new else (at, 0.0)

    def points(self, problem: Problem, S: Any) -> Points:
        """The inner method's current point; before an epoch was made from alpha(x), this and x."""
        at = super().points(problem, S)
        if S.stage.epochs or not isinstance(self.begins, PrimalStart) or S.weight == 0:
            return at
        x, z = S.outer.iterate(), S.outer.z
        return Points(x, problem.alpha(x, z=z), z=z, v=at.v)

    def convexity(self, problem: Problem) -> float | Any:
        """mu, or None if it is not known (methods that cannot do without it refuse such problems)."""
        return self.mu if self.mu is not None else problem.mu or None

    def weight(self, problem: Problem) -> float:
        if self.prox_weight is not None:
            return self.prox_weight
        weight = solving_weight(problem)
        return max(self.convexity(problem) or 0.0, weight / 1000) if self.inner.name in ACCELERATED else weight

    def stages_are_compiled(self, S: Any) -> bool:
        return S.c is None and super().stages_are_compiled(S)

    def stop(self, problem: Problem) -> tuple[float | None, float | None]:
        """The epochs of a stage, or None where it ends by a gap test; and the accuracy, where one is asked for."""
        if self.epochs is not None:
            return self.epochs, None
        if self.weight(problem) == 0:  # the inner problem is P itself: one endless stage
            return np.inf, None
        accuracy: Any = self.accuracy  # a number, or "theory"
        return None, self.theory(problem, self.convexity(problem)) if accuracy == THEORY else accuracy

    def target(self, S: Any, stage: Stage) -> float:
        if S.c is not None:
            return self.gained(S, stage) / S.c
        return super().target(S, stage)

    def objections(self, problem: Problem, sampling: Sampling) -> Iterator[str]:
        yield from super().objections(problem, sampling)
        if self.accuracy == THEORY:
            mu = self.convexity(problem)
            if mu is None or (self.weight(problem) > 0 and self.theory(problem, mu) is None):
                lacks = "how strongly convex P is: set l2 > 0, or give mu" if mu is None else "a smooth loss"
                yield f"{self.name} with accuracy='theory' needs {lacks}; or leave accuracy out"


def size(Q: Problem, primal: float, dual: float) -> float:
    """The size of the numbers that a gap is the difference of."""
    quadratic = 2 * Q.of_center if isinstance(Q, ProximalProblem) else 0.0
    return abs(primal) + abs(dual) + quadratic


def solving_weight(problem: Problem) -> float:
    """R^2/(gamma n): with this proximal weight coordinate ascent needs about 2n updates per digit of an inner problem.

    1 for X = 0, where every weight will do.
    """
    return problem.R**2 / (problem.loss.gamma * problem.n) or 1.0
