"""Calls of a peer from (X, y), and the cheapest budget that reaches each target, if its answers are right at all."""

from __future__ import annotations

import contextlib
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

from .adapters.peer import Peer
from .tasks import PeerTask

STRIDE = 4  # A climb takes so many rungs of the ladder at once; bisection follows.
SAME_PROBLEM_ERROR = 1e-4  # An answer that stays further off than this belongs to another problem.
FLAT_RATIO = 0.5  # A stride that leaves more than this share of the error is flat.
MAX_FLAT_STRIDES = 3  # So many flat strides in a row end a climb.
MAX_ERROR_CHARACTERS = 300


class TimedCall(NamedTuple):
    """The time that a call took, and the suboptimality that it reached.

    Attributes
    ----------
    suboptimality : float
        (P(w) - P*)/(P(0) - P*), from outside; inf where it failed.
    cpu : float
        CPU seconds of all of its threads.
    error : str
        Why it failed, or empty.
    """

    suboptimality: float
    cpu: float
    error: str = ""


def call(task: PeerTask, best: Any, peer: Peer, budget: float | None) -> TimedCall:
    """Let a peer solve the task with this budget, or with its defaults, on one thread; errors are as of `TimedCall`."""
    return calls(task, best, peer, budget, 1)[0]


def calls(task: PeerTask, best: Any, peer: Peer, budget: float | None, count: int) -> list[TimedCall]:
    """The same so many times, one after another with nothing between them.

    Whatever it raises is its answer: a package that fails on some task must not end the others' comparison.
    """
    made: list[tuple[Any, float, str]] = []
    with warnings.catch_warnings(), threadpool_limits(1), contextlib.redirect_stdout(None):
        warnings.simplefilter("ignore")
        for _ in range(count):
            answer, error, began = None, "", time.process_time()
            try:
                answer = peer.solve(task, budget)
            except Exception as raised:
                error = f"{type(raised).__name__}: {raised}"[:MAX_ERROR_CHARACTERS]
            made.append((answer, time.process_time() - began, error))
    return [
        TimedCall(float("inf") if answer is None else task.suboptimality(answer, best), cpu, error)
        for answer, cpu, error in made
    ]


class Verdict(StrEnum):
    """The outcome of a peer in a cell."""

    RIGHT = "right"  # every target was reached
    SHORT = "short"  # it came within SAME_PROBLEM_ERROR of P*, and its ladder ended before the tightest target
    SLOW = "slow"  # a call took too long
    WRONG = "wrong"  # its ladder ended further than SAME_PROBLEM_ERROR from P*
    FAILED = "failed"  # a call raised an error
    UNFIT = "unfit"  # it does not solve this kind of problem


class TooSlow(Exception):
    """A call was ended because it took longer than it was allowed."""


class CallFailed(Exception):
    """A call raised an error, or ended its process."""


@dataclass
class BudgetSearch:
    """A search for the cheapest budgets of a peer.

    Attributes
    ----------
    ladder : sequence of float
        The budgets from loose to tight; the targets, for a peer that certifies.
    try_budget : callable
        ``try_budget(budget)`` lets the peer try; it may raise `TooSlow` or `CallFailed`.
    tried : dict of int to TimedCall
        By rung of the ladder; each is tried once.
    verdict : Verdict
    note : str
        What went wrong, if anything.
    budgets : dict of float to float
        For each target that was reached, the cheapest budget that reached it.
    """

    ladder: Sequence[float]
    try_budget: Callable[[float], TimedCall]
    tried: dict[int, TimedCall] = field(default_factory=dict)
    verdict: Verdict = Verdict.SHORT
    note: str = ""
    budgets: dict[float, float] = field(default_factory=dict)

    def error_at(self, rung: int) -> float:
        """The suboptimality at a rung."""
        if rung not in self.tried:
            self.tried[rung] = self.try_budget(self.ladder[rung])
            if self.tried[rung].error:
                raise CallFailed(self.tried[rung].error)
        return self.tried[rung].suboptimality

    def first_reaching(self, target: float) -> int | None:
        """The loosest rung of those tried that reaches a target."""
        return min((rung for rung, made in self.tried.items() if made.suboptimality <= target), default=None)

    def take(self, step: Callable[..., object], *arguments: float) -> None:
        """Take a step of the search; what is too slow or fails ends it, and cheaper rungs may still be looked at."""
        try:
            step(*arguments)
        except TooSlow as slow:
            self.verdict, self.note = Verdict.SLOW, str(slow)
        except CallFailed as error:
            self.verdict, self.note = Verdict.FAILED, str(error)

    def climb(self, target: float) -> None:
        """Try rungs, in strides, until one reaches the target or nothing changes any more."""
        before, flat = float("inf"), 0
        for rung in [*range(0, len(self.ladder) - 1, STRIDE), len(self.ladder) - 1]:
            now = self.error_at(rung)
            if now <= target:
                return
            # A standstill far from P* may be a slow start; near P* the peer has finished.
            flat = flat + 1 if now < SAME_PROBLEM_ERROR and now > FLAT_RATIO * before else 0
            if flat == MAX_FLAT_STRIDES:
                return
            before = now

    def refine(self, target: float) -> None:
        """Try rungs between the last one that misses the target and the first one that reaches it."""
        high = self.first_reaching(target)
        if high is None:
            return
        low = max((rung for rung in self.tried if rung < high), default=-1)
        while high - low > 1:
            middle = (low + high) // 2
            if self.error_at(middle) <= target:
                high = middle
            else:
                low = middle

    def judge(self, targets: Sequence[float]) -> None:
        """Say whether a search that went through is right or wrong, or remains short."""
        if self.verdict is Verdict.SHORT and len(self.budgets) == len(targets):
            self.verdict = Verdict.RIGHT
        elif self.verdict is Verdict.SHORT and self.first_reaching(SAME_PROBLEM_ERROR) is None:
            best = min(each.suboptimality for each in self.tried.values())
            self.verdict, self.budgets = Verdict.WRONG, {}
            self.note = f"its answers end at relative suboptimality {best:.1e}: another problem, or another precision"


def search(peer: Peer, targets: Sequence[float], try_budget: Callable[[float], TimedCall]) -> BudgetSearch:
    """The cheapest budget of a peer for each target.

    Parameters
    ----------
    peer : Peer
        Its `ladder` is climbed until the tightest target is reached, and the cheapest rung is looked for for each. A
        certifying peer is called with the targets as budgets: its proof decides, not the view from outside.
    targets : sequence of float
        Relative suboptimalities.
    try_budget : callable
        As for `BudgetSearch`.
    """
    if peer.certified:
        found = BudgetSearch(sorted(targets, reverse=True), try_budget)
        for rung in range(len(targets)):
            found.take(found.error_at, rung)
        promised = [(found.ladder[rung], made) for rung, made in found.tried.items()]
        found.budgets = {target: target for target, made in promised if made.suboptimality <= target}
    else:
        found = BudgetSearch(peer.ladder, try_budget)
        found.take(found.climb, min(targets))
        for target in targets:
            found.take(found.refine, target)
        rungs = {target: found.first_reaching(target) for target in targets}
        found.budgets = {target: peer.ladder[rung] for target, rung in rungs.items() if rung is not None}
    found.judge(targets)
    return found
