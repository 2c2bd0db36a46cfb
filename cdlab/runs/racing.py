"""A fair race: several methods and seeds on one problem, measured alike."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from threading import Lock
from typing import Any

from ..methods import Method
from ..numerics import checks
from ..numerics.clocks import cpu_seconds
from ..problems.problem import Problem
from .driving import drive
from .endings import check_limits
from .entries import Choice, Entry, check, entrant, label_of
from .race_result import Race
from .records import Record
from .running import Run
from .statuses import Status
from .threads import in_order
from .trace import Trace


def race(
    problem: Problem,
    entries: Sequence[Entry],
    *,
    seeds: Iterable[int] = (0,),
    tol: float = 1e-10,
    max_passes: float | None = 50,
    max_seconds: float | None = None,
    divergence_tol: float | None = None,
    every: int = 1,
    test: tuple[Any, Any] | None = None,
    strong_convexity: float | str | None = None,
    start: Any = None,
    jobs: int = 1,
    on_record: Callable[[str, int, Record], None] | None = None,
    stop: Callable[[Record], bool] | None = None,
) -> Race:
    """Run several methods on one problem, by default one after another so that none disturbs another's clock.

    Every method runs with the first seed before any runs with the second, so a race that is stopped has compared them
    all on some seeds.

    Parameters
    ----------
    problem : Problem
        Data, loss and regulariser.
    entries : sequence of str, Method, Choice or (method, options)
        ``["sdca", "sdca@importance", ("quartz", dict(averaged=True))]``, or ``cdlab.advise(P)[:3]``.
    seeds : iterable of int, default (0,)
        Each entry runs once with each.
    tol : float, default 1e-10
        On the relative gap.
    max_passes : float or None, default 50
        Per run, like all that follows.
    max_seconds, divergence_tol, test, strong_convexity, start
        As for `solve`.
    every : int, default 1
        Epochs per record.
    jobs : int, default 1
        Runs side by side, each in a thread. Their results are the same for any number; `seconds` are then CPU seconds
        of a run's thread, and longer where the runs share what the memory can deliver.
    on_record : callable, optional
        Called with (label, seed, record) after each measurement: progress. By one thread at a time, as `stop`.
    stop : callable, optional
        Called with each Record; the race ends when it returns True. It then compares the seeds that every entry has
        run, or in the first seed the entries that have begun; the rest is in `incomplete`.

    Returns
    -------
    Race
        The traces of all runs; `winner`, `summary` and `to_frame` compare them.

    Raises
    ------
    ValueError, TypeError
        If an entry does not fit the problem; all are checked before the first runs.
    """
    if isinstance(entries, str | Method | Choice):
        raise TypeError(f"the entries of a race are a list, even of one: [{entries!r}]")
    if not isinstance(seeds, Iterable) or isinstance(seeds, str):
        raise TypeError(f"the seeds of a race are a list of whole numbers, even of one: [0] or range(5), not {seeds!r}")
    entrants, seeds = [entrant(entry) for entry in entries], list(seeds)
    if not entrants or not seeds:
        raise ValueError("a race needs at least one entry and one seed")
    if twice := [seed for seed, count in Counter(map(repr, seeds)).items() if count > 1]:
        raise ValueError(f"each seed of a race runs once, and {twice[0]} is there twice")
    if not isinstance(problem, Problem):
        raise TypeError(f"the first argument must be a cdlab.Problem, not {type(problem).__name__}")
    for method, sampling in entrants:
        check(problem, method, sampling)
    jobs = checks.whole("jobs", jobs, "a whole number of threads >= 1")
    limits: dict[str, Any] = {"max_passes": max_passes, "max_seconds": max_seconds, "divergence_tol": divergence_tol}
    check_limits(tol, **limits)
    labels = [label_of(method, sampling) for method, sampling in entrants]
    clock = time.perf_counter if jobs == 1 else cpu_seconds
    watched = _Watched(on_record, stop)

    def ran(task: tuple[Any, int]) -> Trace:
        seed, k = task
        method, sampling = entrants[k]
        run = Run(problem, method.aimed(tol), sampling, seed, every, test, strong_convexity, start, clock)
        watch = watched.by(labels[k], seed)
        drive(run, tol=tol, **limits, stop=watch)
        return run.trace

    groups: list[list[Trace]] = [[] for _ in entrants]
    tasks = list(product(seeds, range(len(entrants))))
    try:
        for (_, k), trace in zip(tasks, in_order(ran, tasks, jobs), strict=True):
            groups[k].append(trace)
            if trace.meta["status"] == Status.STOPPED:
                break
    finally:
        watched.over = True
    return _complete(groups, labels, seeds)


class _Watched:
    """Who is told of records and may stop the race, by one thread at a time."""

    def __init__(
        self, on_record: Callable[[str, int, Record], None] | None, stop: Callable[[Record], bool] | None
    ) -> None:
        self._on_record, self._stop, self._lock = on_record, stop, Lock()
        self.over = False  # the others stop at their next record

    def by(self, label: str, seed: Any) -> Callable[[Record], bool]:
        def watch(record: Record) -> bool:
            with self._lock:
                if self.over:
                    return True
                if self._on_record is not None:
                    self._on_record(label, seed, record)
                self.over = self._stop is not None and bool(self._stop(record))
                return self.over

        return watch


def _complete(groups: list[list[Trace]], labels: list[str], seeds: list[int]) -> Race:
    not_run = [label for group, label in zip(groups, labels, strict=True) if not group]
    groups = [group for group in groups if group]
    common = min(len(group) for group in groups)
    kept, rest = ([trace for group in groups for trace in group[part]] for part in (slice(common), slice(common, None)))
    return Race(kept, len(groups), seeds[:common], rest, not_run)
