"""From a grid to tasks: each run gets its key before any is carried out."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import scipy.sparse as sp

from ..problems.problem import Problem
from . import keys, sources
from .carrying import Planned
from .data import digest_of_data
from .grids import runs_of
from .settings import Settings, settings_of
from .work import Task, Workshop


class Facts(NamedTuple):
    """What keys need to know of a problem, so that it need not stay in memory."""

    digest: str
    n: int
    d: int
    nnz: int
    sparse: bool


def planned(grid: Any, workshop: Workshop, time_limit: float | None, memory_limit: float | None) -> list[Planned]:
    """The runs of a grid, in its order, each once.

    Parameters
    ----------
    grid : list of dict, or dict of lists
        As for `sweep`.
    workshop : Workshop
        Where data are read, and stay for the runs that come.
    time_limit, memory_limit : float or None
        Of every task.

    Raises
    ------
    TypeError, ValueError, OSError
        If a run is none, or its data cannot be read: which one, and why.
    """
    plan: dict[str, Planned] = {}
    known: dict[Any, Facts] = {}
    for k, run in enumerate(runs_of(grid)):
        try:
            settings = settings_of(run)
            if settings.problem not in known:
                known[settings.problem] = facts_of(workshop.problem(settings))
            facts = known[settings.problem]
            key, about = keyed(settings.at(facts.n), facts, workshop)
        except (TypeError, ValueError) as error:
            raise type(error)(f"run {k} of the grid ({_words(run)}): {' '.join(str(error).split())}") from error
        task = Task(key, settings.at(facts.n), about, time_limit, memory_limit)
        plan.setdefault(key, Planned(task, (*task.settings.kind, facts.sparse)))
    return list(plan.values())


def facts_of(P: Problem) -> Facts:
    """The facts of a problem."""
    return Facts(P.digest, P.n, P.d, P.nnz, sp.issparse(P.X))


def keyed(settings: Settings, facts: Facts, workshop: Workshop) -> tuple[str, dict[str, Any]]:
    """The key of a run, and what its trace says beside what every trace says."""
    classes = type(settings.method), type(settings.sampling), type(settings.loss)
    digest = _sources(classes)
    plain, data = settings.plain(), facts.digest
    if settings.test is not None:
        data += f" {digest_of_data(workshop.at_hand.arrays(settings.test))}"
    key = keys.key(data, plain, settings.seed, digest)
    about = {"key": key, "sources": digest, "settings": plain, "source": settings.data.words, "data": facts.digest}
    return key, {**about, "shape": {"n": facts.n, "d": facts.d, "nnz": facts.nnz}}


@cache
def _sources(classes: tuple[type, ...]) -> str:
    """The digest of what this process has loaded, which later edits do not change."""
    return sources.digest(*classes)


def _words(run: dict[str, Any]) -> str:
    """A run in a message: its short settings."""
    told = [f"{name}={value!r}" for name, value in run.items() if isinstance(value, str | int | float)]
    return ", ".join(told) or "its data"
