"""`race`: runs of each entry, all entries with one draw before the next, a piece of work at a time."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ...runs.entries import check_entry
from ...runs.race_result import Race as CoreRace
from ...runs.race_result import RaceSetup
from ..words import sentence
from .choices import Choices, Contestant
from .outcomes import outcome
from .predicting import racing
from .problems import PreparedProblem, prepared
from .run_views import RunView
from .schema import Outcome, RaceEvent
from .sentences import sentence_of

PIECE_SECONDS = 0.08  # Between two events lie so many seconds of work.


@dataclass(eq=False)
class Race:
    """A race that has been run: what `explain` is about, and the page's runs of the race `core`."""

    choices: Choices
    runs: list[RunView]
    name: str = ""  # that the reader has given it

    @cached_property
    def outcome(self) -> Outcome:
        """The winner, and by how much."""
        return outcome(self.runs)

    @property
    def about(self) -> PreparedProblem:
        """The problem."""
        return self.runs[0].about

    @property
    def entries(self) -> dict[str, Contestant]:
        """The entries by their labels."""
        return {run.entry.label: run.entry for run in self.runs}

    @property
    def seeds(self) -> list[int]:
        """The seeds, one for each run of an entry."""
        return list(dict.fromkeys(run.seed for run in self.runs))

    def of(self, label: str) -> list[RunView]:
        """The runs of an entry."""
        return [run for run in self.runs if run.entry.label == label]

    def core(self) -> CoreRace:
        """The race as `cdlab.race` would have returned it."""
        contestants = [(entry.method, entry.sampling) for entry in self.entries.values()]
        traces = [run.trace for label in self.entries for run in self.of(label)]
        return CoreRace(traces, len(contestants), self.seeds, setup=RaceSetup(self.about.problem, contestants))

    def event(self) -> RaceEvent:
        """The last event of its stream, with all runs."""
        return _event(self.choices.digest, self.runs, self.runs, self.outcome)


def race(choices: Choices, draws: int | None = None) -> Iterator[RaceEvent]:
    """The events of a race; the last one has the outcome, or an error.

    Parameters
    ----------
    choices : Choices
        Of the race.
    draws : int, optional
        Runs of each entry, with the seeds seed, seed + 1 and so on; by default as chosen.
    """
    yield from stream(choices, draws)


def stream(
    choices: Choices, draws: int | None = None, done: list[Race] | None = None, draft: bool = False
) -> Iterator[RaceEvent]:
    """Yield the events of `race`; the finished race is put into `done`. A draft has the last snapshots alone."""
    digest = choices.digest
    try:
        runs = begin(choices, draws, draft)
    except (ValueError, OSError) as why:
        yield RaceEvent(digest, [], 0.0, "", error=sentence(str(why)))
        return
    turns, moved = deque(runs), {}
    ends = time.thread_time() + PIECE_SECONDS
    while turns:
        run = turns.popleft()
        try:
            run.work(min(ends, time.thread_time() + PIECE_SECONDS / 2))
        except (ValueError, RuntimeError, MemoryError) as why:
            yield RaceEvent(digest, [], 0.0, "", error=sentence(str(why)))
            return
        moved[id(run)] = run
        if not run.status:
            ahead = [k for k, other in enumerate(turns) if other.seed != run.seed]
            turns.insert(ahead[0] if ahead else len(turns), run)  # behind the others of its draw
        if time.thread_time() > ends and turns:
            yield _event(digest, runs, list(moved.values()))
            moved, ends = {}, time.thread_time() + PIECE_SECONDS
    ended = Race(choices, runs)
    if done is not None:
        done.append(ended)
    yield _event(digest, runs, list(moved.values()), ended.outcome)


def begin(choices: Choices, draws: int | None = None, draft: bool = False) -> list[RunView]:
    """The runs of a race, all entries with one draw before the next.

    Raises
    ------
    ValueError, OSError
        In a sentence for the reader: data too large, no entry that fits.
    """
    entries, about = racing(choices), prepared(choices)
    for entry in entries:
        check_entry(about.problem, entry.method, entry.sampling)
    ends = choices.target, choices.tol, float(choices.passes), choices.held_out()
    seeds = choices.draws(draws)
    return [RunView(entry, about, seed, seed == seeds[0], *ends, draft=draft) for seed in seeds for entry in entries]


def run_race(choices: Choices, draws: int | None = None) -> Race:
    """A race, run to its end.

    Raises
    ------
    ValueError
        As `begin`.
    """
    runs = begin(choices, draws)
    for run in runs:
        run.first = False
    return Race(choices, finished(runs))


def finished(runs: list[RunView]) -> list[RunView]:
    """The runs, when each has come to its end."""
    for run in runs:
        while not run.status:
            run.work(math.inf)
    return runs


def _event(digest: str, runs: list[RunView], moved: list[RunView], found: Outcome | None = None) -> RaceEvent:
    done = sum(run.records[-1].passes for run in runs if run.records)
    begun = [run for run in runs if run.records]
    guess = sum(run.expected for run in begun) / max(1, len(begun)) * len(runs)
    share = min(1.0, done / guess) if guess else 1.0
    words = sentence_of("racing", {"done": done, "expected": max(done, guess)})
    return RaceEvent(digest, [run.run_data() for run in moved], share, words, found)
