"""Runs of a race as the page views them: records on a logarithmic scale of passes, first updates and snapshots."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...comparisons.curves import crossing
from ...explanations.reruns import DIVERGED, errors_of
from ...numerics.written_numbers import number
from ...problems.problem import Problem
from ...runs.feed import DividedOrder, lines_of_update
from ...runs.limits import Status
from ...runs.measuring import RaceMeasuring
from ...runs.running import Run
from ...runs.trace import Record, Trace
from .choices import Contestant
from .numbers import finite, finite_or_none, rounded
from .problems import PreparedProblem
from .schema import RunData, Snapshot, Update
from .sentences import sentence_of

FIRST_UPDATES = 60  # So many updates are shown one by one.
MOST_READ = 2e6  # Updates are shown for data with at most so many nonzeros.
SNAPSHOTS_PER_DECADE = 9  # A decade of passes has so many snapshots.
FIRST_SNAPSHOT = 0.01  # passes
ZERO_SHARE = 1e-12  # A weight below this share of the largest is 0 but for rounding.


@dataclass
class RunView:
    """A view of one entry with one draw: what has been measured, and the run that goes on, if it does.

    Attributes
    ----------
    first : bool
        Whether it is of the first draw, which is shown step by step.
    target : float
        The relative gap by which it is judged.
    tol : float
        The one at which it ends: the target, or 0 for a run to the limit.
    draft : bool
        Whether of its snapshots only the last is taken.
    status : str
        Empty while it runs; then why it ended, in a sentence.
    trace : Trace
        What has been measured, as `cdlab.race` gives it.
    """

    entry: Contestant
    about: PreparedProblem
    seed: int
    first: bool
    target: float
    tol: float
    limit: float
    test: tuple[Any, Any] | None = None
    draft: bool = False
    status: str = ""
    trace: Trace = field(default_factory=Trace)
    gaps: np.ndarray = field(default_factory=lambda: np.empty(0))
    weights: int | None = None
    updates: list[Update] = field(default_factory=list)
    _run: Run | None = None
    _snapshots: list[Snapshot] = field(default_factory=list)
    _unrounded: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)  # w and alpha of the last snapshots
    _upper: float = math.inf
    _lower: float = -math.inf

    @classmethod
    def of_trace(
        cls, trace: Trace, entry: Contestant, about: PreparedProblem, seed: int, ends: tuple[float, float, float]
    ) -> RunView:
        """A run that was measured before, such as one of a file: it has ended, and is shown without its steps."""
        view = cls(entry, about, seed, False, *ends, trace=trace)
        view.gaps = view._gaps()
        trace.note(status=Status(trace.meta.get("status", Status.STOPPED)))
        view._tell("target", number(view.gaps[-1], 1))
        return view

    def work(self, ends: float) -> None:
        """Go on until this moment, or to the end of the run; at least one measurement."""
        run = self._begin() if self._run is None else self._run
        while not self.status:
            record = run.advance(max_passes=self.limit).record
            self._upper = float(np.fmin.reduce((self._upper, record.primal, record.upper)))
            self._lower = float(np.fmax.reduce((self._lower, record.dual, record.lower)))
            self._see_whether_ended()
            if self.first:
                self._take_snapshot()
            if time.thread_time() > ends:
                break
        self.gaps = self._gaps()

    def _begin(self) -> Run:
        problem, entry = self.about.problem, self.entry
        self._run = Run(
            problem, entry.method, entry.sampling, self.seed, every=None, test=self.test, records="log",
            measuring=RaceMeasuring,
        )  # fmt: skip
        self.trace = self._run.trace
        if self.first:
            self.find_updates()
        return self._run

    def find_updates(self) -> None:
        """Do the first updates one by one, as they are shown."""
        self.updates = first_updates(self.about.problem, self.entry, self.seed)

    @property
    def w(self) -> np.ndarray:
        """The primal point where the run is now."""
        return self._run.w

    @property
    def records(self) -> list[Record]:
        """The records of the trace."""
        return self.trace.records

    def _gaps(self) -> np.ndarray:
        return errors_of(self.trace, self.about.lowest, self.about.certified)

    def _see_whether_ended(self) -> None:
        last = self.records[-1]
        lowest = max(self._lower, self.about.lowest) if self.about.certified else self.about.lowest
        near = self._upper - lowest <= self.tol * self.about.start  # but for rounding, which `gaps` count
        if near or last.passes >= self.limit:
            self.gaps = self._gaps()
        if near and self.gaps[-1] <= self.tol:
            self._end(Status.TOLERANCE, "target", number(self.tol))
        elif not math.isfinite(last.primal) or last.primal > DIVERGED * max(1.0, self.about.problem.at_zero):
            self._end(Status.DIVERGED, "diverged")
        elif last.passes >= self.limit:
            self._end(Status.PASS_LIMIT, "limit", number(self.gaps[-1], 2))

    def _end(self, status: Status, key: str, gap: str = "") -> None:
        self.trace.note(status=status)
        self._tell(key, gap)
        self.updates = self.updates if self.records[-1].passes else []  # none of a run that is there at the start
        sizes = np.abs(self.w)
        self.weights = int((sizes > ZERO_SHARE * sizes.max()).sum())

    def _tell(self, key: str, gap: str) -> None:
        at = {"label": self.entry.label, "passes": self.records[-1].passes, "gap": gap}
        self.status = sentence_of(f"status.{key}", at)

    @property
    def expected(self) -> float:
        """Passes that the run is likely to take in all."""
        if not self.records:
            return self.limit
        passes, gap = self.records[-1].passes, float(self.gaps[-1])
        if self.status or not passes or not 0 < gap < 1 or not self.tol:
            return passes if self.status else self.limit
        return min(self.limit, passes * math.log(self.target) / math.log(gap))

    def run_data(self) -> RunData:
        """The records until now, as the page shows them."""
        self._round_snapshots()
        names = ("passes", "iteration", "seconds", "primal", "dual")
        passes, iterations, seconds, primal, dual = (self.trace.column(name) for name in names)
        best = np.fmin.accumulate(self.trace.best_primal())
        lowest = np.fmax(np.fmax.accumulate(self.trace.best_dual()), self.about.lowest)
        if not self.about.certified:
            lowest = np.full(lowest.shape, np.nan)
        reached = crossing(passes, self.gaps, self.target) if self.records else math.inf
        return RunData(
            self.entry.label, self.entry.side, self.seed,
            rounded(passes, 8), [int(k) for k in iterations], rounded(seconds), finite(best), finite(lowest),
            finite(self.gaps), finite_or_none(reached), self.status, self.updates, self._snapshots,
            rounded([record.examples for record in self.records], 8),
            [] if self.test is None else finite([record.test_error for record in self.records]),
        )  # fmt: skip

    def _take_snapshot(self) -> None:
        """w and alpha in the bins of the matrix, at moments on a logarithmic scale and at the end."""
        passes = self.records[-1].passes
        due = FIRST_SNAPSHOT * 10 ** (len(self._snapshots) / SNAPSHOTS_PER_DECADE)
        if not self.status and (self.draft or passes < due):
            return
        points, lines = self._run.points, self._run.last_update if self.entry.draws is not None else []
        visits = self.entry.method.visits(self.about.problem)
        self._snapshots.append(Snapshot(passes, [], [], lines, sum(int(visits[line]) for line in lines)))
        bins = self.about.across_starts, self.about.down_starts
        self._unrounded.append((_largest(points.w, bins[0]), _largest(points.alpha, bins[1])))

    def _round_snapshots(self) -> None:
        """Write the points of the last snapshots down: of many at once that takes a third of the time."""
        if not self._unrounded:
            return
        points = [rounded(np.array(each), 3) for each in zip(*self._unrounded, strict=True)]
        for snapshot, w, alpha in zip(self._snapshots[-len(self._unrounded) :], *points, strict=True):
            snapshot.w, snapshot.alpha = w, alpha
        self._unrounded.clear()


def _largest(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The entry of largest modulus of each bin, given where bins begin; of several classes the largest of them."""
    if values.ndim > 1:
        values = np.take_along_axis(values, np.abs(values).argmax(axis=1)[:, None], axis=1)[:, 0]
    high, low = np.maximum.reduceat(values, starts), np.minimum.reduceat(values, starts)
    return np.where(high >= -low, high, low)


def first_updates(problem: Problem, entry: Contestant, seed: int) -> list[Update]:
    """The first updates of a run, one by one, with the value of the coordinate before and after."""
    method = entry.method
    if not (method.can_split_epoch and entry.draws is not None) or problem.nnz > MOST_READ or problem.outputs:
        return []
    if method.name == "spdc" and problem.loss.gamma == 0:  # its steps change after an epoch: single ones are others
        return []
    P, S = method.view(problem), method.init(problem, entry.sampling, None)
    orders = method.orders(problem, entry.sampling, np.random.default_rng(seed))
    visits, found, visited = method.visits(problem), [], 0
    side = "w" if entry.side == "primal" or method.side == "primal" else "alpha"
    point = getattr(method.points(problem, S), side)
    while len(found) < FIRST_UPDATES:
        order = next(orders)
        divided = DividedOrder(order, visits)
        while not divided.is_used_up and len(found) < FIRST_UPDATES:
            part = divided.take(0.0)
            lines = lines_of_update(part, 0)
            single = lines[0] if len(lines) == 1 and entry.side != "full" else None  # gradients move all of w
            before = None if single is None else float(point[single])  # now: `point` may be the method's own array
            with np.errstate(all="ignore"):
                S = method.epoch(P, S, part)
                point = getattr(method.points(problem, S), side)
            entries = sum(int(visits[line]) for line in lines)
            visited += entries
            after = None if single is None else float(point[single])
            found.append(Update(lines, entries, visited / max(1, problem.nnz), before, after))
    return found
