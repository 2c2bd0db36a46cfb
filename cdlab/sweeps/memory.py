"""Guards of memory: a run that cannot fit does not start, and one that takes more than it may fails alone."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import psutil

from .data import size_of

SHARE = 0.8  # of what is free, that a run may take
COPIES = 2  # of X: by rows and by columns


def check_size(X: Any) -> None:
    """Refuse data for which there is no room.

    Raises
    ------
    MemoryError
        With both sizes.
    """
    needed, free = COPIES * size_of(X, np.empty(0)), psutil.virtual_memory().available
    if needed > SHARE * free:
        most = SHARE * free
        raise MemoryError(
            f"this run needs about {needed / 1e9:.2g} GB, and may take {most / 1e9:.2g} GB of what is free"
        )


def check_available(limit: float | None) -> None:
    """Refuse a limit where the system knows none.

    Raises
    ------
    ValueError
    """
    if limit is not None and not psutil.LINUX:
        raise ValueError("memory_limit needs Linux: other systems cannot limit the memory of a process from inside")


@contextlib.contextmanager
def limited(limit: float | None) -> Iterator[None]:
    """In this block the process gets at most so many bytes more; what asks for more raises a MemoryError."""
    if limit is None:
        yield
        return
    import resource  # not on every system

    before = resource.getrlimit(resource.RLIMIT_DATA)
    most = psutil.Process().memory_info().data + int(limit)
    if before[1] != resource.RLIM_INFINITY:
        most = min(most, before[1])
    resource.setrlimit(resource.RLIMIT_DATA, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)
