"""A fair race: several methods and seeds on one problem, measured alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..methods import Method
from ..numerics import checks
from ..problems.problem import Problem, gap_between
from .entries import Choice, Entry, entrant
from .running import check, label_of
from .solving import solve
from .statuses import Status
from .trace import Record, Trace, merged

if TYPE_CHECKING:
    import pandas


def check_eps(eps: Any) -> None:
    """Refuse an accuracy that is none: relative suboptimality is 1 at the start and 0 at the optimum.

    Raises
    ------
    TypeError, ValueError
    """
    if not checks.is_number(eps):
        raise TypeError(f"eps must be a number between 0 and 1, not {eps!r}")
    if not 0 < eps < 1:
        raise ValueError(f"eps must be a number between 0 and 1, a share of P(0) - P*, not {eps!r}")


@dataclass
class Race:
    """The traces of a race, method-major, one per seed.

    Attributes
    ----------
    traces : list of Trace
    entries : int
        How many methods ran.
    seeds : list of int
    incomplete : list of Trace
        After a stop: runs of a seed that not every entry has run. They take no part in comparisons.
    not_run : list of str
        After a stop in the first seed: labels of the entries that had not begun.
    """

    traces: list[Trace]
    entries: int
    seeds: list[int]
    incomplete: list[Trace] = field(default_factory=list)
    not_run: list[str] = field(default_factory=list)

    def __getitem__(self, entry: int) -> list[Trace]:
        """The traces of one entry, one per seed."""
        return self.traces[entry * len(self.seeds) : (entry + 1) * len(self.seeds)]

    @property
    def optimum(self) -> float:
        """The smallest primal value that any run measured: the stand-in for P*. inf if none was finite."""
        return min((float(x) for trace in self.traces for x in _finite(trace, "primal")), default=np.inf)

    @property
    def certificate(self) -> float:
        """How far above P* `optimum` can be at most: its distance to the largest dual value of the race."""
        highest = max((float(x) for trace in self.traces for x in _finite(trace, "dual")), default=np.nan)
        return gap_between(self.optimum, highest)

    @property
    def _range(self) -> float:
        """P(0) less the optimum."""
        return self.traces[0].at_zero - self.optimum

    def reached(self, eps: float, by: str = "passes") -> np.ndarray:
        """(entries, seeds): passes (or seconds, iteration) to relative suboptimality eps; inf where not reached.

        Raises
        ------
        TypeError, ValueError
            If eps is not between 0 and 1.
        """
        check_eps(eps)
        best, level = self.optimum, eps * self._range
        if not np.isfinite(level):  # no finite P(w), or P(0) overflows
            return np.full((self.entries, len(self.seeds)), np.inf)
        flat = [trace.reached(level, by, "primal", shift=best) for trace in self.traces]
        return np.reshape(flat, (self.entries, len(self.seeds)))

    @property
    def certified(self) -> bool:
        """Whether any lower bound of P* is known: without a regulariser (l2 = l1 = 0) there is none."""
        return bool(np.isfinite(self.certificate))

    def decides(self, eps: float) -> bool:
        """Whether P* is known well enough to say who is within relative suboptimality eps of it.

        The best run always is at its own smallest P(w): with a loose certificate that would be a false finish. Where
        there cannot be any (`certified` is False), `optimum` stands in for P*, and the answer is uncertified.
        """
        check_eps(eps)
        return not self.certified or self.certificate <= eps * self._range

    def winner(self, eps: float, by: str = "passes") -> str | None:
        """The entry with the smallest median over seeds to relative suboptimality eps, (P(w) - P*)/(P(0) - P*).

        None if nobody got there, if the race does not decide it, if two share the smallest median (see `first`), or if
        another entry could still have been first: one that had not begun when the race was stopped, or whose runs ended
        (by a limit, their tolerance or the stop) before eps and before the winner's work was done. Uncertified where
        `certified` is False.

        Raises
        ------
        ValueError
            If eps is not between 0 and 1.
        """
        first = self.first(eps, by)
        return first[0] if len(first) == 1 else None

    def first(self, eps: float, by: str = "passes") -> tuple[str, ...]:
        """The entries that share the smallest median; empty where `winner` has another reason than a tie to be None.

        Methods are measured once an epoch, so those that are equally fast are often seen to arrive together.

        Raises
        ------
        ValueError
            If eps is not between 0 and 1.
        """
        if not self.decides(eps) or self.not_run:
            return ()
        medians = np.median(self.reached(eps, by), axis=1)
        best = medians.min()
        if not np.isfinite(best) or (np.median(self._at_least(eps, by), axis=1) < best).any():
            return ()
        return tuple(self[k][0].label for k in np.flatnonzero(medians == best))

    def _at_least(self, eps: float, by: str) -> np.ndarray:
        """`reached`, and where a run did not get there what it must at least have taken: all that it did."""
        flat = [
            np.inf if trace.meta.get("status") == Status.DIVERGED else float(trace.column(by)[-1])
            for trace in self.traces
        ]
        reached = self.reached(eps, by)
        return np.where(np.isfinite(reached), reached, np.reshape(flat, reached.shape))

    def to_frame(self) -> pandas.DataFrame:
        """All records, with label, method, sampling and seed in front."""
        return merged(self.traces)

    def summary(self, eps: float) -> pandas.DataFrame:
        """One row per entry: medians over seeds of passes and seconds to suboptimality eps, final gap, status.

        passes and seconds are inf where eps was not reached, or the race does not decide it; they are uncertified where
        `certified` is False.

        Raises
        ------
        ValueError
            If eps is not between 0 and 1.
        """
        import pandas as pd

        missed = np.full((self.entries, len(self.seeds)), np.inf)
        passes, seconds = (self.reached(eps, by) if self.decides(eps) else missed for by in ("passes", "seconds"))
        rows = []
        for k in range(self.entries):
            group = self[k]
            rows.append(
                {
                    "method": group[0].meta["method"],
                    "sampling": group[0].meta["sampling"],
                    "passes": np.median(passes[k]),
                    "seconds": np.median(seconds[k]),
                    "relative_gap": np.median([t.column("relative_gap")[-1] for t in group]),
                    "status": ", ".join(sorted({t.meta["status"] for t in group})),
                }
            )
        return pd.DataFrame(rows)


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
    entries : sequence of str, Method, Choice or (method, options)
        ``["sdca", "sdca@importance", ("quartz", dict(averaged=True))]``, or ``cdlab.advise(P)[:3]``.
    seeds : iterable of int, default (0,)
        Each entry runs once with each.
    tol : float, default 1e-10
        On the relative gap.
    max_passes : float or None, default 50
        Per run, like all that follows.
    max_seconds, every, test, strong_convexity, start
        As for `solve`.
    on_record : callable, optional
        Called with (label, seed, record) after each measurement: progress.
    stop : callable, optional
        Called with each Record; the race ends when it returns True. It then compares the seeds that every entry has
        run, or in the first seed the entries that have begun; the rest is in `incomplete`.

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


def _watcher(label: str, seed: int, on_record, stop) -> Callable[[Record], bool]:
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


def _finite(trace: Trace, name: str) -> np.ndarray:
    values = trace.column(name)
    return values[np.isfinite(values)]
