"""Run, Stop and Step, and the files of a visitor: from the chooser to the runner, and back how far the race is."""

from __future__ import annotations

from typing import Any

import panel as pn

from ..choices.choices import Choices
from ..choices.choosing import Choosing
from ..choices.uploads import read_upload
from ..chooser.component import Chooser
from ..races.runner import Runner
from ..races.state import State
from ..races.turns import LONG
from ..visitor_limits import limits
from .replaying import Replaying


class Pressing:
    """What the buttons do.

    Parameters
    ----------
    state : State
    choosing : Choosing
    runner : Runner
    replaying : Replaying
    """

    def __init__(self, state: State, choosing: Choosing, runner: Runner, replaying: Replaying):
        self._state, self._choosing, self._runner, self._replaying = state, choosing, runner, replaying

    def show_on(self, chooser: Chooser) -> None:
        """Have it say how far the race is."""

        def show(*_: Any) -> None:
            state = self._state
            over = self._replaying.words and not state.running  # the status is one of other choices
            chooser.show(state.running, state.progress, "" if over else state.status)

        self._state.param.watch(show, ["running", "progress", "status", "result"])
        self._state.choices.param.watch(show, list(self._state.choices.values()))
        show()

    def press(self, button: str) -> None:
        """ "run", "stop" or "step": a step of a race that has not been run runs it first."""
        if button == "stop":
            self._runner.stop()
        elif button == "run":
            self._run("play")
        elif not self._replaying.step():
            self._run("step")

    def _run(self, then: str) -> None:
        self._state.guess = self._choosing.guess
        self._replaying.then(then)
        self._runner.start()

    async def take(self, name: str, size: int, content: bytes | None) -> None:
        """Read a file that the visitor has chosen, in a thread, and race on it.

        Raises
        ------
        ValueError
            Why it cannot be taken, and what goes on being used.
        """
        try:
            limits().check_upload(size if content is None else len(content))
            # a queue of its own: what goes wrong is said before the advice on the data of before has been worked out
            file = await LONG.run((self._state, "file"), read_upload, name, content)
        except ValueError as wrong:
            raise ValueError(f"{wrong}{still(self._state.choices)}") from None
        pn.state.execute(lambda: self._state.choices.take(file), schedule=True)


def still(choices: Choices) -> str:
    """What goes on being used when a file is refused; empty if there is no other file."""
    return f". Still using {choices.file.name}" if choices.uploaded_labels() is not None else ""
