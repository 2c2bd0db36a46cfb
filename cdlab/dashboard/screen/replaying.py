"""The race on the stage: its curves while it runs, then its replay, after which the outcome is told.

It is grey when it belongs to other choices.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import panel as pn

from ...problems.problem import Problem
from ...runs.entries import entrant
from ...runs.limits import Status
from ..choices.choices import Choices
from ..parts.latest import Latest
from ..races.guesses import said
from ..races.naming import differences
from ..races.results import Result
from ..races.runs import Kept
from ..races.state import State
from ..races.turns import LONG
from ..stage.component import StageView
from ..stage.contract import Stage
from ..stage.lanes import race
from ..stage.planes import plane
from ..words import listed

PACE = 0.25  # seconds between two pictures of a race that runs
EARLIER = 2  # pinned races in the picture, besides the latest
log = logging.getLogger(__name__)


class Replaying:
    """Shows the latest race of the state, beside those that are pinned.

    Attributes
    ----------
    words : str
        Said while the latest race is not one of the present choices; else empty.
    """

    def __init__(self, state: State, stage: StageView):
        self._state, self._stage = state, stage
        self._latest = Latest(self._follow)
        self._shown, self._ran, self._then = self._what(), False, ""
        self._replayed = state.result  # or shown without a replay
        stage.over = self._tell
        self.words = ""
        self._age()
        state.param.watch(self._frame, ["frame", "result", "running", "begun"])
        state.runs.param.watch(self._frame, "kept")
        state.choices.param.watch(self._age, list(state.choices.values()))
        state.param.watch(self._age, ["result", "running", "begun"])

    def step(self) -> bool:
        """Show the next update of the race; False if it is not one of the present choices, or there is none."""
        state = self._state
        fresh = not (state.result is None or self.words or state.running or state.begun)
        if fresh:
            self._stage.step()
        return fresh

    def then(self, what: str) -> None:
        """What to do when the next race has ended: "play" or "step"."""
        self._then = what

    # ------------------------------------------------------------ the race
    def _frame(self, *_: Any) -> None:
        state = self._state
        if state.running and not self._ran:
            self._ran, state.held = True, racing(state.choices, state.guess)
        if self._ran or self._what() != self._shown:
            self._latest.ask()

    def _what(self) -> tuple:
        shown = [(each.key, each.name) for each in self._state.runs.shown]
        return id(self._state.result), self._state.running, self._state.begun, shown

    async def _follow(self) -> None:
        state, what = self._state, self._what()
        result, running = state.result, state.running
        if result is None or state.begun:
            self._shown, self._ran = what, running
            pn.state.execute(lambda: self._show({"race": None, "plane": None}, "nothing"), schedule=True)
            return
        pinned = [each for each in state.runs.shown if each.race is not result][-EARLIER:]
        earlier = {}
        for each in pinned:
            apart = named(each, result.choices)
            earlier[each.name if apart in earlier else apart] = each.race.now()
        try:
            parts = await LONG.run(state, lambda: pictured(state, result.now(), earlier, whole=not running))
        except Exception:
            log.exception("a race could not be shown: %s", result.choices.to_query())
            parts = {}
        self._shown = what
        if running:
            pn.state.execute(lambda: self._stage.show(parts), schedule=True)
            await asyncio.sleep(PACE)
            return
        stopped = any(lane.status == Status.STOPPED for lane in result.lanes)
        ended = self._ran and parts and not stopped and result is not self._replayed
        self._ran, self._replayed = False, result
        pn.state.execute(lambda: self._show(parts, self._then if ended else "nothing"), schedule=True)

    def _show(self, parts: Stage, then: str) -> None:
        self._stage.show(parts)
        if then == "nothing":
            self._tell()
            return
        self._then = ""
        if then == "step":
            self._stage.step()
            self._tell()
        else:
            self._stage.play()

    def _tell(self) -> None:
        """The outcome, unless another race has begun."""
        if not self._state.running:
            self._state.held = ""

    # ------------------------------------------------------------ other choices
    def _age(self, *_: Any) -> None:
        state = self._state
        result = state.result
        words = "" if result is None or state.begun else other(result.choices, state.choices, state.running)
        if words != self.words:
            self.words = words
            self._stage.show({"stale": words})


def racing(choices: Choices, guess: str) -> str:
    """What is said while a race runs and is replayed.

    >>> racing(Choices(), "tie")
    'A race of sdca, quartz and rcd. You guessed a tie: the outcome comes at the end of the replay.'
    """
    try:
        names = list(dict.fromkeys(entrant(entry)[0].name for entry in choices.entries()))
    except ValueError:  # the runner will say so
        return "The race begins."
    who = f"A {'race' if len(names) > 1 else 'run'} of {listed(names)}."
    return f"{who} {f'You guessed {said(guess)}: the' if guess else 'The'} outcome comes at the end of the replay."


def named(kept: Kept, latest: Choices) -> str:
    """An earlier race by what sets it apart from the latest, such as "density 0.05"; or by its name."""
    if kept.own:
        return kept.name
    parts = [part.partition(" instead of ")[0] for part in differences(kept.race.choices, latest)]
    return ", ".join(parts) if 0 < len(parts) <= 2 else kept.name


def other(raced: Choices, choices: Choices, running: bool = False) -> str:
    """That a race belongs to other choices, and which; empty if it does not."""
    if raced.to_query() == choices.to_query():
        return ""
    goes = "runs" if running else "was run"
    parts = differences(raced, choices)
    told = listed(parts if len(parts) <= 2 else [parts[0], f"{len(parts) - 1} more"])
    return f"This race {goes} with other choices{f': {told}' if told else ''}.{'' if running else ' Press Run.'}"


def pictured(state: State, result: Result, earlier: dict[str, Result], whole: bool) -> Stage:
    """The race as the stage draws it; `whole`: with its first updates one by one, and in two variables."""
    problem = _problem(state, result.choices) if whole else None
    parts: Stage = {"race": race(problem, result, earlier)}
    if problem is not None:
        parts["plane"] = plane(problem, result.choices.entries(), result.choices.seed)
    elif whole:
        parts["plane"] = None
    return parts


def _problem(state: State, choices: Choices) -> Problem | None:
    """That of a race; None if its data are not at hand any more."""
    try:
        return state.problem(choices)
    except (ValueError, OSError):
        return None
