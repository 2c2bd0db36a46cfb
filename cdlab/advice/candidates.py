"""Which methods and samplings can run on a problem, and why the others cannot."""

from __future__ import annotations

from typing import NamedTuple

from .. import samplings
from ..methods import METHODS, AccProxSDCA, Method
from ..methods.shared.full_gradient import FullGradient
from ..problems.problem import Problem
from ..runs.entries import check_entry
from ..samplings import SAMPLINGS, Sampling

UNIFORM_SPREAD = 0.1  # probabilities whose standard deviation is at most this part of their mean count as uniform


class Candidate(NamedTuple):
    """A method with its default parameters, and a sampling."""

    method: Method
    sampling: Sampling

    @property
    def draws(self) -> bool:
        """Tell whether the method draws coordinates at all."""
        return self.method.draws(self.sampling) is not None

    @property
    def draws_with_replacement(self) -> bool:
        """Tell whether it draws with replacement."""
        return self.draws and self.sampling.has_theorem

    @property
    def key(self) -> str:
        """The label that the command line uses, "sdca@permutation"; without @ where nothing is drawn."""
        return f"{self.method.name}@{self.sampling.name}" if self.draws else self.method.name

    def actual(self, problem: Problem) -> Candidate:
        """The candidate that this one amounts to on the problem.

        accprox_sdca is sdca where acceleration does not pay. Probabilities that hardly vary are uniform sampling: at
        most one draw in twenty comes out otherwise, half of sum |p_i - 1/m|, which no run shows beside its seed.
        """
        if isinstance(self.method, AccProxSDCA) and self.method.weight(problem) == 0:
            return Candidate(self.method.inner, self.sampling).actual(problem)
        return Candidate(self.method, samplings.Uniform()) if self.draws and self._is_uniform(problem) else self

    def _is_uniform(self, problem: Problem) -> bool:
        if not self.sampling.has_theorem or _refusal(problem, self.method, samplings.Uniform()) is not None:
            return False
        p = self.sampling.probabilities(problem.coordinates(self.method.side))
        return float(p.std()) <= UNIFORM_SPREAD / p.size

    @property
    def lines(self) -> str:
        """The lines of X that a pass goes along: "rows", "columns", or "matrix" (products with all of X)."""
        if isinstance(self.method, FullGradient):
            return "matrix"
        return "rows" if self.method.side == "dual" else "columns"


class Refusal(NamedTuple):
    """A method and sampling that cannot run on the problem, and why.

    Attributes
    ----------
    method : str
    sampling : str
        "any" if the method itself does not fit.
    reason : str
        In the words of `cdlab.solve`.
    """

    method: str
    sampling: str
    reason: str


def candidates_for(problem: Problem) -> tuple[list[Candidate], list[Refusal]]:
    """Every method with every named serial sampling that fits the problem, and the refusals.

    A sampling that a method never takes, on any problem, is not reported as refused; one that this problem rules out
    is.
    """
    fitting, refused = [], []
    for name, make in METHODS.items():
        method = make()
        reason = _refusal(problem, method, samplings.Uniform())
        if reason is not None:
            refused.append(Refusal(name, "any", reason))
            continue
        takes = [s() for s in SAMPLINGS.values() if method.samplings is None or s.name in method.samplings]
        for sampling in takes if method.draws(samplings.Uniform()) is not None else takes[:1]:
            reason = _refusal(problem, method, sampling)
            if reason is None:
                fitting.append(Candidate(method, sampling))
            else:
                refused.append(Refusal(name, sampling.name, reason))
    return fitting, refused


def _refusal(problem: Problem, method: Method, sampling: Sampling) -> str | None:
    try:
        check_entry(problem, method, sampling)
    except ValueError as error:
        return str(error)
    return None
