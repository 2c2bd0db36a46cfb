"""sweep: from a grid to tasks with keys, and to the finished runs in a store."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import scipy.sparse as sp

from ..numerics import checks
from ..problems.problem import Problem
from . import scheduler
from .data import digest_of_data
from .executors import EXECUTORS, check_executor, make_executor
from .keys import key_of
from .numerics_digest import numerics_digest
from .result_store import ResultStore, store_folder
from .runner import Runner, RunTask
from .scheduler import Progress, run_tasks
from .session import Session
from .settings import Settings, expand_grid, parse_run
from .store import Store
from .stored_runs import FAILED, FINISHED, StoredRun, read_trace


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
        - method, sampling, seed, tol, max_passes, divergence_tol, every, records, strong_convexity, start as for
          `solve`; but every is 1
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
    jobs = check_executor(executor, jobs)
    for name, limit in (("time_limit", time_limit), ("memory_limit", memory_limit)):
        if limit is not None:
            checks.number(name, limit, "a number > 0 or None")
    if memory_limit is not None and not (isinstance(executor, str) and executor in EXECUTORS[:2]):
        raise ValueError("memory_limit is for serial and processes: Dask's workers have a limit of their own")
    if memory_limit is not None and not psutil.LINUX:
        raise ValueError("memory_limit needs Linux: other systems cannot limit the memory of a process from inside")
    retry, folder, runner = checks.flag("retry", retry), store_folder(store), Runner()
    plan = plan_grid(grid, runner, time_limit, memory_limit)
    with Session(folder) as session:

        def state_of(key: str) -> str | None:
            """A run whose trace cannot be read is to be computed anew."""
            if read_trace(session, key) is not None:
                return scheduler.DONE
            return None if retry or read_trace(session, key, FAILED) is None else scheduler.FAILED

        def keep_result(key: str, run: StoredRun) -> str:
            session.put(key, *run)
            return scheduler.FAILED if run.kind == FAILED else scheduler.DONE

        keys = run_tasks(
            plan,
            lambda: make_executor(executor, jobs, runner, session.session_folder),
            state_of,
            keep_result,
            session,
            progress=progress,
        )
    return Store(folder, keys)


def dry_run(grid: Any, store: str | os.PathLike[str]) -> Progress:
    """Count how much of a grid is in a store already; the grid is checked as `sweep` checks it.

    Parameters
    ----------
    grid : list of dict, or dict of lists
        As for `sweep`.
    store : str or path
        A folder, which need not exist.

    Returns
    -------
    Progress
        With the finished runs in `found`, and nothing done.

    Raises
    ------
    TypeError, ValueError, OSError
        As `sweep`.
    """
    keys = [task.key for task in plan_grid(grid, Runner(), None, None)]
    index = ResultStore(Path(store)).index(FINISHED, FAILED)
    kinds = [index[key].kind for key in keys if key in index]
    return Progress(len(keys), kinds.count(FINISHED), 0, kinds.count(FAILED), None)


# ---------------------------------------------------------------- planning
class ProblemFacts(NamedTuple):
    """Facts of a problem that keys need, so that it need not stay in memory."""

    digest: str
    n: int
    d: int
    nnz: int
    sparse: bool


def run_keys(grid: Any) -> list[str]:
    """The key of each run of a grid, in its order: that of its trace in a store. Runs that are the same share one.

    Parameters
    ----------
    grid : list of dict, or dict of lists
        As for `sweep`.

    Raises
    ------
    TypeError, ValueError, OSError
        As `sweep`.

    Examples
    --------
    >>> import cdlab, tempfile
    >>> runs = [{"data": "mushrooms", "l2": "1/n", "method": "sdca", "max_passes": passes} for passes in (1, 2, 1.0)]
    >>> store, keys = cdlab.sweep(runs, store=tempfile.mkdtemp()), run_keys(runs)
    >>> [store[key].records[-1].passes for key in keys]
    [1.0, 2.0, 1.0]
    """
    return [task.key for task in _planned(grid, Runner(), None, None)]


def plan_grid(grid: Any, runner: Runner, time_limit: float | None, memory_limit: float | None) -> list[RunTask]:
    """The runs of a grid, in its order, each once.

    Parameters
    ----------
    grid : list of dict, or dict of lists
        As for `sweep`.
    runner : Runner
        Reads the data, and keeps them for the runs that come.
    time_limit, memory_limit : float or None
        Of every task.

    Raises
    ------
    TypeError, ValueError, OSError
        If a run is none, or its data cannot be read: which one, and why.
    """
    plan: dict[str, RunTask] = {}
    for task in _planned(grid, runner, time_limit, memory_limit):
        plan.setdefault(task.key, task)
    return list(plan.values())


def _planned(grid: Any, runner: Runner, time_limit: float | None, memory_limit: float | None) -> Iterator[RunTask]:
    known: dict[Any, ProblemFacts] = {}
    for k, run in enumerate(expand_grid(grid)):
        try:
            settings = parse_run(run)
            if settings.problem not in known:
                known[settings.problem] = problem_facts(runner.problem(settings))
            facts = known[settings.problem]
            settings = settings.at(facts.n)
            key, meta = key_and_meta(settings, facts, runner)
        except (TypeError, ValueError) as error:
            short = [f"{name}={value!r}" for name, value in run.items() if isinstance(value, str | int | float)]
            words = ", ".join(short) or "its data"
            raise type(error)(f"run {k} of the grid ({words}): {' '.join(str(error).split())}") from error
        yield RunTask(key, (*settings.kind, facts.sparse), settings, meta, time_limit, memory_limit)


def problem_facts(P: Problem) -> ProblemFacts:
    """The facts of a problem."""
    return ProblemFacts(P.digest, P.n, P.d, P.nnz, sp.issparse(P.X))


def key_and_meta(settings: Settings, facts: ProblemFacts, runner: Runner) -> tuple[str, dict[str, Any]]:
    """The key of a run, and what the meta of its trace says beside what every trace says."""
    classes = *settings.method.classes, type(settings.sampling), type(settings.loss)
    numerics = _numerics_digest(classes)
    plain, data = settings.plain(), facts.digest
    if settings.test is not None:
        data += f" {digest_of_data(runner.data.arrays(settings.test))}"
    key = key_of(data, plain, settings.seed, numerics)
    meta = {"key": key, "sources": numerics, "settings": plain, "source": settings.data.description}
    return key, {**meta, "data": facts.digest, "shape": {"n": facts.n, "d": facts.d, "nnz": facts.nnz}}


@cache
def _numerics_digest(classes: tuple[type, ...]) -> str:
    """The digest of what this process has loaded, which later edits do not change."""
    return numerics_digest(*classes)
