"""The base of every method: a frozen object of parameters, with a state it starts from and an epoch that moves it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np

from .. import samplings
from ..losses import smoothness_hint
from ..numerics import checks
from ..numerics.profiles import count_nonzeros
from ..numerics.user_classes import check_class_facts, check_instantiation
from ..problems.points import Points, View
from ..problems.problem import Problem
from ..samplings import Batches, Sampling, SamplingLike, normalised
from .shared.overflow import within_float64

SIDES = ("dual", "primal")
DECLARED = {
    "name": 'name: ClassVar[str] = "my_method"',
    "side": 'side: ClassVar[str] = "primal"  (or "dual")',
}


@dataclass(frozen=True)
class Method(ABC):
    """A solver's parameters and formulas: derive a frozen dataclass, in a file of yours or here.

    A run does, with ``P = method.view(problem)``:

        S = method.init(problem, sampling, start)
        S = method.epoch(P, S, order)          # again and again; `order` comes from method.orders(...)
        w, alpha of method.points(problem, S)  # when it measures, with the clock stopped

    and the three that every method has to write get this:

    ``init(self, problem, sampling, start=None) -> state``
        problem : the whole `Problem`: n, d, X, y, l2, l1, loss, ``predict(w)`` = X w, ``v(alpha)`` = X'alpha/n,
        ``alpha(w)``, ``row_profile`` and ``column_profile`` (``.norms2``, ``.counts``), ``coordinates(side)``
        (``.smoothness`` is n times the smoothness of P along each feature).
        sampling : what draws coordinates; ``self.probabilities(problem, sampling)`` are its p (m,).
        start : None, or `Points`; dual methods start at start.alpha (n,), primal ones at start.w (d,).
        The state is a NamedTuple of arrays (and numbers) that kernels can take: all that the method remembers. No field
        may be called like a formula of structs (g, dot, phi, ...).
    ``epoch(self, P, S, order) -> state``
        P : what kernels see, a `View`: ``P.X``, the rows of X if side is "dual", else its columns (``P.X.dot(i, v,
        P.reg)``, ``P.X.slope(j, z, y, P.loss)``, ``P.X.add(i, c, v)``; see `cdlab.numerics.matrix_lines`),
        ``P.y`` (n,), ``P.loss`` with its formulas, ``P.reg`` with ``l2``, ``l1`` and its formulas.
        order : uint64 coordinates, one after another, about as many as there are; with ``takes_blocks`` a `Batches`.
        It may be empty: that is how a run compiles. Arrays of S are updated in place; numbers by ``S._replace(...)``;
        the state is returned in any case.
    ``points(self, problem, S) -> Points(w, alpha, z=None, v=None)``
        w (d,) and an alpha (n,) whose dual value gives a lower bound on P* (``problem.alpha(w, z=z)`` is one, and w =
        ``problem.w(alpha)``); z = X w and v = X'alpha/n if the state has them. With softmax w is (d, K), alpha (n, K).

    `refresh`, `count` and the others have defaults. The class attributes say what the method needs; pairs that do not
    fit are refused before anything compiles. A parameter outside its range is a ValueError as the instance is made.
    ``cdlab.testing.check_method(MyMethod)`` checks all of it.

    Attributes
    ----------
    name, side : str
        How it is found; "dual" if its coordinates are examples, "primal" if they are features. No defaults.
    reference : str
        Who found it, and when.

    Raises
    ------
    TypeError
        Where a subclass lacks its name or side; where one that is made lacks init, epoch, points or @dataclass.
    """

    name: ClassVar[str]
    reference: ClassVar[str] = ""
    side: ClassVar[str]  # "dual": coordinates are examples; "primal": features
    needs_l2: ClassVar[bool] = False  # l2 > 0
    needs_smooth: ClassVar[bool] = False  # gamma > 0
    takes_l1: ClassVar[bool] = True
    takes_vectors: ClassVar[bool] = False  # losses of several predictions: softmax
    takes_intercept: ClassVar[bool] = False  # leaves the last coordinate unpenalised, as P.reg says of each
    takes_blocks: ClassVar[bool] = False  # can update several coordinates from the same point
    settles_empty: ClassVar[bool] = False  # `init` gives coordinates with an empty line of X their final value
    samplings: ClassVar[tuple[str, ...] | None] = None  # the names it is made for; None: all that the rest allows

    def __new__(cls, *values: Any, **parameters: Any) -> Self:
        check_instantiation("method", cls, values, parameters)
        return super().__new__(cls)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        check_class_facts("method", cls, DECLARED)
        if hasattr(cls, "side") and cls.side not in SIDES:
            raise TypeError(f"method {cls.__name__}'s side must be 'primal' or 'dual', not {cls.side!r}")
        if "init" in cls.__dict__:
            checked = within_float64("init", np.errstate(all="ignore")(cls.init))
            cls.init = checked  # type: ignore[method-assign]
        if "epoch" in cls.__dict__:  # called again and again: nothing but what costs nothing
            cls.epoch = within_float64("epoch", cls.epoch)  # type: ignore[method-assign]

    # ------------------------------------------------------------ the algorithm
    @abstractmethod
    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> Any:
        """The state at `start` (w = 0, alpha = 0 by default), for coordinates drawn by `sampling`; see the class."""

    @abstractmethod
    def epoch(self, P: Any, S: Any, order: Any) -> Any:
        """Update the coordinates in `order`, one after another (block after block, if it takes blocks); the state."""

    @abstractmethod
    def points(self, problem: Problem, S: Any) -> Points:
        """The current primal and dual points."""

    def refresh(self, problem: Problem, S: Any) -> None:
        """Recompute maintained vectors from their definition, in place: round-off does not add up in long runs."""

    def effective(self, sampling: Sampling) -> Sampling | None:
        """The sampling that coordinates are really drawn from, given the one asked for; None: nothing is drawn."""
        return sampling

    def drawn(self, problem: Problem) -> np.ndarray:
        """The coordinates that must have a positive probability, as a mask (m,): else their gap stays."""
        busy = self.busy(problem)
        return np.ones(problem.coordinates(self.side).m, dtype=bool) if busy is None else busy

    def busy(self, problem: Problem) -> np.ndarray | None:
        """The coordinates that have anything left to do after `init`, as a mask (m,); None: all.

        Where its line of X is empty, a coordinate meets no other in the objective. A method with `settles_empty` puts
        it where it is best at once, and draws from the others: p is conditioned on them. Where X = 0 all are drawn.
        """
        counts = self.visits(problem)
        return counts > 0 if self.settles_empty and counts.any() and not counts.all() else None

    def orders(self, problem: Problem, sampling: Sampling, rng: np.random.Generator) -> Iterator[Any]:
        """Endless epochs of what `epoch` is fed with: index arrays, or Batches if it takes blocks.

        All randomness of a run comes from here. A method that chooses by itself yields uniform numbers instead.
        """
        coordinates = problem.coordinates(self.side)
        return sampling.batches(coordinates, rng) if self.takes_blocks else self.serial(problem, sampling, rng)

    def serial(self, problem: Problem, sampling: Sampling, rng: np.random.Generator) -> Iterator[np.ndarray]:
        """Endless index arrays, one coordinate after another, without those that are settled already."""
        orders, busy = sampling.epochs(problem.coordinates(self.side), rng), self.busy(problem)
        return orders if busy is None else (order[busy[order]] for order in orders)

    def count(self, problem: Problem, S: Any, order: Any) -> tuple[int, float]:
        """Iterations, and nonzeros visited, of the epoch that was fed with `order` and led to S.

        A line that an update reads and writes is visited once. A line that is only read, as in the search for a
        coordinate, is half a visit: a whole gradient X'phi'(z) from z = X w costs nnz/2, with X w afresh nnz.
        """
        indices = order.indices if self.takes_blocks else order
        return order.size, count_nonzeros(self.visits(problem), indices)

    def examples(self, problem: Problem, S: Any, order: Any) -> float:
        """Examples processed in the epoch that was fed with `order` and led to S, as papers count them.

        One for each example that was drawn, and n for an iteration over all of them. What a method reads beside (the
        full gradients of svrg, a search, a gap test) is left out: passes count it. A coordinate of w has no examples:
        there the nonzeros visited count, n for a pass.
        """
        if self.side == "primal":
            return self.count(problem, S, order)[1] * problem.n / max(1, problem.nnz)
        return (order.indices if isinstance(order, Batches) else order).size

    def ideal_visits(self, problem: Problem, S: Any, visited: float) -> float | None:
        """Nonzeros visited so far by updates alone, of all that were `visited`; None where they are the same.

        A method that searches for its coordinates, or takes full gradients between its updates, tells both.
        """
        return None

    def warm(self, P: Any, S: Any) -> None:
        """Compile or load what an epoch needs, without moving S."""
        nothing = np.empty(0, np.uint64)
        self.epoch(P, S, Batches(nothing, np.zeros(1, np.uint64)) if self.takes_blocks else nothing)

    def ready(self, P: Any, S: Any) -> None:
        """Compile or load what the next epoch needs and `warm` could not know; the clock stands still."""

    def aimed(self, tol: float) -> Method:
        """The method as it is best run until the relative gap is `tol`."""
        return self

    def chosen(self, S: Any) -> str | None:
        """What the method chose in this run, and why, if it chooses: the trace's meta keeps it."""
        return None

    # ------------------------------------------------------------ shared
    def view(self, problem: Problem) -> View | Problem:
        """The P of `epoch`: X by rows or by columns, or the problem itself where an epoch needs all of X."""
        return problem.by_rows if self.side == "dual" else problem.by_columns

    def probabilities(self, problem: Problem, sampling: SamplingLike) -> np.ndarray:
        """p (m,), the probabilities that an update takes each coordinate of this method's side."""
        drawn, busy = samplings.resolve(sampling), self.busy(problem)
        p = drawn.probabilities(problem.coordinates(self.side))
        return p if busy is None or not drawn.serial else normalised(np.where(busy, p, 0.0))

    def visits(self, problem: Problem) -> np.ndarray:
        """Nonzeros that an update of each coordinate visits, (m,)."""
        return (problem.row_profile if self.side == "dual" else problem.column_profile).counts

    def refusal(self, problem: Problem, sampling: Sampling) -> str | None:
        """Why this method cannot solve this problem with this sampling, and what can; None if it can."""
        if not (sampling.serial or self.takes_blocks):
            return (
                f"{self.name} updates one coordinate at a time and {sampling.name} draws blocks: "
                "use uniform, importance, norms or permutation"
            )
        if self.samplings is not None and sampling.name not in self.samplings:
            return f"{self.name} does not run with {sampling.name} sampling: use {checks.join_with_or(self.samplings)}"
        if problem.outputs and not self.takes_vectors:
            takes = "lbfgs" if problem.intercept else "sdca" if problem.l2 > 0 else "sdca with l2 > 0"
            return (
                f"{self.name} does not take {problem.loss.name}, which has one prediction for each class: use {takes}"
            )
        if problem.intercept and not self.takes_intercept:
            others = "gd, agd, fista" if problem.outputs else "rcd, greedy, gd, agd, fista"
            return (
                f"{self.name} takes no intercept, a coordinate without a regulariser: use {others}, "
                "lbfgs or newton_cd for smooth losses, or append a column of ones to X in place of intercept=True"
            )
        able = "sdca" if problem.l2 > 0 else "spdc"  # takes every loss of one prediction
        if self.needs_l2 and problem.l2 == 0:
            return f"{self.name} needs l2 > 0 and this problem has l2 = 0"
        if self.needs_smooth and problem.loss.gamma == 0:
            other = "" if problem.intercept else f", or use the method {able}"
            return f"{self.name} needs a smooth loss and {smoothness_hint(problem.loss)}{other}"
        if sampling.needs_smooth and problem.loss.gamma == 0:
            return (
                f"{sampling.name} sampling needs a smooth loss and {smoothness_hint(problem.loss)}, or sample "
                "with norms or "
                "uniform"
            )
        if not self.takes_l1 and problem.l1 > 0:
            others = "rcd or fista" if problem.intercept else "sdca or quartz" if problem.l2 > 0 else able
            return f"{self.name} does not handle l1 > 0: use {others}, or set l1 = 0"
        return None

    @property
    def label(self) -> str:
        """The name with the parameters that differ from their defaults."""
        changed = [f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if getattr(self, f.name) != f.default]
        return f"{self.name}({', '.join(changed)})" if changed else self.name
