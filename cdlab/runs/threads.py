"""Several pieces of work side by side. Kernels hold no GIL, so that threads share X and need no copies of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


def in_order(work: Callable[[Task], Result], tasks: Sequence[Task], jobs: int) -> Iterator[Result]:
    """work(task) of every task, in the order of the tasks, by so many threads; with one job each when it is asked for.

    Where an error ends it, or the iterator is closed, what has not begun never does, and what has is waited for.
    """
    if jobs == 1:
        yield from map(work, tasks)
        return
    with ThreadPoolExecutor(jobs, thread_name_prefix="cdlab") as pool:
        going = [pool.submit(work, task) for task in tasks]
        try:
            for each in going:
                yield each.result()
        finally:
            for each in going:
                each.cancel()
