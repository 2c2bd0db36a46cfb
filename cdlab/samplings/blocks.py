"""Samplings that draw a random subset of the coordinates at a time: for mini-batches and for several machines.

``probabilities`` are the marginals p_j = Prob(j in S); what a step along all of S at once may assume of the data is
``cdlab.eso`` (expected separable overapproximation, Csiba & Richtarik 2016, section 3; Qu & Richtarik 2016).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..numerics import checks
from ..numerics.checks import set_integer_field
from .alias import AliasTable
from .base import Batches, Coordinates, Sampling
from .serial import Norms

MIN_MEAN_BLOCK_SIZE = 1e-3  # coordinates in a block, on average


@dataclass(frozen=True, eq=False)
class Blocks(Sampling, ABC):
    """A random subset of the coordinates at a time."""

    serial: ClassVar[bool] = False
    example: ClassVar[str]  # how to construct one

    @abstractmethod
    def marginals(self, m: int) -> np.ndarray:
        """p (m,), the probability that a block contains coordinate j; a ValueError where m does not fit."""

    @abstractmethod
    def draws(self, m: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
        """Endless blocks of m coordinates, as integer arrays without duplicates."""

    def on(self, c: Coordinates) -> Blocks:
        """The sampling of these coordinates; itself, unless it is made for them."""
        return self

    def probabilities(self, c: Coordinates) -> np.ndarray:
        return self.on(c).marginals(c.m)

    def blocks(self, c: Coordinates, rng: np.random.Generator) -> Iterator[np.ndarray]:
        """Endless random subsets of the coordinates: uint64 arrays without duplicates, in no particular order."""
        sampling = self.on(c)
        sampling.marginals(c.m)  # refuses what does not fit before the first draw
        return (block.astype(np.uint64) for block in sampling.draws(c.m, rng))

    def batches(self, c: Coordinates, rng: np.random.Generator) -> Iterator[Batches]:
        blocks = self.blocks(c, rng)
        while True:
            epoch, held = [], 0
            while held < c.m:  # about as many updates as there are coordinates
                epoch.append(next(blocks))
                held += max(1, epoch[-1].size)
            starts = np.cumsum([0] + [block.size for block in epoch]).astype(np.uint64)
            yield Batches(np.concatenate(epoch), starts)

    def epochs(self, c: Coordinates, rng: np.random.Generator) -> Iterator[np.ndarray]:
        raise TypeError(f"{self.name} draws blocks, not one coordinate at a time: take them from blocks(c, rng)")


@dataclass(frozen=True)
class TauNice(Blocks):
    """Every subset of tau coordinates with the same probability: mini-batches of size tau.

    Parameters
    ----------
    tau : int >= 1
        Coordinates of a block; at most as many as there are.

    References
    ----------
    Qu & Richtarik, Coordinate descent with arbitrary sampling II: expected separable overapproximation (2016).
    """

    tau: int
    name: ClassVar[str] = "tau_nice"
    summary: ClassVar[str] = "A block of as many coordinates as it says, each such block equally likely."
    example: ClassVar[str] = "TauNice(tau=8)"

    def __post_init__(self) -> None:
        set_integer_field(self, "tau", "a whole number >= 1", ())

    def marginals(self, m: int) -> np.ndarray:
        if self.tau > m:
            raise ValueError(f"{self}: there are {m} coordinates; take tau <= {m}")
        return np.full(m, self.tau / m)

    def draws(self, m: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
        while True:
            yield from self._draw_several(m, rng)

    def batches(self, c: Coordinates, rng: np.random.Generator) -> Iterator[Batches]:
        self.marginals(c.m)
        count = -(-c.m // self.tau)
        starts = self.tau * np.arange(count + 1, dtype=np.uint64)
        while True:
            drawn = 0
            parts = []
            while drawn < count:
                parts.append(self._draw_several(c.m, rng))
                drawn += len(parts[-1])
            yield Batches(np.concatenate(parts)[:count].ravel().astype(np.uint64), starts)

    def _draw_several(self, m: int, rng: np.random.Generator) -> np.ndarray:
        """Several independent blocks as rows of an integer array.

        Small blocks are drawn with replacement, an epoch at once, and those with duplicates dropped: what is left is
        uniform over subsets. That keeps at least half of them while tau^2 < m; numpy's own draw costs 6 us a block.
        """
        if self.tau * self.tau < m:
            rows = rng.integers(m, size=(-(-m // self.tau), self.tau))
            ordered = np.sort(rows, axis=1)
            return rows[(ordered[:, 1:] != ordered[:, :-1]).all(axis=1)]
        return rng.choice(m, self.tau, replace=False, shuffle=False)[None, :]


@dataclass(frozen=True, eq=False)
class Independent(Blocks):
    """Each coordinate by its own coin, with probability p (a number, or one for each); a block can be empty.

    Parameters
    ----------
    p : float or (m,) array, in (0, 1]
        The probability of every coordinate, or of each.

    References
    ----------
    Qu & Richtarik, Coordinate descent with arbitrary sampling II: expected separable overapproximation (2016).
    """

    p: float | np.ndarray
    name: ClassVar[str] = "independent"
    summary: ClassVar[str] = "Every coordinate by its own coin: a block is those that came up."
    example: ClassVar[str] = "Independent(p=0.1)"

    def __post_init__(self) -> None:
        p = checks.real_array("Independent's p", self.p)
        if p.ndim > 1:
            raise ValueError(f"Independent's p must be a number or a 1-D array; it has shape {p.shape}")
        if not (p.size and np.all((p > 0) & (p <= 1))):
            raise ValueError("Independent's p must lie in (0, 1]: a coordinate that is never drawn is never optimised")
        object.__setattr__(self, "p", p if p.ndim else float(p))

    def __repr__(self) -> str:
        p = self.p if isinstance(self.p, float) else f"array of {self.p.size}"
        return f"Independent(p={p})"

    @property
    def label(self) -> str:
        return f"{self.name}(p={self.p})" if isinstance(self.p, float) else self.name

    def marginals(self, m: int) -> np.ndarray:
        if isinstance(self.p, float):
            return np.full(m, self.p)
        if self.p.size != m:
            raise ValueError(f"Independent has {self.p.size} probabilities for {m} coordinates; give {m}, or one")
        return self.p.copy()

    def probabilities(self, c: Coordinates) -> np.ndarray:
        """The marginals, unless a run would draw next to nothing but empty blocks, and its passes hardly grow."""
        p = self.marginals(c.m)
        if p.sum() < MIN_MEAN_BLOCK_SIZE:
            raise ValueError(
                f"{self}: a block of {c.m} coordinates would hold {p.sum():.2g} on average, so that nearly all are "
                f"empty; take p >= {MIN_MEAN_BLOCK_SIZE / c.m:.2g}"
            )
        return p

    def draws(self, m: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
        while True:
            yield np.flatnonzero(rng.random(m) < self.p)


@dataclass(frozen=True)
class NormsBlocks(Blocks):
    """tau independent draws by `Norms`, each coordinate at most once: blocks of at most tau.

    A block contains i with probability 1 - (1 - p_i)^tau, which is at least tau p_i/(1 + (tau - 1) p_i).

    Parameters
    ----------
    tau : int >= 1
        Draws for a block.
    """

    tau: int
    name: ClassVar[str] = "norms_blocks"
    example: ClassVar[str] = "NormsBlocks(tau=8)"

    def __post_init__(self) -> None:
        set_integer_field(self, "tau", "a whole number >= 1", ())

    def marginals(self, m: int) -> np.ndarray:
        raise TypeError(f"{self.name} blocks depend on the norms of the coordinates: ask for probabilities(c)")

    def probabilities(self, c: Coordinates) -> np.ndarray:
        with np.errstate(divide="ignore"):  # p = 1 where there is one coordinate
            return -np.expm1(self.tau * np.log1p(-Norms().probabilities(c)))

    def draws(self, m: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
        raise TypeError(f"{self.name} blocks depend on the norms of the coordinates: take them from batches(c, rng)")

    def blocks(self, c: Coordinates, rng: np.random.Generator) -> Iterator[np.ndarray]:
        for epoch in self.batches(c, rng):
            yield from np.split(epoch.indices, epoch.starts[1:-1].astype(np.intp))

    def batches(self, c: Coordinates, rng: np.random.Generator) -> Iterator[Batches]:
        table, count = AliasTable(Norms().probabilities(c)), -(-c.m // self.tau)
        while True:
            rows = np.sort(table.draw(rng, count * self.tau).reshape(count, self.tau), axis=1)
            once = np.ones(rows.shape, dtype=bool)
            once[:, 1:] = rows[:, 1:] != rows[:, :-1]
            yield Batches(rows[once], np.append(0, np.cumsum(once.sum(axis=1))).astype(np.uint64))
