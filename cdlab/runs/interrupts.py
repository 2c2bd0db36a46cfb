"""Ctrl-C between epochs, never in the midst of one: a run that is interrupted is as good as one that was stopped."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar


class DeferInterrupt:
    """Inside `with`, a Ctrl-C waits until `deliver_pending` or the end; then it goes to whoever handled it before.

    A second one is handed on at once: whoever insists may break off an epoch that does not end.

    An epoch changes arrays in place and then the scalars that belong to them: interrupted in between, a run could
    neither go on nor say what it has reached. Inside another one, or in another thread than the main one, which
    signals do not reach, there is nothing to do.
    """

    _outermost: ClassVar[DeferInterrupt | None] = None  # of the main thread
    _former_handler: Any = None  # who handled it
    _pending: list[tuple]

    def __enter__(self) -> DeferInterrupt:
        self._pending = []
        if threading.current_thread() is threading.main_thread():
            if DeferInterrupt._outermost is not None:
                return DeferInterrupt._outermost
            self._install()
        return self

    def __exit__(self, *raised: Any) -> None:
        if self._former_handler is not None:
            DeferInterrupt._outermost = None
            self._deliver()

    def deliver_pending(self) -> None:
        """Say that all is whole: a Ctrl-C that waits is handed on."""
        if self._pending:
            self._deliver()
            self._install()  # it did not raise

    def call_interruptible(self, call: Callable, *given: Any) -> Any:
        """call(*given), others' code, which may be interrupted wherever it is or handle Ctrl-C itself."""
        if self._former_handler is None:
            return call(*given)
        self.__exit__()
        try:
            return call(*given)
        finally:
            self._install()

    def _install(self) -> None:
        self._former_handler = DeferInterrupt._outermost = None
        before = signal.getsignal(signal.SIGINT)
        if callable(before):  # neither ignored (SIG_IGN), nor left to the system (SIG_DFL), nor set outside Python
            self._former_handler = before
            signal.signal(signal.SIGINT, self._remember)
            DeferInterrupt._outermost = self  # after the line above, before which a Ctrl-C would leave it behind

    def _remember(self, *signalled: Any) -> None:
        self._pending.append(signalled)
        if len(self._pending) > 1:
            self._deliver()

    def _deliver(self) -> None:
        signal.signal(signal.SIGINT, self._former_handler)
        while self._pending:
            self._former_handler(*self._pending.pop(0))


@contextmanager
def without_interrupts() -> Iterator[None]:
    """A block in which Ctrl-C does nothing, nor ever in the processes that it starts; as is outside the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
