"""What each sampling does on a problem: its probabilities, what an iteration costs, what its bound is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...faceoffs.comparing import rate_and_cost
from ...methods import METHODS
from ...problems.problem import Problem
from ...runs.solving import solve
from ...samplings import SAMPLINGS, Sampling
from ..words import number

SIDES = {"dual": "examples", "primal": "features"}
ADAPTIVE = "adaptive"
WARM_PASSES = 5  # after which adaptive probabilities are looked at, beside those at the start


@dataclass(frozen=True)
class Scheme:
    """One sampling of the coordinates of one side.

    Attributes
    ----------
    label : str
    p : (m,) array or None
        Probabilities; None where the sampling does not fit the problem.
    W, K, T : float or None
        Expected nonzeros of an iteration, iterations and nonzeros in all, per factor e of accuracy.
    reason : str
        Why there are no K and T, or no p; else empty.
    """

    label: str
    p: np.ndarray | None = None
    W: float | None = None
    K: float | None = None
    T: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class SideFacts:
    """The samplings of one side.

    Attributes
    ----------
    side, coordinates : str
        "dual" and "examples", or "primal" and "features".
    norms2 : (m,) array
    nnz : int
    schemes : tuple of Scheme
        Those with probabilities of their own; the orders are one, as they all draw each coordinate once a pass.
    """

    side: str
    coordinates: str
    norms2: np.ndarray
    nnz: int
    schemes: tuple[Scheme, ...]


def sampling_facts(problem: Problem, side: str) -> SideFacts:
    """All samplings of the registry on one side, and adaptive probabilities where a method has them."""
    lines = problem.row_profile if side == "dual" else problem.column_profile
    drawn = [kind() for kind in SAMPLINGS.values() if kind.has_theorem]
    schemes = [_scheme(problem, side, sampling) for sampling in drawn]
    orders = [kind.name for kind in SAMPLINGS.values() if not kind.has_theorem]
    if side == "dual":
        schemes += _adaptive(problem)
    even = np.full(lines.counts.size, 1 / lines.counts.size)
    why = "orders: each coordinate once a pass, and no theorem covers them"
    schemes.append(Scheme(", ".join(orders), even, float(even @ lines.counts), reason=why))
    return SideFacts(side, SIDES[side], lines.norms2, problem.nnz, tuple(schemes))


def _scheme(problem: Problem, side: str, sampling: Sampling) -> Scheme:
    lines = problem.row_profile if side == "dual" else problem.column_profile
    if sampling.needs_smooth and problem.loss.gamma == 0:
        return Scheme(
            sampling.label, reason=f"{sampling.name} sampling needs a smooth loss, {problem.loss.name} is not"
        )
    coordinates = problem.coordinates(side)
    if sampling.needs_smooth and not coordinates.smoothness.any():
        return Scheme(sampling.label, reason="without l2 and with X = 0 it has nothing to weigh coordinates by")
    p = sampling.probabilities(coordinates)
    W = float(p @ lines.counts)
    why = _without_bound(problem, side)
    if why or not (p > 0).all():
        return Scheme(sampling.label, p, W, reason=why or "it never draws some coordinate")
    beta = 1 / problem.loss.gamma
    K, _, T = rate_and_cost(problem.X, lines, side, sampling, beta, problem.l2 * problem.n)
    return Scheme(sampling.label, p, W, K, T)


def _without_bound(problem: Problem, side: str) -> str:
    """Why Theorem 1 of the face-off says nothing; empty if it does."""
    if problem.loss.gamma == 0:
        return f"Theorem 1 needs a smooth loss and {problem.loss.name} is not"
    if problem.l2 == 0:
        return "Theorem 1 needs l2 > 0"
    if side == "primal" and problem.l1 > 0:
        return "rcd does not handle l1 > 0"
    if problem.outputs:
        return f"Theorem 1 is for losses of one prediction, and {problem.loss.name} has one for each class"
    return ""


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


# ------------------------------------------------------------ in words
def sentence(facts: SideFacts) -> str:
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
