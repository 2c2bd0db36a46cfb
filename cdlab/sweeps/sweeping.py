"""sweep: from a grid to the finished runs in a store."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..numerics import checks
from . import files
from .carrying import Planned, carry_out
from .chosen import EXECUTORS, check, executor_of
from .memory import check_available
from .planning import planned
from .progress import Progress
from .shared_files import tidy
from .shelves import Folder
from .store import Store
from .work import Workshop


def sweep(
    grid: Any,
    executor: Any = "serial",
    *,
    store: str | os.PathLike[str],
    jobs: int | None = None,
    time_limit: float | None = None,
    memory_limit: float | None = None,
    retry: bool = False,
    progress: Callable[[Progress], Any] | None = None,
) -> Store:
    """Carry out the runs of a grid that are not in a store yet.

    A run that is finished is never computed twice, in whatever order the grid is written, and by several sweeps on one
    store neither. Whatever ends a sweep, the runs that were going are lost and no others; the same call goes on. A run
    that fails is kept with its traceback, and does not end the sweep.

    Parameters
    ----------
    grid : list of dict, or dict of lists
        The settings of each run, or lists whose product they are. Known are

        - data, a name or path with scale, split, dense, n_features and label as for `datasets.load`, a
          `datasets.Derived`, or a pair (X, y), also as X and y
        - loss, l2, l1, intercept, sample_weight as for `Problem`; l2 and l1 also as texts such as "0.1/n"
        - method, sampling, seed, tol, max_passes, divergence_tol, every, strong_convexity, start as for `solve`; but
          every is 1
        - test, data of the same forms; the same name again stands for its own test part

        and the parameters of the method.
    executor : {"serial", "processes", "dask"} or distributed.Client, default "serial"
        This process; several of this machine; those of a Dask cluster, by "dask" of one on this machine.
    store : str or path
        The folder of the results, made if it is missing.
    jobs : int, optional
        Processes; by default one for each core. A client has its own.
    time_limit : float, optional
        Seconds that a run may take, without compiling. A guard: the run then counts as failed.
    memory_limit : float, optional
        Bytes that a run may take beside its data; Linux only, and not with a client.
    retry : bool, default False
        Carry out again the runs that failed.
    progress : callable, optional
        Called with a `Progress` at the start and after each run: ``print``, say.

    Returns
    -------
    Store
        The finished runs of this grid.

    Raises
    ------
    TypeError, ValueError
        If a run of the grid is none, before any is carried out.
    OSError
        If data cannot be read, or the store not be written.
    ImportError
        For "dask" without Dask.
    KeyboardInterrupt
        After Ctrl-C, with all finished runs in the store.

    Examples
    --------
    >>> import cdlab, tempfile
    >>> grid = {"data": "mushrooms", "l2": ["1/n", "0.1/n"], "method": "sdca", "seed": range(2), "tol": 1e-3}
    >>> store = cdlab.sweep(grid, store=tempfile.mkdtemp())
    >>> len(store), set(store.to_frame()["status"])
    (4, {'tolerance reached'})
    """
    checks.callable_or_none("progress", progress, "a Progress")
    jobs = check(executor, jobs)
    if memory_limit is not None and not (isinstance(executor, str) and executor in EXECUTORS[:2]):
        raise ValueError("memory_limit is for serial and processes: Dask's workers have a limit of their own")
    for name, limit in (("time_limit", time_limit), ("memory_limit", memory_limit)):
        if limit is not None:
            checks.number(name, limit, "a number > 0 or None")
    check_available(memory_limit)
    retry, root, workshop = checks.flag("retry", retry), files.folder(store), Workshop()
    plan = planned(grid, workshop, time_limit, memory_limit)
    return swept(iter([plan]), workshop, executor, root, jobs=jobs, retry=retry, progress=progress)


def swept(
    plan: Iterator[list[Planned]],
    workshop: Workshop,
    executor: Any,
    root: Path,
    *,
    jobs: int | None = None,
    retry: bool = False,
    progress: Callable[[Progress], Any] | None = None,
) -> Store:
    """`sweep`, of runs that are planned, from the workshop where their data were read, into a folder that is there.

    The plan can grow while its first runs are going: an iterator of lists, each with all runs so far in their order.
    """
    shared = root / files.SHARED
    tidy(shared)
    keys = carry_out(
        plan, lambda: executor_of(executor, jobs, workshop, shared), Folder(root, retry), progress=progress
    )
    return Store(root, keys)
