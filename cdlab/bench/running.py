"""The benchmark itself: in each cell P*, then each peer's cheapest budgets, then all in turn, timed."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from .calling import Call
from .cells import Cell
from .optimum import CERTIFIED
from .peers import named
from .peers.ours import PREFIX
from .results import Folder, Result, Settings
from .searching import Found, TooSlow, Verdict, search
from .worker import Worker

OPTIMUM_SECONDS = 30.0  # of each attempt to find P*
FAR_BEHIND = 5.0  # times the fastest
HOPELESS, LEAST = 8.0, 1.0  # a call may take so many times the fastest to the tightest target, or so many seconds
DIVIDED = 10.0  # P* must be known this many times better than the tightest target


Told = Callable[[str], None]


@dataclass
class Progress:
    """How far it is, told before each step.

    Attributes
    ----------
    say : callable
        Takes a sentence that stays.
    show : callable
        Takes one that the next may replace.
    """

    say: Told
    show: Told

    def of(self, done: int, cells: int, began: float, what: str) -> None:
        """Show what happens now in the cell after `done` of them, and how much time is left."""
        spent = time.monotonic() - began
        left = f", about {spent / done * (cells - done) / 60:.0f} min left" if done else ""
        self.show(f"cell {done + 1} of {cells}{left}: {what}")


def run(cells: Sequence[Cell], peers: Sequence[str], folder: Folder, settings: Settings, progress: Progress) -> None:
    """Measure what is not in the folder yet.

    Parameters
    ----------
    cells : sequence of Cell
        They are taken in this order; one whose data are not here is told and left out.
    peers : sequence of str
        Names of `peers.named`, ours among them.
    folder : Folder
        Where finished results are, and go.
    settings : Settings
        Those of the folder.
    progress : Progress
        Is told what happens.
    """
    began = time.monotonic()
    missing = {cell: [name for name in peers if folder.result(cell, name) is None] for cell in cells}
    todo = [cell for cell in cells if missing[cell]]
    if len(todo) < len(cells):
        progress.say(f"{len(cells) - len(todo)} of {len(cells)} cells are finished already")
    with Worker(settings.max_seconds) as worker:
        for done, cell in enumerate(todo):

            def show(what: str, done: int = done, cell: Cell = cell) -> None:
                progress.of(done, len(todo), began, f"{cell.name}, {what}")

            targets = _prepared(cell, worker, folder, settings, show, progress.say)
            if targets:
                _measure(cell, missing[cell], targets, worker, folder, settings, show)


def _prepared(cell: Cell, worker: Worker, folder: Folder, settings: Settings, show: Told, say: Told) -> list[float]:
    """Bring the worker to the cell, and P* into the folder: the targets for which P* is known well enough."""
    try:
        show("reading the data")
        worker.load(cell)
        best = folder.optimum(cell)
        if best is None:
            show("P*")
            with Worker(settings.max_seconds) as another:  # what it compiles must not help ours later
                another.load(cell)
                best = another.optimum(OPTIMUM_SECONDS)
    except (ValueError, OSError, MemoryError, EOFError) as error:
        reason = "the process was ended from outside" if isinstance(error, EOFError) else str(error)
        say(f"left out {cell.name}: {reason or 'there is not enough memory'}")
        return []
    folder.keep_optimum(cell, best)
    targets = [target for target in settings.targets if target >= DIVIDED * best.certificate]
    if best.certificate > CERTIFIED:
        measured = ", ".join(f"{target:g}" for target in targets) or "none: it is left out"
        say(f"{cell.name}: P* is certified to {best.certificate:.1e} only; targets {measured}")
    worker.measure_from(best.value)
    return targets


def _measure(
    cell: Cell,
    names: Sequence[str],
    targets: Sequence[float],
    worker: Worker,
    folder: Folder,
    settings: Settings,
    show: Told,
) -> None:
    refusals = worker.refusals(list(names))
    found, results = {}, {}
    worker.max_seconds = settings.max_seconds
    for name in names:
        peer = named(name)
        result = Result(cell.name, name, peer.package.version, name.startswith(PREFIX), peer.certified, Verdict.UNFIT)
        results[name] = result
        if refusals[name]:
            result.note = refusals[name]
            continue
        show(f"looking for the cheapest budgets of {name}")
        found[name] = _searched(name, targets, worker, result)
        arrived = [call.wall for call in found[name].calls if call.suboptimality <= min(targets)]
        worker.max_seconds = min(worker.max_seconds, max(LEAST, HOPELESS * min(arrived, default=math.inf)))
    session = datetime.now(UTC).isoformat(timespec="seconds")
    _time(found, results, worker, settings.repeats, show)
    for result in results.values():
        result.session = session
        folder.keep(cell, result)


def _searched(name: str, targets: Sequence[float], worker: Worker, result: Result) -> Found:
    def call(budget: float) -> Call:
        made, first = worker.call(name, budget)
        if first:
            result.first = made.cpu
        return made

    found = search(named(name), targets, call)
    result.verdict, result.note, result.budgets = found.verdict, found.note, found.budgets
    return found


def _time(found: dict[str, Found], results: dict[str, Result], worker: Worker, repeats: int, show: Told) -> None:
    """All in turn, so that a neighbour's load hits all alike; a budget that serves several targets is timed once.

    A peer that was far behind in the first round is not asked again.
    """
    for round_ in range(repeats):
        fastest = {}
        if round_:
            times = [result.cpu for result in results.values()]
            fastest = {t: min(cpu[t][0] for cpu in times if t in cpu) for cpu in times for t in cpu}
        for name, each in found.items():
            show(f"round {round_ + 1} of {repeats}, {name}")
            cpu = results[name].cpu
            behind = {t for t in fastest if t in cpu and cpu[t][0] > FAR_BEHIND * fastest[t] and not results[name].ours}
            for budget in dict.fromkeys(b for t, b in each.budgets.items() if t not in behind):
                try:
                    made, first = worker.call(name, budget)
                    if first:  # the process is new: what was compiled for another one was in vain
                        made, _ = worker.call(name, budget)
                except (TooSlow, RuntimeError):
                    continue
                for target in (t for t, b in each.budgets.items() if b == budget and t not in behind):
                    result = results[name]
                    for kept, value in ((result.cpu, made.cpu), (result.wall, made.wall)):
                        kept.setdefault(target, []).append(value)
                    result.reached.setdefault(target, []).append(made.suboptimality)
