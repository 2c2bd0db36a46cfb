"""CPU time of a thread, with what others do for it while it waits: what else the machine does does not count."""

from __future__ import annotations

import threading
import time

_lent = threading.local()


def cpu_seconds() -> float:
    """CPU time of this thread so far, and of those that lent it theirs."""
    return time.thread_time() + getattr(_lent, "seconds", 0.0)


def add_thread_seconds(seconds: float) -> None:
    """Add what another thread did for this one, which waited."""
    _lent.seconds = getattr(_lent, "seconds", 0.0) + seconds
