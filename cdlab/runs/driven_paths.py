"""Paths by the driver of `cdlab.paths`, as solutions like those of any other run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from .. import losses
from ..methods import Method
from ..numerics.digests import array_digest
from ..paths import Driver, PathLimits, PathStep
from ..problems.points import Points
from ..problems.problem import Problem
from ..samplings import Sampling
from .entries import with_aim
from .limits import Limits, Status, drive
from .measuring import WITHOUT_TEST
from .running import Run, run_metadata, start_point
from .solution import Solution, solution_of
from .trace import Record, Trace, relative_gap

CHOSEN = "newton_cd on a working set, along the path"


@dataclass(frozen=True)
class DrivenPath:
    """Solutions of a problem for several weights, computed by the driver on demand.

    Parameters
    ----------
    problem : Problem
        One that `cdlab.paths.fits`, with any weights l1 > 0.
    method, sampling, seed, limits, test, start, stop
        As of `cdlab.path`; the method is `Auto`, and tol > 0.
    """

    problem: Problem
    method: Method
    sampling: Sampling
    seed: int
    limits: Limits
    test: tuple[Any, Any] | None
    start: Any
    stop: Callable[[Record], bool] | None

    def solutions(self, pairs: list[tuple[float, float]]) -> Iterator[Solution]:
        """Yield a solution for each pair (l2, l1), until one is stopped."""
        first = self.problem.with_(l2=pairs[0][0], l1=pairs[0][1])
        start = start_point(first, self.start)
        method = with_aim(self.method, self.limits.tol)
        common = cache(partial(run_metadata, first, method, self.sampling, self.seed, None, start))
        test = None if self.test is None else first.test_data(*self.test)
        driver, limits = Driver(first.centred, None if start is None else start.w), self._driver_limits(first, test)
        before: Points | None = None
        for l2, l1 in pairs:
            found = driver.solve(l2, l1, limits)
            if found is None:
                return
            record = self._record(first, found, test)
            if (status := self._status(found, record)) is not None:
                s = _solution(first, found, record, status, partial(_meta, common, first, l2, l1, before))
            else:
                s = self._finish(l2, l1, found)
            if s.status == Status.STOPPED:
                return
            if s.alpha is not found.alpha:
                driver = Driver(first.centred, start_point(first, s).w)  # type: ignore[union-attr]
            yield s
            before = Points(found.w, found.alpha)

    def _driver_limits(self, P: Problem, test: Any) -> PathLimits:
        visits = math.inf if self.limits.max_passes is None else self.limits.max_passes * P.centred.nnz
        seconds = math.inf if self.limits.max_seconds is None else self.limits.max_seconds
        if (stop := self.stop) is None:
            return PathLimits(self.limits.tol, visits, seconds)
        return PathLimits(self.limits.tol, visits, seconds, lambda found: stop(self._record(P, found, test)))

    def _record(self, P: Problem, found: PathStep, test: Any) -> Record:
        scores = WITHOUT_TEST if test is None else P.test_scores(P.from_centred(found.w), test)
        nnz = P.centred.nnz
        return Record(
            found.scans, found.visits / nnz if nnz else 0.0, found.seconds, found.primal, found.dual, found.gap,
            scores.test_error, math.nan, scores.test_loss, float(found.scans * P.n), math.nan, scores.test_sign_error,
            found.rounding,
        )  # fmt: skip

    def _status(self, found: PathStep, record: Record) -> Status | None:
        """Return why the path goes on from here; None where the driver gave up before a limit."""
        if found.reached:
            return Status.TOLERANCE
        if found.settled:
            return Status.ROUNDING_LIMIT
        limits = self.limits
        if limits.max_seconds is not None and record.seconds >= limits.max_seconds:
            return Status.TIME_LIMIT
        return Status.PASS_LIMIT if limits.max_passes is not None and record.passes >= limits.max_passes else None

    def _finish(self, l2: float, l1: float, found: PathStep) -> Solution:
        """Go on with the method itself where the driver gave up: beyond its rounding, or where float64 ends."""
        start = (self.problem.from_centred(found.w), None) if np.isfinite(found.w).all() else None
        problem, method = self.problem.with_(l2=l2, l1=l1), with_aim(self.method, self.limits.tol)
        run = Run(problem, method, self.sampling, self.seed, None, self.test, start=start)
        drive(run, self.limits, stop=self.stop)
        s = solution_of(run)
        s.run = None  # a run would keep its whole state alive
        return s


def _meta(
    common: Callable[[], dict[str, Any]], P: Problem, l2: float, l1: float, before: Points | None
) -> dict[str, Any]:
    """The `meta` of the solution for these weights, which was found from the one before."""
    meta = {**common(), "problem": repr(P.with_(l2=l2, l1=l1)), "P0": P.at_zero, "chosen": CHOSEN}
    return meta if before is None else {**meta, "start": array_digest(before.w, before.alpha)}


def _solution(
    P: Problem, found: PathStep, record: Record, status: Status, meta: Callable[[], dict[str, Any]]
) -> Solution:
    w, b = P.coefficients(found.w)
    trace = Trace.with_later_meta(meta)
    trace.records.append(record)
    trace.note(status=status.value)
    relative, loss = relative_gap(record, P.at_zero), losses.unweighted(P.loss).name
    return Solution(w, found.alpha, record.gap, relative, status, trace, P.label_map, None, b, loss, P.feature_names)
