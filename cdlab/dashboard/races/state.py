"""What one open page knows: choices and axes, whether a race is running and how far it is, the race that is shown."""

from __future__ import annotations

from typing import Any

import param

from ...problems.problem import Problem
from ..choices.choices import Choices
from .picture import Picture
from .results import Result
from .runs import Runs


class State(param.Parameterized):
    """The state of one session. Views watch it, the runner writes it; it knows neither."""

    choices = param.ClassSelector(class_=Choices, doc="What is chosen.")
    running = param.Boolean(False, doc="A race is going on.")
    progress = param.Integer(0, bounds=(0, 100), doc="How much of the race is done, in percent.")
    guess = param.String("", doc="Who is thought to win the next race; empty: no guess.")
    status = param.String("", doc="One line: what is going on, or how the last race ended.")
    error = param.String("", doc="What went wrong, in a sentence; empty if nothing did.")
    begun = param.Boolean(False, doc="A story has begun: the latest race, of before, is not shown.")
    held = param.String(
        "", doc="Said instead of the outcome of a new race until its replay has been seen; empty: the outcome is told."
    )
    result = param.ClassSelector(class_=Result, default=None, allow_None=True, doc="The race that is shown.")
    paper = param.String("", doc="The item of a paper that is open, by its id; empty: none.")
    frame = param.Integer(0, doc="Counts up whenever the curves of `result` have grown.")

    def __init__(self, **values: Any):
        super().__init__(**({"choices": Choices()} | values))
        self.picture, self.runs = Picture(), Runs(self.result)
        self.param.watch(lambda event: self.runs.add(event.new), "result")
        self.runs.param.watch(self._follow, "kept")
        self._latest: tuple[tuple, Problem] | None = None

    def _follow(self, *_: Any) -> None:
        """The latest of the kept races is the one that all tabs show."""
        if self.runs.latest is not None and self.runs.latest.race is not self.result:
            self.result = self.runs.latest.race

    def problem(self, choices: Choices) -> Problem:
        """The problem of these choices. The last one is kept: a race and the tabs mostly ask for the same.

        Raises
        ------
        ValueError, OSError
            As `Choices.problem`.
        """
        key, latest = choices.problem_key(), self._latest
        if latest is None or latest[0] != key:
            latest = self._latest = (key, choices.problem())
        return latest[1]
