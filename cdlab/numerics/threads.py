"""Threads that share one piece of work. Kernels and numpy hold no lock of the interpreter while they compute."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

from . import checks
from .clocks import add_thread_seconds

MAX_THREADS = 256  # of all that wait for work; they begin as they are needed

_pool: ThreadPoolExecutor | None = None


def checked_jobs(n_jobs: int | None) -> int:
    """Count threads: None is 1, -1 every core that this process may use, -2 all but one, as in scikit-learn.

    Raises
    ------
    ValueError
        If it is neither None nor a whole number other than 0.
    """
    if n_jobs is None:
        return 1
    wanted = "a number of threads >= 1, or -1 for all cores"
    count = checks.integer("n_jobs", n_jobs, wanted, low=-(2**31))
    if count > 0:
        return count
    if count == 0:
        raise ValueError(f"n_jobs must be {wanted}, not 0")
    import joblib

    return max(1, joblib.cpu_count() + 1 + count)


def threads_for(work: float, least: float, n_jobs: int) -> int:
    """Of n_jobs threads as many as each get at least so much of the work; 1 at least."""
    return max(1, min(n_jobs, int(work / least)))


def cuts(sizes: np.ndarray, parts: int) -> list[slice]:
    """Cut what has these sizes (m,) into so many stretches of about the same size; fewer where there are fewer."""
    if parts == 1:
        return [slice(0, sizes.size)] if sizes.size else []
    ends = np.cumsum(sizes)
    total = float(ends[-1]) if ends.size else 0.0
    inner = np.searchsorted(ends, total * np.arange(1, parts) / parts)
    at = np.unique([0, *inner, ends.size])
    return [slice(int(a), int(b)) for a, b in pairwise(at)]


def run_at_once(parts: Sequence[Callable[[], None]]) -> None:
    """Run the parts side by side, the last on this thread; return when all are done. Their CPU time counts as its."""
    if not parts:
        return
    others = [_executor().submit(_timed, part) for part in parts[:-1]]
    try:
        parts[-1]()
    finally:
        for other in others:
            add_thread_seconds(other.result())


def _timed(part: Callable[[], None]) -> float:
    begun = time.thread_time()
    part()
    return time.thread_time() - begun


def _executor() -> ThreadPoolExecutor:
    global _pool
    if _pool is None:
        _pool = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="cdlab-part")
    return _pool


def _forget() -> None:
    """A process that was forked has none of the threads."""
    global _pool
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
