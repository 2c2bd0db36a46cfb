"""A presenter's remote: next runs the race of a step before it goes on, so that none of a story's is passed over."""

from __future__ import annotations

from collections.abc import Callable

from ..choices.choosing import Choosing
from ..races.state import State


class Walking:
    """What the keys next and back do.

    Parameters
    ----------
    state : State
    choosing : Choosing
    run : callable
        Runs the race of the choices.
    end : callable
        Takes the replay of the latest race to its end.
    """

    def __init__(self, state: State, choosing: Choosing, run: Callable[[], None], end: Callable[[], None]):
        self._state, self._choosing, self._run, self._end = state, choosing, run, end

    def __call__(self, by: int) -> None:
        """Next, 1, or back, -1: in a story next leads through the race and its outcome to the next step."""
        state = self._state
        if by < 0 or self._choosing.place is None or self._choosing.why_not:
            self._choosing.walk(by)
        elif state.running:
            return  # its outcome comes first
        elif state.held:
            self._end()
        elif self._raced():
            self._choosing.walk(by)
        else:
            self._run()

    def _raced(self) -> bool:
        """Whether the race that is shown is one of these choices."""
        race, choices = self._state.result, self._state.choices
        return race is not None and not self._state.begun and race.choices.to_query() == choices.to_query()
