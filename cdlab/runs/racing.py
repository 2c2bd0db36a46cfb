"""A fair race: several methods and seeds on one problem, measured alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..methods import Method
from ..problems.problem import Problem
from .entries import Choice, Entry, check, entrant, label_of
from .race_result import Race
from .records import Record
from .solving import solve
from .statuses import Status
from .trace import Trace


def race(
    problem: Problem,
    entries: Sequence[Entry],
    *,
    seeds: Iterable[int] = (0,),
    tol: float = 1e-10,
    max_passes: float | None = 50,
    max_seconds: float | None = None,
    every: int = 1,
    test: tuple[Any, Any] | None = None,
    strong_convexity: float | str | None = None,
    start: Any = None,
    on_record: Callable[[str, int, Record], None] | None = None,
    stop: Callable[[Record], bool] | None = None,
) -> Race:
    """Run several methods on one problem, one after another so that none disturbs another's clock.

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
    max_seconds, test, strong_convexity, start
        As for `solve`.
    every : int, default 1
        Epochs per record.
    on_record : callable, optional
        Called with (label, seed, record) after each measurement: progress.
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
    limits: dict[str, Any] = {"tol": tol, "max_passes": max_passes, "max_seconds": max_seconds}
    groups: list[list[Trace]] = [[] for _ in entrants]
    options: dict[str, Any] = {"every": every, "test": test, "strong_convexity": strong_convexity, "start": start}
    labels = [label_of(method, sampling) for method, sampling in entrants]
    for seed in seeds:
        for group, label, (method, sampling) in zip(groups, labels, entrants, strict=True):
            watch = _watcher(label, seed, on_record, stop)
            s = solve(problem, method, sampling=sampling, seed=seed, stop=watch, **options, **limits)
            group.append(s.trace)
            if s.status == Status.STOPPED:
                return _complete(groups, labels, seeds)
    return _complete(groups, labels, seeds)


def _watcher(
    label: str,
    seed: int,
    on_record: Callable[[str, int, Record], None] | None,
    stop: Callable[[Record], bool] | None,
) -> Callable[[Record], bool]:
    def watch(record: Record) -> bool:
        if on_record is not None:
            on_record(label, seed, record)
        return stop is not None and stop(record)

    return watch


def _complete(groups: list[list[Trace]], labels: list[str], seeds: list[int]) -> Race:
    not_run = [label for group, label in zip(groups, labels, strict=True) if not group]
    groups = [group for group in groups if group]
    common = min(len(group) for group in groups)
    kept, rest = ([trace for group in groups for trace in group[part]] for part in (slice(common), slice(common, None)))
    return Race(kept, len(groups), seeds[:common], rest, not_run)
