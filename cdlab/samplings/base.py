"""The base of all samplings, and what they may know of the coordinates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy as np

from ..numerics.checks import LARGEST_FLOAT, short_repr
from ..numerics.user_classes import check_class_facts, check_instantiation
from .alias import AliasTable


class Batches(NamedTuple):
    """One epoch of blocks, as kernels see it: block b is ``indices[starts[b]:starts[b + 1]]``."""

    indices: np.ndarray  # uint64, the blocks one after another
    starts: np.ndarray  # uint64, one more than there are blocks

    @property
    def size(self) -> int:
        """Number of blocks."""
        return self.starts.size - 1


class Epochs(Iterator[Any]):
    """Endless epochs, several of which can be drawn at once: the same numbers in one order.

    Parameters
    ----------
    draw : callable
        Makes the order of the next k epochs, one after another.
    """

    def __init__(self, draw: Callable[[int], Any]) -> None:
        self.draw = draw

    def __next__(self) -> Any:
        return self.draw(1)


def blocks_of_one(order: np.ndarray) -> Batches:
    """An order as blocks of one coordinate each."""
    return Batches(order, np.arange(order.size + 1, dtype=np.uint64))


def joined(orders: Sequence[Any]) -> Any:
    """Several orders, arrays or `Batches`, as one."""
    if len(orders) == 1:
        return orders[0]
    if not isinstance(orders[0], Batches):
        return np.concatenate(orders)
    ends = np.cumsum([0, *(order.indices.size for order in orders)], dtype=np.uint64)
    starts = [order.starts[:-1] + before for order, before in zip(orders, ends, strict=False)]
    return Batches(np.concatenate([order.indices for order in orders]), np.concatenate([*starts, ends[-1:]]))


def take(orders: Iterator[Any], epochs: int) -> Any:
    """The orders of the next epochs, as one."""
    if epochs > 1 and isinstance(orders, Epochs):
        return orders.draw(epochs)
    return joined([next(orders) for _ in range(epochs)])


class Coordinates(NamedTuple):
    """The facts that a sampling may know of one side's coordinates: examples (dual) or features (primal)."""

    norms2: np.ndarray  # (m,) squared norms of the rows (dual) or columns (primal) of X
    beta: float | np.ndarray  # smoothness 1/gamma of the loss along i, (m,) with sample weights; inf: not smooth
    l2n: float | np.ndarray  # l2 n; (m,) of features with an l2 of their own
    counts: np.ndarray  # (m,) nonzeros of the rows or columns: what an update costs

    @property
    def m(self) -> int:
        """Number of coordinates."""
        return self.norms2.size

    @property
    def smoothness(self) -> np.ndarray:
        """s_i = beta v_i + l2 n, (m,): n times the objective's smoothness along i (times l2 n in the dual)."""
        return self.beta * self.norms2 + self.l2n


@dataclass(frozen=True)
class Sampling:
    """A random choice of coordinates: one at a time (serial, this class), or a block at a time (blocks.py)."""

    name: ClassVar[str]
    summary: ClassVar[str] = ""  # what is drawn, in a plain sentence
    serial: ClassVar[bool] = True
    needs_smooth: ClassVar[bool] = False  # probabilities contain beta
    has_theorem: ClassVar[bool] = True
    period: ClassVar[int | None] = None  # of an order: epochs after which it is the same again

    def __new__(cls, *values: Any, **parameters: Any) -> Self:
        check_instantiation("sampling", cls, values, parameters)
        return super().__new__(cls)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        check_class_facts("sampling", cls, {"name": 'name: ClassVar[str] = "my_sampling"'})

    @property
    def label(self) -> str:
        """The name with its parameters, if it has any."""
        values = [f"{f.name}={getattr(self, f.name)!r}" for f in fields(self)]
        return f"{self.name}({', '.join(values)})" if values else self.name

    def probabilities(self, c: Coordinates) -> np.ndarray:
        """p (m,), the probability that an update takes coordinate i; >= 0, of sum 1 where one is taken at a time."""
        return np.full(c.m, 1 / c.m)

    def among(self, which: np.ndarray) -> Sampling:
        """The sampling of these coordinates alone, whose `Coordinates` are passed to it then."""
        return self

    def epochs(self, c: Coordinates, rng: np.random.Generator) -> Iterator[np.ndarray]:
        """Endless index arrays (m,) uint64, one an epoch; all randomness comes from `rng`."""
        AliasTable.compile()
        return self._draw_epochs(c, rng)

    def _draw_epochs(self, c: Coordinates, rng: np.random.Generator) -> Iterator[np.ndarray]:
        table = AliasTable(self.probabilities(c))  # with the first epoch: part of the run's own time
        while True:
            yield table.draw(rng, c.m)

    def batches(self, c: Coordinates, rng: np.random.Generator) -> Iterator[Batches]:
        """The same for methods that update a block at a time: blocks of one."""
        orders = self.epochs(c, rng)
        if isinstance(orders, Epochs):
            return Epochs(lambda k: blocks_of_one(orders.draw(k)))
        return map(blocks_of_one, orders)


SamplingLike: TypeAlias = str | Sampling | np.ndarray  # a name, an instance, or weights (m,), divided by their sum

PROBABILITY_ATOL = 1e-9  # of probabilities and their sum


def probability_fault(p: Any, sampling: Sampling, c: Coordinates) -> str | None:
    """Tell why what `sampling.probabilities(c)` returned is not the p (m,) of its draws; None if it can be.

    Draws divide by the sum, and steps and bounds do not: they would be of different p, and NaN would draw uniformly.
    """
    if not (isinstance(p, np.ndarray) and p.dtype == np.float64):
        returned = f"an array of {p.dtype}" if isinstance(p, np.ndarray) else short_repr(p)
        return f"probabilities must return an array of float64, not {returned}"
    if p.shape != (c.m,):
        return f"probabilities must have shape ({c.m},), one for each coordinate; they have {p.shape}"
    bad = np.flatnonzero(~(np.isfinite(p) & (p >= 0)))
    if bad.size:
        first = f"that of coordinate {bad[0]} (of {bad.size} such) is {p[bad[0]]:g}"
        return f"probabilities must be finite and at least 0; {first}"
    if sampling.serial and c.m and not abs(p.sum() - 1) <= PROBABILITY_ATOL:
        return (
            f"probabilities must sum to 1, not {p.sum():.10g}: cdlab.samplings.normalised(weights) divides by the sum"
        )
    if not sampling.serial and not (p <= 1 + PROBABILITY_ATOL).all():
        return f"the probability that a block contains a coordinate is at most 1, not {p.max():g}"
    return None


def normalised(weights: np.ndarray) -> np.ndarray:
    """Probabilities (m,) in proportion to the weights (m,) >= 0; all alike where all weights are 0."""
    if not isinstance(weights, np.ndarray):
        raise TypeError(f"normalised takes an array of weights, one for each coordinate, not {short_repr(weights)}")
    if weights.max(initial=0.0) > LARGEST_FLOAT / max(1, weights.size):  # their sum would overflow
        weights = weights / weights.max()
    total = weights.sum()
    return np.full(weights.size, 1 / weights.size) if total == 0 else weights / total
