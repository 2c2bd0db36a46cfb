"""What theory says about a candidate: its bound with the constants that the theorem needs, and with sharper ones.

`worst` takes every constant as the theorem does: the largest row norm, L_f = R^2/gamma, the l2 of the problem.
`sharp` is the same formula where cheap measurements put better ones in their place:

- the smoothness of the mean loss, L_f = ||X||_2^2/(n gamma), by Lanczos' method;
- the effective l2: the one with which the bound on uniform sampling would give just the contraction that a short probe
  measured. It is larger than l2 where the data's own curvature helps. The probe of the dual serves all methods that
  walk along rows, that of the primal those along columns.

A bound with an effective constant is no theorem about the method: it is the theorem's formula, made to fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..problem import Problem
from .field import Candidate

FASTEST = 1e-3  # an effective l2 beyond 1000 times the curvature of the loss changes no bound
NEAREST = {  # whose bound stands in for a method that has none, or none that can be computed
    "lbfgs": ("agd", "uniform"),
    "adasdca": ("sdca", "importance"),  # which its steps are at least as good as
    "adasdca_plus": ("sdca", "importance"),
    "sag": ("saga", "uniform"),
}


@dataclass(frozen=True)
class Cover:
    """The bound behind a candidate.

    Attributes
    ----------
    worst, sharp : float or None
        Passes to relative accuracy eps with the theorem's own constants, and with sharper ones. None: no bound.
    bound : str
        Which bound: method, sampling, theorem and source. Empty: none.
    outside : str
        What theory does not cover, and which bound stands in. Empty: the theorem is about this very candidate.
    """

    worst: float | None
    sharp: float | None
    bound: str
    outside: str


def effective_l2(problem: Problem, walks: str, rate: float) -> float:
    """The l2 whose uniform bound contracts by `rate` a pass, that is 1 + max_i beta ||x_i||^2/(l2 n) = 1/rate.

    Never below the problem's own; columns take the place of rows for methods that walk along them.
    """
    profile = problem.row_profile if walks == "rows" else problem.column_profile
    curvature = problem.beta * float(profile.norms2.max()) / problem.n
    slowness = max(1 / rate - 1, FASTEST) if rate > 0 else float("inf")
    return max(problem.l2, curvature / slowness)


def cover(problem: Problem, candidate: Candidate, eps: float, l2: float | None) -> Cover:
    """The bound of a candidate; `l2` is the effective one for the way it walks, None if it is not known.

    Where the theorem about just this method, sampling and problem is missing, that of the same method with uniform
    sampling stands in, or of the nearest method.
    """
    from .. import theory

    method, sampling, missing = candidate.method, candidate.sampling, ""
    for name, drawn in ((method, sampling), (method.name, "uniform"), NEAREST.get(method.name, (None, None))):
        if name is None:
            break
        try:
            b = theory.bound(name, "passes", drawn)
            if b.counts and b.kind != "asymptotic":
                worst, sharp = _passes(b, problem, eps, l2)
                drawn = "" if b.sampling == "none" else f" with {b.sampling} sampling"
                stands_in = f"; the bound of {b.method}{drawn} stands in" if missing else ""
                return Cover(worst, sharp, f"{b.method}, {b.sampling}: {b.theorem} ({b.source})", missing + stands_in)
            what = "has unknown constants" if b.counts else "is about one step alone"
            reason = f"what theory says of {b.method} ({b.source}) {what}"
        except ValueError as error:
            reason = str(error)
        missing = missing or reason.partition(";")[0]
    return Cover(None, None, "", missing)


def _passes(bound: Any, problem: Problem, eps: float, l2: float | None) -> tuple[float, float]:
    coarse = {"L_f": problem.R**2 * problem.beta} if "L_f" in {s.name for s in bound.symbols} else {}
    worst = bound.for_problem(problem, eps, **coarse)
    sharp = bound.for_problem(problem if l2 in (None, problem.l2) else with_l2(problem, l2), eps)
    return worst, min(worst, sharp)


def with_l2(problem: Problem, l2: float) -> Problem:
    return Problem(problem.X, problem.y, problem.loss, l2, problem.l1)
