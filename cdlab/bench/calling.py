"""One call of one peer: its CPU and wall time from (X, y), and how good its answer is from outside."""

from __future__ import annotations

import contextlib
import time
import warnings
from typing import NamedTuple

from threadpoolctl import threadpool_limits

from .peers.peer import Peer
from .task import Task


class Call(NamedTuple):
    """What a call took and reached.

    Attributes
    ----------
    budget : float
        What it was allowed.
    suboptimality : float
        (P(w) - P*)/(P(0) - P*), from outside; inf where it failed.
    cpu, wall : float
        Seconds of all of its threads, and of the clock.
    error : str
        Why it failed, or empty.
    """

    budget: float
    suboptimality: float
    cpu: float
    wall: float
    error: str = ""


def call(task: Task, best: float, peer: Peer, budget: float) -> Call:
    """Let a peer solve the task with this budget, on one thread.

    Whatever it raises is its answer: a package that fails on some task must not end the others' benchmark.
    """
    with warnings.catch_warnings(), threadpool_limits(1), contextlib.redirect_stdout(None):
        warnings.simplefilter("ignore")
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            w = peer.fit(task.X, task.y, task.loss, task.l2, task.l1, budget)
            error = ""
        except Exception as raised:
            w, error = None, f"{type(raised).__name__}: {raised}"[:300]
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    reached = float("inf") if w is None else task.suboptimality(w, best)
    return Call(budget, reached, cpu, wall, error)
