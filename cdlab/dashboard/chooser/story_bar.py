"""The head of the screen: the stories, the step that one is at, and Share, Present and Dark."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import panel as pn
import param
from panel.custom import JSComponent

from ..choices.choices import Choices
from ..choices.choosing import Choosing
from ..choices.stories import STORIES
from ..choices.story_steps import Place
from ..parts.scripts import script
from ..races.naming import differences
from ..words import listed
from .component import css

HERE = Path(__file__).parent


def varied(choosing: Choosing) -> str:
    """What differs from the step of the story, in words; empty if nothing does."""
    if not choosing.variation:
        return ""
    return listed(differences(choosing.choices, _intended(choosing.place)) or ["other choices"])


@cache
def _intended(place: Place) -> Choices:
    """The choices of a step."""
    return Choices(**place.story.choices(place.step))


class StoryBar(JSComponent):
    """Enters stories, makes their changes, leads back from variations, and walks through all of them.

    Parameters
    ----------
    choosing : Choosing
        Is changed by the person, and watched.
    **options
        Panel's own.

    Attributes
    ----------
    walk : callable
        Called with 1 or -1 when a presenter's remote asks for next or back.
    """

    stories = param.String(doc="Names and titles as JSON.")
    place = param.String("null", doc="The step that is shown, as JSON; null outside of stories.")

    _esm = script(HERE / "story_bar.js")

    def __init__(self, choosing: Choosing, **options: Any):
        self._choosing, self._told = choosing, ""
        self.walk: Callable[[int], None] = choosing.walk
        options["stylesheets"] = [css("story_bar.css"), *options.get("stylesheets", [])]
        listed_stories = [{"name": name, "title": story.title} for name, story in STORIES.items()]
        super().__init__(stories=json.dumps(listed_stories), place=self._place(), **options)
        choosing.param.watch(self._changed, ["place"])
        choosing.choices.param.watch(self._show, list(choosing.choices.values()))

    def tell(self, sentence: str) -> None:
        """Show this instead of the question of the step: what is true after both races."""
        self._told = sentence
        self._show()

    def _place(self) -> str:
        place, choosing = self._choosing.place, self._choosing
        if place is None:
            return "null"
        return json.dumps(
            {
                "name": place.name,
                "step": place.step,
                "title": place.story.title,
                "question": place.at.question,
                "button": place.story.second.button,
                "variation": varied(choosing),
                "told": "" if choosing.variation else self._told,
            }
        )

    def _changed(self, *_: Any) -> None:
        self._told = ""
        self._show()

    def _show(self, *_: Any) -> None:
        self.place = self._place()

    def _handle_msg(self, data: Any) -> None:
        with pn.io.hold():
            if "enter" in data:
                self._choosing.enter(data["enter"], data.get("step", 0))
            elif "go_on" in data:
                self._choosing.go_on()
            elif "walk" in data:
                self.walk(data["walk"])
            else:
                self._choosing.leave()
