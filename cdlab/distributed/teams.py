"""Teams: who holds the parts, and how what a step gives is summed over them. Nothing else knows of engines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from ..numerics import checks
from .part import Part, Summed, added
from .shards import Shard

ENGINES = ("alone",)


class Team(ABC):
    """The parts of a data set, on which one step after another is taken.

    Attributes
    ----------
    size : int
        The number of parts.
    """

    size: int

    @abstractmethod
    def each(self, step: str, *given: Any) -> Iterator[Any]:
        """What this step of `Part` gives on each part, in their order."""

    def sum(self, step: str, *given: Any) -> Summed:
        """The sums over all parts of what this step gives."""
        return added(self.each(step, *given))


class Alone(Team):
    """A team of one process, which holds all parts."""

    def __init__(self, shards: Sequence[Shard], parts: int) -> None:
        self.size = parts
        self.parts = [Part(k, own) for k, own in enumerate(shares(shards, parts))]

    def each(self, step: str, *given: Any) -> Iterator[Any]:
        return (getattr(part, step)(*given) for part in self.parts)


def shares(shards: Sequence[Shard], parts: int) -> list[Sequence[Shard]]:
    """The shards of each part: runs of them, as many in each as in the others, or one more.

    Raises
    ------
    ValueError
        If there are fewer shards than parts.
    """
    if len(shards) < parts:
        few = f"{len(shards)} shard{'s' if len(shards) > 1 else ''}"
        raise ValueError(f"{few} cannot be {parts} parts: write the data in at least as many shards")
    ends = [len(shards) * k // parts for k in range(parts + 1)]
    return [shards[begin:end] for begin, end in zip(ends, ends[1:], strict=False)]


def make_team(engine: str, shards: Sequence[Shard], parts: int | None) -> Team:
    """The team of an engine.

    Raises
    ------
    ValueError
        If there is no such engine, or it has too few shards.
    """
    checks.one_of("engine", engine, ENGINES)
    return Alone(shards, 1 if parts is None else checks.integer("parts", parts, "a whole number >= 1"))
