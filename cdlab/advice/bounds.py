"""The bound of a candidate, with the constants that the theorem needs and with sharper ones.

`worst` takes every constant as the theorem does: the largest row norm, L_f = R^2/gamma, the l2 of the problem.
`sharp` is the same formula with better constants from cheap measurements:

- the smoothness of the mean loss, L_f = ||X||_2^2/(n gamma), by Lanczos' method;
- the effective l2: the one with which the bound on uniform sampling would give exactly the contraction that a short
  probe measured. It is larger than l2 where the data's own curvature helps. The probe of the dual serves all methods
  that walk along rows, the probe of the primal those that walk along columns.

A bound with an effective constant is not a theorem about the method: it is the theorem's formula, made to fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np
from scipy.sparse.linalg import lsqr

from ..losses import unweighted
from ..methods import Method
from ..problems.problem import Problem
from .candidates import Candidate

MIN_CONDITION = 1e-3  # an effective l2 beyond 1000 times the curvature of the loss changes no bound
LINEAR_SYSTEMS = ("kaczmarz", "acc_kaczmarz")
LSQR_TOLERANCE, MAX_LSQR_STEPS = 1e-9, 200
STAND_INS = {  # method: the (method, sampling, theorem) that stands in where it has no bound, or none for this problem
    "sdca": ("sdca", "uniform", "lipschitz"),  # losses that are not smooth
    "lbfgs": ("agd", "uniform", None),
    "adasdca": ("sdca", "importance", None),  # whose best steps its own are at least as good as
    "adasdca_plus": ("sdca", "importance", None),
    "sag": ("saga", "uniform", None),
}


@dataclass(frozen=True)
class BoundBehind:
    """The bound behind a candidate.

    Attributes
    ----------
    worst, sharp : float or None
        Passes to relative accuracy eps with the theorem's own constants, and with sharper ones. None: no bound.
    bound : str
        Which bound: method, sampling, theorem and source. Empty: none.
    outside : str
        What theory does not cover, and which bound stands in. Empty: the theorem is about exactly this candidate.
    """

    worst: float | None
    sharp: float | None
    bound: str
    outside: str


def effective_l2(problem: Problem, lines: str, rate: float) -> float:
    """The l2 whose uniform bound contracts by `rate` a pass, that is 1 + max_i beta ||x_i||^2/(l2 n) = 1/rate.

    Of a problem with a smooth loss and l2 > 0, for a method that goes along these `lines` x_i of X ("rows" or
    "columns") and by which ln(error) fell by `rate` a pass. Never below the problem's own l2.
    """
    profile = problem.row_profile if lines == "rows" else problem.column_profile
    curvature = problem.beta * float(profile.norms2.max()) / problem.n
    slowness = max(1 / rate - 1, MIN_CONDITION) if rate > 0 else float("inf")
    return max(problem.mu, curvature / slowness)


def bound_behind(problem: Problem, candidate: Candidate, eps: float, l2: float | None) -> BoundBehind:
    """The bound of a candidate.

    Where there is no theorem about this method, sampling and problem, the method's main theorem stands in, then the one
    for uniform sampling, then that of the nearest method. `l2` is the effective one for the candidate's lines; None if
    it is not known.
    """
    from .. import theory  # loads sympy

    method, sampling, missing = candidate.method.name, candidate.sampling.name, ""
    wanted: list[tuple[Any, ...]] = [(candidate.method, sampling), (method, sampling), (method, "uniform")]
    for about in (*wanted, STAND_INS.get(method)):
        if about is None:
            break
        found = _theorem(theory.registry.registered(), *about)
        if isinstance(found, str):
            reason = found
        else:
            try:
                worst, sharp = _passes(found, problem, eps, l2)
            except ValueError as error:
                reason = str(error)
            else:
                draws = "" if found.sampling == "none" else f" with {found.sampling} sampling"
                stands_in = f"; {found.method}'s theorem {found.theorem!r}{draws} stands in" if missing else ""
                words = f"{found.method}, {found.sampling}: {found.theorem} ({found.source})"
                return BoundBehind(worst, sharp, words, missing + stands_in)
        missing = missing or reason.partition(";")[0]
    return BoundBehind(None, None, "", missing)


@cache
def _theorem(registered: tuple[Any, ...], method: Method | str, sampling: str, theorem: str | None = None) -> Any:
    """The bound on a method's passes, or in words why there is none; an instance has the bound of its parameters.

    `registered` are the theorems of the user's, by which the answer changes.
    """
    from .. import theory

    try:
        found = theory.bound(method, "passes", sampling, theorem)
    except ValueError as error:
        return str(error)
    if found.counts and found.kind != "asymptotic":
        return found
    return (
        f"theory's statement on {found.method} ({found.source.partition(';')[0]}) is "
        f"{'up to constants' if found.counts else 'about one step'}"
    )


def _passes(bound: Any, problem: Problem, eps: float, l2: float | None) -> tuple[float, float]:
    found = {"P0": _decrease(problem)} if bound.method in LINEAR_SYSTEMS else {}
    coarse = {"L_f": problem.R**2 * problem.beta} if "L_f" in {s.name for s in bound.symbols} else {}
    worst = bound.for_problem(problem, eps, **found, **coarse)
    sharp = bound.for_problem(problem if l2 in (None, problem.l2) else with_l2(problem, l2), eps, **found)
    return worst, min(worst, sharp)


@lru_cache(maxsize=1)
def _decrease(problem: Problem) -> float:
    """A lower bound on P(0) - P* of a linear system, by LSQR: theorems depend on whether the system has a solution."""
    w, *_ = lsqr(problem.X, problem.targets, atol=LSQR_TOLERANCE, btol=LSQR_TOLERANCE, iter_lim=MAX_LSQR_STEPS)
    return problem.primal(np.zeros(problem.d)) - problem.primal(w)


def with_l2(problem: Problem, l2: float) -> Problem:
    """The same data, loss and l1 with another l2."""
    loss, s = unweighted(problem.loss), problem.sample_weight
    X, y, o, intercept = problem.X, problem.y, problem.offset, problem.intercept
    X = X[:, :-1] if intercept else X
    return Problem(X, y, loss, l2, problem.l1, sample_weight=s, offset=o, intercept=intercept)
