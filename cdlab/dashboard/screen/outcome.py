"""The line under the stage: what came of the race and of the guess, what went wrong, the advice."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import panel as pn
import param
from panel.custom import JSComponent

from ...faceoffs import caveats, winner
from ..choices.choosing import Choosing
from ..parts import explaining
from ..parts.scripts import script
from ..races.advised import Advised
from ..races.guesses import judged
from ..races.in_short import in_short
from ..races.results import Result
from ..races.state import State
from ..words import sentence
from .advising import Advising

HERE = Path(__file__).parent
APART = 1.5  # prediction and outcome that differ by less are one
GUESS = "Guess who wins, then press Run."
BEGIN = "Choose the data, the sampling and two algorithms, guess who wins, and press Run."


@cache
def _css() -> str:
    return (HERE / "outcome.css").read_text(encoding="utf-8")


class OutcomeBar(JSComponent):
    """One model: the outcome in words, errors, the advice, and whether earlier races stay in the picture.

    Parameters
    ----------
    state : State
    choosing : Choosing
    said : str, optional
        Instead of an outcome, while there is none.
    advice : Advised, optional
        For the choices as they are.
    """

    content = param.String(doc="The words as JSON.")

    _esm = script(HERE / "outcome.js")

    def __init__(self, state: State, choosing: Choosing, said: str = "", advice: Advised | None = None, **options: Any):
        self._state, self._choosing, self._empty = state, choosing, said or BEGIN
        self._advising = Advising(state, choosing, self._show, advice)
        super().__init__(content=self._content(), stylesheets=[_css(), explaining.css()], **options)
        state.param.watch(self._show, ["error", "running", "result", "frame", "begun", "held"])
        state.runs.param.watch(self._show, "comparing")
        choosing.param.watch(self._show, "veiled")
        state.choices.param.watch(self._chosen, list(state.choices.values()))

    def advise(self) -> None:
        """Work out what to recommend for the choices as they are."""
        self._advising.ask()

    def close(self) -> None:
        """Recommend nothing any more: the page has been closed."""
        self._advising.close()

    def _content(self) -> str:
        state = self._state
        race = None if state.begun or state.held else state.result
        advice = None if self._choosing.veiled else self._advising.advice
        old = race is not None and race.choices.to_query() != state.choices.to_query()
        return json.dumps(
            {
                "words": self._words(race, old),
                "why": "" if race is None else why(race),
                "held": bool(state.held),
                "old": old and not state.running,
                "error": sentence(state.error) if state.error else "",
                "advice": advice.sentence() if advice is not None else "",
                "taken": self._advising.taken,
                "comparing": state.runs.comparing,
            }
        )

    def _words(self, race: Result | None, old: bool) -> str:
        if race is None:
            return self._state.held or (GUESS if self._state.begun else self._empty)
        return in_short(race) if old else words(race)  # a guess about other choices is not on the screen any more

    def _show(self, *_: Any) -> None:
        self.content = self._content()

    def _chosen(self, *_: Any) -> None:
        self._state.error = ""
        self._advising.ask()
        self._show()

    def _handle_msg(self, data: Any) -> None:
        with pn.io.hold():
            if "comparing" in data:
                self._state.runs.compare(data["comparing"])
            elif "take" in data:
                self._advising.take()
            else:
                self._state.error = ""


def words(race: Result) -> str:
    """What came of a race; of the guess first, if there was one."""
    guess = "" if race.running else judged(race.guess, race.outcome())
    return " ".join(filter(None, (guess, in_short(race))))


def why(race: Result) -> str:
    """Why such a race may differ from the prediction; empty where theory says nothing."""
    ratio = race.prediction.ratio
    if ratio is None or race.prediction.note or race.running:
        return ""
    happened = race.outcome()
    if happened.at_least is None:
        return ""
    if winner(ratio) == happened.winner and max(ratio / happened.at_least, happened.at_least / ratio) < APART:
        return ""
    try:
        n, d = race.choices.shape()
    except KeyError:  # a race from a file, on data that are not known here
        return ""
    return " ".join(caveats(n, d, winner(ratio)))
