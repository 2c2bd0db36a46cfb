"""A fair race: several methods and seeds on one problem, measured alike."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import product
from threading import Lock
from typing import Any

from ..losses import unweighted
from ..methods import Method
from ..numerics import checks
from ..numerics.clocks import cpu_seconds
from ..problems.problem import Problem
from ..runs.entries import Entry, HasEntry, MethodAndSampling, check_entry, label_of, resolve_entry, with_aim
from ..runs.limits import Limits, Status, drive
from ..runs.measuring import RaceMeasuring
from ..runs.race_result import Race, RaceSetup
from ..runs.running import Run, start_point
from ..runs.trace import Record, Trace
from ..samplings import Sampling
from . import scheduler
from .executors import InProcess
from .keys import with_floats
from .result_store import store_folder
from .runner import Runner, one_thread, with_meta
from .scheduler import Progress, run_tasks
from .session import Session
from .settings import parse_run
from .stored_runs import read_trace, stored_run
from .sweeping import key_and_meta, problem_facts


@dataclass(frozen=True, eq=False)
class RaceRun:
    """A run of a race.

    Attributes
    ----------
    key : str
        That of the run in a store; without one, any that no other run of the race has.
    number : int
        Of the entry.
    seed : int
    method, sampling : Method, Sampling
    meta : dict
        What the meta of its trace says beside what every trace says.
    """

    key: str
    number: int
    seed: Any
    method: Method
    sampling: Sampling
    meta: dict[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """None waits for another one to compile."""
        return self.key


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
    records: str = "epochs",
    test: tuple[Any, Any] | None = None,
    strong_convexity: float | str | None = None,
    start: Any = None,
    jobs: int = 1,
    store: str | os.PathLike[str] | None = None,
    on_record: Callable[[str, int, Record], None] | None = None,
    stop: Callable[[Record], bool] | None = None,
    progress: Callable[[Progress], Any] | None = None,
) -> Race:
    """Run several methods on one problem, by default one after another so that none disturbs another's clock.

    Every method runs with the first seed before any runs with the second, so a race that is stopped has compared them
    all on some seeds.

    Parameters
    ----------
    problem : Problem
        Data, loss and regulariser.
    entries : sequence of str, Method, Choice or (method, options)
        ``["sdca", "sdca@importance", ("quartz", dict(averaged_primal=True))]``, or ``cdlab.advise(P)[:3]``.
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
    records : "epochs" or "log", default "epochs"
        "log": a record at 30 moments a decade of passes from 0.01 on, for pictures on a logarithmic axis. Orders are
        cut there, so that each run is the same as with records per epoch; methods with stages or full gradients are
        measured at their epochs (`Method.can_split_epoch`). Beyond the first pass certificates visit at most a tenth of
        the nonzeros that the run visits, or 10 million: moments are left out where they would visit more.
    jobs : int, default 1
        Runs side by side, each in a thread. Their results are the same for any number; `seconds` are then CPU seconds
        of a run's thread, and longer where the runs share what the memory can deliver.
    store : str or path, optional
        A folder, made if it is missing, in which every finished run is kept as by `sweep`. Runs that are there are not
        run again: a race that was interrupted goes on. (Those that a sweep has put there know P* from their own w and
        alpha alone.) `seconds` are then CPU seconds of one thread, and max_seconds is
        refused, since the machine would decide where a run ends.
    on_record : callable, optional
        Called with (label, seed, record) after each measurement: progress. By one thread at a time, as `stop`.
    stop : callable, optional
        Called with each Record; the race ends when it returns True. It then compares the seeds that every entry has
        run, or in the first seed the entries that have begun. What else has run is in `incomplete`, and what has not
        begun in `not_run`.
    progress : callable, optional
        Called with a `Progress` after each run, as by `sweep`: how many were in the store, say.

    Returns
    -------
    Race
        The traces of all runs; `winner`, `summary` and `to_frame` compare them.

    Raises
    ------
    ValueError, TypeError
        If an entry does not fit the problem; all are checked before the first runs.
    OSError
        If a run cannot be kept in the store.
    KeyboardInterrupt
        After Ctrl-C; what is finished is in the store, if there is one.

    Examples
    --------
    >>> import cdlab
    >>> X, y = cdlab.datasets.load("mushrooms")
    >>> race = cdlab.race(cdlab.Problem(X, y, l2=0.01), ["sdca", "rcd"], seeds=range(3))
    >>> race.winner(1e-4)
    'sdca, uniform'
    """
    checks.callable_or_none("on_record", on_record, "(label, seed, Record)")
    checks.callable_or_none("stop", stop, "a Record")
    checks.callable_or_none("progress", progress, "a Progress")
    checks.pair_or_none("test", test, "a pair (X, y)")
    contestants, seeds = _check_entries(problem, entries, seeds)
    jobs = checks.integer("jobs", jobs, "a whole number of threads >= 1")
    limits = Limits(tol, max_passes, max_seconds, divergence_tol)
    labels = [label_of(method, sampling) for method, sampling in contestants]
    observer = _Observer(on_record, stop)
    clock = time.perf_counter if jobs == 1 and store is None else cpu_seconds
    if store is None:
        runs = _numbered(contestants, seeds, tol)
    else:
        if max_passes is None or max_seconds is not None:
            raise ValueError(
                "max_seconds does not go with a store, since the machine then decides where a run ends: give max_passes"
            )
        ends = {"tol": tol, "max_passes": max_passes, "divergence_tol": divergence_tol}
        runs = _with_keys(
            problem, contestants, seeds, **ends, every=every, records=records, test=test,
            strong_convexity=strong_convexity, start=start,
        )  # fmt: skip
        problem = problem.with_(loss=with_floats(unweighted(problem.loss)))

    def carry_out(one: RaceRun) -> Trace:
        run = Run(
            problem, one.method, one.sampling, one.seed, every, test, strong_convexity, start, clock, records,
            RaceMeasuring,
        )  # fmt: skip
        drive(run, limits, stop=observer.of(labels[one.number], one.seed))
        return with_meta(run.trace, one.meta) if one.meta else run.trace

    traces: dict[str, Trace] = {}
    with nullcontext() if store is None else Session(store_folder(store)) as session:

        def state_of(key: str) -> str | None:
            """A failure of a sweep is no trace, and is tried again."""
            if session is not None and (trace := read_trace(session, key)) is not None:
                traces[key] = trace
            return scheduler.DONE if key in traces else None

        def keep_result(key: str, trace: Trace) -> str:
            """A run that was stopped is not finished, and goes into no store."""
            traces[key] = trace
            if session is not None and trace.meta["status"] != Status.STOPPED:
                session.put(key, *stored_run(trace))
            return scheduler.DONE

        with nullcontext() if store is None else one_thread():
            run_tasks(
                runs,
                lambda: _Threads(carry_out, jobs, observer),
                state_of,
                keep_result,
                session,
                progress=progress,
                stop=lambda: observer.over,
            )
    return _complete(runs, traces, labels, RaceSetup(problem, contestants, start_point(problem, start)))


def _check_entries(
    problem: Problem, entries: Sequence[Entry], seeds: Iterable[int]
) -> tuple[list[MethodAndSampling], list[int]]:
    """Check who runs with which seeds, before the first runs."""
    if isinstance(entries, str | Method | HasEntry):
        raise TypeError(f"the entries of a race are a list, even of one: [{checks.short_repr(entries)}]")
    if not checks.has_several(entries):
        raise TypeError(f"the entries of a race are a list, as in ['sdca', 'rcd'], not {checks.short_repr(entries)}")
    if not checks.has_several(seeds):
        raise TypeError(
            "the seeds of a race are a list of whole numbers, even of one: [0] or range(5), not "
            f"{checks.short_repr(seeds)}"
        )
    contestants, seeds = [resolve_entry(entry) for entry in entries], list(seeds)
    if not contestants or not seeds:
        raise ValueError("a race needs at least one entry and one seed")
    if twice := [seed for seed, count in Counter(map(repr, seeds)).items() if count > 1]:
        raise ValueError(f"seed {twice[0]} is given twice, and each seed of a race runs once")
    if not isinstance(problem, Problem):
        raise TypeError(f"the first argument must be a cdlab.Problem, not {checks.short_repr(problem)}")
    for method, sampling in contestants:
        check_entry(problem, method, sampling)
    return contestants, seeds


def _numbered(entries: Sequence[MethodAndSampling], seeds: Sequence[Any], tol: float) -> list[RaceRun]:
    """Every entry with the first seed, then with the second, and so on."""
    runs = product(enumerate(seeds), enumerate(entries))
    return [
        RaceRun(f"entry {k}, seed {j}", k, seed, with_aim(method, tol), sampling)
        for (j, seed), (k, (method, sampling)) in runs
    ]


def _with_keys(
    problem: Problem, entries: Sequence[MethodAndSampling], seeds: Sequence[Any], **settings: Any
) -> list[RaceRun]:
    """The same with the keys that `sweep` gives the same runs.

    Raises
    ------
    TypeError, ValueError
        For settings that a sweep refuses.
    """
    if problem.offset is not None:
        raise ValueError("a store keeps no runs of a problem with an offset: leave store out")
    if problem.bounded:
        raise ValueError("a store keeps no runs of a problem with bounds or penalty factors: leave store out")
    runner, facts, found = Runner(), problem_facts(problem), []
    same = {"data": (problem.X, problem.y), "loss": unweighted(problem.loss), "l2": problem.l2, "l1": problem.l1}
    same |= {"intercept": problem.intercept, **settings}
    for seed, (k, (method, sampling)) in product(seeds, enumerate(entries)):
        s = parse_run({**same, "method": method, "sampling": sampling, "seed": seed})
        key, meta = key_and_meta(s, facts, runner)
        found.append(RaceRun(key, k, s.seed, s.method, s.sampling, meta))
    return found


class _Threads(InProcess):
    """Threads of a race: whatever ends it, the runs that are going stop at their next record."""

    def __init__(self, work: Callable[[RaceRun], Trace], jobs: int, observer: _Observer) -> None:
        super().__init__(work, jobs)
        self._observer = observer

    def close(self) -> None:
        self._observer.over = True
        super().close()


class _Observer:
    """Passes records on to the caller, who may stop the race; by one thread at a time."""

    def __init__(
        self, on_record: Callable[[str, int, Record], None] | None, stop: Callable[[Record], bool] | None
    ) -> None:
        self._on_record, self._stop, self._lock = on_record, stop, Lock()
        self.over = False  # the others stop at their next record

    def of(self, label: str, seed: Any) -> Callable[[Record], bool]:
        def watch(record: Record) -> bool:
            with self._lock:
                if self.over:
                    return True
                if self._on_record is not None:
                    self._on_record(label, seed, record)
                self.over = self._stop is not None and bool(self._stop(record))
                return self.over

        return watch


def _complete(runs: list[RaceRun], found: dict[str, Trace], labels: list[str], setup: RaceSetup) -> Race:
    """The race up to the first run that was stopped, or did not begin."""
    groups: list[dict[Any, Trace]] = [{} for _ in labels]
    for run in runs:
        trace = found.get(run.key)
        if trace is None:
            break
        groups[run.number][run.seed] = trace
        if trace.meta["status"] == Status.STOPPED:
            break
    not_run = [label for group, label in zip(groups, labels, strict=True) if not group]
    return Race.of_runs(filter(None, groups), not_run=not_run, setup=setup)
