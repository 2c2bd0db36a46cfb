"""The problems of an item, and the methods that run on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from ..datasets import Derived

MODES = ("quick", "full")
T = TypeVar("T", float, int)
ByMode = float | Mapping[str, float]


def in_mode(given: T | Mapping[str, T], mode: str) -> T:
    """What holds in a mode: one value for all, or its own."""
    return given[mode] if isinstance(given, Mapping) else given


@dataclass(frozen=True, eq=False)
class Made:
    """Data that a function makes.

    Attributes
    ----------
    name : str
    make : callable
        Without arguments; returns X (n, d) and y (n,), the same at each call.
    recipe : str
        The call, in words.
    scale : {"none", "unit", "mean"}, default "none"
        As of `datasets.load`.
    """

    name: str
    make: Callable[[], tuple[Any, Any]]
    recipe: str
    scale: str = "none"

    @cached_property
    def arrays(self) -> tuple[Any, Any]:
        """X and y, made once: a sweep tells arrays apart by identity."""
        return self.make()


@dataclass(frozen=True, eq=False)
class Case:
    """One problem of an item: as a rule one panel of its picture.

    Attributes
    ----------
    name : str
        Other than those of the item's other cases in the same mode.
    data : str, Derived or Made
        A known set whole, a derived one, or a made one.
    loss, l2, l1
        As for `sweep`: weights are numbers or "c/n".
    stands_for : str
        The data of the paper, where these are others.
    test : bool
        Whether test errors are measured, on the data's own test part.
    max_passes : float, or mapping from mode, optional
        In place of the item's.
    modes : sequence of str
        The modes that it belongs to.
    judged : bool
        False: drawn beside, in no verdict.
    tags : mapping
        What claims choose and group cases by, and what the axes of pictures need.
    """

    name: str
    data: str | Derived | Made
    loss: Any = "logistic"
    l2: float | str = "1/n"
    l1: float | str = 0.0
    stands_for: str = ""
    test: bool = False
    max_passes: ByMode | None = None
    modes: Sequence[str] = MODES
    judged: bool = True
    tags: Mapping[str, Any] = field(default_factory=dict)

    @property
    def on(self) -> str:
        """The data, and what they stand for, as they are named wherever a verdict stands."""
        named = self.data if isinstance(self.data, str) else self.data.name
        return f"{named}, for {self.stands_for}" if self.stands_for else named


@dataclass(frozen=True, eq=False)
class Contender:
    """A method with its parameters, as it takes part in an item.

    Attributes
    ----------
    label : str
        Its name on pages and in claims.
    method, sampling
        As for `solve`.
    settings : mapping, or callable of the problem
        More of a run, as for `sweep`: tol, max_passes, start, parameters of the method.
    where : callable of a Case, optional
        Whether it runs there; by default it does.
    modes : sequence of str
    draws : bool
        False: it draws nothing there though its sampling may, as a batch of all examples, and one seed is enough.
    """

    label: str
    method: Any
    sampling: Any = None
    settings: Mapping[str, Any] | Callable[[Any], Mapping[str, Any]] = field(default_factory=dict)
    where: Callable[[Case], bool] | None = None
    modes: Sequence[str] = MODES
    draws: bool = True
