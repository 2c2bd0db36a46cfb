"""The benchmark itself, on the loop of sweeps: P* of each cell, then each peer's cheapest budgets, timed in turn."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from ..sweeps.carrying import Planned, carry_out
from ..sweeps.executors import Here
from ..sweeps.progress import duration
from .calling import Call
from .cells import Cell
from .optimum import CERTIFIED, Optimum
from .peers import named
from .peers.ours import PREFIX
from .planning import Piece, Plan, Told, reason
from .results import Folder, Result, Settings
from .searching import Found, TooSlow, Verdict, search
from .shelf import Cells
from .worker import Worker

OPTIMUM_SECONDS = 30.0  # of each attempt to find P*
FAR_BEHIND = 5.0  # times the fastest
HOPELESS, LEAST = 8.0, 1.0  # a call may take so many times the fastest to the tightest target, or so many seconds
DIVIDED = 10.0  # P* must be known this many times better than the tightest target


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
        left = f", about {duration(spent / done * (cells - done))} left" if done else ""
        self.show(f"cell {done + 1} of {cells}{left}: {what}")


def run(plan: Plan, folder: Folder, settings: Settings, progress: Progress) -> None:
    """Measure what is not in the folder yet.

    Parameters
    ----------
    plan : Plan
        As of `planning.planned`; a cell whose data are not here is told and left out.
    folder : Folder
        Where finished results are, and go.
    settings : Settings
        Those of the folder.
    progress : Progress
        Is told what happens.
    """
    for name, why in plan.left_out.items():
        progress.say(f"left out {name}: {why}")
    asked = {cell for cell, _ in plan.keys}
    left = {piece.cell.name for piece in plan.pieces}
    if len(left) < len(asked):
        progress.say(f"{len(asked) - len(left)} of {len(asked)} cells are finished already")
    with Worker(settings.max_seconds) as worker:
        bench = _Bench(worker, folder, settings, progress, len(left))
        pieces = [Planned(piece, (piece.cell,)) for piece in plan.pieces]
        carry_out(iter([pieces]), lambda: Here(bench.carry_out), Cells(folder, plan.pieces))


class _Bench:
    """What carries out a piece: the worker, and the cell that it is in."""

    def __init__(self, worker: Worker, folder: Folder, settings: Settings, progress: Progress, cells: int) -> None:
        self._worker, self._folder, self._settings = worker, folder, settings
        self._progress, self._cells = progress, cells
        self._began = time.monotonic()

    def carry_out(self, piece: Piece) -> Optimum | list[Result] | None:
        """P* or the results of a cell; None where it has to be left out, which is told."""
        cell = piece.cell

        def show(what: str) -> None:
            self._progress.of(piece.number, self._cells, self._began, f"{cell.name}, {what}")

        if not piece.peers:
            return self._optimum(cell, show)
        best = self._folder.optimum(cell, piece.data)
        if best is None:  # why is told
            return None
        targets = [target for target in self._settings.targets if target >= DIVIDED * best.certificate]
        if best.certificate > CERTIFIED:
            measured = ", ".join(f"{target:g}" for target in targets) or "none: it is left out"
            self._progress.say(f"{cell.name}: P* is certified to {best.certificate:.1e} only; targets {measured}")
        if not targets or not self._at(cell, show):
            return None
        self._worker.measure_from(best.value)
        results = session(cell, list(piece.peers), targets, self._worker, self._settings, show)
        for each in results:
            each.key = piece.peers[each.peer]
        return results

    def _optimum(self, cell: Cell, show: Told) -> Optimum | None:
        show("P*")
        with Worker(self._settings.max_seconds) as another:  # what it compiles must not help ours later
            try:
                another.load(cell)
                return another.optimum(OPTIMUM_SECONDS)
            except (ValueError, OSError, MemoryError, EOFError) as error:
                self._left_out(cell, error)
        return None

    def _at(self, cell: Cell, show: Told) -> bool:
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


def session(
    cell: Cell, names: Sequence[str], targets: Sequence[float], worker: Worker, settings: Settings, show: Told
) -> list[Result]:
    """The results of some peers in the cell that the worker is in, timed in turn."""
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
    began = datetime.now(UTC).isoformat(timespec="seconds")
    _time(found, results, worker, settings.repeats, show)
    for result in results.values():
        result.session = began
    return list(results.values())


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
