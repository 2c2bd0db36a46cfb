"""Input and work of epochs: orders, whole or in parts, and the counts of a run."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..methods import Method, Points
from ..methods.base import Count
from ..methods.wrappers.screened import Active
from ..problems.problem import Problem
from ..samplings import Batches, Sampling
from ..samplings.base import take

NONZEROS_TOGETHER = 2e6  # Epochs that run together visit at most so many, in a few milliseconds.
MAX_FIRST_PASSES = 50  # A first epoch, which finds a step, may take so many passes.


class Counts:
    """The work of a run so far.

    Attributes
    ----------
    epochs, iterations : int
    visits, examples, passes, seconds : float
        Nonzeros visited, examples processed, passes, and solver seconds: drawing and updating.
    ideal_passes : float
        Passes that updates alone would have taken; NaN if the method does not say.
    """

    def __init__(self, problem: Problem, counts_ideal: bool) -> None:
        self.epochs = self.iterations = 0
        self.visits = self.examples = self.passes = self.seconds = 0.0
        self.ideal_passes = 0.0 if counts_ideal else math.nan
        self._ideal = 0.0 if counts_ideal else None  # nonzeros that updates alone visited
        self._largest = 0.0  # visits of an epoch
        self._nnz, self._n = problem.nnz, problem.n

    def add(self, did: Count, epochs: int) -> None:
        """Add what so many epochs did."""
        self.iterations += did.iterations
        self.visits += did.visits
        self.examples += did.examples or 0.0
        if self._ideal is not None:
            self._ideal += did.visits if did.ideal is None else did.ideal
            self.ideal_passes = self._ideal / max(1, self._nnz)
        self.passes = self.visits / self._nnz if self._nnz else self.iterations / self._n
        self._largest = max(self._largest, did.visits / epochs)

    def epochs_within(self, most: float, max_passes: float) -> float:
        """Count the epochs, at most so many, that are over in a moment and stay clear of the limit, by the longest."""
        each = max(self.visits, self.iterations) / self.epochs if self.epochs else max(1, self._nnz)
        if max_passes < math.inf:
            largest = max(each, self._largest) if self.epochs else MAX_FIRST_PASSES * each
            most = min(most, (max_passes - self.passes) * self._nnz / (2 * largest))
        return min(most, NONZEROS_TOGETHER // each)


class Feed:
    """The orders of a run, of the coordinates that remain, whole or in parts.

    Attributes
    ----------
    active : Active or None
        The coordinates that are still visited, if the method leaves some out.
    rest : DividedOrder or None
        What is left of an epoch that has stopped between two of its updates.
    order : object
        What the last epoch, or part of one, was fed with.
    """

    def __init__(
        self, problem: Problem, method: Method, sampling: Sampling, rng: np.random.Generator, screens: bool
    ) -> None:
        self._problem, self._method, self._sampling, self._rng = problem, method, sampling, rng
        self._orders: Iterator[Any] = orders_of(method, problem, sampling, rng)
        self.active = Active(np.ones(problem.coordinates(method.side).m, dtype=bool)) if screens else None
        self.rest: DividedOrder | None = None
        self.order: Any = None

    def take(self, epochs: int) -> Any:
        """The orders of the next epochs, as one.

        Raises
        ------
        RuntimeError
            Where they end: a sentence in place of a bare StopIteration.
        """
        try:
            self.order = take(self._orders, epochs)
        except StopIteration:
            raise RuntimeError(
                f"{self._method.name}'s orders ended: `orders` of a method and `epochs` of a sampling go on without "
                "end, as in `while True: yield ...`"
            ) from None
        return self.order

    def take_part(self, order: Any, visits: float) -> Any:
        """The updates, of the epoch that goes on or of a new one with this order, that visit so many nonzeros."""
        divided = self.rest or DividedOrder(order, self._method.visits(self._problem))
        self.order = divided.take(visits)
        self.rest = None if divided.is_used_up else divided
        return self.order

    def screen(self, S: Any, points: Points, gap: float) -> tuple[Any, float]:
        """Let the method leave coordinates out by what was measured: the state, and the nonzeros visited for it."""
        method: Any = self._method  # a `ScreeningMethod`
        before = self.active
        assert before is not None, "it leaves some out"
        S, self.active, visits = method.screen(self._problem, S, points, gap, before)
        if not np.array_equal(before.mask, self.active.mask):
            self._orders = method.orders_among(self._problem, self._sampling, self._rng, self.active.mask)
        return S, visits


def orders_of(method: Method, problem: Problem, sampling: Sampling, rng: np.random.Generator) -> Iterator[Any]:
    """`Method.orders`, where one array in place of an iterator of them is refused in a sentence.

    Raises
    ------
    TypeError
    """
    orders = method.orders(problem, sampling, rng)
    if not isinstance(orders, Iterator):
        raise TypeError(
            f"{method.name}'s orders are one {type(orders).__name__}: `orders` of a method and `epochs` of a sampling "
            "go on without end, as in `while True: yield ...`"
        )
    return orders


class DividedOrder:
    """An order of coordinates or blocks that is handed out in parts, one after another.

    Parameters
    ----------
    order : (m,) array of uint64, or Batches
        What `Method.epoch` takes.
    visits : (m,) array
        Nonzeros that an update of each coordinate visits.
    """

    def __init__(self, order: Any, visits: np.ndarray) -> None:
        self._order, self._done = order, 0
        if isinstance(order, Batches):
            self._ends = np.concatenate([[0], np.cumsum(visits[order.indices])])[order.starts[1:]]
        else:
            self._ends = np.cumsum(visits[order])

    @property
    def is_used_up(self) -> bool:
        """Tell whether no update is left."""
        return self._done >= self._order.size

    def take(self, visits: float) -> Any:
        """The next updates, as few as visit so many nonzeros; at least one, at most all that are left."""
        begin = self._done
        visited = self._ends[begin - 1] if begin else 0
        end = int(np.searchsorted(self._ends, visited + visits)) + 1
        self._done = min(max(end, begin + 1), self._order.size)
        if not isinstance(self._order, Batches):
            return self._order[begin : self._done]
        starts = self._order.starts[begin : self._done + 1]
        return Batches(self._order.indices[starts[0] : starts[-1]], starts - starts[0])


def lines_of_update(order: Any, k: int) -> list[int]:
    """The coordinates of update `k` of an order, from 0; from the end, where it is negative."""
    if isinstance(order, Batches):
        k %= order.size
        return [int(line) for line in order.indices[order.starts[k] : order.starts[k + 1]]]
    return [int(order[k])]
