"""Which theorem speaks about a method on a problem. sympy is imported by those who call, not by those who import."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import samplings
from ..plots import Guarantee, guarantee
from ..problem import Problem
from ..samplings import Sampling

if TYPE_CHECKING:
    from ..theory import Bound

_SPELLED = {"P-D": "P(w) - D(alpha)", "P(w)-P*": "P(w) - P*", "D*-D": "D* - D(alpha)"}


def theorem_for(problem: Problem, method: str, sampling: str | Sampling, quantity: str = "passes") -> Bound:
    """The method's main theorem, or where the problem contradicts its assumptions another one of the same method.

    Among others, one on the iterates themselves comes before one on their average: it can be seen in a race.

    Raises
    ------
    ValueError
        If no theorem covers the sampling, or none fits the problem: the sentence says which assumption fails.
    """
    from ..theory import bound, bounds

    sampling = samplings.make(sampling)
    main = bound(method, quantity, sampling)
    try:
        main.for_problem(problem)
    except ValueError as failed:
        others = [b for b in bounds() if (b.method, b.sampling, b.quantity) == (method, sampling.name, quantity)]
        for other in sorted(others, key=lambda b: _SPELLED[b.bounded] not in b.target):
            try:
                other.for_problem(problem)
            except ValueError:
                continue
            return other
        raise failed
    return main


def promise(problem: Problem, method: str, sampling: str | Sampling, passes: float) -> tuple[Guarantee | None, str]:
    """The bound along a run of so many passes, and the empty string; or None, and the reason why there is none."""
    try:
        return guarantee(theorem_for(problem, method, sampling), problem, passes), ""
    except ValueError as reason:
        return None, str(reason)
