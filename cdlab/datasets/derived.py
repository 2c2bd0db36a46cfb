"""Derived data sets: a known set and the steps that turn it into another, with a name and a recipe that say so."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import Any

from ..numerics import checks
from .loading import load
from .parts import Examples
from .steps import FirstRows, Permute, PreparedData, Step

SPLITS = ("all", "train", "parts")


@dataclass(frozen=True)
class Derived:
    """A data set made from another one by steps in a fixed order.

    Parameters
    ----------
    name : str
        Its own, which is not the source's: what was changed is another set.
    source : str or path
        As of `load`.
    steps : sequence of Step
        Of `cdlab.datasets.steps`, the first one first.
    split : {"all", "train", "parts"}, default "all"
        Rows to begin with: all; the train part; or the train part, with the test part beside it.

    Raises
    ------
    ValueError, TypeError
        For another split, an empty name, one that is the source's, or a step that is none.

    Examples
    --------
    >>> from cdlab.datasets import steps
    >>> small = Derived("mushrooms.small", "mushrooms", [steps.Permute(seed=0), steps.FirstRows(1000)])
    >>> small.load().X.shape
    (1000, 112)
    >>> small.recipe
    'mushrooms, all rows; Permute(seed=0, test=False); FirstRows(rows=1000, test_rows=None)'
    """

    name: str
    source: str | os.PathLike[str]
    steps: Iterable[Step]
    split: str = "all"

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", tuple(self.steps))
        checks.one_of("the split of a derived data set", self.split, SPLITS)
        if not isinstance(self.name, str) or not self.name or self.name == str(self.source):
            raise ValueError(
                f"a derived data set needs a name of its own, not {checks.short_repr(self.name)}: it differs "
                "from its source"
            )
        for step in self.steps:
            if not isinstance(step, Step):
                raise TypeError(f"{self.name}: a step is one of cdlab.datasets.steps, not {checks.short_repr(step)}")

    def load(self, read: Callable[..., Examples] = load) -> PreparedData:
        """The data, made anew each time: X (n, d), y (n,) and test, a pair like them or None.

        Parameters
        ----------
        read : callable, optional
            In place of `load`: called with the source and split, and what it returns is not written to.

        Raises
        ------
        ValueError, FileNotFoundError
            As `load`, and of a step that does not fit, with the name of the set.
        """
        if self.split == "parts":
            data = PreparedData(*read(self.source, split="train"), read(self.source, split="test"))
        else:
            data = PreparedData(*read(self.source, split=self.split), None)
        steps = tuple(self.steps)
        for step, following in zip_longest(steps, steps[1:]):
            try:
                if isinstance(step, Permute) and isinstance(following, FirstRows):
                    data = step.apply(data, following.rows, following.test_rows)
                else:
                    data = step.apply(data)
            except ValueError as error:
                raise ValueError(f"{self.name}, {step}: {error}") from None
        return data

    @property
    def recipe(self) -> str:
        """The source and the steps with all their parameters, in words."""
        rows = {"all": "all rows", "train": "train rows", "parts": "train and test rows"}[self.split]
        return "; ".join([f"{self.source}, {rows}", *map(repr, self.steps)])

    def to_plain(self) -> dict[str, Any]:
        """The recipe as dicts, lists, numbers and strings, for JSON; without the name, on which no number depends."""
        steps = [{"step": type(step).__name__, **asdict(step)} for step in self.steps]
        return {"source": str(self.source), "split": self.split, "steps": steps}

    @property
    def digest(self) -> str:
        """Thirty-two hexadecimal digits of SHA-256 that identify the recipe (not the contents of the source's file)."""
        text = json.dumps(self.to_plain(), sort_keys=True, separators=(",", ":"), allow_nan=False)
        return hashlib.sha256(text.encode()).hexdigest()[:32]
