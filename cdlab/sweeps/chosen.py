"""The executor that was asked for, by its name or as a Dask client."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..numerics import checks
from .dask_executor import Dask, is_client, local_client
from .executors import Executor, Processes, Serial
from .work import Workshop

EXECUTORS = ("serial", "processes", "dask")


def check(executor: Any, jobs: int | None) -> int | None:
    """Refuse what is no executor, or no number of processes, before data are read; returns that number as an int.

    Raises
    ------
    TypeError, ValueError
        In a sentence.
    """
    if not (is_client(executor) or checks.is_one_of(executor, EXECUTORS)):
        raise ValueError(f"the executor is {checks.join_with_or(EXECUTORS)} or a distributed.Client, not {executor!r}")
    return None if jobs is None else checks.integer("jobs", jobs, "a whole number of processes >= 1")


def executor_of(executor: Any, jobs: int | None, workshop: Workshop, shared: Path) -> Executor:
    """Make an executor of so many processes (None: one for each core), with a workshop where data were read.

    ``shared`` is the folder in which processes share them.
    """
    if not isinstance(executor, str):
        return Dask(executor, workshop, owned=False)
    if executor == "serial":
        return Serial(workshop)
    if jobs is None:
        import loky

        jobs = loky.cpu_count()  # that this process may use, also in a container
    if executor == "dask":
        return Dask(local_client(jobs), workshop, owned=True)
    return Processes(jobs, workshop, shared)
