"""Entrants: a method with its draws, and what it becomes where a cause is taken away."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ..methods import METHODS, Method
from ..methods.listing import stepping_side
from ..samplings import BySize, Sampling, TauNice, Uniform
from .rules import COUNTERPARTS, TEMPLATES


class Entrant(NamedTuple):
    """An entry of a race.

    Attributes
    ----------
    method : Method
    sampling : Sampling
    """

    method: Method
    sampling: Sampling

    @property
    def side(self) -> str:
        """The side on whose coordinates it steps; "full" for gradient methods, which step on all of w."""
        return stepping_side(type(self.method))

    @property
    def draws(self) -> Sampling | None:
        """The sampling of its coordinates; None: it draws nothing."""
        return self.method.draws(self.sampling)

    @property
    def batch(self) -> int:
        """How many coordinates it draws at once."""
        drawn = self.draws
        if isinstance(drawn, TauNice | BySize):
            return drawn.tau if isinstance(drawn, TauNice) else drawn.size
        return getattr(self.method, "batch_size", None) or 1

    @property
    def draws_name(self) -> str:
        """The name of its draws; empty where it draws nothing, or the blocks that its batches say already."""
        drawn = self.draws
        return "" if drawn is None or (self.batch > 1 and isinstance(drawn, TauNice)) else drawn.name

    @property
    def words(self) -> str:
        """The method as sentences name it."""
        if self.batch == 1 or not set(self.method.changed) <= {"batch_size"}:
            return self.method.label
        return TEMPLATES["in batches"].format(method=self.method.name, size=self.batch)

    @property
    def is_serial(self) -> bool:
        """Tell whether it draws single coordinates, each independently of those before."""
        drawn = self.draws
        return drawn is not None and drawn.has_theorem and drawn.serial and self.batch == 1

    @property
    def causes(self) -> list[str]:
        """What it has that can be taken away: draws or an order, batches, and what a counterpart lacks."""
        drawn = self.draws
        found = [name for name, pairs in COUNTERPARTS.items() if self.method.name in pairs]
        if self.batch > 1:
            found.insert(0, "batch")
        if drawn is not None and drawn.serial and drawn.name != "uniform":
            found.insert(0, "draws" if drawn.has_theorem else "order")
        return found

    def without(self, cause: str) -> Entrant:
        """The entrant without one of its `causes`: with uniform draws, one at a time, or its counterpart."""
        if cause in ("draws", "order"):
            return self._replace(sampling=Uniform())
        if cause == "batch":
            default = type(self.method)().parameters.get("batch_size")
            has_size = getattr(self.method, "batch_size", None) not in (default, None)
            method = replace(self.method, batch_size=default) if has_size else self.method  # type: ignore[call-arg]
            return Entrant(method, self.sampling if self.sampling.serial else Uniform())
        return self.with_method(COUNTERPARTS[cause][self.method.name])

    def with_method(self, name: str) -> Entrant:
        """Another method with its draws, as far as that takes them."""
        method = METHODS[name]()
        drawn = method.draws(Uniform()) is not None
        fits = drawn and (method.samplings is None or self.sampling.name in method.samplings)
        return Entrant(method, self.sampling if fits else Uniform())
