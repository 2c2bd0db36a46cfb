"""Questions that come faster than their answers, as those of a slider on the move."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import panel as pn


class Latest:
    """Answers one question at a time, and of those that come meanwhile only the latest.

    Parameters
    ----------
    answer : callable
        Awaited; finds out itself what is asked, when it begins.
    """

    def __init__(self, answer: Callable[[], Awaitable[None]]):
        self._answer = answer
        self._working = self._again = False

    def ask(self) -> None:
        self._again = True
        if not self._working:
            self._working = True
            pn.state.execute(self._follow)

    async def _follow(self) -> None:
        try:
            while self._again:
                self._again = False
                await self._answer()
        finally:
            self._working = False
