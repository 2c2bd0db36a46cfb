"""The prediction of the present choices, which follows while they move."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import panel as pn

from ..chooser.component import Chooser
from ..parts.latest import Latest
from ..races.in_short import in_a_word
from ..races.results import Result
from ..races.state import State
from ..races.turns import LONG
from ..stage.component import StageView
from ..stage.contract import Stage
from ..stage.histograms import histograms
from ..stage.prediction import prediction

MOMENT = 0.5  # seconds
log = logging.getLogger(__name__)


class Foretelling:
    """Works out what is known before a run, in a thread, for the latest choices only, and shows it.

    Parameters
    ----------
    state : State
    stage : StageView
    chooser : Chooser
        Gets the histograms of p.
    begin : bool
        Whether to begin with the choices as they are: they are not those that the stage shows already.
    """

    def __init__(self, state: State, stage: StageView, chooser: Chooser, begin: bool):
        self._state, self._stage, self._chooser = state, stage, chooser
        self._shown = None if begin else self._question()
        self._latest = Latest(self._follow)
        self._waiting = False
        state.choices.param.watch(self.ask, list(state.choices.values()))
        state.param.watch(self.ask, ["result", "running", "begun", "held"])

    def ask(self, *_: Any) -> None:
        """Predict, unless that is what is shown."""
        if self._question() != self._shown:
            self._latest.ask()

    def _question(self) -> tuple:
        return self._state.choices.to_query(), self._state.choices.file is not None, self._race()

    def _race(self) -> Result | None:
        """The race that is shown, if its outcome is told and it was one of these choices."""
        race, choices = self._state.result, self._state.choices
        if self._state.running or self._state.begun or self._state.held or race is None:
            return None
        return race if race.choices.to_query() == choices.to_query() else None

    async def _follow(self) -> None:
        state, question = self._state, self._question()
        choices, race = state.choices.copy(), self._race()

        def work() -> tuple[Stage, dict[str, list[float]]]:
            problem = state.problem(choices)
            happened, instead = (race.outcome(), in_a_word(race)) if race is not None else (None, "")
            return prediction(problem, choices, happened, choices.target, instead), histograms(problem, choices)

        answer = asyncio.ensure_future(LONG.run(state, work))
        late = asyncio.get_running_loop().call_later(MOMENT, lambda: self._wait(True))
        try:
            parts, bars = await answer
        except (ValueError, TypeError, OSError) as error:
            self._refuse(str(error))
            return
        except Exception:
            log.exception("a prediction failed: %s", choices.to_query())
            self._refuse("An error in cdlab ended the prediction. The server's log has the details.")
            return
        finally:
            late.cancel()
        self._wait(False)
        self._shown = question
        pn.state.execute(lambda: self._show(parts, bars), schedule=True)

    def _refuse(self, why: str) -> None:
        """What is shown stays that of other choices, and pale."""
        self._wait(True)
        self._shown = None
        if not self._state.running:  # a race says itself why it cannot run
            pn.state.execute(lambda: self._state.param.update(error=self._state.error or why), schedule=True)

    def _wait(self, waiting: bool) -> None:
        """Show that what is shown belongs to other choices, once that takes longer than a moment; or not any more."""
        if waiting != self._waiting:
            self._waiting = waiting
            pn.state.execute(lambda: self._stage.show({"waiting": waiting}), schedule=True)

    def _show(self, parts: Stage, bars: dict[str, list[float]]) -> None:
        with pn.io.hold():
            self._stage.show(parts)
            self._chooser.histograms(bars)
