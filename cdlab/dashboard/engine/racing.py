"""`race`: runs of each entry, all entries with one draw before the next, a piece of work at a time."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from ...runs.entries import check_entrant
from ..words import sentence
from .choices import Choices
from .lanes import Lane
from .outcomes import outcome
from .predicting import racing
from .problems import Prepared, prepared
from .schema import Outcome, RaceEvent
from .sentences import sentence_of

PIECE_SECONDS = 0.08  # of work between two events


@dataclass(eq=False)
class Race:
    """A race that has been run: what `explain` is about."""

    choices: Choices
    about: Prepared
    lanes: list[Lane]
    outcome: Outcome
    name: str = ""  # that the reader has given it

    @property
    def draws(self) -> int:
        """Runs of each entry."""
        return len({lane.seed for lane in self.lanes})

    def event(self) -> RaceEvent:
        """The last event of its stream, with all runs."""
        found = _event(self.choices.digest, self.lanes, self.lanes)
        found.outcome = self.outcome
        return found


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
    """As `race`; the finished race is put into `done`. A draft is not replayed: it has the last snapshots alone."""
    digest = choices.digest
    try:
        lanes = begin(choices, draws, draft)
    except (ValueError, OSError) as why:
        yield RaceEvent(digest, [], 0.0, "", error=sentence(str(why)))
        return
    turns, moved = deque(lanes), {}
    ends = time.thread_time() + PIECE_SECONDS
    while turns:
        lane = turns.popleft()
        try:
            lane.work(min(ends, time.thread_time() + PIECE_SECONDS / 2))
        except (ValueError, RuntimeError, MemoryError) as why:
            yield RaceEvent(digest, [], 0.0, "", error=sentence(str(why)))
            return
        moved[id(lane)] = lane
        if not lane.status:
            ahead = [k for k, other in enumerate(turns) if other.seed != lane.seed]
            turns.insert(ahead[0] if ahead else len(turns), lane)  # behind the others of its draw
        if time.thread_time() > ends and turns:
            yield _event(digest, lanes, list(moved.values()))
            moved, ends = {}, time.thread_time() + PIECE_SECONDS
    found = outcome(lanes, choices.target)
    if done is not None:
        done.append(Race(choices, lanes[0].about, lanes, found))
    event = _event(digest, lanes, list(moved.values()))
    event.outcome = found
    yield event


def begin(choices: Choices, draws: int | None = None, draft: bool = False) -> list[Lane]:
    """The lanes of a race, all entries with one draw before the next.

    Raises
    ------
    ValueError, OSError
        In a sentence for the reader: data too large, no entry that fits.
    """
    entries, about = racing(choices), prepared(choices)
    for entry in entries:
        check_entrant(about.problem, entry.method, entry.sampling)
    ends = choices.target, choices.tol, float(choices.passes), choices.held_out()
    seeds = choices.draws(draws)
    return [Lane(entry, about, seed, seed == seeds[0], *ends, draft=draft) for seed in seeds for entry in entries]


def run_race(choices: Choices, draws: int | None = None) -> Race:
    """A race, run to its end.

    Raises
    ------
    ValueError
        As `begin`.
    """
    lanes = begin(choices, draws)
    for lane in lanes:
        lane.first = False
        while not lane.status:
            lane.work(math.inf)
    return Race(choices, lanes[0].about, lanes, outcome(lanes, choices.target))


def _event(digest: str, lanes: list[Lane], moved: list[Lane]) -> RaceEvent:
    done = sum(lane.records[-1].passes for lane in lanes if lane.records)
    begun = [lane for lane in lanes if lane.records]
    guess = sum(lane.expected for lane in begun) / max(1, len(begun)) * len(lanes)
    share = min(1.0, done / guess) if guess else 1.0
    words = sentence_of("racing", {"done": done, "expected": max(done, guess)})
    return RaceEvent(digest, [lane.run() for lane in moved], share, words)
