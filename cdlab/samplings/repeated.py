"""Mini-batches of unequal probabilities: several independent draws, of which each coordinate counts once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..numerics.checks import set_integer_field
from . import Coordinates
from .alias import AliasTable
from .base import Batches
from .blocks import Blocks
from .serial import Norms


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
