"""Where a person is in a story: its step, what they have changed there, the way back, and what goes when they leave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .choices import Choices
from .data_sources import FAMILIES
from .stories import STORIES, Step, Story

FIRST, SECOND = 0, 1
SHAPE = {"n", "d", "density", "skew"}  # what data of several kinds have: it stays with the person


@dataclass(frozen=True)
class Place:
    """A step of a story.

    Attributes
    ----------
    name : str
        Of the story.
    step : int
        FIRST or SECOND.

    Raises
    ------
    ValueError
        For a story or step that does not exist.
    """

    name: str
    step: int = FIRST

    def __post_init__(self) -> None:
        if self.name not in STORIES:
            raise ValueError(f"there is no story {self.name!r}: the stories are {', '.join(STORIES)}")
        if self.step not in (FIRST, SECOND):
            raise ValueError(f"a story has the steps 1 and 2, not {self.step + 1}")

    @property
    def story(self) -> Story:
        """The story itself."""
        return STORIES[self.name]

    @property
    def at(self) -> Step:
        """The step itself."""
        return self.story.steps[self.step]

    def enter(self, choices: Choices) -> None:
        """Set the choices of the step, and all others to their defaults: the way back from a variation, too."""
        choices.param.update(**self._all(choices))

    def go_on(self, choices: Choices) -> Place:
        """Make the story's change, and nothing else: a variation stays one. The second step."""
        choices.param.update(**self.story.second.choices)
        return Place(self.name, SECOND)

    def variation(self, choices: Choices) -> dict[str, Any]:
        """What the person has changed: the choices that differ from those of the step."""
        own = self._all(choices)
        return {name: value for name, value in choices.values().items() if value != own[name]}

    def leaves(self, data: str) -> bool:
        """Whether choosing these data leaves the story."""
        return data not in {self.story.choices(step).get("data", "synthetic") for step in (FIRST, SECOND)}

    def leave(self, choices: Choices) -> dict[str, Any]:
        """What is to be set when the story is left: of what it set beyond the data, the defaults.

        What the person has changed, and the shape of the data, are theirs.
        """
        mine, known = self.variation(choices), choices.values()
        gone = set(self.story.choices(self.step)) - set(mine) - SHAPE - {"data"}
        asked = {name for family in FAMILIES.values() for name in family.asks}
        defaults = {name: choices.param[name].default for name in gone | (asked - SHAPE - set(mine))}
        return {name: value for name, value in defaults.items() if value != known[name]}

    def _all(self, choices: Choices) -> dict[str, Any]:
        defaults = {name: choices.param[name].default for name in choices.values()}
        return defaults | self.story.choices(self.step)


def find(choices: Choices) -> Place | None:
    """The step whose choices these are."""
    places = (Place(name, step) for name in STORIES for step in (FIRST, SECOND))
    return next((place for place in places if not place.variation(choices)), None)
