"""A story as it is run: its first race stays in the picture of the second, and after both the sentence is told."""

from __future__ import annotations

from typing import Any

from ...runs.limits import Status
from ..choices.choosing import Choosing
from ..choices.stories import Seen
from ..choices.story_steps import FIRST, SECOND, Place
from ..chooser.story_bar import StoryBar
from ..races.results import Result
from ..races.runs import Kept
from ..races.state import State


class Storytelling:
    """Follows choices and races.

    Parameters
    ----------
    state : State
    choosing : Choosing
    bar : StoryBar
        Tells the sentence.
    """

    def __init__(self, state: State, choosing: Choosing, bar: StoryBar):
        self._state, self._choosing, self._bar = state, choosing, bar
        self._running: Place | None = None  # the step whose race is running
        self._races: dict[Place, Result] = {}  # of steps without a variation
        self._pinned: Kept | None = None
        choosing.param.watch(self._moved, "place")
        state.param.watch(self._raced, "running")
        state.runs.param.watch(self._tell, "kept")
        state.param.watch(self._tell, "held")

    def _moved(self, *_: Any) -> None:
        """Show the race of the step, if there was one; a story that begins has none, and that of before goes."""
        state, place = self._state, self._choosing.place
        self._unpin()
        if place is None or state.running:
            state.begun = False
        elif (kept := self._kept(place)) is not None:
            state.begun = False
            state.runs.bring(kept.key)
            self._choosing.guess = kept.race.guess  # which the outcome judges
            self._choosing.look()
            self._pin_first(place)
        else:
            state.begun = place.step == FIRST or self._kept(Place(place.name, FIRST)) is None
        self._tell()

    def _kept(self, place: Place) -> Kept | None:
        """The race of a step."""
        race = self._races.get(place)
        return next((each for each in self._state.runs.kept if each.race is race), None)

    def _raced(self, event: Any) -> None:
        if event.new:
            place, self._state.begun = self._choosing.place, False
            self._running = None if self._choosing.variation else place
            self._choosing.look()
            if place is not None:
                self._pin_first(place)
            return
        place, self._running = self._running, None
        race = self._state.result
        if place is not None and race is not None and _ended(race):
            self._races[place] = race
        self._tell()

    def _pin_first(self, place: Place) -> None:
        """Keep the first race of the story in the picture of the second."""
        first = self._kept(Place(place.name, FIRST)) if place.step == SECOND else None
        if first is not None and not first.pinned:
            self._pinned = first
            self._state.runs.pin(first.key, True)

    def _unpin(self) -> None:
        if self._pinned is not None and any(each is self._pinned for each in self._state.runs.kept):
            self._state.runs.pin(self._pinned.key, False)
        self._pinned = None

    def _tell(self, *_: Any) -> None:
        place = self._choosing.place
        if place is not None and place.step == SECOND and not self._state.held:
            races = [self._kept(Place(place.name, step)) for step in (FIRST, SECOND)]
            if None not in races:
                self._bar.tell(place.story.told(*(seen(each.race) for each in races)))


def _ended(race: Result) -> bool:
    return all(lane.status not in ("", Status.STOPPED) for lane in race.lanes)


def seen(race: Result) -> Seen:
    """What a race showed."""
    outcome, sums = race.outcome(), race.prediction.sums
    return Seen(sums["primal"] / sums["dual"], race.prediction.ratio, outcome.primal_passes, outcome.dual_passes)
