"""The slowest direction: passes in which random steps along coordinates fall by a factor e, by an eigenvalue.

With A the Hessian of a side's quadratic at the optimum, D = diag(A), G = D^(-1/2) A D^(-1/2), steps of length omega_i
(1: exact) and independent draws p, the mean error moves by I - P Omega G, and a draw gains omega_i (2 - omega_i) of
what an exact step would. So errors fall by a factor rho a draw,

    max{(1 - lambda)^2, 1 - p_min} <= rho <= 1 - lambda(p omega (2 - omega)),    lambda = lambda(p omega),

lambda(q) = lambda_min(Q^(1/2) G Q^(1/2)); for exact steps the upper end is that of `cdlab.exact_rates.band`. An example
that is flat at the optimum is no direction of sdca; a damped step of quartz on it leaves (1 - s_i)^2 of its error.
"""

from __future__ import annotations

import math

import numpy as np

from ..exact_rates.quadratics import Optimum, curvature
from ..exact_rates.steps import COORDINATE_DESCENT, Coordinates, quartz_shares
from ..losses import per_example
from ..methods.quartz import Quartz
from ..methods.rcd import RCD
from ..methods.sdca import SDCA
from ..problems.problem import Problem
from .entrants import Entrant
from .figures import Figure, figure
from .rules import THRESHOLDS

METHODS = (SDCA, Quartz, RCD)
MOST_COORDINATES = int(THRESHOLDS["MOST_COORDINATES"])


def slowest_direction(problem: Problem, entrant: Entrant, w: np.ndarray) -> tuple[Figure, Figure] | None:
    """Passes per factor e by an eigenvalue, and by the bound of these draws; None where there is no such rate.

    Parameters
    ----------
    problem : Problem
        With the smooth loss of the race.
    entrant : Entrant
        With sdca, quartz or rcd, and independent draws of single coordinates.
    w : (d,) array
        The optimum, or near it.
    """
    if not has_rate(problem, entrant):
        return None
    method, side = entrant.method, entrant.side
    profile = problem.column_profile if side == "primal" else problem.row_profile
    smoothness = problem.coordinates(side).smoothness
    z = problem.predict(w)
    optimum = Optimum(w, problem.alpha(w, z=z), per_example.curvatures(problem.loss, z, problem.loss_y))
    A, lines = curvature(problem, optimum, side)
    if not lines.size or lines.size > MOST_COORDINATES:
        return None
    p = method.probabilities(problem, entrant.sampling)
    cost = float(p @ profile.counts) / problem.nnz  # passes a draw
    drawn = np.flatnonzero((p > 0) & (profile.counts > 0))
    bound = cost * float((smoothness[drawn] / p[drawn]).max()) / (problem.l2 * problem.n)
    diagonal, p_lines = A.diagonal, p[lines]
    step_lengths = COORDINATE_DESCENT[method.name][2]
    omega = step_lengths(method.parameters, problem, optimum, Coordinates(lines, diagonal, p))
    flat = _left_on_flat(problem, method.step, p, np.setdiff1d(drawn, lines)) if isinstance(method, Quartz) else 0.0
    scaled = A.matrix / np.sqrt(np.outer(diagonal, diagonal))
    faster = _smallest(scaled, p_lines * omega)
    least = min(faster, float(p_lines.min()))
    exact = bool(np.allclose(omega, 1.0, rtol=1e-9, atol=0))
    slower = 2 * least / (1 + least / p_lines.min()) if exact else _smallest(scaled, p_lines * omega * (2 - omega))
    low = max((1 - faster) ** 2, 1 - float(p_lines.min()), flat)
    ends = [cost * _draws_per_e(rho) for rho in (low, max(low, 1 - slower, flat))]
    middle = math.sqrt(ends[0] * ends[1])
    return (
        figure("passes per e", "exact", entrant, middle, *ends),
        figure("passes per e", "bound", entrant, bound, bound, bound),
    )


def has_rate(problem: Problem, entrant: Entrant) -> bool:
    """Tell whether the errors of an entrant fall by a rate near the optimum: with smooth losses, l2 > 0 and no l1."""
    smooth = problem.loss.gamma > 0 and problem.l2 > 0 and problem.l1 == 0 and not problem.bounded
    plain = type(entrant.method) in METHODS and not getattr(entrant.method, "averaged_primal", False)
    return smooth and plain and entrant.is_serial and not (problem.outputs or problem.intercept)


def _left_on_flat(problem: Problem, step: str, p: np.ndarray, flat: np.ndarray) -> float:
    """The factor of squared errors that a draw of quartz leaves on the examples at which the loss is flat."""
    s = quartz_shares(step, problem, p)[flat]
    return float((1 - p[flat] * s * (2 - s)).max(initial=0.0))


def _smallest(scaled: np.ndarray, q: np.ndarray) -> float:
    return max(0.0, float(np.linalg.eigvalsh(scaled * np.sqrt(np.outer(q, q)))[0]))


def _draws_per_e(rho: float) -> float:
    return -1 / math.log(rho) if 0 < rho < 1 else 0.0 if rho <= 0 else math.inf
