"""A session in a cell: the cheapest budgets of each peer, and then calls in turn, in a row and in a new process."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from .adapters import find_peer
from .cells import Cell
from .results import PeerResult, TimingSettings
from .searching import BudgetSearch, CallFailed, TimedCall, TooSlow, Verdict, search
from .worker import Worker

MAX_TIMES_FASTEST, MIN_LIMIT_SECONDS = 8.0, 1.0  # A call may take the larger of these.

Attempt = Callable[[str, float | None], TimedCall]  # A call of the peer with this name and budget.
Attempts = Callable[[str, float | None, int], list[TimedCall]]  # So many of them, one after another.
Calls = dict[float | None, list[TimedCall]]  # The calls with each budget, or None, in the order of the rounds.


def measure(
    cell: Cell,
    best: Any,
    refusals: Mapping[str, str],
    targets: Sequence[float],
    worker: Worker,
    settings: TimingSettings,
    show: Callable[[str], None],
) -> list[PeerResult]:
    """The results of some peers in a cell, timed in turn.

    Parameters
    ----------
    cell : Cell
        Where they are compared.
    best : float or list
        P*.
    refusals : mapping
        The reason why a peer does not fit the cell, by its name; empty where it does.
    targets : sequence of float
        Those that P* is known well enough for.
    worker : Worker
        Makes the calls.
    settings : TimingSettings
        Those of the store.
    show : callable
        Called with what happens.
    """
    attempt = partial(worker.call, cell, best)
    worker.max_seconds = settings.max_seconds
    found: dict[str, BudgetSearch] = {}
    for name in (name for name, why in refusals.items() if not why):
        show(f"looking for the cheapest budgets of {name}")
        found[name] = search(find_peer(name), targets, partial(attempt, name))
        arrived = [each.cpu for each in found[name].tried.values() if each.suboptimality <= min(targets)]
        worker.max_seconds = min(
            worker.max_seconds, max(MIN_LIMIT_SECONDS, MAX_TIMES_FASTEST * min(arrived, default=math.inf))
        )
    began = datetime.now(UTC).isoformat(timespec="seconds")
    calls = time_in_turn(found, attempt, settings.repeats, show)
    repeated = time_in_a_row(found, partial(worker.calls, cell, best), settings.repeats, show)
    first = time_first_calls(found, partial(worker.first_call, cell, best), show)
    results = []
    for name, why in refusals.items():
        result = PeerResult(cell.name, name, find_peer(name).package.version, Verdict.UNFIT, why, session=began)
        if not why:
            _fill(result, found[name], calls[name], repeated[name], first.get(name, {}))
        results.append(result)
    return results


def time_in_turn(
    found: Mapping[str, BudgetSearch], attempt: Attempt, repeats: int, show: Callable[[str], None]
) -> dict[str, Calls]:
    """Calls of all peers in turn, so that a neighbour's load hits all alike, for each budget and with the defaults.

    A budget that serves several targets is timed once; a call that is too slow or fails does not count.
    """
    calls: dict[str, Calls] = {
        name: {budget: [] for budget in (*each.budgets.values(), None)} for name, each in found.items()
    }
    for round_ in range(repeats):
        for name, own in calls.items():
            show(f"round {round_ + 1} of {repeats}, {name}")
            for budget, made in own.items():
                with contextlib.suppress(TooSlow, CallFailed):
                    made.append(attempt(name, budget))
    return {name: {b: [c for c in made if not c.error] for b, made in own.items()} for name, own in calls.items()}


def time_in_a_row(
    found: Mapping[str, BudgetSearch], attempts: Attempts, repeats: int, show: Callable[[str], None]
) -> dict[str, Calls]:
    """Calls of each peer with nothing between them for each budget, after one that does not count."""
    calls: dict[str, Calls] = {name: {budget: [] for budget in each.budgets.values()} for name, each in found.items()}
    for name, own in calls.items():
        show(f"in a row, {name}")
        for budget, made in own.items():
            with contextlib.suppress(TooSlow, CallFailed):
                made += [each for each in attempts(name, budget, repeats + 1)[1:] if not each.error]
    return calls


def time_first_calls(
    found: Mapping[str, BudgetSearch], attempt: Attempt, show: Callable[[str], None]
) -> dict[str, Calls]:
    """A call of each of ours for each budget, in a new process that has imported cdlab."""
    calls: dict[str, Calls] = {
        name: {budget: [] for budget in each.budgets.values()}
        for name, each in found.items()
        if find_peer(name).certified
    }
    for name, own in calls.items():
        show(f"in a new process, {name}")
        for budget, made in own.items():
            with contextlib.suppress(TooSlow, CallFailed):
                made += [each for each in [attempt(name, budget)] if not each.error]
    return calls


def _fill(result: PeerResult, found: BudgetSearch, calls: Calls, repeated: Calls, first: Calls) -> None:
    result.verdict, result.note, result.budgets = found.verdict, found.note, found.budgets
    timed = {target: calls[budget] for target, budget in found.budgets.items() if calls[budget]}
    result.cpu = {target: [each.cpu for each in made] for target, made in timed.items()}
    result.in_a_row = {target: [each.cpu for each in repeated[budget]] for target, budget in found.budgets.items()}
    result.first = {target: [each.cpu for each in first.get(budget, ())] for target, budget in found.budgets.items()}
    result.reached = {target: [each.suboptimality for each in made] for target, made in timed.items()}
    if calls[None]:
        by_default = [(each.cpu, each.suboptimality) for each in calls[None]]
        result.defaults = dict(zip(("cpu", "reached"), map(list, zip(*by_default, strict=True)), strict=True))
