"""Who carries tasks out: this process, or others of this machine (of a Dask cluster: ``dask_executor``).

An executor has `slots`, how many tasks it takes at a time, `apart`, whether other processes carry them out, `submit`,
which returns a future, and `close`. All give the same results bit for bit. A task whose process was killed raises
`Died` in its future, and no other is harmed.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from ..numerics import checks
from .data import Source
from .shared_files import SharedFiles
from .work import Task, Workshop, one_thread

IDLE = 120  # seconds without a task after which a worker ends; the next task starts another
WATCHED_EVERY = 0.5  # seconds
KEPT = {"LOKY_MAX_MEMORY_LEAK_SIZE": "1e18"}  # data stay at hand between tasks, which loky would take for a leak

Result = dict[str, Any]


class Died(Exception):
    """The process that carried out a task is gone, and with it the task."""


class Executor(Protocol):
    """What a sweep asks of an executor."""

    apart: bool

    @property
    def slots(self) -> int:
        """Tasks that it takes at a time."""

    def submit(self, task: Any) -> Future[Any]:
        """Begin a task."""

    def close(self) -> None:
        """End it, with all that is not done yet."""


class Here:
    """Within this process: one task after another, or by threads, which share the data; kernels hold no GIL.

    Parameters
    ----------
    work : callable
        Makes a result of a task; its errors end the sweep.
    jobs : int, default 1
        Threads; one task after another needs no other than the caller's.
    """

    apart = False

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


class Serial(Here):
    """The process itself, with one thread.

    Parameters
    ----------
    workshop : Workshop
        With the data that planning has read.
    """

    def __init__(self, workshop: Workshop) -> None:
        def carried_out(task: Task) -> Result:
            with one_thread():
                return workshop.carry_out(task)

        super().__init__(carried_out)


class Processes:
    """Processes of this machine, each of one thread.

    Each is a pool of its own: a process that is killed breaks its pool, and takes no other task with it.

    Parameters
    ----------
    jobs : int
        How many.
    workshop : Workshop
        With the data that planning has read.
    folder : Path
        Where data are shared.
    """

    apart = True

    def __init__(self, jobs: int, workshop: Workshop, folder: Path) -> None:
        self.slots = jobs
        self._workshop, self._files = workshop, SharedFiles(folder)
        self._free: list[Any] = []
        self._busy: list[Any] = []

    def submit(self, task: Task) -> Future[Result]:
        """Hand the task to a process that is free."""
        handed = task.with_data(self._mapped(task.settings.data), self._mapped(task.settings.test))
        pool = self._free.pop() if self._free else _pool()
        try:
            inner = pool.submit(_carried_out, handed)
        except BrokenExecutor:  # killed while it waited
            pool = _pool()
            inner = pool.submit(_carried_out, handed)
        self._busy.append(pool)
        outer: Future[Result] = Future()
        inner.add_done_callback(lambda done: self._done(pool, done, outer))
        return outer

    def close(self) -> None:
        """End the processes at once."""
        for pool in (*self._free, *self._busy):
            pool.shutdown(wait=True, kill_workers=True)
        self._files.close()

    def _mapped(self, source: Source | None) -> Any:
        return None if source is None else self._files.mapped(source, self._workshop.at_hand.arrays(source))

    def _done(self, pool: Any, inner: Future[Result], outer: Future[Result]) -> None:
        self._busy.remove(pool)
        error = inner.exception()
        if isinstance(error, BrokenExecutor):
            outer.set_exception(Died(checks.error_message(error)))
            return
        self._free.append(pool)
        if error is not None:
            outer.set_exception(error)
        else:
            outer.set_result(inner.result())


def _pool() -> Any:
    import loky

    return loky.ProcessPoolExecutor(1, timeout=IDLE, initializer=_begin, initargs=(os.getpid(),), env=KEPT)


def _begin(parent: int) -> None:
    """Make a process a worker: of one thread, deaf to Ctrl-C, which is the parent's, and gone when the parent is.

    Who the parent is the worker has to be told: it may be gone already.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    one_thread()
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(WATCHED_EVERY)
    os._exit(1)


@cache
def workshop() -> Workshop:
    """What a worker keeps between tasks."""
    return Workshop()


def _carried_out(task: Task) -> Result:
    return workshop().carry_out(task)
