"""Ctrl-C between epochs, never in the midst of one: a run that is interrupted is as good as one that was stopped."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def held() -> Iterator[None]:
    """Inside `with`, a Ctrl-C waits; at the end it is handed on to whoever handled it before. A second one is handed on
    at once: whoever insists may break off an epoch that does not end.

    An epoch changes arrays in place and then the scalars that belong to them: interrupted in between, a run could
    neither go on nor say what it has reached. Signals only reach the main thread; elsewhere there is nothing to hold.
    """
    before = signal.getsignal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else None
    if not callable(before):  # another thread, ignored (SIG_IGN), left to the system (SIG_DFL), or not set from Python
        yield
        return
    waiting: list[tuple] = []

    def wait(*signalled):
        waiting.append(signalled)
        if len(waiting) > 1:
            hand_on()

    def hand_on():
        signal.signal(signal.SIGINT, before)
        while waiting:
            before(*waiting.pop(0))

    signal.signal(signal.SIGINT, wait)
    try:
        yield
    finally:
        hand_on()
