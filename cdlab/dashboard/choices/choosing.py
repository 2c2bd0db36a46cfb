"""A person at the choices: changes, repairs and their undo, stories entered, gone on with and left, the guess."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import param

from ..words import listed
from .cards import CARDS
from .choices import Choices
from .data_sources import too_large
from .guesses import GUESSES
from .repairs import Change, change, changed, why_not
from .stories import STORIES
from .story_steps import FIRST, SECOND, Place


class Choosing(param.Parameterized):
    """What is chosen on one page. Whoever shows it watches its parameters, and those of `choices`."""

    choices = param.ClassSelector(class_=Choices)
    place = param.ClassSelector(class_=Place, default=None, allow_None=True, doc="The step of a story, if in one.")
    told = param.ClassSelector(class_=tuple, default=(), doc="The repairs of the last change, each a sentence.")
    why_not = param.String("", doc="Why the choices cannot run, in a sentence; empty if they can.")
    guess = param.Selector(default="", objects=["", *GUESSES], doc="Who will win; empty: no guess.")
    veiled = param.Boolean(False, doc="What theory says waits for the guess, as at every step of a story.")

    def __init__(self, choices: Choices | None = None, place: Place | None = None):
        super().__init__(choices=choices or Choices(), place=place)
        self._undo: tuple[Change, Place | None] | None = None
        self._busy = False  # it changes the choices itself
        self.why_not = why_not(self.choices)
        self.choices.param.watch(self._from_elsewhere, list(self.choices.values()))
        self.param.watch(lambda event: event.new and self.look(), "guess")

    @property
    def can_undo(self) -> bool:
        """Whether the last change is still there to be taken back."""
        return self._undo is not None

    def set(self, **values: Any) -> None:
        """Change some choices; others that do not fit are repaired. Other data end a story, and take what it set away.

        Raises
        ------
        ValueError
            If a value is out of its range, or data are too large; then nothing is changed.
        """
        if why := too_large(values.get("data", "")):
            raise ValueError(why)
        place, told = self.place, ""
        if place is not None and "data" in values and place.leaves(values["data"]):
            gone = place.leave(self.choices)
            place, told, values = None, left(set(gone) - set(values)), gone | values
        with self._own():
            done = change(self.choices, **values)
        self._changed(replace(done, repairs=(*filter(None, [told]), *done.repairs)), place)

    def load(self, values: dict[str, Any], place: Place | None = None) -> None:
        """Take choices as they are, without repairs: those of a link."""
        with self._own():
            self.choices.param.update(**values)
        self._forget(place)

    def look(self) -> None:
        """See what theory says, guessed or not."""
        self.veiled = False

    def card(self, name: str) -> None:
        """Take the data of a card."""
        self.set(**CARDS[name].sets)

    def undo(self) -> None:
        """Take the last change back, with its repairs."""
        if self._undo is not None:
            (done, place), self._undo = self._undo, None
            with self._own():
                done.undo(self.choices)
            self.param.update(told=(), place=place, why_not=why_not(self.choices))

    # ------------------------------------------------------------ stories
    def enter(self, name: str, step: int = 0) -> None:
        """Begin a story, or go to one of its steps; also the way back from a variation."""
        place = Place(name, step)
        with self._own():
            place.enter(self.choices)
        self._forget(place)

    def go_on(self) -> None:
        """Make the change that the story has prepared."""
        if self.place is not None:
            with self._own():
                place = self.place.go_on(self.choices)
            self._forget(place)

    def walk(self, by: int) -> None:
        """Go on to the next step of the stories, or with by = -1 back to the last one; at either end, stay."""
        steps = [(name, step) for name in STORIES for step in (FIRST, SECOND)]
        at = -1 if self.place is None else steps.index((self.place.name, self.place.step))
        to = at + by
        if 0 <= to < len(steps):
            self.enter(*steps[to])

    def leave(self) -> None:
        """End the story; what it set beyond the data goes."""
        if self.place is not None:
            gone = self.place.leave(self.choices)
            with self._own():
                self.choices.param.update(**gone)
            self._forget(None)
            self.told = (left(gone),)

    @property
    def variation(self) -> dict[str, Any]:
        """What differs from the step of the story."""
        return self.place.variation(self.choices) if self.place is not None else {}

    @contextmanager
    def _own(self) -> Iterator[None]:
        """Its own changes, which need no further look."""
        self._busy = True
        try:
            yield
        finally:
            self._busy = False

    def _from_elsewhere(self, *events: Any) -> None:
        """A change made elsewhere, in a form or by a session file: repaired and told; other data end a story."""
        if self._busy:
            return
        before = self.choices.values() | {event.name: event.old for event in events}
        with self._own():
            done = changed(self.choices, before)
        place = self.place
        self._changed(done, None if place is not None and place.leaves(self.choices.data) else place)

    def _changed(self, done: Change, place: Place | None) -> None:
        self._undo = (done, self.place) if done.repairs or place is not self.place else None
        veiled = self.veiled and place is not None
        self.param.update(told=done.repairs, place=place, why_not=done.why_not, veiled=veiled)

    def _forget(self, place: Place | None) -> None:
        self._undo = None
        self.param.update(told=(), place=place, why_not=why_not(self.choices), guess="", veiled=place is not None)


def left(gone: Collection[str]) -> str:
    """That a story has been left, and which of its choices are as they were at first.

    >>> left(["loss", "l2"])
    'The story has been left; l2 and loss are as at first.'
    """
    names = listed(sorted(name.replace("_", " ") for name in gone))
    back = f"; {names} {'is' if len(gone) == 1 else 'are'} as at first" if gone else ""
    return f"The story has been left{back}."
