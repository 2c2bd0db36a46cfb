"""One run, in whatever process: a task becomes a trace, or a failure with its traceback."""

from __future__ import annotations

import importlib
import importlib.metadata
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

from ..numerics import checks
from ..numerics.clocks import cpu_seconds
from ..problems.problem import Problem
from ..runs.driving import drive
from ..runs.entries import label_of
from ..runs.records import OPTIONAL, Record
from ..runs.running import Run
from ..runs.trace import Trace
from .data import Arrays, AtHand, Source
from .files import FAILURE
from .memory import check_size, limited
from .settings import Settings


@dataclass(frozen=True, eq=False)
class Task:
    """A run that is to be carried out.

    Attributes
    ----------
    key : str
    settings : Settings
    about : dict
        What the meta of its trace says beside what every trace says.
    time_limit, memory_limit : float or None
        Seconds, and bytes beside the data.
    """

    key: str
    settings: Settings
    about: dict[str, Any]
    time_limit: float | None = None
    memory_limit: float | None = None

    def with_data(self, data: Any, test: Source | None) -> Task:
        """The task with its data at another place."""
        return replace(self, settings=replace(self.settings, data=data, test=test))

    def failed(self, kind: str, message: str, trace: str = "", seconds: float = 0.0) -> dict[str, Any]:
        """What is kept of a run that failed: a trace without records, whose meta says why."""
        s = self.settings
        meta = {
            "label": label_of(s.method, s.sampling), "method": s.method.label, "side": s.method.side,
            "sampling": s.sampling.label, "seed": s.seed, "every": s.every, "status": FAILURE,
            "failure": {"kind": kind, "message": message, "traceback": trace, "seconds": seconds},
            "versions": {"numba": _numba()}, **self.about,
        }  # fmt: skip
        return {"meta": meta, "columns": {name: [] for name in Record._fields if name not in OPTIONAL}}


def marked(trace: Trace, about: dict[str, Any]) -> Trace:
    """The trace with what a store wants to know of it in its meta."""
    trace.meta.update(about)
    trace.meta["versions"] |= {"numba": _numba()}
    return trace


class TimeLimit(Exception):
    """A run took longer than it may."""


class Workshop:
    """What a process keeps between runs: data, and the problem they were last for."""

    def __init__(self) -> None:
        self.at_hand = AtHand()
        self._known: tuple[Any, Problem] | None = None
        self._reading = threading.Lock()  # Dask's workers may have several threads

    def problem(self, settings: Settings) -> Problem:
        """The problem of a run, whatever its l2 and l1: runs that differ by these share what was read of the data."""
        if self._known is None or self._known[0] != settings.problem:
            self._known = None  # it goes before the next one comes
            X, y = self.at_hand.arrays(settings.data)
            weights = settings.sample_weight
            made = Problem(X, y, settings.loss, 1.0, sample_weight=weights, intercept=settings.intercept)
            self._known = settings.problem, made
        return self._known[1]

    def carry_out(self, task: Task) -> dict[str, Any]:
        """Run a task: its trace as `Trace.to_plain` writes it, or what `Task.failed` keeps.

        Raises
        ------
        KeyboardInterrupt
            A run that is broken off leaves nothing.
        """
        began = time.perf_counter()
        try:
            return self._traced(task)
        except Exception as error:
            spent = time.perf_counter() - began
            return task.failed(type(error).__name__, told(error), traceback.format_exc(), spent)

    def _traced(self, task: Task) -> dict[str, Any]:
        s = task.settings
        with self._reading:
            check_size(self.at_hand.arrays(s.data)[0])
            problem = self.problem(s).with_(l2=s.l2, l1=s.l1)
            test: Arrays | None = None if s.test is None else self.at_hand.arrays(s.test)
        with limited(task.memory_limit):
            run = Run(problem, s.method, s.sampling, s.seed, s.every, test, s.strong_convexity, s.start, cpu_seconds)
            next(run)  # what has to be compiled is no time of the run
            drive(run, tol=s.tol, max_passes=s.max_passes, divergence_tol=s.divergence_tol, cut=_guard(task))
        return marked(run.trace, task.about).to_plain()


def _guard(task: Task) -> Callable[[], bool]:
    """Ends the run from between two epochs."""
    began = time.perf_counter()

    def check() -> bool:
        if task.time_limit is not None and time.perf_counter() - began > task.time_limit:
            raise TimeLimit(f"the time limit of {task.time_limit:g} s ended it")
        return False

    return check


@cache
def _numba() -> str:
    return importlib.metadata.version("numba")


def told(error: BaseException) -> str:
    """The sentence of a failure."""
    lacking = isinstance(error, MemoryError) and not str(error)
    return "there was not enough memory" if lacking else checks.error_message(error)


def one_thread() -> Any:
    """Keep BLAS to one thread, in this process or in a `with`: sums over several are rounded in another order."""
    return _blas().limit(limits=1)


@cache
def _blas() -> ThreadpoolController:
    importlib.import_module("scipy.linalg")  # loads a BLAS of its own, which would otherwise come after this look
    return ThreadpoolController()
