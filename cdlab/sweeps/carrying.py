"""Carrying out: runs that are not in the store yet, handed out, and kept as they come back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from ..numerics import checks
from . import files
from .dask_executor import Dask, is_client, local_client
from .executors import Died, Executor, Processes, Result, Serial
from .locks import Lock, Locks
from .planning import Planned
from .progress import Progress
from .shared_files import tidy
from .store import Store
from .work import Workshop, failure

EXECUTORS = ("serial", "processes", "dask")
DEATHS = 5  # of its process, after which a run is taken for their cause
LOOKED_EVERY = 0.5  # seconds between two looks at what other sweeps work on


def check(executor: Any, jobs: int | None) -> int | None:
    """Refuse what is no executor, or no number of processes, before data are read; returns that number as an int.

    Raises
    ------
    TypeError, ValueError
        In a sentence.
    """
    if not (is_client(executor) or checks.is_word(executor, EXECUTORS)):
        raise ValueError(f"the executor is {checks.either(EXECUTORS)} or a distributed.Client, not {executor!r}")
    return None if jobs is None else checks.whole("jobs", jobs, "a whole number of processes >= 1")


def carry_out(
    plan: Iterator[list[Planned]],
    workshop: Workshop,
    executor: Any,
    root: Path,
    *,
    jobs: int | None = None,
    retry: bool = False,
    progress: Callable[[Progress], Any] | None = None,
) -> Store:
    """`sweep`, of runs that are planned, from the workshop where their data were read, into a folder that is there.

    The plan can grow while its first runs are going: an iterator of lists, each with all runs so far in their order.
    """
    files.tidy(root)
    tidy(root / files.SHARED)
    going = _Sweep(root, plan, retry, progress)
    if going.left:
        carried = _executor(executor, jobs, workshop, root)
        try:
            going.run(carried)
        finally:
            carried.close()
    return Store(root, going.keys)


def _executor(executor: Any, jobs: int | None, workshop: Workshop, root: Path) -> Executor:
    if not isinstance(executor, str):
        return Dask(executor, workshop, owned=False)
    if executor == "serial":
        return Serial(workshop)
    if jobs is None:
        import loky

        jobs = loky.cpu_count()  # that this process may use, also in a container
    if executor == "dask":
        return Dask(local_client(jobs), workshop, owned=True)
    return Processes(jobs, workshop, root / files.SHARED)


class _Sweep:
    """What is left to do, what is going, and what was found."""

    def __init__(
        self, root: Path, plan: Iterator[list[Planned]], retry: bool, progress: Callable[[Progress], Any] | None
    ) -> None:
        self._root, self._retry, self._tell = root, retry, progress
        self._began = time.monotonic()
        self._found = self._done = self._failed = 0
        self._deaths: dict[str, int] = {}
        self._compiled: set[Any] = set()  # kinds of runs of which one is finished
        self._going: dict[Future[Result], tuple[Planned, Lock]] = {}
        self._locks = Locks()
        self._disk = ThreadPoolExecutor(1)  # waits for it, so that no run does
        self._written: list[Future[None]] = []
        self._elsewhere: dict[str, float] = {}  # when a run that another sweep works on is looked at again
        self._plan: Iterator[list[Planned]] | None = plan  # None: all of it is known
        self.keys: list[str] = []
        self.left: list[Planned] = []
        while self._plan is not None and not self.left:
            self._plan_more()
        self._told()

    def run(self, executor: Executor) -> None:
        """Carry out what is left."""
        try:
            while self.left or self._going or self._plan is not None:
                self._fill(executor)
                self._plan_more()
                if self._going:
                    done, _ = wait(self._going, LOOKED_EVERY if self._plan is None else 0, FIRST_COMPLETED)
                    if executor.apart:  # the next begin before these are written
                        self._fill(executor, len(done))
                    for future in done:
                        self._keep(future)
                elif self.left and self._plan is None:
                    time.sleep(LOOKED_EVERY)
            for each in self._written:
                each.result()
        finally:
            self._disk.shutdown()
            self._locks.release_all()

    def _plan_more(self) -> None:
        """Take in the plan as it is after one more step, if any."""
        plan = None if self._plan is None else next(self._plan, None)
        if plan is None:
            self._plan = None
            return
        taken = set(self.keys)
        new = [each for each in plan if each.task.key not in taken]
        self.keys += [each.task.key for each in new]
        place = {each.task.key: k for k, each in enumerate(plan)}
        self.left += [each for each in new if not self._known(each.task.key)]
        self.left.sort(key=lambda each: place[each.task.key])

    def _fill(self, executor: Executor, done: int = 0) -> None:
        """Hand out as much as is taken at a time, beside so many that are done."""
        while len(self._going) - done < executor.slots and self._start_next(executor):
            pass

    def _known(self, key: str) -> bool:
        """Whether the store has the run, or its failure where that need not be tried again."""
        if files.read(self._root, key) is not None:
            self._found += 1
            return True
        if not self._retry and files.read(self._root, key, files.FAILED) is not None:
            self._failed += 1
            return True
        return False

    def _start_next(self, executor: Executor) -> bool:
        """Start the first run that can be: no other sweep works on it, and its kernels are compiled or it is alone."""
        compiling = {planned.kind for planned, _ in self._going.values()} - self._compiled
        for each in self.left:
            key = each.task.key
            if each.kind in compiling or time.monotonic() < self._elsewhere.get(key, 0.0):
                continue
            lock = self._locks.take(files.path_of(self._root, key, files.LOCK))
            if lock is None:
                self._elsewhere[key] = time.monotonic() + LOOKED_EVERY
                continue
            self.left.remove(each)
            if self._known(key):  # finished by another sweep since it was looked for
                self._locks.release(lock)
                self._told()
            else:
                self._going[executor.submit(each.task)] = each, lock
            return True
        return False

    def _keep(self, future: Future[Result]) -> None:
        each, lock = self._going.pop(future)
        key = each.task.key
        try:
            content = future.result()
        except Died as error:
            self._deaths[key] = self._deaths.get(key, 0) + 1
            if self._deaths[key] < DEATHS:
                self.left.insert(0, each)
                self._locks.release(lock)
                return
            message = f"its process was ended from outside {DEATHS} times: there may be too little memory ({error})"
            content = failure(each.task, "Died", message, "", 0.0)
        try:
            self._written.append(self._disk.submit(files.to_disk, files.write(self._root, key, content)))
        finally:
            self._locks.release(lock)
        self._compiled.add(each.kind)
        if content["columns"]["iteration"]:
            self._done += 1
        else:
            self._failed += 1
        self._told()

    def _told(self) -> None:
        if self._tell is not None and self._plan is None:  # before, nobody knows of how many
            spent, left = time.monotonic() - self._began, len(self.left) + len(self._going)
            seconds = spent / self._done * left if self._done else None
            self._tell(Progress(len(self.keys), self._found, self._done, self._failed, seconds))
