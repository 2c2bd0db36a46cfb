"""Executors of tasks: this process, others of this machine, or those of a Dask cluster.

All give the same results bit for bit. A task whose process was killed raises `WorkerDied` in its future, and no other
is harmed.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from ..numerics import checks
from ..numerics.files import explain_errors
from .data import Arrays, Source, parts_of
from .runner import Runner, RunTask, one_thread
from .stored_runs import StoredRun

EXECUTORS = ("serial", "processes", "dask")
IDLE_SECONDS = 120  # A worker without a task ends after so many seconds; the next task starts another.
PARENT_POLL_SECONDS = 0.5
# Without this, loky would take the data that stay cached for a leak.
NO_RESTARTS = {"LOKY_MAX_MEMORY_LEAK_SIZE": "1e18"}
TASKS_PER_DASK_THREAD = 2  # With two tasks the next one is there when the last is done.


class WorkerDied(Exception):
    """Loss of the process that carried out a task, and of the task with it."""


class Executor(Protocol):
    """Protocol of executors, as a scheduler uses them.

    Attributes
    ----------
    in_other_processes : bool
        Whether other processes carry out the tasks, so that this one is free meanwhile.
    """

    in_other_processes: bool

    @property
    def slots(self) -> int:
        """Tasks that it takes at a time."""

    def submit(self, task: Any) -> Future[Any]:
        """Begin a task."""

    def close(self) -> None:
        """End it, with all that is not done yet."""


def check_executor(executor: Any, jobs: int | None) -> int | None:
    """Refuse what is no executor, or no number of processes, before data are read; returns that number as an int.

    Raises
    ------
    TypeError, ValueError
        In a sentence.
    """
    if not (is_dask_client(executor) or checks.is_one_of(executor, EXECUTORS)):
        raise ValueError(
            f"the executor is {checks.join_with_or(EXECUTORS)} or a distributed.Client, "
            f"not {checks.short_repr(executor)}"
        )
    return None if jobs is None else checks.integer("jobs", jobs, "a whole number of processes >= 1")


def make_executor(executor: Any, jobs: int | None, runner: Runner, shared: Path) -> Executor:
    """An executor of so many processes (None: one for each core).

    Parameters
    ----------
    executor : {"serial", "processes", "dask"} or distributed.Client
        Who carries out the tasks.
    jobs : int or None
        How many processes.
    runner : Runner
        With the data that planning has read.
    shared : Path
        The folder in which processes share data; who made it removes it.
    """
    if not isinstance(executor, str):
        return Dask(executor, runner, owned=False)
    if executor == "serial":
        return Serial(runner)
    if jobs is None:
        import loky

        jobs = loky.cpu_count()  # that this process may use, also in a container
    if executor == "dask":
        return Dask(local_dask_client(jobs), runner, owned=True)
    return Processes(jobs, runner, shared)


class InProcess:
    """The process itself: one task after another, or by threads, which share the data; kernels hold no GIL.

    Parameters
    ----------
    work : callable
        Makes a result of a task; its errors end the sweep.
    jobs : int, default 1
        Threads; one task after another needs no other than the caller's.
    """

    in_other_processes = False

    def __init__(self, work: Callable[[Any], Any], jobs: int = 1) -> None:
        self._work, self.slots = work, jobs
        self._pool = ThreadPoolExecutor(jobs, thread_name_prefix="cdlab") if jobs > 1 else None

    def submit(self, task: Any) -> Future[Any]:
        """Carry it out, or hand it to a thread."""
        if self._pool is not None:
            return self._pool.submit(self._work, task)
        done: Future[Any] = Future()
        done.set_result(self._work(task))
        return done

    def close(self) -> None:
        """Wait for the threads."""
        if self._pool is not None:
            self._pool.shutdown()


class Serial(InProcess):
    """The process itself, with one thread, for runs.

    Parameters
    ----------
    runner : Runner
        With the data that planning has read.
    """

    def __init__(self, runner: Runner) -> None:
        def run(task: RunTask) -> StoredRun:
            with one_thread():
                return runner.run(task)

        super().__init__(run)


# ---------------------------------------------------------------- processes of this machine
class Processes:
    """Processes of this machine, each of one thread.

    Each is a pool of its own: a process that is killed breaks its pool, and takes no other task with it.

    Parameters
    ----------
    jobs : int
        How many.
    runner : Runner
        With the data that planning has read.
    folder : Path
        Where data are shared.
    """

    in_other_processes = True

    def __init__(self, jobs: int, runner: Runner, folder: Path) -> None:
        self.slots = jobs
        self._runner, self._files = runner, SharedFiles(folder)
        self._free: list[Any] = []
        self._busy: list[Any] = []

    def submit(self, task: RunTask) -> Future[StoredRun]:
        """Hand the task to a process that is free."""
        mapped = task.with_data(self._mapped(task.settings.data), self._mapped(task.settings.test))
        pool = self._free.pop() if self._free else _start_worker()
        try:
            inner = pool.submit(_run_in_worker, mapped)
        except BrokenExecutor:  # killed while it waited
            pool = _start_worker()
            inner = pool.submit(_run_in_worker, mapped)
        self._busy.append(pool)
        outer: Future[StoredRun] = Future()
        inner.add_done_callback(lambda done: self._done(pool, done, outer))
        return outer

    def close(self) -> None:
        """End the processes at once."""
        for pool in (*self._free, *self._busy):
            pool.shutdown(wait=True, kill_workers=True)

    def _mapped(self, source: Source | None) -> Any:
        return None if source is None else self._files.mapped(source, self._runner.data.arrays(source))

    def _done(self, pool: Any, inner: Future[StoredRun], outer: Future[StoredRun]) -> None:
        self._busy.remove(pool)
        error = inner.exception()
        if isinstance(error, BrokenExecutor):
            outer.set_exception(WorkerDied(checks.error_message(error)))
            return
        self._free.append(pool)
        if error is not None:
            outer.set_exception(error)
        else:
            outer.set_result(inner.result())


def _start_worker() -> Any:
    import loky

    return loky.ProcessPoolExecutor(
        1, timeout=IDLE_SECONDS, initializer=_prepare_worker, initargs=(os.getpid(),), env=NO_RESTARTS
    )


def _prepare_worker(parent: int) -> None:
    """Make a process a worker: of one thread, deaf to Ctrl-C, which is the parent's, and gone when the parent is.

    The parent's id is handed over: asked for here, it could be that of whoever adopts orphans.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    one_thread()
    threading.Thread(target=_exit_with_parent, args=(parent,), daemon=True).start()


def _exit_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PARENT_POLL_SECONDS)
    os._exit(1)


@cache
def _worker_runner() -> Runner:
    """The runner that a worker keeps between tasks."""
    return Runner()


def _run_in_worker(task: RunTask) -> StoredRun:
    return _worker_runner().run(task)


@dataclass(frozen=True)
class MappedData:
    """X and y in a folder that `SharedFiles` wrote."""

    token: str
    parts: tuple[str, ...]
    shape: tuple[int, int]

    def arrays(self) -> Arrays:
        """The arrays, mapped into memory: read as they are used, and copied where they are written to."""
        # "c": numba compiles other kernels for arrays that may not be written to; a plain array of a mapped one is one
        paths = {name: Path(self.token, f"{name}.npy") for name in self.parts}
        parts = {name: np.asarray(np.load(path, mmap_mode="c")) for name, path in paths.items()}
        y = parts.pop("y")
        return _matrix(parts, self.shape), y


class SharedFiles:
    """Data in files that several processes map into memory: they are written once, and in memory once.

    Parameters
    ----------
    folder : Path
        Of this process alone.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._written: dict[Any, MappedData] = {}

    def mapped(self, source: Source, arrays: Arrays) -> MappedData:
        """The data of a source, written when they are asked for first."""
        if source.token not in self._written:
            self._written[source.token] = self._write(*arrays)
        return self._written[source.token]

    def _write(self, X: np.ndarray | sp.csr_matrix, y: np.ndarray) -> MappedData:
        folder = self._folder / str(len(self._written))
        folder.mkdir(parents=True)
        parts = {**parts_of(X), "y": y}
        for name, array in parts.items():
            with explain_errors(path := folder / f"{name}.npy", needed=array.nbytes):
                np.save(path, array, allow_pickle=False)
        return MappedData(str(folder), tuple(parts), X.shape)


def _matrix(parts: dict[str, np.ndarray], shape: tuple[int, int]) -> np.ndarray | sp.csr_matrix:
    """The matrix that consists of these arrays, which are not copied."""
    if "X" in parts:
        return parts["X"]
    X = sp.csr_matrix((parts["data"], parts["indices"], parts["indptr"]), shape=shape, copy=False)
    X.has_canonical_format = True
    return X


# ---------------------------------------------------------------- a Dask cluster
def local_dask_client(jobs: int) -> Any:
    """A client with so many processes of this machine, each of one thread.

    Raises
    ------
    ImportError
        If Dask is not installed.
    """
    try:
        from distributed import Client
    except ImportError:
        raise ImportError('the executor "dask" needs Dask: pip install "dask[distributed]"') from None
    return Client(n_workers=jobs, threads_per_worker=1, dashboard_address=None)


def is_dask_client(executor: Any) -> bool:
    """Tell whether it is a `distributed.Client`, without importing it."""
    return any(cls.__name__ == "Client" and cls.__module__.startswith("distributed") for cls in type(executor).__mro__)


class Dask:
    """The workers of a client.

    Parameters
    ----------
    client : distributed.Client
    runner : Runner
        With the data that planning has read; they go once to each worker.
    owned : bool
        Whether the client ends with the sweep.
    """

    in_other_processes = True

    def __init__(self, client: Any, runner: Runner, owned: bool) -> None:
        self._client, self._runner, self._owned = client, runner, owned
        self._scattered: dict[Any, Any] = {}
        self._running: dict[Future[StoredRun], Any] = {}

    @property
    def slots(self) -> int:
        """By the threads that there are now: a cluster may grow and shrink."""
        return TASKS_PER_DASK_THREAD * max(1, sum(self._client.nthreads().values()))

    def submit(self, task: RunTask) -> Future[StoredRun]:
        """Send it to the cluster."""
        import cloudpickle  # comes with Dask

        data, test = self._at_workers(task.settings.data), self._at_workers(task.settings.test)
        pickled = cloudpickle.dumps(task.with_data(None, None))  # Dask would look for parts of graphs in the task
        inner = self._client.submit(_run_in_dask, pickled, str(task.settings.data.token), data, test, pure=False)
        outer: Future[StoredRun] = Future()
        self._running[outer] = inner
        inner.add_done_callback(lambda done: self._done(done, outer))
        return outer

    def close(self) -> None:
        """Cancel what is not done; a client that was handed over stays open."""
        self._client.cancel(list(self._running.values()))
        if self._owned:
            self._client.close()

    def _at_workers(self, source: Source | None) -> Any:
        if source is None:
            return None
        if source.token not in self._scattered:
            arrays = self._runner.data.arrays(source)
            self._scattered[source.token] = self._client.scatter([arrays], broadcast=True, hash=False)[0]
        return self._scattered[source.token]

    def _done(self, inner: Any, outer: Future[StoredRun]) -> None:
        self._running.pop(outer, None)
        if inner.status == "finished":
            outer.set_result(inner.result())
            return
        self._scattered.clear()  # data that only a lost worker had are lost with it
        error = inner.exception() if inner.status == "error" else None
        lost = error is None or type(error).__module__.startswith("distributed")
        outer.set_exception(WorkerDied(checks.error_message(error) if error else inner.status) if lost else error)


@dataclass(frozen=True, eq=False)
class ReceivedData:
    """Data that came over the wire."""

    token: str
    received: Arrays

    def arrays(self) -> Arrays:
        """The arrays, which may be written to: numba compiles other kernels for those that may not."""
        X, y = self.received
        parts = {name: np.require(part, requirements="W") for name, part in parts_of(X).items()}
        return _matrix(parts, X.shape), y


def _run_in_dask(pickled: bytes, token: str, data: Arrays, test: Arrays | None) -> StoredRun:
    one_thread()
    test_data = None if test is None else ReceivedData(f"test of {token}", test)
    return _worker_runner().run(pickle.loads(pickled).with_data(ReceivedData(token, data), test_data))
