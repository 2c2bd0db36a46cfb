"""What `cdlab.advise` recommends for a problem without running anything, and what its numbers are."""

from __future__ import annotations

import math
from typing import NamedTuple

from ... import advice
from ...advice.predictions import row_of
from ...problems.problem import Problem
from ..words import number


class Advised(NamedTuple):
    """A method with its sampling ("none": it draws nothing), and what to expect of it.

    Attributes
    ----------
    method, sampling : str
    passes : float
        To be expected.
    worst : float or None
        Of the bound behind it.
    spread : float or None
        Measured passes were within this factor in two cases out of three.
    problems : int
        On which that was measured; 0: it was not.
    stands_in : str
        The run that the bound is about, if it is not this one: "agd, uniform"; else empty.
    """

    method: str
    sampling: str
    passes: float
    worst: float | None = None
    spread: float | None = None
    problems: int = 0
    stands_in: str = ""

    def sentence(self) -> str:
        """In few words.

        >>> Advised("sdca", "norms", 12.3, 48.4, 1.5, 9).sentence()
        'Advice: sdca, norms. About 12 passes, calibrated on 9 problems (two of three within 8.2 to 18); its bound: 48.'
        >>> Advised("lbfgs", "none", 9.0, 390.0, stands_in="agd, none").sentence()
        'Advice: lbfgs. About 9 passes, not calibrated; no bound of its own: that of agd is 390.'
        """
        about = f"about {number(self.passes, 2)} passes"
        if self.spread is not None and self.problems:
            low, high = number(self.passes / self.spread, 2), number(self.passes * self.spread, 2)
            about += f", calibrated on {self.problems} problems (two of three within {low} to {high})"
        else:
            about += ", not calibrated"
        return f"Advice: {_run(self.method, self.sampling)}. {about.capitalize()}{self._bound()}."

    def _bound(self) -> str:
        if self.worst is None or not math.isfinite(self.worst):
            return ""
        if not self.stands_in:
            return f"; its bound: {number(self.worst, 2)}"
        return f"; no bound of its own: that of {_run(*self.stands_in.split(', '))} is {number(self.worst, 2)}"


def _run(method: str, sampling: str) -> str:
    return method if sampling == "none" else f"{method}, {sampling.replace('_', ' ')}"


def advised(problem: Problem, eps: float) -> Advised | None:
    """The first choice of `advise` with a number of passes, of methods with their default parameters."""
    ranked = advice.advise(problem, eps, probe=False)
    best = next((each for each in ranked if each.passes is not None and not each.parameters), None)
    return None if best is None else told(best, problem)


def told(choice: advice.Choice, problem: Problem) -> Advised:
    """What a choice of `advise`, which has a number of passes, says about this problem."""
    row = row_of(choice.runs, problem)
    problems = row.reached if row is not None and choice.spread is not None else 0
    about = choice.bound.partition(":")[0] if choice.outside else ""
    return Advised(choice.method, choice.sampling, float(choice.passes), choice.worst, choice.spread, problems, about)
