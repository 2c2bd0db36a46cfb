"""sweep: what is not in the store yet, handed out, and kept as it comes back."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from ..numerics import checks
from . import files
from .dask_executor import Dask, is_client, local_client
from .executors import Died, Executor, Processes, Result, Serial
from .locks import Lock, Locks
from .memory import check_available
from .planning import Planned, planned
from .progress import Progress
from .shared_files import tidy
from .store import Store
from .work import Workshop, failure

EXECUTORS = ("serial", "processes", "dask")
DEATHS = 5  # of its process, after which a run is taken for their cause
LOOKED_EVERY = 0.5  # seconds between two looks at what other sweeps work on


def sweep(
    grid: Any,
    executor: Any = "serial",
    *,
    store: str | os.PathLike[str],
    jobs: int | None = None,
    time_limit: float | None = None,
    memory_limit: float | None = None,
    retry: bool = False,
    progress: Callable[[Progress], Any] | None = None,
) -> Store:
    """Carry out the runs of a grid that are not in a store yet.

    A run that is finished is never computed twice, in whatever order the grid is written, and by several sweeps on one
    store neither. Whatever ends a sweep, the runs that were going are lost and no others; the same call goes on. A run
    that fails is kept with its traceback, and does not end the sweep.

    Parameters
    ----------
    grid : list of dict, or dict of lists
        The settings of each run, or lists whose product they are. Known are

        - data, a name or path with scale, split, dense and n_features as for `datasets.load`, a `datasets.Derived`, or
          a pair (X, y), also as X and y
        - loss, l2, l1, intercept, sample_weight as for `Problem`; l2 and l1 also as texts such as "0.1/n"
        - method, sampling, seed, tol, max_passes, divergence_tol, every, strong_convexity, start as for `solve`; but
          every is 1
        - test, data of the same forms; the same name again stands for its own test part

        and the parameters of the method.
    executor : {"serial", "processes", "dask"} or distributed.Client, default "serial"
        This process; several of this machine; those of a Dask cluster, by "dask" of one on this machine.
    store : str or path
        The folder of the results, made if it is missing.
    jobs : int, optional
        Processes; by default one for each core. A client has its own.
    time_limit : float, optional
        Seconds that a run may take, without compiling. A guard: the run then counts as failed.
    memory_limit : float, optional
        Bytes that a run may take beside its data; Linux only, and not with a client.
    retry : bool, default False
        Carry out again the runs that failed.
    progress : callable, optional
        Called with a `Progress` at the start and after each run: ``print``, say.

    Returns
    -------
    Store
        The finished runs of this grid.

    Raises
    ------
    TypeError, ValueError
        If a run of the grid is none, before any is carried out.
    OSError
        If data cannot be read, or the store not be written.
    ImportError
        For "dask" without Dask.
    KeyboardInterrupt
        After Ctrl-C, with all finished runs in the store.

    Examples
    --------
    >>> import cdlab, tempfile
    >>> grid = {"data": "mushrooms", "l2": ["1/n", "0.1/n"], "method": "sdca", "seed": range(2), "tol": 1e-3}
    >>> store = cdlab.sweep(grid, store=tempfile.mkdtemp())
    >>> len(store), set(store.to_frame()["status"])
    (4, {'tolerance reached'})
    """
    if not (is_client(executor) or checks.is_word(executor, EXECUTORS)):
        raise ValueError(f"the executor is {checks.either(EXECUTORS)} or a distributed.Client, not {executor!r}")
    if memory_limit is not None and not (isinstance(executor, str) and executor in EXECUTORS[:2]):
        raise ValueError("memory_limit is for serial and processes: Dask's workers have a limit of their own")
    for name, limit in (("time_limit", time_limit), ("memory_limit", memory_limit)):
        if limit is not None:
            checks.number(name, limit, "a number > 0 or None")
    check_available(memory_limit)
    if jobs is not None:
        jobs = checks.whole("jobs", jobs, "a whole number of processes >= 1")
    root = Path(store)
    root.mkdir(parents=True, exist_ok=True)
    files.tidy(root)
    tidy(root / files.SHARED)
    workshop = Workshop()
    plan = planned(grid, workshop, time_limit, memory_limit)
    going = _Sweep(root, plan, checks.flag("retry", retry), progress)
    if going.left:
        carried = _executor(executor, jobs, workshop, root)
        try:
            going.run(carried)
        finally:
            carried.close()
    return Store(root, [each.task.key for each in plan])


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
        self, root: Path, plan: list[Planned], retry: bool, progress: Callable[[Progress], Any] | None
    ) -> None:
        self._root, self._total, self._retry, self._tell = root, len(plan), retry, progress
        self._began = time.monotonic()
        self._found = self._done = self._failed = 0
        self._deaths: dict[str, int] = {}
        self._compiled: set[Any] = set()  # kinds of runs of which one is finished
        self._going: dict[Future[Result], tuple[Planned, Lock]] = {}
        self._locks = Locks()
        self._disk = ThreadPoolExecutor(1)  # waits for it, so that no run does
        self._written: list[Future[None]] = []
        self._elsewhere: dict[str, float] = {}  # when a run that another sweep works on is looked at again
        self.left = [each for each in plan if not self._known(each.task.key)]
        self._told()

    def run(self, executor: Executor) -> None:
        """Carry out what is left."""
        try:
            while self.left or self._going:
                self._fill(executor)
                if self._going:
                    done, _ = wait(self._going, LOOKED_EVERY, FIRST_COMPLETED)
                    if executor.apart:  # the next begin before these are written
                        self._fill(executor, len(done))
                    for future in done:
                        self._keep(future)
                elif self.left:
                    time.sleep(LOOKED_EVERY)
            for each in self._written:
                each.result()
        finally:
            self._disk.shutdown()
            self._locks.release_all()

    def _fill(self, executor: Executor, done: int = 0) -> None:
        """Hand out as much as is taken at a time, beside so many that are done."""
        while len(self._going) - done < executor.slots and self._start_next(executor):
            pass

    def _known(self, key: str, again: bool = False) -> bool:
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
        if self._tell is not None:
            spent, left = time.monotonic() - self._began, len(self.left) + len(self._going)
            seconds = spent / self._done * left if self._done else None
            self._tell(Progress(self._total, self._found, self._done, self._failed, seconds))
