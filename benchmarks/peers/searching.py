"""Calls of a peer from (X, y), and the cheapest budget that reaches each target, if its answers are right at all."""

from __future__ import annotations

import contextlib
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

from .path_tasks import PathTask
from .peers.peer import Peer
from .tasks import Task

STRIDE = 4  # rungs from one step up the ladder to the next; then bisection
SAME_PROBLEM_ERROR = 1e-4  # an answer that stays further off than this is no answer to the same problem
FLAT_RATIO = 0.5  # a stride that leaves more than this share of the error is flat
MAX_FLAT_STRIDES = 3  # in a row: more would be a waste
MAX_ERROR_CHARACTERS = 300


class Call(NamedTuple):
    """What a call took and reached.

    Attributes
    ----------
    budget : float or None
        What it was allowed; None: its defaults.
    suboptimality : float
        (P(w) - P*)/(P(0) - P*), from outside; inf where it failed.
    cpu, wall : float
        Seconds of all of its threads, and of the clock.
    error : str
        Why it failed, or empty.
    """

    budget: float | None
    suboptimality: float
    cpu: float
    wall: float
    error: str = ""


def call(task: Task | PathTask, best: Any, peer: Peer, budget: float | None) -> Call:
    """Let a peer solve the task with this budget, or with its defaults, on one thread.

    Whatever it raises is its answer: a package that fails on some task must not end the others' benchmark.
    """
    with warnings.catch_warnings(), threadpool_limits(1), contextlib.redirect_stdout(None):
        warnings.simplefilter("ignore")
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            answer = peer.solve(task, budget)
            error = ""
        except Exception as raised:
            answer, error = None, f"{type(raised).__name__}: {raised}"[:MAX_ERROR_CHARACTERS]
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    reached = float("inf") if answer is None else task.suboptimality(answer, best)
    return Call(budget, reached, cpu, wall, error)


class Verdict(StrEnum):
    """What became of a peer in a cell."""

    RIGHT = "right"  # every target was reached
    SHORT = "short"  # it came within SAME_PROBLEM_ERROR of P*, and its ladder ended before the tightest target
    SLOW = "slow"  # a call took too long
    WRONG = "wrong"  # its ladder ended further than SAME_PROBLEM_ERROR from P*
    FAILED = "failed"  # a call raised an error
    UNFIT = "unfit"  # it does not solve this kind of problem


@dataclass
class SearchResult:
    """What the search found.

    Attributes
    ----------
    verdict : Verdict
    budgets : dict of float to float
        For each target that was reached, the cheapest budget that reached it.
    calls : list of Call
        In order of their budgets.
    note : str
        What went wrong, if anything.
    """

    verdict: Verdict
    budgets: dict[float, float] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    note: str = ""


class TooSlow(Exception):
    """A call was ended because it took longer than it was allowed."""


class CallFailed(Exception):
    """A call raised an error, or ended its process."""


def search(peer: Peer, targets: Sequence[float], try_budget: Callable[[float], Call]) -> SearchResult:
    """The cheapest budget of a peer for each target.

    Parameters
    ----------
    peer : Peer
        Its `ladder` is climbed. A certifying peer is called with the targets as budgets.
    targets : sequence of float
        Relative suboptimalities.
    try_budget : callable
        ``try_budget(budget)`` lets it try; it may raise `TooSlow` or `CallFailed`.
    """
    if peer.certified:
        return _search_certified(targets, try_budget)
    return _search_ladder(peer.ladder, targets, try_budget)


def _search_certified(targets: Sequence[float], try_budget: Callable[[float], Call]) -> SearchResult:
    """Try each target, which is a promise of its own: the peer's proof decides, not the view from outside."""
    rungs = _Rungs(sorted(targets, reverse=True), try_budget)
    verdict, note = rungs.take([partial(rungs.error_at, rung) for rung in range(len(targets))])
    budgets = {budget: budget for budget, c in rungs.by_budget() if c.suboptimality <= budget}
    return _judge(SearchResult(verdict, budgets, rungs.calls, note), targets)


def _search_ladder(
    ladder: Sequence[float], targets: Sequence[float], try_budget: Callable[[float], Call]
) -> SearchResult:
    """Climb until the tightest target is reached, and look for the cheapest rung for each target."""
    rungs = _Rungs(ladder, try_budget)
    steps: list[Callable[[], object]] = [partial(_climb, rungs.error_at, len(ladder), min(targets))]
    steps += [partial(_refine, rungs.error_at, rungs.tried, target) for target in targets]
    verdict, note = rungs.take(steps)
    calls, tried = rungs.calls, rungs.by_budget()
    budgets = {t: next(b for b, c in tried if c.suboptimality <= t) for t in targets if _reached(calls, t)}
    return _judge(SearchResult(verdict, budgets, calls, note), targets)


class _Rungs:
    """The rungs of a ladder, each of which is tried once; parameters as for `search`."""

    def __init__(self, ladder: Sequence[float], try_budget: Callable[[float], Call]) -> None:
        self._ladder, self._try_budget = ladder, try_budget
        self.tried: dict[int, Call] = {}

    @property
    def calls(self) -> list[Call]:
        """In order of their budgets."""
        return [call for _, call in self.by_budget()]

    def by_budget(self) -> list[tuple[float, Call]]:
        """The budgets that were tried and their calls, in the order of rungs."""
        return [(self._ladder[rung], self.tried[rung]) for rung in sorted(self.tried)]

    def error_at(self, rung: int) -> float:
        """The suboptimality at a rung."""
        if rung not in self.tried:
            self.tried[rung] = self._try_budget(self._ladder[rung])
            if self.tried[rung].error:
                raise CallFailed(self.tried[rung].error)
        return self.tried[rung].suboptimality

    def take(self, steps: Sequence[Callable[[], object]]) -> tuple[Verdict, str]:
        """Take these steps; `Verdict.SHORT` if none was too slow or failed, and what went wrong."""
        verdict, note = Verdict.SHORT, ""
        for step in steps:
            try:
                step()
            except TooSlow as slow:  # cheaper rungs may still be looked at
                verdict, note = Verdict.SLOW, str(slow)
            except CallFailed as error:
                verdict, note = Verdict.FAILED, str(error)
        return verdict, note


def _judge(found: SearchResult, targets: Sequence[float]) -> SearchResult:
    """The result of a search that went through: whether it is right or wrong, or remains short."""
    if found.verdict is not Verdict.SHORT:
        return found
    if len(found.budgets) == len(targets):
        return replace(found, verdict=Verdict.RIGHT)
    if _reached(found.calls, SAME_PROBLEM_ERROR):
        return found
    best = min(each.suboptimality for each in found.calls)
    note = f"its answers end at relative suboptimality {best:.1e}: another problem, or another precision"
    return replace(found, verdict=Verdict.WRONG, budgets={}, note=note)


def _reached(calls: Sequence[Call], target: float) -> bool:
    return any(each.suboptimality <= target for each in calls)


def _climb(at: Callable[[int], float], rungs: int, target: float) -> None:
    """Try rungs, in strides, until one reaches the target or nothing changes any more."""
    before, flat = float("inf"), 0
    for rung in [*range(0, rungs - 1, STRIDE), rungs - 1]:
        now = at(rung)
        if now <= target:
            return
        # far from P* a standstill may be a slow start; near it, the peer has finished
        flat = flat + 1 if now < SAME_PROBLEM_ERROR and now > FLAT_RATIO * before else 0
        if flat == MAX_FLAT_STRIDES:
            return
        before = now


def _refine(at: Callable[[int], float], tried: Mapping[int, Call], target: float) -> None:
    """Try rungs between the last one that misses the target and the first one that reaches it."""
    reaching = [rung for rung, made in tried.items() if made.suboptimality <= target]
    if not reaching:
        return
    high = min(reaching)
    low = max((rung for rung in tried if rung < high), default=-1)
    while high - low > 1:
        middle = (low + high) // 2
        if at(middle) <= target:
            high = middle
        else:
            low = middle
