"""Scheduling: tasks whose results are missing are handed to an executor, and their results kept as they come back.

Runs of a sweep, runs of a race and the cells of benchmarks/peers are all scheduled here. The scheduler
knows only the key and the kind of a task: the executor carries it out, and the caller keeps its result.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any, NamedTuple, Protocol

from .executors import Executor, WorkerDied

DONE, FAILED = "done", "failed"  # states of a task
FOUND = {DONE: "found", FAILED: "found failed"}  # These count the tasks in each state that did not run here.
MAX_DEATHS = 5  # After so many deaths of a process its task is blamed.
MIN_ENDED_TASKS = 5  # So many tasks must have ended before the time that is left is estimated.
POLL_SECONDS = 0.5  # So many seconds lie between two looks at tasks that other processes have claimed.


class ScheduledTask(Protocol):
    """A piece of work."""

    @property
    def key(self) -> str:
        """Two tasks have the same key if and only if they have the same result."""

    @property
    def kind(self) -> Any:
        """The kernels that the task needs: the first task of a kind compiles them."""


class Claims(Protocol):
    """Record of who works on what, where several processes work on the same tasks: a `session.Session`."""

    def claim(self, key: str) -> bool:
        """Tell whether this process may work on a task now: nobody else does, until it is released."""

    def release(self, key: str) -> None:
        """Leave a task to whoever claims it next."""


class Progress(NamedTuple):
    """Progress of a sweep; str() says it in a sentence.

    Attributes
    ----------
    total : int
        Runs of the grid, each counted once.
    found : int
        Runs that were in the store already, or that another sweep on it has finished meanwhile.
    done : int
        Runs that this sweep has finished.
    failed : int
        Runs whose failure is in the store.
    seconds_left : float or None
        The time that is left at the speed since the first run ended; None while only a few have.
    """

    total: int
    found: int
    done: int
    failed: int
    seconds_left: float | None

    def __str__(self) -> str:
        words = [f"{self.found + self.done + self.failed} of {self.total} run{'' if self.total == 1 else 's'}"]
        if self.found:
            words.append(f"{self.found} already stored")
        if self.failed:
            words.append(f"{self.failed} failed")
        if self.seconds_left is not None:
            words.append(f"about {format_duration(self.seconds_left)} left")
        return ", ".join(words)


def format_duration(seconds: float) -> str:
    """Seconds, minutes or hours in words.

    Examples
    --------
    >>> format_duration(42), format_duration(600), format_duration(9000)
    ('42 s', '10 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def run_tasks(
    plan: Sequence[Any],
    make_executor: Callable[[], Executor],
    state_of: Callable[[str], str | None],
    keep_result: Callable[[str, Any], str],
    claims: Claims | None = None,
    *,
    progress: Callable[[Progress], Any] | None = None,
    stop: Callable[[], bool] | None = None,
) -> list[str]:
    """Carry out the tasks whose results are missing.

    Parameters
    ----------
    plan : sequence of ScheduledTask
        The tasks, in order; those with the same key are carried out once.
    make_executor : callable
        Called if anything is left to do; the executor is closed at the end.
    state_of : callable
        Takes a key: `DONE` if its result is there, `FAILED` if it failed and need not be tried again, None if it is yet
        to be computed.
    keep_result : callable
        Takes a key and the result, keeps it, and says whether it is `DONE` or `FAILED`.
    claims : Claims, optional
        For tasks that other processes may work on, too.
    progress : callable, optional
        Called with a `Progress` at the start and after each task.
    stop : callable, optional
        Asked before a task begins: True leaves the rest undone, and waits for what is running.

    Returns
    -------
    list of str
        The keys of the plan, each once.
    """
    scheduler = Scheduler(plan, state_of, keep_result, claims, progress, stop)
    if scheduler.left:
        executor = make_executor()
        try:
            scheduler.run(executor)
        finally:
            executor.close()
    return scheduler.keys


class Scheduler:
    """Tasks that are left, that are running and that were found; parameters as for `run_tasks`.

    Attributes
    ----------
    keys : list of str
        The keys of the plan, each once.
    left : list of ScheduledTask
        The tasks that have not begun, in order.
    """

    def __init__(
        self,
        plan: Sequence[Any],
        state_of: Callable[[str], str | None],
        keep_result: Callable[[str, Any], str],
        claims: Claims | None,
        progress: Callable[[Progress], Any] | None,
        stop: Callable[[], bool] | None = None,
    ) -> None:
        self._state_of, self._keep_result, self._claims = state_of, keep_result, claims
        self._progress, self._stop = progress, stop
        self._first_ended: float | None = None
        self._counts = dict.fromkeys((*FOUND.values(), DONE, FAILED), 0)
        self._deaths: dict[str, int] = {}
        self._compiled: set[Any] = set()  # kinds of which one task is finished
        self._running: dict[Future[Any], Any] = {}
        self._retry_at: dict[str, float] = {}  # when a task that another process has claimed is looked at again
        tasks = {task.key: task for task in plan}
        self.keys = list(tasks)
        self.left = [task for key, task in tasks.items() if not self._count_if_finished(key)]
        self._report()

    def run(self, executor: Executor) -> None:
        """Carry out what is left."""
        while self.left or self._running:
            self._fill(executor)
            if self._running:
                ended, _ = wait(self._running, POLL_SECONDS, FIRST_COMPLETED)
                if executor.in_other_processes:  # the next tasks begin before these results are kept
                    self._fill(executor, len(ended))
                for future in ended:
                    self._finish(future)
            elif self._stop is not None and self._stop():
                break
            elif self.left:
                time.sleep(POLL_SECONDS)

    def _count_if_finished(self, key: str) -> bool:
        """Tell whether there is a result, or a failure that need not be tried again; if so, it is counted."""
        state = self._state_of(key)
        if state is not None:
            self._counts[FOUND[state]] += 1
        return state is not None

    def _fill(self, executor: Executor, ended: int = 0) -> None:
        """Hand out as much as the executor takes at a time; `ended` running tasks have freed their slots."""
        while len(self._running) - ended < executor.slots and self._take_next(executor):
            pass

    def _take_next(self, executor: Executor) -> bool:
        """Take the first task that can start off the queue, and start it unless its result has appeared meanwhile.

        A task can start if nobody else has claimed it, and its kernels are compiled or no running task compiles them.

        Returns
        -------
        bool
            True if a task was taken.
        """
        if self._stop is not None and self._stop():
            return False
        compiling = {task.kind for task in self._running.values()} - self._compiled
        for task in self.left:
            key = task.key
            if task.kind in compiling or time.monotonic() < self._retry_at.get(key, 0.0):
                continue
            if self._claims is not None and not self._claims.claim(key):
                self._retry_at[key] = time.monotonic() + POLL_SECONDS
                continue
            self.left.remove(task)
            if self._count_if_finished(key):  # by another process, since it was looked for
                self._release(key)
                self._report()
            else:
                self._running[executor.submit(task)] = task
            return True
        return False

    def _finish(self, future: Future[Any]) -> None:
        """Keep the result of a task that has ended, or queue it again if its process died."""
        task = self._running.pop(future)
        key = task.key
        try:
            result = future.result()
        except WorkerDied as error:
            self._deaths[key] = self._deaths.get(key, 0) + 1
            if self._deaths[key] < MAX_DEATHS:
                self.left.insert(0, task)
                self._release(key)
                return
            message = f"its process was ended from outside {MAX_DEATHS} times: there may be too little memory ({error})"
            result = task.failure("Died", message)
        self._counts[self._keep_result(key, result)] += 1
        self._release(key)
        self._compiled.add(task.kind)
        self._report()

    def _release(self, key: str) -> None:
        if self._claims is not None:
            self._claims.release(key)

    def _report(self) -> None:
        if self._progress is not None:
            found, found_failed, done, failed = self._counts.values()
            left = self._seconds_left(done + failed)
            self._progress(Progress(len(self.keys), found, done, found_failed + failed, left))

    def _seconds_left(self, ended: int) -> float | None:
        """At the pace since the first task ended, which may have compiled; None while too few have ended here."""
        now, left = time.monotonic(), len(self.left) + len(self._running)
        self._first_ended = self._first_ended or (now if ended else None)
        if not left:
            return 0.0 if ended else None
        if self._first_ended is None or ended < MIN_ENDED_TASKS:
            return None
        return (now - self._first_ended) / (ended - 1) * left
