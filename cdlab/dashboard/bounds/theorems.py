"""Which theorem speaks about a method on a problem. sympy is imported by those who call, not by those who import."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from ... import samplings
from ...methods import Method, resolve
from ...plots import BEYOND, FLOOR, Guarantee, guarantee
from ...problems.problem import Problem
from ...samplings import Sampling
from .without_theorem import uncovered, whys, without_curve

if TYPE_CHECKING:
    from ...theory import Bound, Sharpest

SHOWS = {"P-D": "gap", "P(w)-P*": "primal", "D*-D": "dual"}  # the vertical axis on which a bounded quantity is seen
MAX_FOR_EIGENVALUES = 400  # examples and features up to which all eigenvalues take no time
_SPELLED = {"P-D": "P(w) - D(alpha)", "P(w)-P*": "P(w) - P*", "D*-D": "D* - D(alpha)"}


def theorem_for(problem: Problem, method: str | Method, sampling: str | Sampling, quantity: str = "passes") -> Bound:
    """The theorem about a method, with its parameters, that says most about a race on this problem.

    Theorems on what a race shows come first, those on the iterates themselves before those on their averages; then
    those on distances to the optimum, those without a curve, and statements up to constants. Among equals the method's
    main theorem is first. Methods that draw nothing are covered whatever the sampling.

    Raises
    ------
    ValueError
        If no theorem covers method and sampling, or none fits the problem: the reason, in words for the reader.
    """
    from ...theory import bound
    from ...theory.bound import covering_bound
    from ...theory.registry import WITHOUT_THEOREM, theorems_of

    method = resolve(method) if isinstance(method, str) else method
    if method.name in WITHOUT_THEOREM:
        raise ValueError(f"no theorem covers {method.name}: {WITHOUT_THEOREM[method.name]}")
    drawn = method.draws(samplings.resolve(sampling))
    main = bound(method, quantity)
    # of parameters that have theorems of their own no other theorem speaks, and they speak of no others
    own = (b.theorem for b in theorems_of(method.name) if b.counts and b.parameters == main.parameters)
    found = []
    for theorem in dict.fromkeys((main.theorem, *own)):
        with suppress(ValueError):  # it does not cover the sampling
            found.append(bound(method, quantity, drawn, theorem))
    counting = [each for each in found if each.counts]
    for each in sorted(counting, key=_hidden):
        with suppress(ValueError):  # it does not fit the problem: `whys` says why
            if math.isfinite(each.for_problem(problem)):
                return covering_bound(each, problem, {})[0]
    if not main.counts:
        raise ValueError(
            f"no theorem says how long {method.name} takes; what is known is about one step: {main.target}"
        )
    if not counting:
        raise ValueError(uncovered(method, drawn))
    raise ValueError(whys(counting, problem))


def promise(
    problem: Problem, method: str | Method, sampling: str | Sampling, passes: float, P0: float | None = None
) -> tuple[Guarantee | None, str]:
    """The bound along a run of so many passes, and the empty string; or None, and the reason why none can be drawn.

    It is the smallest, at each point, of all theorems about the quantity that the method's own theorem bounds.

    `P0` is what is known to be at least P(0) - P*, by default P(0) - D(0).
    """
    try:
        theorem = theorem_for(problem, method, sampling)
        if theorem.kind == "asymptotic":
            return None, f"what is known of {theorem.method} here holds up to constants, which nobody knows"
        if theorem.bounded not in SHOWS:
            return None, f"the theorem about {theorem.method} bounds {theorem.target}, and no race shows that"
        if why := without_curve(theorem, problem):
            return None, why
        # to where it is too small to be drawn: in a long run its points would otherwise lie far apart
        needed = theorem.for_problem(problem, FLOOR)
        known = {} if P0 is None else {"P0": P0}
        reach = min(passes, BEYOND * needed) if needed > 0 else passes
        return guarantee(_with_others(theorem, problem, method, sampling), problem, reach, **known), ""
    except ValueError as reason:
        return None, str(reason)


def _with_others(theorem: Bound, problem: Problem, method: str | Method, sampling: str | Sampling) -> Bound | Sharpest:
    """All theorems about the method on what a theorem bounds, if this is one of them; else the theorem alone."""
    from ...theory import sharpest
    from ...theory.spectra import OF_SPECTRUM

    method = resolve(method) if isinstance(method, str) else method
    try:
        all_of_them = sharpest(method, method.draws(samplings.resolve(sampling)), theorem.bounded)
    except ValueError:
        return theorem
    if theorem.theorem not in {b.theorem for b in all_of_them.bounds} or theorem.method != method.name:
        return theorem
    large = max(problem.n, problem.d) > MAX_FOR_EIGENVALUES
    quick = (b for b in all_of_them.bounds if not (large and OF_SPECTRUM & b.symbols))
    return replace(all_of_them, bounds=tuple(quick))


def _hidden(bound: Bound) -> int:
    """How little of a bound a race shows: 0 if all."""
    if bound.kind == "asymptotic":
        return 4
    if bound.guarantee is None:
        return 3
    if bound.bounded not in SHOWS:
        return 2
    return int(_SPELLED[bound.bounded] not in bound.target)
