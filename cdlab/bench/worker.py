"""A process of its own for the calls: one thread from its first import on, and it can be ended when a call takes long.

Solvers in C listen to nobody while they run, and read the number of threads when they are loaded.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Iterator
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any

from .cells import Cell, load_task
from .optimum import Optimum, optimum
from .peers import named
from .searching import Call, TooSlow, call

# What the thread pools of BLAS, OpenMP and numba read when they start
ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "BLIS_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "NUMBA_NUM_THREADS",
        "NUMEXPR_NUM_THREADS",
    ),
    "1",
)
READING = 600.0  # seconds that data and P* may take beside the limit of a call
COMPILING = 30.0  # more for a first call


class Worker:
    """Calls in another process, which is started when it is needed and ended on leaving ``with``.

    Parameters
    ----------
    max_seconds : float
        How long a call may take; may be changed between calls.
    """

    def __init__(self, max_seconds: float):
        self.max_seconds = max_seconds
        self._process: Any = None
        self._cell: Cell | None = None
        self._best: float | None = None
        self._called: set[str] = set()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def load(self, cell: Cell) -> dict[str, Any]:
        """Take up a cell: its size and which peers refuse it is asked next.

        Raises
        ------
        ValueError, OSError
            If its data are not here.
        """
        self._cell, self._best = cell, None
        return self._asked("load", cell)

    def refusals(self, names: list[str]) -> dict[str, str]:
        """Why each of these peers does not fit the cell; empty where it does."""
        return self._asked("refusals", names)

    def optimum(self, seconds: float) -> Optimum:
        """P* of the cell."""
        return self._asked("optimum", seconds, wait=20 * seconds + READING)

    def measure_from(self, best: float) -> None:
        """Say which P* errors are measured from."""
        self._best = best
        self._asked("best", best)

    def call(self, name: str, budget: float) -> tuple[Call, bool]:
        """A call, and whether it was this peer's first in this process, which imports and compiles.

        Raises
        ------
        TooSlow
            If it took longer than allowed. The process is ended, and the next call gets a new one.
        """
        first = name not in self._called
        try:
            found = self._asked("call", name, budget, wait=self.max_seconds + COMPILING * first)
        except TimeoutError:
            raise TooSlow(f"a call took longer than {self.max_seconds:g} s") from None
        except EOFError:
            raise RuntimeError("the process ended during the call") from None
        self._called.add(name)
        if found.wall > self.max_seconds and not first:
            raise TooSlow(f"a call took longer than {self.max_seconds:g} s")
        return found, first

    def _asked(self, what: str, *arguments: Any, wait: float = READING) -> Any:
        if self._process is None:
            self._start()
            if what != "load":  # a new process after an end: bring it to where the last one was
                self._sent("load", self._cell, wait=READING)
                if self._best is not None:
                    self._sent("best", self._best, wait=READING)
        try:
            return self._sent(what, *arguments, wait=wait)
        except (TimeoutError, EOFError):
            self._end()
            raise

    def _sent(self, what: str, *arguments: Any, wait: float) -> Any:
        self._pipe.send((what, *arguments))
        if not self._pipe.poll(wait):
            raise TimeoutError(f"no answer within {wait:g} s")
        good, answer = self._pipe.recv()
        if not good:
            raise answer
        return answer

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would inherit thread pools that have started
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs,), daemon=True)
        with _environment(ONE_THREAD), _deaf():
            self._process.start()
        theirs.close()
        self._called.clear()

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
            self._process = None


@contextlib.contextmanager
def _deaf() -> Iterator[None]:
    """Keep Ctrl-C waiting for a moment: who is started meanwhile never hears it, also while it imports."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # which would otherwise be started in this moment, and let Ctrl-C in again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def serve(pipe: Connection) -> None:
    """Answer what a `Worker` asks until it goes: the whole life of the other process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group: who asked decides
    silence = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):  # solvers in C print past Python
        os.dup2(silence, stream)
    task: Any = None
    best = 0.0
    while True:
        try:
            what, *arguments = pipe.recv()
        except EOFError:
            return
        try:
            if what == "load":
                task = load_task(*arguments)
                answer: Any = {"n": task.n, "d": task.d, "l2": task.l2, "l1": task.l1}
            elif what == "refusals":
                answer = {name: named(name).refusal(task) for name in arguments[0]}
            elif what == "optimum":
                answer = optimum(task, *arguments)
            elif what == "best":
                (best,) = arguments
                answer = None
            else:
                name, budget = arguments
                answer = call(task, best, named(name), budget)
            pipe.send((True, answer))
        except (ValueError, OSError, MemoryError) as error:
            pipe.send((False, error))
