"""The base of every method: a frozen object of parameters, with a state it starts from and an epoch that moves it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields
from functools import wraps
from math import inf, nan
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

import numpy as np

from .. import samplings
from ..numerics.profiles import count_nonzeros
from ..numerics.user_classes import check_instantiation
from ..problems.points import Points, View
from ..problems.problem import Problem
from ..samplings import Batches, Sampling, SamplingLike, Uniform, normalised
from ..samplings.base import Epochs
from .facts import Facts, check_facts, unmet_fact

State = TypeVar("State")  # a method's own NamedTuple
WRAPPERS: dict[str, Any] = {}  # keyword -> class of methods around another, see `cdlab.methods.wrappers`


class Count(NamedTuple):
    """Work of an epoch."""

    iterations: int  # updates, or blocks of updates from the same point
    visits: float  # nonzeros of X that were visited: these by nnz are passes
    examples: float | None = None  # examples processed, as papers count them; None: those drawn, see `Method.counted`
    ideal: float | None = None  # nonzeros visited by the updates alone; None: all were


@dataclass(frozen=True)
class Method(Facts, ABC, Generic[State]):
    """A solver's parameters and formulas: derive a frozen dataclass, in a file of yours or here.

    A run does, with ``P = method.view(problem)``:

        S = method.init(problem, sampling, start)
        S = method.epoch(P, S, order)          # again and again; `order` comes from method.orders(...)
        w, alpha of method.points(problem, S)  # when it measures, with the clock stopped

    and the three that every method has to write get this (`Descent`, whose state is a point, needs the first two):

    ``init(self, problem, sampling, start=None) -> state``
        problem : the whole `Problem`: n, d, X, y, l2, l1, loss, ``predict(w)`` = X w, ``v(alpha)`` = X'alpha/n,
        ``alpha(w)``, ``row_profile`` and ``column_profile`` (``.norms2``, ``.counts``), ``coordinates(side)``
        (``.smoothness`` is n times the smoothness of P along each feature).
        sampling : what draws coordinates; ``self.probabilities(problem, sampling)`` are its p (m,).
        start : None, or `Points`; dual methods start at start.alpha (n,), primal ones at start.w (d,).
        The state is a NamedTuple of arrays (and numbers) that kernels can take: all that the method remembers. No field
        may be called like a formula of structs (g, dot, phi, ...). Text in a field `words` goes into the trace.
    ``epoch(self, P, S, order) -> state``
        P : what kernels see, a `View`: ``P.X``, the rows of X if side is "dual", else its columns (``P.X.dot(i, v,
        P.reg)``, ``P.X.slope(j, z, y, P.loss)``, ``P.X.add(i, c, v)``; see `cdlab.numerics.matrix_lines`),
        ``P.y`` (n,), ``P.loss`` with its formulas, ``P.reg`` with ``l2``, ``l1`` and its formulas.
        order : uint64 coordinates, one after another, about as many as there are; `Batches` if it takes blocks.
        It may be empty: that is how a run compiles. Arrays of S are updated in place; numbers by ``S._replace(...)``;
        the state is returned in any case.
    ``points(self, problem, S) -> Points(w, alpha, z=None, v=None)``
        w (d,) and an alpha (n,) whose dual value gives a lower bound on P* (``problem.alpha(w, z=z)`` is one, and w =
        ``problem.w(alpha)``); z = X w and v = X'alpha/n if they are at hand, and how many `products` with X it took.
        With softmax w is (d, K), alpha (n, K).

    `bounded_points`, `refresh`, `draws`, `orders`, `count`, `warm`, `epochs_together`, `estimated_gap` and `objections`
    have defaults; all else is made of these. Pairs of method and problem that do not fit are refused before anything
    compiles. A parameter outside its range is a ValueError as the instance is made; one called `aim` that is None
    becomes the `tol` of the run.
    ``cdlab.testing.check_method(MyMethod)`` checks all of it.

    Attributes
    ----------
    name, side : str
        How it is found; "dual" if its coordinates are examples, "primal" if they are features. No defaults.
    group, summary : str
        The title that lists put it under, and what it does in a few plain words. Without them it stands under its side,
        with the first sentences of its docstring.
    guarantee : str
        The rate of its theorem in a few letters, as docs/methods.md shows it; "": none.
    reference : str
        Who found it, and when.
    needs : tuple of str
        "l2": l2 > 0. "smooth": a loss with gamma > 0. "lipschitz": a Lipschitz loss.
    takes : tuple of str, default ("l1",)
        "l1": l1 > 0. "vectors": losses of several predictions (softmax). "intercept": leaves the last coordinate
        unpenalised, as P.reg says of each. "bounds": takes the l2, l1 and box of each feature by P.reg's formulas and
        l2 as `Problem.mu`, and shows no point outside of the box. "blocks": updates several coordinates from the same
        point.
    samplings : tuple of str or None
        The names of those it is made for; None: all that the rest allows.
    sees : "lines" or "problem"
        Whether the P of `epoch` is a `View`, or the Problem, where an epoch needs all of X.
    zero_rows : "drawn", "set" or "skipped"
        Coordinates whose line of X is empty are drawn as all others, set to their optimum by `init`, or play no part.
    can_split_epoch, can_join_epochs : bool
        Whether an epoch consists of its updates only, so that feeding an order in parts does not change the run; and
        whether at least feeding those of several epochs as one does not. Not inherited by a class that writes an
        `epoch`, `orders` or `count` of its own.
    maintains_products : bool
        Whether the state keeps products that `refresh` recomputes: True of a class that writes one.
    counts_ideal : bool
        Whether `count` says what the updates alone have visited, beside searches and full gradients.

    Raises
    ------
    TypeError
        Where a subclass lacks its name or side; where one that is made lacks init, epoch, points or @dataclass.
    """

    can_split_epoch: ClassVar[bool] = False
    can_join_epochs: ClassVar[bool] = False
    maintains_products: ClassVar[bool] = False

    def __new__(cls, *values: Any, **parameters: Any) -> Self:
        for keyword in parameters.keys() & WRAPPERS.keys():
            if keyword not in (f.name for f in fields(cls)):
                wrapper = f"{WRAPPERS[keyword].__name__}({cls.__name__}(), {keyword}={parameters[keyword]!r})"
                raise TypeError(f"{cls.__name__} has no parameter {keyword}: write cdlab.methods.{wrapper}")
        check_instantiation("method", cls, values, parameters)
        return super().__new__(cls)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        check_facts(cls)
        if cls.__dict__.keys() & {"epoch", "orders", "count"}:
            for flag in {"can_split_epoch", "can_join_epochs"} - cls.__dict__.keys():
                setattr(cls, flag, False)
            if "epochs_together" not in cls.__dict__:
                cls.epochs_together = Method.epochs_together  # type: ignore[method-assign]
        if "refresh" in cls.__dict__:
            cls.maintains_products = True
        if "init" in cls.__dict__:
            cls.init = _checked_state("init", np.errstate(all="ignore")(cls.init))  # type: ignore[method-assign]
        if "epoch" in cls.__dict__:  # called again and again: nothing but what costs nothing
            cls.epoch = _checked_state("epoch", cls.epoch)  # type: ignore[method-assign]

    # ------------------------------------------------------------ to write
    @abstractmethod
    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        """The state at `start` (w = 0, alpha = 0 by default), for coordinates drawn by `sampling`; see the class."""

    @abstractmethod
    def epoch(self, P: Any, S: State, order: Any) -> State:
        """Update the coordinates in `order`, one after another (block after block, if it takes blocks); the state."""

    @abstractmethod
    def points(self, problem: Problem, S: State) -> Points:
        """The current primal and dual points."""

    # ------------------------------------------------------------ what may be overridden
    def bounded_points(self, problem: Problem, S: State) -> Points | None:
        """The point that the method's theorems are about, with its z if known; None: that of `points`."""
        return None

    def refresh(self, problem: Problem, S: State) -> None:
        """Recompute maintained vectors from their definition, in place: round-off does not add up in long runs."""

    def draws(self, sampling: Sampling) -> Sampling | None:
        """The sampling that coordinates are really drawn from, given the one asked for; None: nothing is drawn."""
        return sampling

    def orders(self, problem: Problem, sampling: Sampling, rng: np.random.Generator) -> Iterator[Any]:
        """Endless epochs of what `epoch` is fed with: index arrays, or Batches if it takes blocks.

        All randomness of a run comes from here. A method that chooses by itself yields uniform numbers instead.
        """
        drawn = self.draws(sampling) or sampling
        if "blocks" in self.takes:
            return drawn.batches(problem.coordinates(self.side), rng)
        return self.serial_orders(problem, drawn, rng)

    def count(self, problem: Problem, S: State, order: Any) -> Count:
        """Return the work of the epoch that was fed with `order` and led to S.

        A line that an update reads and writes is visited once. A line that is only read, as in the search for a
        coordinate, is half a visit: a whole gradient X'phi'(z) from z = X w costs nnz/2, with X w afresh nnz.
        """
        indices = order.indices if isinstance(order, Batches) else order
        return Count(order.size, count_nonzeros(self.visits(problem), indices))

    def warm(self, P: Any, S: State) -> None:
        """Compile or load what an epoch needs, without moving S. A run does so where the types in its state change."""
        nothing = np.empty(0, np.uint64)
        self.epoch(P, S, Batches(nothing, np.zeros(1, np.uint64)) if "blocks" in self.takes else nothing)

    def epochs_together(self, problem: Problem, S: State) -> float:
        """Return how many of the next epochs may be fed as one order without changing the run, which is faster."""
        return inf if self.can_split_epoch or self.can_join_epochs else 1

    def estimated_gap(self, problem: Problem, S: State) -> float:
        """Estimate the gap that a measurement would show, from what S knows; NaN: unknown, inf: that of the last one.

        A run does without measurements that would be far from its tolerance.
        """
        return nan

    def can_screen(self, problem: Problem, S: State) -> bool:
        """Tell whether a run that begins in this state leaves coordinates out, as a `ScreeningMethod` may."""
        return False

    def objections(self, problem: Problem, sampling: Sampling) -> Iterator[str]:
        """Tell why these parameters do not fit this problem or sampling, beyond what the class attributes say."""
        yield from ()

    # ------------------------------------------------------------ made of these
    def view(self, problem: Problem) -> View | Problem:
        """The P of `epoch`: X by rows or by columns, or the problem itself where an epoch needs all of X."""
        if self.sees == "problem":
            return problem
        return problem.by_rows if self.side == "dual" else problem.by_columns

    def refusal(self, problem: Problem, sampling: Sampling) -> str | None:
        """Tell why this method cannot solve this problem with this sampling, and what can; None if it can."""
        unmet = unmet_fact(self, problem, sampling, self.draws(sampling) or sampling)
        return next(iter(self.objections(problem, sampling)), None) if unmet is None else unmet

    def visits(self, problem: Problem) -> np.ndarray:
        """Nonzeros that an update of each coordinate visits, (m,)."""
        return (problem.row_profile if self.side == "dual" else problem.column_profile).counts

    def drawable(self, problem: Problem) -> np.ndarray | None:
        """The coordinates that are drawn, as a mask (m,); None: all.

        Where its line of X is empty, a coordinate meets no other in the objective, and p is conditioned on the others
        if `zero_rows` is not "drawn". Where X = 0 all are drawn.
        """
        counts = self.visits(problem)
        return None if self.zero_rows == "drawn" or counts.all() or not counts.any() else counts > 0

    def serial_orders(self, problem: Problem, drawn: Sampling, rng: np.random.Generator) -> Iterator[np.ndarray]:
        """Endless index arrays by this sampling, one coordinate after another, of those that are drawn."""
        orders, drawable = drawn.epochs(problem.coordinates(self.side), rng), self.drawable(problem)
        if drawable is None:
            return orders
        if isinstance(orders, Epochs):
            return Epochs(lambda k: (several := orders.draw(k))[drawable[several]])
        return (order[drawable[order]] for order in orders)

    def must_be_drawn(self, problem: Problem) -> np.ndarray:
        """The coordinates that must have a positive probability, as a mask (m,): else their gap stays."""
        coordinates = problem.coordinates(self.side)
        if self.zero_rows == "skipped":
            return coordinates.norms2 > 0
        drawable = self.drawable(problem)
        return np.ones(coordinates.m, dtype=bool) if drawable is None else drawable

    def probabilities(self, problem: Problem, sampling: SamplingLike) -> np.ndarray:
        """p (m,), the probabilities that an update takes each coordinate of this method's side."""
        asked = samplings.resolve(sampling)
        drawn, drawable = self.draws(asked) or asked, self.drawable(problem)
        p = drawn.probabilities(problem.coordinates(self.side))
        return p if drawable is None or not drawn.serial else normalised(np.where(drawable, p, 0.0))

    def counted(self, problem: Problem, S: State, order: Any) -> Count:
        """`count`, with the examples that were processed also where it leaves them out.

        They are one for each that was drawn, and n for an iteration over all of them. What a method reads beside (the
        full gradients of svrg, a search, a gap test) is left out: passes count it. A coordinate of w has no examples:
        there the nonzeros visited count, n for a pass.
        """
        count = self.count(problem, S, order)
        if type(count) is not Count:
            count = Count(*count)
        if count.examples is not None:
            return count
        if self.side == "primal":
            examples = count.visits * problem.n / max(1, problem.nnz)
        else:
            examples = (order.indices if isinstance(order, Batches) else order).size
        return Count(count.iterations, count.visits, examples, count.ideal)

    @property
    def unwrapped(self) -> Method:
        """The method itself; that inside, where it is a wrapper."""
        return self

    @property
    def classes(self) -> tuple[type, ...]:
        """The classes whose code and kernels a run of it needs: its own, and those of what it wraps."""
        return (type(self),)

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters by name; of a wrapper, those of what it wraps and its own."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @property
    def changed(self) -> dict[str, Any]:
        """The parameters that differ from their defaults."""
        found = {}
        for f in fields(self):
            default = f.default_factory() if f.default_factory is not MISSING else f.default
            value = getattr(self, f.name)
            if value is not default and not np.all(value == default):
                found[f.name] = getattr(self, f.name)
        return found

    @property
    def label(self) -> str:
        """The name with the parameters that differ from their defaults."""
        values = [f"{k}={v.label if isinstance(v, Method) else repr(v)}" for k, v in self.changed.items()]
        return f"{self.name}({', '.join(values)})" if values else self.name


def draws_coordinates(method: Method) -> bool:
    """Tell whether a sampling makes any difference to the method."""
    return method.draws(Uniform()) is not None


def _checked_state(name: str, step: Callable[..., Any]) -> Callable[..., Any]:
    """`init` or `epoch`, where a step that leaves the range of float64, or returns no state, is said in a sentence.

    Where arrays overflow the run goes on, and shows it: its gap is infinite.
    """

    @wraps(step)
    def checked(self: Any, *arguments: Any, **options: Any) -> Any:
        try:
            state = step(self, *arguments, **options)
        except (ZeroDivisionError, OverflowError):
            raise ValueError(
                f"{self.name}'s steps leave the range of float64 on this problem: take parameters and an l2 nearer to "
                "1, or scale X"
            ) from None
        if state is None or isinstance(state, dict | list | set | np.ndarray):
            what = "None" if state is None else f"a {type(state).__name__}"
            raise TypeError(f"{type(self).__name__}.{name} returned {what}: it must return the state, a NamedTuple")
        return state

    return checked
