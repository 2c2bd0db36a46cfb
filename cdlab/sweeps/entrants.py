"""The runs of a race, by number or by the keys of a store, and where their traces go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from ..losses import unweighted
from ..methods import Method
from ..problems.problem import Problem
from ..runs.statuses import Status
from ..runs.trace import Trace
from ..samplings import Sampling
from .planning import facts_of, keyed
from .settings import settings_of
from .shelves import DONE, Folder
from .work import Workshop


@dataclass(frozen=True, eq=False)
class Entrant:
    """One run of a race.

    Attributes
    ----------
    key : str
        That of the run in a store; without one, any that no other run of the race has.
    number : int
        Of the entry.
    seed : int
    method, sampling : Method, Sampling
    about : dict
        What the meta of its trace says beside what every trace says.
    """

    key: str
    number: int
    seed: Any
    method: Method
    sampling: Sampling
    about: dict[str, Any] = field(default_factory=dict)


def numbered(entries: Sequence[tuple[Method, Sampling]], seeds: Sequence[Any], tol: float) -> list[Entrant]:
    """Every entry with the first seed, then with the second, and so on."""
    runs = product(enumerate(seeds), enumerate(entries))
    return [
        Entrant(f"entry {k}, seed {j}", k, seed, method.aimed(tol), sampling)
        for (j, seed), (k, (method, sampling)) in runs
    ]


def kept(
    problem: Problem, entries: Sequence[tuple[Method, Sampling]], seeds: Sequence[Any], **settings: Any
) -> list[Entrant]:
    """The same with the keys of a store: those that `sweep` gives the same runs.

    Raises
    ------
    TypeError, ValueError
        For settings that a sweep refuses.
    """
    workshop, facts, found = Workshop(), facts_of(problem), []
    same = {"data": (problem.X, problem.y), "loss": unweighted(problem.loss), "l2": problem.l2, "l1": problem.l1}
    same |= {"intercept": problem.intercept, **settings}
    for seed, (k, (method, sampling)) in product(seeds, enumerate(entries)):
        s = settings_of({**same, "method": method, "sampling": sampling, "seed": seed})
        key, about = keyed(s, facts, workshop)
        found.append(Entrant(key, k, s.seed, s.method, s.sampling, about))
    return found


class Traces:
    """A shelf in memory for the traces of a race, and the finished ones in a folder as well.

    Parameters
    ----------
    folder : Folder, optional
        A store, of which runs are taken that are there.
    """

    def __init__(self, folder: Folder | None = None) -> None:
        self._folder = folder
        self.found: dict[str, Trace] = {}

    def there(self, key: str) -> str | None:
        """See `shelves.Shelf`: a failure of a sweep is no trace, and is tried again."""
        if self._folder is not None and (trace := self._folder.read(key)) is not None:
            self.found[key] = trace
        return DONE if key in self.found else None

    def take(self, key: str) -> bool:
        """See `shelves.Shelf`."""
        return self._folder is None or self._folder.take(key)

    def keep(self, key: str, result: Trace) -> str:
        """See `shelves.Shelf`: a run that was stopped is not finished, and goes into no folder."""
        self.found[key] = result
        if self._folder is not None:
            if result.meta["status"] == Status.STOPPED:
                self._folder.give_back(key)
            else:
                self._folder.keep(key, result.to_plain())
        return DONE

    def give_back(self, key: str) -> None:
        """See `shelves.Shelf`."""
        if self._folder is not None:
            self._folder.give_back(key)

    def settle(self) -> None:
        """See `shelves.Shelf`."""
        if self._folder is not None:
            self._folder.settle()

    def close(self) -> None:
        """See `shelves.Shelf`."""
        if self._folder is not None:
            self._folder.close()
