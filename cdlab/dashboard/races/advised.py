"""What `cdlab.advise` recommends for a problem, by theory alone."""

from __future__ import annotations

from typing import NamedTuple

from ... import advice
from ...problems.problem import Problem
from ..words import number


class Advised(NamedTuple):
    """A method with its sampling ("none": it draws nothing), the passes to be expected, and those that are proved."""

    method: str
    sampling: str
    passes: float
    worst: float | None = None

    def sentence(self) -> str:
        """In few words.

        >>> Advised("sdca", "norms", 12.3, 48.4).sentence()
        'Advice, by theory alone: sdca, norms. Typically about 12 passes of sdca, by its bound at most 48.'
        """
        drawn = "" if self.sampling == "none" else f", {self.sampling.replace('_', ' ')}"
        most = "" if self.worst is None else f", by its bound at most {number(self.worst, 2)}"
        typical = f"Typically about {number(self.passes, 2)} passes of {self.method}{most}."
        return f"Advice, by theory alone: {self.method}{drawn}. {typical}"


def advised(problem: Problem, eps: float) -> Advised | None:
    """The first choice of `advise` with a number of passes, of methods with their default parameters."""
    ranked = advice.advise(problem, eps, probe=False)
    found = (each for each in ranked if each.passes is not None and not each.parameters)
    return next((Advised(each.method, each.sampling, float(each.passes), each.worst) for each in found), None)
