"""Samplings on a problem: their probabilities, what an iteration costs, what their bounds are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ... import samplings
from ...faceoffs.comparing import rate_and_cost
from ...methods import METHODS
from ...numerics.profiles import Profile
from ...numerics.written_numbers import number
from ...problems.problem import Problem
from ...runs.solving import solve
from ...samplings import SAMPLINGS, Sampling
from ..words import sentence
from .choices import Contestant
from .numbers import finite_or_none
from .problems import PreparedProblem
from .theorems import best_theorem

SIDES = {"primal": "features", "dual": "examples"}
ADAPTIVE = "adaptive"
WARM_PASSES = 5  # Adaptive probabilities are shown at the start and after so many passes.


class Scheme(NamedTuple):
    """A sampling of the coordinates of one side; nonzeros and iterations are per factor e of accuracy."""

    label: str
    p: np.ndarray | None = None  # (m,); None where the sampling does not fit the problem
    W: float | None = None  # expected nonzeros of an iteration
    K: float | None = None  # iterations
    T: float | None = None  # nonzeros in all
    reason: str = ""  # why there are no K and T, or no p


class SideFacts(NamedTuple):
    """The samplings of one side: those with probabilities of their own, and the orders as one, which come last."""

    side: str
    coordinates: str  # "examples" of the dual side, "features" of the primal one
    lines: Profile
    schemes: list[Scheme]


def sampling_facts(about: PreparedProblem, side: str) -> SideFacts:
    """Samplings of the registry on one side, and adaptive probabilities where a method has them."""
    lines = about.problem.row_profile if side == "dual" else about.problem.column_profile
    schemes = [_scheme(about, side, lines, kind()) for kind in SAMPLINGS.values() if kind.has_theorem]
    if side == "dual":
        schemes += _adaptive(about.problem)
    even = np.full(lines.counts.size, 1 / lines.counts.size)
    why = "orders: each coordinate once a pass, and no theorem here covers them"
    orders = ", ".join(kind.name for kind in SAMPLINGS.values() if not kind.has_theorem)
    schemes.append(Scheme(orders, even, float(even @ lines.counts), reason=why))
    return SideFacts(side, SIDES[side], lines, schemes)


def _scheme(about: PreparedProblem, side: str, lines: Profile, sampling: Sampling) -> Scheme:
    problem, label = about.problem, sampling.label
    coordinates = problem.coordinates(side)
    if sampling.needs_smooth and problem.loss.gamma == 0:
        return Scheme(label, reason=f"{sampling.name} sampling needs a smooth loss, {problem.loss.name} is not")
    if sampling.needs_smooth and not coordinates.smoothness.any():
        return Scheme(label, reason="without l2 and with X = 0 it has nothing to weigh coordinates by")
    p = sampling.probabilities(coordinates)
    W = float(p @ lines.counts)
    even = about.faceoff.uniform
    if (even.T_P if side == "primal" else even.T_D) is None:
        return Scheme(label, p, W, reason=about.faceoff.reason)
    try:
        K, _, T = rate_and_cost(problem.X, lines, side, sampling, 1 / problem.loss.gamma, problem.l2 * problem.n)
    except ValueError as why:  # it never draws some coordinate
        return Scheme(label, p, W, reason=str(why))
    return Scheme(label, p, W, K, T)


def _adaptive(problem: Problem) -> list[Scheme]:
    """AdaSDCA's probabilities at the start, and where a few passes have led."""
    refusal = METHODS["adasdca"]().refusal(problem, SAMPLINGS["uniform"]())
    if refusal:
        return [Scheme(ADAPTIVE, reason=refusal)]
    warm = solve(problem, "sdca", max_passes=WARM_PASSES, tol=0.0, seed=0)
    points = ((f"{ADAPTIVE} at the start", np.zeros(problem.n)), (f"{ADAPTIVE} after {WARM_PASSES} passes", warm.alpha))
    return [adaptive(problem, alpha, label) for label, alpha in points]


def adaptive(problem: Problem, alpha: np.ndarray, label: str = ADAPTIVE) -> Scheme:
    """AdaSDCA's probabilities at alpha: in proportion to |residual_i| sqrt(||x_i||^2 + l2 n gamma).

    Residuals are alpha_i + phi'(x_i'w), 0 at the optimum (Csiba, Qu & Richtarik 2015). Instead of K and T there is one
    over the factor theta of one step, which the best p makes as large as it can be.
    """
    lines, gamma = problem.row_profile, problem.loss.gamma
    w = problem.reg.grad_g_conj(problem.v(alpha))
    residual = np.abs(alpha - problem.alpha(w))
    weight = residual * np.sqrt(lines.norms2 + problem.l2 * problem.n * gamma)
    if not weight.any():
        return Scheme(label, reason="every residual is 0: this is the optimum")
    p = weight / weight.sum()
    why = "its p changes at every step, so no K and T; finding it takes a pass over the data"
    return Scheme(label, p, float(p @ lines.counts), reason=why)


# ------------------------------------------------------------ in words and tables
def best_sampling_sentence(facts: SideFacts) -> str:
    """Which sampling has the smallest bound, and by how much uniform sampling is worse."""
    known = {each.label: each for each in facts.schemes if each.T is not None}
    if not known:
        reasons = dict.fromkeys(each.reason for each in facts.schemes if each.reason)
        return (
            f"On the {facts.side} side no bound tells the samplings apart: {next(iter(reasons), 'nothing is known')}."
        )
    best, even = min(known.values(), key=lambda each: each.T), known["uniform"]
    if even.T <= best.T * 1.01:
        return f"On the {facts.side} side uniform sampling is as good as any: the {facts.coordinates} are much alike."
    gain = number(even.T / best.T)
    spread = number(float(best.p.max() / best.p.min())) if best.p.min() > 0 else "∞"
    return (
        f"On the {facts.side} side {best.label} sampling has the smallest bound: uniform sampling needs {gain} times "
        f"the work. {best.label.capitalize()} sampling draws the most important of the {facts.coordinates} {spread} "
        "times as often as the least. "
        "(Importance sampling minimises K and T at once: Csiba & Richtarik 2016, Theorem 2.)"
    )


def cost_table(facts: SideFacts) -> dict[str, Any]:
    """The table of what each sampling of a side costs."""
    nnz, rows = int(facts.lines.counts.sum()), []
    even = next((each.T for each in facts.schemes if each.label == "uniform"), None)
    for each in facts.schemes:
        ends = [None] * 2 if each.p is None else [each.p.size * float(x) for x in (each.p.min(), each.p.max())]
        passes = each.T / nnz if each.T is not None and nnz else None
        beside = each.T / even if each.T is not None and even else None
        numbers = map(finite_or_none, (each.W, each.K, each.T, passes, beside))
        rows.append([each.label, *ends, *numbers, sentence(each.reason) if each.reason else ""])
    head = ["sampling", "least p · m", "largest p · m", "W: nonzeros each", "K: iterations", "T = K W", "T/nnz: passes"]
    caption = f"Draws of the {facts.coordinates}, per factor e of accuracy"
    return {"title": caption, "head": [*head, "T over uniform's", "remark"], "rows": rows}


def passes_table(about: PreparedProblem, entries: Sequence[Contestant], target: float) -> dict[str, Any]:
    """Passes by the bounds of the entries with each sampling that has theorems."""
    names = [name for name, kind in SAMPLINGS.items() if kind.has_theorem]
    drawn = {entry.method.label: entry for entry in entries if entry.draws}
    rows = [[label, *(_passes(about, entry, name, target) for name in names)] for label, entry in drawn.items()]
    caption = f"Passes until the relative gap is {number(target)}, by the bounds"
    return {"title": caption, "head": ["method", *names], "rows": rows}


def _passes(about: PreparedProblem, entry: Contestant, sampling: str, target: float) -> float | None:
    try:
        return best_theorem(about.problem, entry._replace(sampling=samplings.resolve(sampling)), target).passes
    except ValueError:  # no theorem covers it
        return None
