"""Teams: who holds the parts, and how what a step gives is summed over them. Nothing else knows of engines."""

from __future__ import annotations

import os
import sys
import traceback
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any

import numpy as np

from ..numerics import checks
from ..runs.interrupts import without_interrupts
from .dask_collections import Collection
from .part import Part, Summed, added
from .shards import Shard, shards_of

ENGINES = ("alone", "mpi", "dask")


class Team(ABC):
    """The parts of a data set, on which one step after another is taken. Entered around a run."""

    size: int  # the number of parts
    leads = True  # whether this process speaks for the team: of several that run the same program one does
    bytes = 0.0  # sent so far
    computing = 0.0  # seconds of CPU time that sums have taken on a part, on average

    @abstractmethod
    def each(self, step: str, *given: Any) -> Iterator[Any]:
        """What this step of `Part` gives on each part, in their order."""

    def sum(self, step: str, *given: Any) -> Summed:
        """The sums over all parts of what this step gives."""
        return self._counted(given, added(self.each("timed", step, *given)))

    def _counted(self, given: Sequence[Any], found: Summed) -> Summed:
        """The sums without the CPU time, which is counted, as are the numbers that were sent for them."""
        numbers, self.computing = found.numbers[:-1], self.computing + found.numbers[-1].item() / self.size
        sent = sum(x.size for x in (*given, found.vector, numbers) if isinstance(x, np.ndarray))
        self.bytes += 8 * sent * self.size
        return Summed(found.vector, numbers)

    def agreed(self, value: Any) -> Any:
        """What the process that leads has for this value."""
        return value

    def in_step(self) -> AbstractContextManager[None]:
        """A block of steps: where one of several processes fails in it, all of them end."""
        return nullcontext()

    def __enter__(self) -> Team:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        """End it."""


class Alone(Team):
    """A team of one process, which holds all parts."""

    def __init__(self, shards: list[Shard], parts: int) -> None:
        self.size = parts
        self.parts = [Part(k, own) for k, own in enumerate(shares(shards, parts))]

    def each(self, step: str, *given: Any) -> Iterator[Any]:
        return (getattr(part, step)(*given) for part in self.parts)


class Mpi(Team):
    """The processes that mpirun has started, each of which runs the whole program and holds one part."""

    def __init__(self, shards: list[Shard]) -> None:
        self._mpi = mpi()
        self._comm = self._mpi.COMM_WORLD
        self.size, rank = self._comm.size, self._comm.rank
        self.leads, self._part = rank == 0, Part(rank, shares(shards, self.size)[rank])
        self._shared: BaseException | None = None

    def each(self, step: str, *given: Any) -> Iterator[Any]:
        return iter(self._comm.allgather(self._take(step, given)))

    def sum(self, step: str, *given: Any) -> Summed:
        mine = self._take("timed", (step, *given))
        for array in mine:
            self._comm.Allreduce(self._mpi.IN_PLACE, array)
        return self._counted(given, mine)

    def agreed(self, value: Any) -> Any:
        return self._comm.bcast(value)

    def _take(self, step: str, given: Sequence[Any]) -> Any:
        """What a step gives here; an error of any process is raised in all of them."""
        result, error = self._part.take(step, given)
        if self._comm.allreduce(int(error is not None)):
            self._shared = next(filter(None, self._comm.allgather(error)))
            raise self._shared
        return result

    @contextmanager
    def in_step(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            if error is not self._shared and self.size > 1:  # the others would wait for this process for ever
                traceback.print_exception(error, file=sys.__stderr__)  # of all processes
                self._comm.Abort(1)
            raise


class PartsLost(Exception):
    """Loss of some parts in the midst of a step: they have been made anew elsewhere, and `Part.recover` comes next."""

    def __init__(self, parts: frozenset[int]) -> None:
        super().__init__(f"parts {sorted(parts)} were lost")
        self.parts = parts


class Dask(Team):
    """The workers of a Dask cluster, each of which holds one part: what is raised there is the loss of the worker."""

    def __init__(self, engine: Any, shards: list[Shard] | Collection) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise ImportError("engine='dask' needs Dask: pip install 'cdlab[dask]'") from None
        if engine == "dask":
            with suppress(ValueError):  # no client is open
                engine = Client.current()
        self._owned = isinstance(engine, str)
        local = {"threads_per_worker": 1, "dashboard_address": ":0"}
        with without_interrupts():  # which workers inherit: Ctrl-C is for this process, which ends them
            self._client = Client(**local) if engine == "dask" else Client(engine) if self._owned else engine
        self._at: list[tuple[Any, Any]] = []
        try:
            workers = list(self._client.nthreads())
            if not workers:
                raise ValueError("the Dask cluster has no workers yet: start some, or wait for them")
            if isinstance(shards, Collection):
                workers, self._shares = shards.shards_by_worker(self._client)
            else:
                self._shares = shares(shards, min(len(workers), len(shards)))
            self.size, self._begun, self._dead = len(self._shares), (), set[str]()
            self._at += [self._place(k, workers[k]) for k in range(self.size)]
        except BaseException as error:
            self.__exit__(type(error), error, None)
            raise

    def _place(self, k: int, worker: str) -> tuple[Any, Any]:
        """A new actor of a part, at this worker or where there is one, and its future."""
        where = {"workers": [worker], "allow_other_workers": True}
        future = self._client.submit(Part, k, self._shares[k], actor=True, pure=False, **where)
        return future.result(), future

    def each(self, step: str, *given: Any) -> Iterator[Any]:
        name = given[0] if step == "timed" else step
        if name == "begin":
            self._begun = given[1:]
        taken, found, lost = [at.take(step, given) for at, _ in self._at], [], set()
        for k, result in enumerate(taken):
            try:
                found.append(result.result())
            except Exception:  # not the step's own
                lost.add(k)
        for k in lost:
            self._remake(k)
        if lost and name in ("scan", "slopes", "begin"):  # they change nothing that a second time changes
            return self.each(step, *given)
        if lost:
            raise PartsLost(frozenset(lost))
        for error in (error for _, error in found if error is not None):
            raise error
        return (result for result, _ in found)

    def _remake(self, k: int) -> None:
        """Make a lost part again at a worker that is left, with the fewest parts, up to its start."""
        places = self._client.who_has([future for _, future in self._at])
        self._dead.update(places.get(self._at[k][1].key, ()))
        held = [worker for workers in places.values() for worker in workers]
        while left := [worker for worker in self._client.nthreads() if worker not in self._dead]:
            worker = min(left, key=held.count)
            try:
                self._at[k] = self._place(k, worker)
                if self._begun:
                    self._at[k][0].take("begin", self._begun).result()
                return
            except Exception:  # it has died, too
                self._dead.add(worker)
        raise RuntimeError("no worker of the Dask cluster is left")

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        """Let go of the parts; a client that was handed over stays open."""
        self._at.clear()
        if self._owned:
            self._client.close()


def mpi() -> Any:
    """mpi4py's MPI; an ImportError without it."""
    try:
        from mpi4py import MPI
    except ImportError:
        raise ImportError("engine='mpi' needs mpi4py: pip install 'cdlab[mpi]'") from None
    return MPI


def quiet_others(engine: str) -> None:
    """Leave speaking to one of the processes that run the same program."""
    if engine == "mpi" and mpi().COMM_WORLD.rank > 0:
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115  to the end of the process


def shares(shards: list[Shard], parts: int) -> list[list[Shard]]:
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


def make_team(engine: Any, data: Any, parts: int | None) -> Team:
    """The team of an engine, a word, the address of a Dask scheduler, or its client; None: "dask" for its collections.

    Raises
    ------
    ValueError, ImportError
        If there is no such engine, or it has too few shards.
    """
    of_dask = isinstance(data, Collection)
    engine = ("dask" if of_dask else "alone") if engine is None else engine
    is_cluster = (isinstance(engine, str) and "://" in engine) or hasattr(engine, "nthreads")
    if not (is_cluster or checks.is_one_of(engine, ENGINES)):
        told = "'alone', 'mpi', 'dask', the address of a scheduler such as tcp://host:8786, or a Client of Dask"
        raise ValueError(f"engine must be {told}, not {checks.short_repr(engine)}")
    if parts is not None and engine != "alone":
        raise ValueError("parts is for engine='alone': others have a part for each process")
    if of_dask and engine in ("alone", "mpi"):
        raise ValueError(f"engine={engine!r} does not take Dask collections, whose chunks are at workers of Dask")
    shards = data if of_dask else shards_of(data)
    if engine == "mpi":
        return Mpi(shards)
    if engine != "alone":
        return Dask(engine, shards)
    return Alone(shards, 1 if parts is None else checks.integer("parts", parts, "a whole number >= 1"))
