"""Calls of a peer from (X, y), and the cheapest budget that reaches each target, if its answers are right at all."""

from __future__ import annotations

import contextlib
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import NamedTuple

from threadpoolctl import threadpool_limits

from .peers.peer import Peer
from .tasks import Task

STRIDE = 4  # rungs from one step up the ladder to the next; between the last two it halves
SAME_PROBLEM_ERROR = 1e-4  # an answer that stays further off than this is no answer to the same problem
FLAT_RATIO = 0.5  # a stride that leaves more than this share of the error is flat
MAX_FLAT_STRIDES = 3  # in a row: more would be a waste


class Call(NamedTuple):
    """What a call took and reached.

    Attributes
    ----------
    budget : float
        What it was allowed.
    suboptimality : float
        (P(w) - P*)/(P(0) - P*), from outside; inf where it failed.
    cpu, wall : float
        Seconds of all of its threads, and of the clock.
    error : str
        Why it failed, or empty.
    """

    budget: float
    suboptimality: float
    cpu: float
    wall: float
    error: str = ""


def call(task: Task, best: float, peer: Peer, budget: float) -> Call:
    """Let a peer solve the task with this budget, on one thread.

    Whatever it raises is its answer: a package that fails on some task must not end the others' benchmark.
    """
    with warnings.catch_warnings(), threadpool_limits(1), contextlib.redirect_stdout(None):
        warnings.simplefilter("ignore")
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            w = peer.fit(task.X, task.y, task.loss, task.l2, task.l1, budget)
            error = ""
        except Exception as raised:
            w, error = None, f"{type(raised).__name__}: {raised}"[:300]
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    reached = float("inf") if w is None else task.suboptimality(w, best)
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


def search(peer: Peer, targets: Sequence[float], call: Callable[[float], Call]) -> SearchResult:
    """Climb the ladder until the tightest target is reached, and look for the cheapest rung for each target.

    Parameters
    ----------
    peer : Peer
        Its `ladder` is climbed. What it certifies itself is called with the targets themselves.
    targets : sequence of float
        Relative suboptimalities.
    call : callable
        ``call(budget)`` lets it try; it may raise `TooSlow`.
    """
    ladder = sorted(targets, reverse=True) if peer.certified else list(peer.ladder)
    tried: dict[int, Call] = {}
    verdict, note = Verdict.SHORT, ""

    def at(rung: int) -> float:
        if rung not in tried:
            tried[rung] = call(ladder[rung])
            if tried[rung].error:
                raise RuntimeError(tried[rung].error)
        return tried[rung].suboptimality

    steps: list[Callable[[], object]] = [partial(_climb, at, len(ladder), min(targets))]
    steps += [partial(_refine, at, tried, target) for target in targets]
    if peer.certified:  # each target is a promise of its own
        steps = [partial(at, rung) for rung in range(len(ladder))]
    for step in steps:
        try:
            step()
        except TooSlow as slow:  # cheaper rungs may still be looked at
            verdict, note = Verdict.SLOW, str(slow)
        except RuntimeError as error:
            verdict, note = Verdict.FAILED, str(error)
    calls = [tried[rung] for rung in sorted(tried)]
    budgets = {t: next(c.budget for c in calls if c.suboptimality <= t) for t in targets if _reached(calls, t)}
    if peer.certified:  # its own proof decides, not the view from outside
        budgets = {c.budget: c.budget for c in calls if c.suboptimality <= c.budget}
    if verdict is Verdict.SHORT:
        if len(budgets) == len(targets):
            verdict = Verdict.RIGHT
        elif not _reached(calls, SAME_PROBLEM_ERROR):
            best = min(each.suboptimality for each in calls)
            verdict, budgets = Verdict.WRONG, {}
            note = f"its answers end at relative suboptimality {best:.1e}: another problem, or another precision"
    return SearchResult(verdict, budgets, calls, note)


def _reached(calls: Sequence[Call], target: float) -> bool:
    return any(each.suboptimality <= target for each in calls)


def _climb(at: Callable[[int], float], rungs: int, target: float) -> None:
    """Try rungs, in strides, until one reaches the target or nothing changes any more."""
    before, flat = float("inf"), 0
    for rung in [*range(0, rungs - 1, STRIDE), rungs - 1]:
        now = at(rung)
        if now <= target:
            return
        # Iterations may be wasted at first (an intercept, a step size); near the end a standstill is the end.
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
