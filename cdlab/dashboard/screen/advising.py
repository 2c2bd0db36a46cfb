"""The advice for the data and the problem that are chosen, which follows when they rest."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import panel as pn

from ...methods import METHODS
from ..choices.choosing import Choosing
from ..parts.latest import Latest
from ..races.advised import Advised, advised
from ..races.state import State
from ..races.turns import LONG

REST = 0.5  # seconds without a change before it is worked out
log = logging.getLogger(__name__)


class Advising:
    """Asks for advice when the problem has changed and the choices rest.

    Parameters
    ----------
    state : State
    choosing : Choosing
        Takes the advice.
    tell : callable
        Called when there is other advice.
    known : Advised, optional
        The advice for the choices as they are.

    Attributes
    ----------
    advice : Advised or None
    """

    def __init__(self, state: State, choosing: Choosing, tell: Callable[[], None], known: Advised | None = None):
        self._state, self._choosing, self._tell = state, choosing, tell
        self._latest = Latest(self._follow)
        self.advice = known
        self._about = None if known is None else self._question()
        self._closed = False
        state.choices.param.watch(self.ask, list(state.choices.values()))

    def close(self) -> None:
        """Ask for nothing any more: the page has been closed."""
        self._closed = True

    def ask(self, *_: Any) -> None:
        """Work it out, unless it is known."""
        if self._question() != self._about:
            self._latest.ask()

    @property
    def taken(self) -> bool:
        """Whether the choices do what is recommended."""
        if self.advice is None:
            return False
        (method, drawn, *_), choices = self.advice, self._state.choices
        return method in choices.methods and drawn in ("none", choices.sampling(method))

    def take(self) -> None:
        """Let the method run that was recommended, with its sampling, instead of the first one of its side."""
        if self.advice is None:
            return
        (method, drawn, *_), choices = self.advice, self._state.choices
        side = METHODS[method].side
        methods = list(choices.methods)
        if method not in methods:
            place = next((k for k, name in enumerate(methods) if METHODS[name].side == side), len(methods))
            methods[place : place + 1] = [method]
        sampling = {} if drawn == "none" else {f"{side}_sampling": drawn}
        self._choosing.set(methods=methods, **sampling)

    def _question(self) -> tuple:
        return self._state.choices.problem_key(), self._state.choices.target

    async def _follow(self) -> None:
        question, state = self._question(), self._state
        await asyncio.sleep(REST)
        if self._closed:
            return
        if question != self._question():
            self._latest.ask()
            return
        choices = state.choices.copy()
        try:
            found = await LONG.run(state, lambda: advised(state.problem(choices), choices.target))
        except (ValueError, TypeError, OSError):
            found = None
        except Exception:
            log.exception("no advice: %s", choices.to_query())
            found = None
        self._about = question
        pn.state.execute(lambda: self._show(found), schedule=True)

    def _show(self, found: Advised | None) -> None:
        self.advice = found
        self._tell()
