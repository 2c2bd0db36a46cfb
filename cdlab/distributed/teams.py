"""Teams: who holds the parts, and how what a step gives is summed over them. Nothing else knows of engines."""

from __future__ import annotations

import os
import sys
import traceback
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from ..numerics import checks
from .part import Part, Summed, added
from .shards import Shard

ENGINES = ("alone", "mpi")


class Team(ABC):
    """The parts of a data set, on which one step after another is taken. Entered around a run.

    Attributes
    ----------
    size : int
        The number of parts.
    leads : bool
        Whether this process speaks for the team: of several that run the same program one does.
    """

    size: int
    leads = True

    @abstractmethod
    def each(self, step: str, *given: Any) -> Iterator[Any]:
        """What this step of `Part` gives on each part, in their order."""

    def sum(self, step: str, *given: Any) -> Summed:
        """The sums over all parts of what this step gives."""
        return added(self.each(step, *given))

    def agreed(self, value: Any) -> Any:
        """What the process that leads has for this value."""
        return value

    def __enter__(self) -> Team:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        """End it."""


class Alone(Team):
    """A team of one process, which holds all parts."""

    def __init__(self, shards: Sequence[Shard], parts: int) -> None:
        self.size = parts
        self.parts = [Part(k, own) for k, own in enumerate(shares(shards, parts))]

    def each(self, step: str, *given: Any) -> Iterator[Any]:
        return (getattr(part, step)(*given) for part in self.parts)


class Mpi(Team):
    """The processes that mpirun has started, each of which runs the whole program and holds one part."""

    def __init__(self, shards: Sequence[Shard]) -> None:
        self._comm, self.size = communicator()
        self.leads = self._comm.rank == 0
        self._part = Part(self._comm.rank, shares(shards, self.size)[self._comm.rank])
        self._shared: BaseException | None = None

    def each(self, step: str, *given: Any) -> Iterator[Any]:
        return iter(self._comm.allgather(self._take(step, given)))

    def sum(self, step: str, *given: Any) -> Summed:
        mine = self._take(step, given)
        for array in mine:
            self._comm.Allreduce(self._in_place, array)
        return mine

    def agreed(self, value: Any) -> Any:
        return self._comm.bcast(value)

    def _take(self, step: str, given: Sequence[Any]) -> Any:
        """What a step gives here; an error of any process is raised in all of them."""
        result, error = None, None
        try:
            result = getattr(self._part, step)(*given)
        except Exception as raised:
            error = raised
        if self._comm.allreduce(int(error is not None)):
            self._shared = next(filter(None, self._comm.allgather(error)))
            raise self._shared
        return result

    @property
    def _in_place(self) -> Any:
        from mpi4py import MPI

        return MPI.IN_PLACE

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        """End the whole job where this process alone has failed: the others would wait for it for ever."""
        if error is not None and error is not self._shared and self.size > 1:
            traceback.print_exception(error, file=sys.__stderr__)  # of all processes
            self._comm.Abort(1)


def communicator() -> tuple[Any, int]:
    """MPI's communicator of all processes, and their number.

    Raises
    ------
    ImportError
        Without mpi4py, in a sentence.
    """
    try:
        from mpi4py import MPI
    except ImportError:
        raise ImportError("engine='mpi' needs mpi4py: pip install 'cdlab[mpi]'") from None
    return MPI.COMM_WORLD, MPI.COMM_WORLD.size


def quiet_others(engine: str) -> None:
    """Leave speaking to one of the processes that run the same program."""
    if engine == "mpi" and communicator()[0].rank > 0:
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115  to the end of the process


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
    ValueError, ImportError
        If there is no such engine, or it has too few shards.
    """
    checks.one_of("engine", engine, ENGINES)
    if parts is not None and engine != "alone":
        raise ValueError(f"parts is for engine='alone': {engine} has a part for each process")
    if engine == "mpi":
        return Mpi(shards)
    return Alone(shards, 1 if parts is None else checks.integer("parts", parts, "a whole number >= 1"))
