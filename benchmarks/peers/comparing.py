"""Comparison of peers in cells: which results are asked for and finished, and the measuring of the rest."""

from __future__ import annotations

import time
from collections.abc import Sequence

from cdlab import sweeps
from cdlab.runs.progress_line import ProgressLine
from cdlab.sweeps.data import digest_of_data
from cdlab.sweeps.executors import InProcess
from cdlab.sweeps.scheduler import DONE, FAILED, format_duration, run_tasks
from cdlab.sweeps.session import Session

from .adapters import find_peer
from .cells import Cell, load_arrays
from .optimum import CERTIFIED, CertifiedOptimum
from .results import PeerResult, PeerStore, TimingSettings, result_key
from .timing import measure
from .worker import Worker

CALLS_PER_ATTEMPT = 5.0  # An attempt to find P* may take as long as so many of the longest calls.
MIN_TARGET_OVER_CERTIFICATE = 10.0  # P* must be known this many times better than a target,
TARGET_OVER_CERTIFICATE = 1e3  # and is looked for this well.
UNREADABLE = (ValueError, OSError, MemoryError, EOFError)


class Comparison:
    """Measurements of peers, which are solvers, in the cells of the comparison.

    Parameters
    ----------
    cells : sequence of Cell
        The cells, in the order of measurement; their data are read for their digests.
    peers : sequence of str
        Names of `adapters.find_peer`, ours among them.
    store : PeerStore
        The store that finished results are read from and written to.
    settings : TimingSettings
        Settings of the timed calls.
    progress : ProgressLine
        Shows what happens.

    Attributes
    ----------
    keys : dict
        The key of each result that is asked for, by the names of the cell and of the peer.
    left_out : dict
        The reason why the data could not be read, by the name of the cell.
    """

    def __init__(
        self,
        cells: Sequence[Cell],
        peers: Sequence[str],
        store: PeerStore,
        settings: TimingSettings,
        progress: ProgressLine,
    ) -> None:
        self.store, self.settings, self.progress = store, settings, progress
        self.keys: dict[str, dict[str, str]] = {}
        self.left_out: dict[str, str] = {}
        self._peers = list(peers)
        self._cells: list[Cell] = []
        self._digests: dict[tuple[str, str], str] = {}
        for cell in cells:
            try:
                data = self._digest(cell)
            except (ValueError, OSError, MemoryError) as error:
                self.left_out[cell.name] = _reason(error)
                continue
            self._cells.append(cell)
            self.keys[cell.name] = {name: result_key(cell, data, find_peer(name), settings) for name in self._peers}

    def missing(self, cell: str) -> dict[str, str]:
        """The keys of the results that are missing in the cell with this name, by peer."""
        return {name: key for name, key in self.keys[cell].items() if self.store.result(key) is None}

    def results(self) -> list[PeerResult]:
        """The finished results that are asked for, by peer in the order asked for."""
        found = [self.store.result(keys[peer]) for peer in self._peers for keys in self.keys.values()]
        return [each for each in found if each is not None]

    def is_complete(self) -> bool:
        """True if nothing that was asked for is missing."""
        return not self.left_out and not any(map(self.missing, self.keys))

    def run(self) -> None:
        """Measure what is missing; report and leave out each cell whose data are not here."""
        for name, why in self.left_out.items():
            self.progress.say(f"left out {name}: {why}")
        finished = sum(not self.missing(name) for name in self.keys)
        if finished:
            self.progress.say(f"{finished} of {len(self.keys)} cells are finished already")
        self._began = time.monotonic()
        self._count = sweeps.Progress(len(self.keys), finished, 0, 0, None)

        def state_of(key: str) -> str | None:
            return None if self.missing(key) else DONE

        def keep_result(key: str, results: list[PeerResult] | None) -> str:
            """Keep the results of a cell; one that could not be measured (None) is tried again next time."""
            for each in results or ():
                self.store.keep(each)
            return FAILED if results is None else DONE

        def count(so_far: sweeps.Progress) -> None:
            self._count = so_far

        with Worker(self.settings.max_seconds) as self._worker, Session(self.store.folder) as session:
            run_tasks(self._cells, lambda: InProcess(self._measure), state_of, keep_result, session, progress=count)

    def _digest(self, cell: Cell) -> str:
        arrays = cell.data, cell.scale
        if arrays not in self._digests:
            self.progress.now_and_then(f"reading {cell.data}")
            self._digests[arrays] = digest_of_data(load_arrays(cell))
        return self._digests[arrays]

    def _measure(self, cell: Cell) -> list[PeerResult] | None:
        """Measure a cell's missing results; report a cell that has to be left out, and return None."""
        missing = self.missing(cell.name)
        try:
            best = self._optimum(cell)
            targets = [t for t in self.settings.targets if t >= MIN_TARGET_OVER_CERTIFICATE * best.certificate]
            if best.certificate > self._certified:
                measured = ", ".join(f"{target:g}" for target in targets) or "none: it is left out"
                self.progress.say(f"{cell.name}: P* is certified to {best.certificate:.1e} only; targets {measured}")
            if not targets:
                return None
            self._show(cell, "reading the data")
            refusals = self._worker.refusals(cell, list(missing))
        except UNREADABLE as error:
            self.progress.say(f"left out {cell.name}: {_reason(error)}")
            return None
        results = measure(
            cell, best.value, refusals, targets, self._worker, self.settings, lambda what: self._show(cell, what)
        )
        for each in results:
            each.key = missing[each.peer]
        return results

    def _optimum(self, cell: Cell) -> CertifiedOptimum:
        """P* of the cell, stored at once, so that it is kept whatever ends the session."""
        data = self._digest(cell)
        best = self.store.optimum(cell, data)
        if best is None or best.certificate > self._certified:
            self._show(cell, "P*")
            with Worker(self.settings.max_seconds) as another:  # Our solver must find nothing compiled.
                best = another.optimum(cell, CALLS_PER_ATTEMPT * self.settings.max_seconds, self._certified)
            self.store.keep_optimum(cell, data, best)
        return best

    @property
    def _certified(self) -> float:
        """How well P* is looked for."""
        return max(CERTIFIED, min(self.settings.targets) / TARGET_OVER_CERTIFICATE)

    def _show(self, cell: Cell, what: str) -> None:
        """Show what happens now in the cell, and how much time is left."""
        done, so_far = self._count.done + self._count.failed, self._count
        pace = (time.monotonic() - self._began) / max(done, 1)
        left = f", about {format_duration(pace * (so_far.total - so_far.found - done))} left" if done else ""
        self.progress.now_and_then(f"cell {so_far.found + done + 1} of {so_far.total}{left}: {cell.name}, {what}")


def _reason(error: Exception) -> str:
    """The reason why a cell is left out, in words."""
    if isinstance(error, EOFError):
        return "the process was ended from outside"
    return str(error) or "there is not enough memory"
