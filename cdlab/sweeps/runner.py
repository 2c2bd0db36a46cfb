"""A run, in whatever process: a task becomes a trace, or a failure with its traceback."""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import psutil
from threadpoolctl import ThreadpoolController

from ..numerics import checks
from ..numerics.clocks import cpu_seconds
from ..problems.problem import Problem
from ..runs.entries import label_of
from ..runs.limits import Limits, drive
from ..runs.running import Run
from ..runs.trace import Trace
from .data import Arrays, DataCache, Source, size_of
from .settings import Settings
from .stored_runs import FAILURE, StoredRun, stored_run

MAX_SHARE_OF_FREE_MEMORY = 0.8  # A run may take this share of the free memory.
COPIES_OF_X = 2  # X is there by rows and by columns.


@dataclass(frozen=True, eq=False)
class RunTask:
    """A run that is to be carried out.

    Attributes
    ----------
    key : str
    kind : tuple
        Which kernels it needs: the first run of a kind compiles them.
    settings : Settings
    meta : dict
        What the meta of its trace says beside what every trace says.
    time_limit, memory_limit : float or None
        Seconds, and bytes beside the data.
    """

    key: str
    kind: tuple[Any, ...]
    settings: Settings
    meta: dict[str, Any]
    time_limit: float | None = None
    memory_limit: float | None = None

    def with_data(self, data: Any, test: Source | None) -> RunTask:
        """The task with its data at another place."""
        return replace(self, settings=replace(self.settings, data=data, test=test))

    def failure(self, error_name: str, message: str, trace: str = "", seconds: float = 0.0) -> StoredRun:
        """A run that failed, as a store keeps it."""
        s = self.settings
        meta = {
            "label": label_of(s.method, s.sampling),
            "method": s.method.label,
            "side": s.method.side,
            "sampling": s.sampling.label,
            "seed": s.seed,
            "every": s.every,
            "status": FAILURE,
            "failure": {"kind": error_name, "message": message, "traceback": trace, "seconds": seconds},
            "versions": {"numba": _numba_version()},
            **self.meta,
        }
        return stored_run(Trace([], meta))


def with_meta(trace: Trace, meta: dict[str, Any]) -> Trace:
    """The trace with what a store needs to know of it in its meta."""
    trace.meta.update(meta)
    trace.meta["versions"] |= {"numba": _numba_version()}
    return trace


class TimeLimit(Exception):
    """A run took longer than it may."""


class Runner:
    """Carries out runs, and keeps between them the data and the problem that they were last for."""

    def __init__(self) -> None:
        self.data = DataCache()
        self._last: tuple[Any, Problem] | None = None
        self._reading = threading.Lock()  # Dask's workers may have several threads

    def problem(self, settings: Settings) -> Problem:
        """The problem of a run, whatever its l2 and l1: runs that differ by these share what was read of the data."""
        if self._last is None or self._last[0] != settings.problem:
            self._last = None  # frees its memory before the next problem needs some
            X, y = self.data.arrays(settings.data)
            weights = settings.sample_weight
            made = Problem(X, y, settings.loss, 1.0, sample_weight=weights, intercept=settings.intercept)
            self._last = settings.problem, made
        return self._last[1]

    def run(self, task: RunTask) -> StoredRun:
        """Carry out a task.

        Raises
        ------
        KeyboardInterrupt
            A run that is broken off leaves nothing.
        """
        began = time.perf_counter()
        try:
            return stored_run(self._trace(task))
        except Exception as error:
            no_words = isinstance(error, MemoryError) and not str(error)
            message = "there was not enough memory" if no_words else checks.error_message(error)
            spent = time.perf_counter() - began
            return task.failure(type(error).__name__, message, traceback.format_exc(), spent)

    def _trace(self, task: RunTask) -> Trace:
        s = task.settings
        with self._reading:
            check_size(self.data.arrays(s.data)[0])
            problem = self.problem(s).with_(l2=s.l2, l1=s.l1)
            test: Arrays | None = None if s.test is None else self.data.arrays(s.test)
        with limited_memory(task.memory_limit):
            run = Run(
                problem,
                s.method,
                s.sampling,
                s.seed,
                s.every,
                test,
                s.strong_convexity,
                s.start,
                cpu_seconds,
                s.records,
            )
            next(run)  # what has to be compiled is no time of the run
            limits = Limits(s.tol, s.max_passes, divergence_tol=s.divergence_tol)
            drive(run, limits, measure_now=_time_guard(task))
        return with_meta(run.trace, task.meta)


def _time_guard(task: RunTask) -> Callable[[], bool]:
    """Ends the run from between two epochs."""
    began = time.perf_counter()

    def check() -> bool:
        if task.time_limit is not None and time.perf_counter() - began > task.time_limit:
            raise TimeLimit(f"the time limit of {task.time_limit:g} s ended it")
        return False

    return check


@cache
def _numba_version() -> str:
    return importlib.metadata.version("numba")


def check_size(X: Any) -> None:
    """Refuse data for which there is too little memory.

    Raises
    ------
    MemoryError
        With both sizes.
    """
    needed, free = COPIES_OF_X * size_of(X, np.empty(0)), psutil.virtual_memory().available
    if needed > (most := MAX_SHARE_OF_FREE_MEMORY * free):
        raise MemoryError(
            f"this run needs about {needed / 1e9:.2g} GB, and may take {most / 1e9:.2g} GB of what is free"
        )


@contextlib.contextmanager
def limited_memory(limit: float | None) -> Iterator[None]:
    """Limit the process to so many bytes more in this block; what asks for more raises a MemoryError."""
    if limit is None:
        yield
        return
    import resource  # not on every system

    before = resource.getrlimit(resource.RLIMIT_DATA)
    most = psutil.Process().memory_info().data + int(limit)
    if before[1] != resource.RLIM_INFINITY:
        most = min(most, before[1])
    resource.setrlimit(resource.RLIMIT_DATA, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def one_thread() -> Any:
    """Keep BLAS to one thread, in this process or in a `with`: sums over several are rounded in another order."""
    return _blas().limit(limits=1)


@cache
def _blas() -> ThreadpoolController:
    importlib.import_module("scipy.linalg")  # loads a BLAS of its own, which would otherwise come after this look
    return ThreadpoolController()
