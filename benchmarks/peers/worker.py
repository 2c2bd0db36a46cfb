"""A process of its own for the calls: one thread from its first import on, and it is ended when calls take long.

How long is told by its CPU time, so that a busy machine makes nobody slow. Solvers in C listen to nobody while they
run, and read the number of threads when they are loaded.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from functools import lru_cache
from multiprocessing import resource_tracker as python_tracker
from typing import Any

import loky
import psutil
from loky.backend import resource_tracker as loky_tracker

from cdlab.sweeps.executors import NO_RESTARTS

from .adapters import find_peer
from .cells import Cell, load_task
from .optimum import CertifiedOptimum, optimum
from .searching import CallFailed, TimedCall, TooSlow, calls

# The thread pools of BLAS, OpenMP and numba read these variables when they start.
THREAD_POOLS = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMBA", "NUMEXPR")
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in THREAD_POOLS} | {"VECLIB_MAXIMUM_THREADS": "1"}
POLL_SECONDS = 0.2
MAX_WALL_PER_CPU = 30.0  # A process that sleeps is given up after so many times its limit of CPU time.
READING_SECONDS = 600.0  # Reading data may take so long; finding P* so much longer than its attempts.
COMPILING_SECONDS = 30.0  # A first call may take so much longer, since it imports and compiles.


class Worker:
    """Calls in another process, which is started when it is needed and ended on leaving ``with``.

    Parameters
    ----------
    max_seconds : float
        CPU seconds that a call may take; may be changed between calls.
    """

    def __init__(self, max_seconds: float) -> None:
        self.max_seconds = max_seconds
        self._pool: Any = None
        self._process: psutil.Process
        self._cell: Cell | None = None
        self._called: set[str] = set()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def refusals(self, cell: Cell, names: list[str]) -> dict[str, str]:
        """The reasons why these peers do not fit the cell; empty where one does.

        Raises
        ------
        ValueError, OSError
            If its data are not here.
        """
        return self._run(_refusals, cell, names)

    def optimum(self, cell: Cell, seconds: float, certified: float) -> CertifiedOptimum:
        """P* of the cell, so well certified; errors as of `refusals`."""
        return self._run(_optimum, cell, seconds, certified, wait=20 * seconds + READING_SECONDS)

    def call(self, cell: Cell, best: Any, name: str, budget: float | None) -> TimedCall:
        """A call, whose error is measured from `best`, after one that imports and compiles what the cell needs.

        That one is made once in a process and a cell, since other data and losses may compile anew.

        Raises
        ------
        TooSlow
            If it took longer than allowed. The process is ended, and the next call gets a new one.
        CallFailed
            If the process ended.
        """
        return self.calls(cell, best, name, budget, 1)[0]

    def calls(self, cell: Cell, best: Any, name: str, budget: float | None, count: int) -> list[TimedCall]:
        """So many calls with nothing between them, each of which may take as long as one; errors as of `call`."""
        self._load(cell)
        if name not in self._called:
            self._made(cell, best, name, budget, 1, self.max_seconds + COMPILING_SECONDS)
            self._called.add(name)
        found = self._made(cell, best, name, budget, count, count * self.max_seconds)
        if max(each.cpu for each in found) > self.max_seconds:
            raise self._too_slow()
        return found

    def first_call(self, cell: Cell, best: Any, name: str, budget: float | None) -> TimedCall:
        """A call in a new process that has imported cdlab and read the data; errors are those of `call`."""
        self._end()
        self._load(cell)
        return self._made(cell, best, name, budget, 1, self.max_seconds + COMPILING_SECONDS)[0]

    def _load(self, cell: Cell) -> None:
        if self._cell != cell:
            self._run(_load, cell)
            self._cell = cell
            self._called.clear()

    def _made(self, cell: Cell, best: Any, name: str, budget: float | None, count: int, wait: float) -> list[TimedCall]:
        try:
            return self._run(_calls, cell, best, name, budget, count, wait=wait)
        except TimeoutError:
            raise self._too_slow() from None
        except EOFError:
            raise CallFailed("the process ended during the call") from None

    def _too_slow(self) -> TooSlow:
        return TooSlow(f"a call took longer than {self.max_seconds:g} s")

    def _run(self, function: Callable[..., Any], *arguments: Any, wait: float = READING_SECONDS) -> Any:
        """Run a function in the process, and return its result.

        Raises
        ------
        TimeoutError, EOFError
            If it takes longer, or the process ends.
        """
        if self._pool is None:
            self._pool, self._process = _start()
        began, used = time.monotonic(), self._used()
        answer = self._pool.submit(function, *arguments)
        while True:
            try:
                return answer.result(min(POLL_SECONDS, wait))
            except TimeoutError:
                if self._used() - used >= wait or time.monotonic() - began > MAX_WALL_PER_CPU * wait:
                    self._end()
                    raise TimeoutError(f"no answer within {wait:g} s") from None
            except BrokenExecutor:
                self._end()
                raise EOFError from None

    def _used(self) -> float:
        """CPU seconds of the process so far; 0 once it has ended, which the pool tells."""
        try:
            times = self._process.cpu_times()
        except psutil.NoSuchProcess:
            return 0.0
        return float(times.user + times.system)

    def _end(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, kill_workers=True)
            self._pool, self._cell = None, None  # Peers import and compile anew in the next process.


def _start() -> tuple[Any, psutil.Process]:
    pool = loky.ProcessPoolExecutor(1, env=ONE_THREAD | NO_RESTARTS, initializer=_silence)
    with _without_ctrl_c():
        pid = pool.submit(os.getpid)  # This starts the process.
    return pool, psutil.Process(pid.result())


@contextlib.contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """Keep Ctrl-C waiting for a moment: a process that is started meanwhile never hears it, also while it imports."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    for tracker in (loky_tracker, python_tracker):  # If one started later, it would let Ctrl-C in again.
        tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# ---------------------------------------------------------------- in the process
def _silence() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides what to do.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):  # Solvers in C do not print through Python.
        os.dup2(nowhere, stream)


_loaded = lru_cache(maxsize=1)(load_task)


def _load(cell: Cell) -> None:
    _loaded(cell)


def _refusals(cell: Cell, names: list[str]) -> dict[str, str]:
    return {name: find_peer(name).refusal(_loaded(cell)) for name in names}


def _optimum(cell: Cell, seconds: float, certified: float) -> CertifiedOptimum:
    return optimum(_loaded(cell), seconds, certified)


def _calls(cell: Cell, best: Any, name: str, budget: float | None, count: int) -> list[TimedCall]:
    return calls(_loaded(cell), best, find_peer(name), budget, count)
