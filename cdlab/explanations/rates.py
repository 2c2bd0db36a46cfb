"""How many draws a factor e takes: exactly on tiny data, else within the spectral band, and of orders by typical runs.

The band of exact steps is that of `cdlab.exact_rates`. With damped steps omega_i the mean error moves as with draws
p_i omega_i, and each draw gains omega_i (2 - omega_i) of what an exact step would, so that 1/K is between
lambda(p omega (2 - omega)) and 2 lambda(p omega), with lambda(p) = lambda_min(P^(1/2) G P^(1/2)). And no draws are
faster than 1/p_min: a coordinate keeps its error until it is drawn, so that E[e'Ge] >= sigma e_i^2 (1 - p_i)^t.
"""

from __future__ import annotations

import math

import numpy as np

from ..exact_rates import exact_rate
from ..exact_rates.quadratics import Optimum, curvature
from ..methods import Method
from ..methods.quartz import Quartz
from ..problems.points import Points
from ..problems.problem import Problem
from ..samplings import Sampling
from .cause import Interval
from .simulation import Descent

MAX_EXACT_COORDINATES = 40
MAX_BINS = 400
SIMULATED_FALLS = (9.0, 23.0)  # of ln of the error's energy, between which typical runs of an order tell its rate


def local_bound(problem: Problem, method: Method, sampling: Sampling, optimum: Optimum) -> Interval:
    """K of the bound with the curvatures at the optimum in place of 1/gamma: A is at least diag(1/h), or l2 I.

    Of a method that steps by 1/gamma it keeps the steps: a draw gains what it would with exact ones, or less.
    """
    A, lines = curvature(problem, optimum, method.side)
    p = sampling.probabilities(problem.coordinates(method.side))[lines]
    least = 1 / optimum.h[lines] if method.side == "dual" else problem.l2
    K = float((A.diagonal / (least * p)).max())
    return Interval(K, K)


def draws_per_e(problem: Problem, method: Method, sampling: Sampling, optimum: Optimum) -> Interval | None:
    """Draws per factor e of the expected error near the optimum; None where nothing is known.

    Parameters
    ----------
    problem : Problem
        With a smooth loss of one prediction, l2 > 0 and l1 = 0.
    method : Method
        SDCA, Quartz or RCD.
    sampling : Sampling
        Independent draws, or an order.
    optimum : Optimum
        Of the problem.
    """
    coordinates = problem.coordinates(method.side)
    if coordinates.m <= MAX_EXACT_COORDINATES:
        try:
            rate = exact_rate(problem, method, sampling, solution=optimum.w)
        except ValueError:  # of damped steps where the loss is flat, say
            return None
        return Interval(*rate.passes_interval).times(rate.steps_per_epoch / rate.passes_per_epoch)
    if sampling.has_theorem:
        return _band(problem, method, sampling, optimum)
    runs = descent_at(problem, method, sampling, optimum, None)
    return runs.draws_per_e(coordinates, sampling, SIMULATED_FALLS) if runs.is_small else None


def _band(problem: Problem, method: Method, sampling: Sampling, optimum: Optimum) -> Interval:
    A, lines = curvature(problem, optimum, method.side)
    p = sampling.probabilities(problem.coordinates(method.side))[lines]
    omega = step_lengths(problem, method, sampling, optimum, A.diagonal, lines)
    least = 1 / optimum.h[lines] if method.side == "dual" else problem.l2  # A is at least its diagonal matrix
    slowest = float((A.diagonal / (least * p * omega * (2 - omega))).max())
    eigenvalue = A.smallest_eigenvalue(p * omega)
    faster = eigenvalue.upper
    slower = A.smallest_eigenvalue(p * omega * (2 - omega)).lower if (omega != 1).any() else eigenvalue.lower
    most = min(1 / slower, slowest) if slower > 0 else slowest
    if (omega == 1).all():
        most = (most + 1 / p.min()) / 2
    least_draws = max(1 / (2 * faster - faster**2), 1 / p.min())
    return Interval(_per_e(least_draws), _per_e(max(most, least_draws)))


def descent_at(problem: Problem, method: Method, sampling: Sampling, optimum: Optimum, start: Points | None) -> Descent:
    """A method as it moves near the optimum, with the error of a start (0 by default)."""
    A, lines = curvature(problem, optimum, method.side)
    if method.side == "dual":
        error = (problem.zeros(problem.n) if start is None else start.alpha) - optimum.alpha
    else:
        error = (problem.zeros(problem.d) if start is None else start.w) - optimum.w
    return Descent(A, lines, step_lengths(problem, method, sampling, optimum, A.diagonal, lines), error[lines])


def step_lengths(
    problem: Problem, method: Method, sampling: Sampling, optimum: Optimum, diagonal: np.ndarray, lines: np.ndarray
) -> np.ndarray:
    """omega_i (N,) of a method's steps, 1 for exact ones."""
    smoothness = problem.coordinates(method.side).smoothness
    if method.side == "primal":
        return diagonal * problem.n / smoothness[lines]
    if not isinstance(method, Quartz):
        return np.ones(lines.size)
    local = problem.l2 * problem.n / smoothness
    if method.step == "local":
        s = local[lines]
    else:
        p = sampling.probabilities(problem.coordinates("dual"))
        s = float((p * local)[p > 0].min()) / p[lines]
    return s * optimum.h[lines] * diagonal


def _per_e(K: float) -> float:
    """Draws per factor e where one multiplies errors by 1 - 1/K."""
    return -1 / math.log1p(-1 / K) if K > 1 else 0.0


def draws_until_all(p: np.ndarray) -> float:
    """Expected draws until every coordinate was drawn: the integral of 1 - prod_i (1 - exp(-p_i t)) over t > 0.

    Many probabilities are put into bins, which moves none of them by more than a percent or two.
    """
    p = p[p > 0]
    if not p.size:
        return 0.0
    values, counts = np.unique(p, return_counts=True)
    if values.size > MAX_BINS:
        edges = np.geomspace(values[0], values[-1] * (1 + 1e-12), MAX_BINS + 1)
        counts, _ = np.histogram(p, edges)
        values = np.sqrt(edges[1:] * edges[:-1])
    t = np.concatenate([[0.0], np.geomspace(1e-3, 60.0, 1000)]) / values[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        never = np.log(-np.expm1(-np.outer(t, values)))
        missing = -np.expm1(np.where(counts > 0, never, 0.0) @ counts)
    return float((missing[1:] + missing[:-1]) @ np.diff(t) / 2)
