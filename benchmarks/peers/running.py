"""The benchmark itself, scheduled as sweeps are: P* of each cell, then each peer's cheapest budgets, timed in turn."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from ..sweeps.executors import InProcess
from ..sweeps.scheduler import DONE, FAILED, format_duration, run_tasks
from ..sweeps.session import Session
from .cells import Cell
from .optimum import CERTIFIED, Optimum
from .peers import find_peer
from .peers.ours import PREFIX
from .planning import CellTask, Plan, Tell, reason
from .results import BenchStore, Result, Settings
from .searching import Call, CallFailed, SearchResult, TooSlow, Verdict, search
from .worker import Worker

OPTIMUM_SECONDS = 30.0  # of each attempt to find P*
FAR_BEHIND = 5.0  # times the fastest
MAX_TIMES_FASTEST, MIN_LIMIT_SECONDS = 8.0, 1.0  # what a call may take, whichever is more
MIN_TARGET_OVER_CERTIFICATE = 10.0  # P* must be known this many times better than the tightest target


@dataclass
class Progress:
    """How far the benchmark is, told before each step.

    Attributes
    ----------
    say : callable
        Takes a sentence that stays.
    show : callable
        Takes one that the next may replace.
    """

    say: Tell
    show: Tell

    def of(self, done: int, cells: int, began: float, what: str) -> None:
        """Show what happens now in the cell after `done` of them, and how much time is left."""
        spent = time.monotonic() - began
        left = f", about {format_duration(spent / done * (cells - done))} left" if done else ""
        self.show(f"cell {done + 1} of {cells}{left}: {what}")


def run(plan: Plan, store: BenchStore, settings: Settings, progress: Progress) -> None:
    """Measure what is not in the store yet.

    Parameters
    ----------
    plan : Plan
        As of `planning.plan_cells`; a cell whose data are not here is told and left out.
    store : BenchStore
        Where finished results are, and go.
    settings : Settings
        Those of the store.
    progress : Progress
        Is told what happens.
    """
    for name, why in plan.left_out.items():
        progress.say(f"left out {name}: {why}")
    asked = {cell for cell, _ in plan.keys}
    left = {task.cell.name for task in plan.tasks}
    if len(left) < len(asked):
        progress.say(f"{len(asked) - len(left)} of {len(asked)} cells are finished already")
    tasks = {task.key: task for task in plan.tasks}

    def state_of(key: str) -> str | None:
        return DONE if all(store.result(each) is not None for each in tasks[key].peers.values()) else None

    def keep_result(key: str, results: list[Result] | None) -> str:
        """What could not be measured is None: nothing is kept of it, and it is tried again next time."""
        for each in results or ():
            store.keep(each)
        return FAILED if results is None else DONE

    with Worker(settings.max_seconds) as worker, Session(store.path) as session:
        bench = _CellRunner(worker, store, settings, progress, len(left))
        run_tasks(iter([plan.tasks]), lambda: InProcess(bench.measure), state_of, keep_result, session)


class _CellRunner:
    """Carries out tasks: the worker, and the cell that it is in."""

    def __init__(self, worker: Worker, store: BenchStore, settings: Settings, progress: Progress, cells: int) -> None:
        self._worker, self._store, self._settings = worker, store, settings
        self._progress, self._cells = progress, cells
        self._began = time.monotonic()

    def measure(self, task: CellTask) -> list[Result] | None:
        """The results of a cell; None where it has to be left out, which is told."""
        cell = task.cell

        def show(what: str) -> None:
            self._progress.of(task.number, self._cells, self._began, f"{cell.name}, {what}")

        best = self._store.optimum(cell, task.data) or self._optimum(task, show)
        if best is None:
            return None
        targets = [
            target for target in self._settings.targets if target >= MIN_TARGET_OVER_CERTIFICATE * best.certificate
        ]
        if best.certificate > CERTIFIED:
            measured = ", ".join(f"{target:g}" for target in targets) or "none: it is left out"
            self._progress.say(f"{cell.name}: P* is certified to {best.certificate:.1e} only; targets {measured}")
        if not targets or not self._load(cell, show):
            return None
        self._worker.measure_from(best.value)
        results = measure_session(cell, list(task.peers), targets, self._worker, self._settings, show)
        for each in results:
            each.key = task.peers[each.peer]
        return results

    def _optimum(self, task: CellTask, show: Tell) -> Optimum | None:
        """P*, which is kept at once, whatever ends the session."""
        show("P*")
        with Worker(self._settings.max_seconds) as another:  # what it compiles must not help ours later
            try:
                another.load(task.cell)
                best = another.optimum(OPTIMUM_SECONDS)
            except (ValueError, OSError, MemoryError, EOFError) as error:
                self._left_out(task.cell, error)
                return None
        self._store.keep_optimum(task.cell, best, task.data)
        return best

    def _load(self, cell: Cell, show: Tell) -> bool:
        """Bring the worker to the cell, if that is possible."""
        show("reading the data")
        try:
            self._worker.load(cell)
        except (ValueError, OSError, MemoryError, EOFError) as error:
            self._left_out(cell, error)
            return False
        return True

    def _left_out(self, cell: Cell, error: Exception) -> None:
        self._progress.say(f"left out {cell.name}: {reason(error)}")


def measure_session(
    cell: Cell, names: Sequence[str], targets: Sequence[float], worker: Worker, settings: Settings, show: Tell
) -> list[Result]:
    """The results of some peers in the cell that the worker is in, timed in turn."""
    refusals = worker.refusals(list(names))
    found, results = {}, {}
    worker.max_seconds = settings.max_seconds
    for name in names:
        peer = find_peer(name)
        result = Result(cell.name, name, peer.package.version, name.startswith(PREFIX), peer.certified, Verdict.UNFIT)
        results[name] = result
        if refusals[name]:
            result.note = refusals[name]
            continue
        show(f"looking for the cheapest budgets of {name}")
        found[name] = _search(name, targets, worker, result)
        arrived = [call.cpu for call in found[name].calls if call.suboptimality <= min(targets)]
        worker.max_seconds = min(
            worker.max_seconds, max(MIN_LIMIT_SECONDS, MAX_TIMES_FASTEST * min(arrived, default=math.inf))
        )
    began = datetime.now(UTC).isoformat(timespec="seconds")
    _time(found, results, worker, settings.repeats, show)
    for result in results.values():
        result.session = began
    return list(results.values())


def _search(name: str, targets: Sequence[float], worker: Worker, result: Result) -> SearchResult:
    def call(budget: float) -> Call:
        made, first = worker.call(name, budget)
        if first:
            result.first = made.cpu
        return made

    found = search(find_peer(name), targets, call)
    result.verdict, result.note, result.budgets = found.verdict, found.note, found.budgets
    return found


def _time(found: dict[str, SearchResult], results: dict[str, Result], worker: Worker, repeats: int, show: Tell) -> None:
    """All in turn, so that a neighbour's load hits all alike; a budget that serves several targets is timed once.

    Each is also called with its defaults. A peer that was far behind in the first round is not asked again.
    """
    for round_ in range(repeats):
        fastest, fastest_by_default = {}, math.inf
        if round_:
            times = [result.cpu for result in results.values()]
            fastest = {t: min(cpu[t][0] for cpu in times if t in cpu) for cpu in times for t in cpu}
            fastest_by_default = min((r.defaults["cpu"][0] for r in results.values() if r.defaults), default=math.inf)
        for name, each in found.items():
            show(f"round {round_ + 1} of {repeats}, {name}")
            cpu = results[name].cpu
            behind = {t for t in fastest if t in cpu and cpu[t][0] > FAR_BEHIND * fastest[t] and not results[name].ours}
            for budget in dict.fromkeys(b for t, b in each.budgets.items() if t not in behind):
                if (made := _repeat(worker, name, budget)) is None:
                    continue
                for target in (t for t, b in each.budgets.items() if b == budget and t not in behind):
                    result = results[name]
                    for kept, value in ((result.cpu, made.cpu), (result.wall, made.wall)):
                        kept.setdefault(target, []).append(value)
                    result.reached.setdefault(target, []).append(made.suboptimality)
            result = results[name]
            before = result.defaults.get("cpu", [math.inf] * round_)
            if before and before[0] > FAR_BEHIND * fastest_by_default and not result.ours:
                continue
            if (made := _repeat(worker, name, None)) is not None:
                for what, value in (("cpu", made.cpu), ("wall", made.wall), ("reached", made.suboptimality)):
                    result.defaults.setdefault(what, []).append(value)


def _repeat(worker: Worker, name: str, budget: float | None) -> Call | None:
    """A call that neither imports nor compiles; None where it is too slow or fails."""
    try:
        made, first = worker.call(name, budget)
        if first:  # the process is new: what was compiled for another one was in vain
            made, _ = worker.call(name, budget)
    except (TooSlow, CallFailed):
        return None
    return None if made.error else made
