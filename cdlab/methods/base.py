"""What every method is: a frozen object of parameters, with a state it starts from and an epoch that moves it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from ..problem import Problem, View
from ..samplings import Sampling


class Points:
    """A primal and a dual point, with the products that the method happens to maintain (None: not at hand)."""

    __slots__ = ("alpha", "v", "w", "z")

    def __init__(self, w, alpha, *, z=None, v=None):
        self.w, self.alpha, self.z, self.v = w, alpha, z, v  # z = X w, v = X'alpha/n


@dataclass(frozen=True)
class Method(ABC):
    """A solver's parameters and formulas. Subclasses are final: copy one file to add a method.

    A run does, with ``P = method.view(problem)``:

        S = method.init(problem, p)            # p: the sampling's probabilities on this method's side
        S = method.epoch(P, S, order)          # updates in place and returns the state, again and again
        w, alpha = method.points(problem, S)

    The class attributes say what the method needs; pairs that do not fit are refused before anything compiles.
    """

    name: ClassVar[str]
    reference: ClassVar[str]
    side: ClassVar[str]  # "dual": coordinates are examples; "primal": features
    needs_l2: ClassVar[bool] = False  # l2 > 0
    needs_smooth: ClassVar[bool] = False  # gamma > 0
    takes_l1: ClassVar[bool] = True
    takes_blocks: ClassVar[bool] = False  # can update several coordinates from the same point

    # ------------------------------------------------------------ the algorithm
    @abstractmethod
    def init(self, problem: Problem, p: np.ndarray) -> Any:
        """The state at w = 0, alpha = 0, for coordinates drawn with probabilities p."""

    @abstractmethod
    def epoch(self, P: View, S: Any, order: np.ndarray) -> Any:
        """Update the coordinates in `order`, one after another."""

    @abstractmethod
    def points(self, problem: Problem, S: Any) -> Points:
        """The current primal and dual points."""

    def refresh(self, problem: Problem, S: Any) -> None:
        """Recompute maintained vectors from their definition, in place: round-off does not add up in long runs."""

    # ------------------------------------------------------------ shared
    def view(self, problem: Problem) -> View:
        return problem.by_rows if self.side == "dual" else problem.by_columns

    def visits(self, problem: Problem) -> np.ndarray:
        """Nonzeros that an update of each coordinate visits."""
        return (problem.row_profile if self.side == "dual" else problem.column_profile).counts

    def refusal(self, problem: Problem, sampling: Sampling) -> str | None:
        """Why this method cannot solve this problem with this sampling, and what can; None if it can."""
        if not (sampling.serial or self.takes_blocks):
            return (
                f"{self.name} updates one coordinate at a time and {sampling.name} draws blocks: "
                "use uniform, importance, norms or permutation"
            )
        smooth = "take smooth_hinge(gamma) instead of hinge, huber(gamma) instead of absolute"
        if self.needs_l2 and problem.l2 == 0:
            return f"{self.name} needs l2 > 0 and this problem has l2 = 0"
        if self.needs_smooth and problem.loss.gamma == 0:
            return f"{self.name} needs a smooth loss and {problem.loss.name} is not: {smooth}, or use the method sdca"
        if sampling.needs_smooth and problem.loss.gamma == 0:
            return (
                f"{sampling.name} sampling needs a smooth loss and {problem.loss.name} is not: {smooth}, "
                "or sample with norms or uniform"
            )
        if not self.takes_l1 and problem.l1 > 0:
            return f"{self.name} does not handle l1 > 0: use sdca or quartz, or set l1 = 0"
        return None

    @property
    def label(self) -> str:
        """The name with the parameters that differ from their defaults."""
        changed = [f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if getattr(self, f.name) != f.default]
        return f"{self.name}({', '.join(changed)})" if changed else self.name
