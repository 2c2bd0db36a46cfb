"""Carrying out: pieces of work that are not there yet, handed out, and kept as they come back.

Runs of a sweep, runs of a race and measurements of the benchmark are all carried out by this loop. It knows of a piece
its key and its kind only: what is done for it is the executor's, where its result goes is the shelf's.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any, NamedTuple

from .executors import Died, Executor
from .progress import Progress
from .shelves import DONE, FAILED, Shelf

DEATHS = 5  # of its process, after which a piece is taken for their cause
FEW = 5  # pieces, before which nobody says how much time is left
LOOKED_EVERY = 0.5  # seconds between two looks at what other sweeps work on


class Planned(NamedTuple):
    """A piece of work, and the kernels it needs: pieces of one kind share them.

    Attributes
    ----------
    task : object
        Of a sweep a `Task`. It has a key, which two pieces share if and only if they have the same result; and, where
        other processes carry it out, ``failed(kind, message)``: what is kept of it if it kills them.
    kind : tuple
    """

    task: Any
    kind: tuple[Any, ...]


def carry_out(
    plan: Iterator[list[Planned]],
    executor: Callable[[], Executor],
    shelf: Shelf,
    *,
    progress: Callable[[Progress], Any] | None = None,
    stop: Callable[[], bool] | None = None,
) -> list[str]:
    """Carry out what is not on the shelf yet.

    Parameters
    ----------
    plan : iterator of lists
        It can grow while its first pieces are going: each list has all pieces so far in their order.
    executor : callable
        Makes one, where anything is left to do; it is closed at the end, as the shelf is.
    shelf : Shelf
        Where results are, and go.
    progress : callable, optional
        Told at the start and after each piece.
    stop : callable, optional
        Asked before a piece begins: True leaves the rest undone, and waits for what is going.

    Returns
    -------
    list of str
        The keys of the plan, each once.
    """
    try:
        going = _Going(plan, shelf, progress, stop)
        if going.left:
            carried = executor()
            try:
                going.run(carried)
            finally:
                carried.close()
    finally:
        shelf.close()
    return going.keys


class _Going:
    """What is left to do, what is going, and what was found."""

    def __init__(
        self,
        plan: Iterator[list[Planned]],
        shelf: Shelf,
        progress: Callable[[Progress], Any] | None,
        stop: Callable[[], bool] | None = None,
    ) -> None:
        self._shelf, self._tell, self._stop = shelf, progress, stop
        self._first_ended: float | None = None
        self._counts = {"found": 0, DONE: 0, FAILED: 0}
        self._deaths: dict[str, int] = {}
        self._compiled: set[Any] = set()  # kinds of which one piece is finished
        self._going: dict[Future[Any], Planned] = {}
        self._elsewhere: dict[str, float] = {}  # when a piece that another sweep works on is looked at again
        self._plan: Iterator[list[Planned]] | None = plan  # None: all of it is known
        self.keys: list[str] = []
        self.left: list[Planned] = []
        while self._plan is not None and not self.left:
            self._plan_more()
        self._told()

    def run(self, executor: Executor) -> None:
        """Carry out what is left."""
        while self.left or self._going or self._plan is not None:
            self._fill(executor)
            self._plan_more()
            if self._going:
                done, _ = wait(self._going, LOOKED_EVERY if self._plan is None else 0, FIRST_COMPLETED)
                if executor.apart:  # the next begin before these are kept
                    self._fill(executor, len(done))
                for future in done:
                    self._keep(future)
            elif self._stop is not None and self._stop():
                break
            elif self.left and self._plan is None:
                time.sleep(LOOKED_EVERY)
        self._shelf.settle()

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
        self.left += [each for each in new if not self._there(each.task.key)]
        self.left.sort(key=lambda each: place[each.task.key])

    def _fill(self, executor: Executor, done: int = 0) -> None:
        """Hand out as much as is taken at a time, beside so many that are done."""
        while len(self._going) - done < executor.slots and self._start_next(executor):
            pass

    def _there(self, key: str) -> bool:
        """Whether the shelf has the result, or a failure that need not be tried again."""
        there = self._shelf.there(key)
        if there is not None:
            self._counts[FAILED if there == FAILED else "found"] += 1
        return there is not None

    def _start_next(self, executor: Executor) -> bool:
        """Start the first piece that can be: no other sweep works on it; its kernels are compiled, or it is alone."""
        if self._stop is not None and self._stop():
            return False
        compiling = {planned.kind for planned in self._going.values()} - self._compiled
        for each in self.left:
            key = each.task.key
            if each.kind in compiling or time.monotonic() < self._elsewhere.get(key, 0.0):
                continue
            if not self._shelf.take(key):
                self._elsewhere[key] = time.monotonic() + LOOKED_EVERY
                continue
            self.left.remove(each)
            if self._there(key):  # finished by another sweep since it was looked for
                self._shelf.give_back(key)
                self._told()
            else:
                self._going[executor.submit(each.task)] = each
            return True
        return False

    def _keep(self, future: Future[Any]) -> None:
        each = self._going.pop(future)
        key = each.task.key
        try:
            result = future.result()
        except Died as error:
            self._deaths[key] = self._deaths.get(key, 0) + 1
            if self._deaths[key] < DEATHS:
                self.left.insert(0, each)
                self._shelf.give_back(key)
                return
            message = f"its process was ended from outside {DEATHS} times: there may be too little memory ({error})"
            result = each.task.failed("Died", message)
        self._counts[self._shelf.keep(key, result)] += 1
        self._compiled.add(each.kind)
        self._told()

    def _told(self) -> None:
        if self._tell is not None and self._plan is None:  # before, nobody knows of how many
            found, done, failed = self._counts.values()
            self._tell(Progress(len(self.keys), found, done, failed, self._seconds_left(done + failed)))

    def _seconds_left(self, ended: int) -> float | None:
        """At the pace since the first one ended, which may have compiled for long; None while too few have ended."""
        now, left = time.monotonic(), len(self.left) + len(self._going)
        self._first_ended = self._first_ended or (now if ended else None)
        if not left:
            return 0.0 if ended else None
        if self._first_ended is None or ended < FEW:
            return None
        return (now - self._first_ended) / (ended - 1) * left
