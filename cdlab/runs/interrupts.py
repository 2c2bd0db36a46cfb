"""Ctrl-C between epochs, never in the midst of one: a run that is interrupted is as good as one that was stopped."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Any, ClassVar


class held:
    """Inside `with`, a Ctrl-C waits until `between` or the end; then it is handed on to whoever handled it before.

    A second one is handed on at once: whoever insists may break off an epoch that does not end.

    An epoch changes arrays in place and then the scalars that belong to them: interrupted in between, a run could
    neither go on nor say what it has reached. Inside another one, or in another thread than the main one, which
    signals do not reach, there is nothing to do.
    """

    _outermost: ClassVar[held | None] = None  # of the main thread
    _before: Any = None  # who handled it
    _waiting: list[tuple]

    def __enter__(self) -> held:
        self._waiting = []
        if threading.current_thread() is threading.main_thread():
            if held._outermost is not None:
                return held._outermost
            self._hold()
        return self

    def __exit__(self, *raised: Any) -> None:
        if self._before is not None:
            held._outermost = None
            self._hand_on()

    def between(self) -> None:
        """Say that all is whole: a Ctrl-C that waits is handed on."""
        if self._waiting:
            self._hand_on()
            self._hold()  # it did not raise

    def released(self, call: Callable, *given: Any) -> Any:
        """call(*given), others' code, which may be interrupted wherever it is or handle Ctrl-C itself."""
        if self._before is None:
            return call(*given)
        self.__exit__()
        try:
            return call(*given)
        finally:
            self._hold()

    def _hold(self) -> None:
        before = signal.getsignal(signal.SIGINT)
        self._before = held._outermost = None
        if callable(before):  # neither ignored (SIG_IGN), nor left to the system (SIG_DFL), nor set outside Python
            self._before, held._outermost = before, self
            signal.signal(signal.SIGINT, self._wait)

    def _wait(self, *signalled: Any) -> None:
        self._waiting.append(signalled)
        if len(self._waiting) > 1:
            self._hand_on()

    def _hand_on(self) -> None:
        signal.signal(signal.SIGINT, self._before)
        while self._waiting:
            self._before(*self._waiting.pop(0))
