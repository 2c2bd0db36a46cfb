"""Threads that serve several clients in turn: none waits for all the work of another."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Any


class FairThreadPool:
    """A few threads, and for each client a queue of its own; the queues are served one job each, round and round.

    With one queue for all, whoever hands in many jobs would make the others wait for all of them. And with a thread
    for each job the event loop, which keeps every page alive, would be one of many that want the processor.

    Parameters
    ----------
    threads : int
    """

    def __init__(self, threads: int):
        self._threads = ThreadPoolExecutor(threads)
        self._waiting: dict[Hashable, deque] = {}  # in the order in which the clients are served
        self._lock = Lock()

    async def run(self, client: Hashable, work: Callable[..., Any], *args: Any) -> Any:
        """The result of ``work(*args)``, done when it is this client's turn.

        Cancelled while it waits, the work is never begun; later, it ends by itself and is not waited for.
        """
        return await asyncio.wrap_future(self.submit(client, work, *args))

    def submit(self, client: Hashable, work: Callable[..., Any], *args: Any) -> Future:
        """Put the work into this client's queue."""
        job: Future = Future()
        with self._lock:
            self._waiting.setdefault(client, deque()).append((job, work, args))
        self._threads.submit(self._serve_next)  # as many calls as there are jobs, but whose job each does is open
        return job

    def _serve_next(self) -> None:
        with self._lock:
            client = next(iter(self._waiting))
            jobs = self._waiting.pop(client)
            job, work, args = jobs.popleft()
            if jobs:
                self._waiting[client] = jobs  # behind all others
        if not job.set_running_or_notify_cancel():
            return
        try:
            result = work(*args)
        except BaseException as error:
            job.set_exception(error)
        else:
            job.set_result(result)


# Predictions, and pieces of races of about a tenth of a second. In one queue, or predictions, which are many while
# sliders move, keep the races waiting; two threads, as more would wait for the interpreter's lock.
QUICK_ANSWERS = FairThreadPool(2)
# Loading data may take seconds, and must not keep the others waiting.
DATA_LOADING = FairThreadPool(2)
# Counterfactual races, probes and tables take seconds, for which no prediction waits.
SLOW_ANSWERS = FairThreadPool(1)
