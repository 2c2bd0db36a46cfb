"""Coordinate descent on the quadratic that the problem is near its optimum: its rate, and typical runs from the start.

Of up to 40 coordinates the rate is that of `cdlab.exact_rates`, else within its spectral band. With damped steps
omega_i the mean error moves as with draws p_i omega_i, and each draw gains omega_i (2 - omega_i) of what an exact step
would, so that 1/K is between lambda(p omega (2 - omega)) and 2 lambda(p omega), with
lambda(p) = lambda_min(P^(1/2) G P^(1/2)). And no draws are faster than 1/p_min: a coordinate keeps its error until it
is drawn, so that E[e'Ge] >= sigma e_i^2 (1 - p_i)^t.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice

import numpy as np
import scipy.sparse as sp

from ..exact_rates import exact_rate
from ..exact_rates.band import band
from ..exact_rates.quadratics import Curvature, Optimum, curvature
from ..methods import Method, Points
from ..methods.quartz import Quartz
from ..numerics.jit import kernel
from ..problems.problem import Problem
from ..samplings import Sampling
from .cause import Interval
from .measuring import (
    MAX_SIMULATED_NONZEROS,
    MAX_SIMULATED_PASSES,
    MIN_SIMULATED_PASSES,
    SEEDS,
    are_enough,
    where_it_falls_to,
)

MAX_EXACT_COORDINATES = 40
MAX_BINS = 400


def local_bound(problem: Problem, method: Method, sampling: Sampling, optimum: Optimum) -> float | None:
    """K of the bound with the curvatures at the optimum in place of 1/gamma: A is at least diag(1/h), or l2 I.

    Of a method that steps by 1/gamma it keeps the steps: a draw gains what it would with exact ones, or less. None
    where nothing curves.
    """
    A, lines = curvature(problem, optimum, method.side)
    if not lines.size:
        return None
    p = sampling.probabilities(problem.coordinates(method.side))[lines]
    return float((A.diagonal / (A.E * p)).max())


def draws_per_e(problem: Problem, method: Method, sampling: Sampling, optimum: Optimum) -> Interval | None:
    """Independent draws per factor e of the expected error near the optimum; None where nothing curves.

    Parameters
    ----------
    problem : Problem
        With a smooth loss of one prediction, l2 > 0 and l1 = 0.
    method : Method
        SDCA, Quartz or RCD.
    sampling : Sampling
        Independent draws.
    optimum : Optimum
        Of the problem.
    """
    if problem.coordinates(method.side).m <= MAX_EXACT_COORDINATES:
        try:
            rate = exact_rate(problem, method, sampling, solution=optimum.w)
        except ValueError:  # of damped steps where the loss is flat, say
            pass
        else:
            return Interval(*rate.passes_interval).times(rate.steps_per_epoch / rate.passes_per_epoch)
    A, lines = curvature(problem, optimum, method.side)
    if not lines.size:
        return None
    p = sampling.probabilities(problem.coordinates(method.side))[lines]
    return _band(A, p, step_lengths(problem, method, sampling, optimum, A, lines))


def _band(A: Curvature, p: np.ndarray, omega: np.ndarray) -> Interval:
    if (omega == 1).all():
        found = band(A, p)
        return Interval(_per_e(found.low), _per_e(found.high))
    faster, slower = A.smallest_eigenvalue(p * omega).upper, A.smallest_eigenvalue(p * omega * (2 - omega)).lower
    low = max((1 - faster) ** 2, 1 - float(p.min()))
    return Interval(_per_e(low), _per_e(max(low, 1 - slower)))


def _per_e(radius: float) -> float:
    """Draws per factor e where one multiplies errors by the radius."""
    return -1 / math.log(radius) if 0 < radius < 1 else 0.0 if radius <= 0 else math.inf


def step_lengths(
    problem: Problem, method: Method, sampling: Sampling, optimum: Optimum, A: Curvature, lines: np.ndarray
) -> np.ndarray:
    """omega_i (N,) of a method's steps, 1 for exact ones."""
    smoothness = problem.coordinates(method.side).smoothness
    if method.side == "primal":
        omega = A.diagonal * problem.n / smoothness[lines]
        return np.where(np.isclose(omega, 1, rtol=1e-9), 1.0, omega)
    if not isinstance(method, Quartz):
        return np.ones(lines.size)
    local = problem.l2 * problem.n / smoothness
    if method.step == "local":
        s = local[lines]
    else:
        p = sampling.probabilities(problem.coordinates("dual"))
        s = float((p * local)[p > 0].min()) / p[lines]
    return s * optimum.h[lines] * A.diagonal


def draws_to_fall(
    problem: Problem, method: Method, sampling: Sampling, optimum: Optimum, start: Points | None, fall: float
) -> Interval | None:
    """Draws until a run on the quadratic has lowered its error by e^fall: quartiles over seeds; None where none curves.

    Parameters
    ----------
    problem, method, sampling, optimum
        As of `draws_per_e`.
    start : Points or None
        Where the run begins; at 0 by default.
    fall : float > 0
        Of ln (x - x*)'A(x - x*).
    """
    logs = [
        where_it_falls_to(curve, -fall) for curve in quadratic_runs(problem, method, sampling, optimum, start, fall)
    ]
    if not logs:
        return None
    low, high = np.quantile(logs, [0.25, 0.75])
    return Interval(float(low), float(high)).times(problem.coordinates(method.side).m)


def quadratic_runs(
    problem: Problem, method: Method, sampling: Sampling, optimum: Optimum, start: Points | None, fall: float
) -> Iterator[np.ndarray]:
    """ln of (x - x*)'A(x - x*) after each epoch, less that of the start, for each seed."""
    A, lines = curvature(problem, optimum, method.side)
    if not lines.size:
        return
    coordinates, x_star = problem.coordinates(method.side), optimum.alpha if method.side == "dual" else optimum.w
    x = problem.zeros(x_star.size) if start is None else start.alpha if method.side == "dual" else start.w
    rate = step_lengths(problem, method, sampling, optimum, A, lines) / A.diagonal
    F = sp.csr_array(A.F)
    F.sort_indices()
    place = np.full(coordinates.m, -1)
    place[lines] = np.arange(lines.size)
    limit = min(MAX_SIMULATED_PASSES, max(MIN_SIMULATED_PASSES, MAX_SIMULATED_NONZEROS / max(1, F.nnz)))
    visited = 0
    for runs, seed in enumerate(SEEDS):
        if are_enough(runs, visited):
            return
        error = (x - x_star)[lines]
        kept = F.T @ error
        energies = [float((A.E * error) @ error + kept @ kept)]
        least = energies[0] * np.finfo(float).eps ** 2
        for order in islice(sampling.epochs(coordinates, np.random.default_rng(seed)), int(limit)):
            among = place[order]
            _sweep(A.E, F.data, F.indices, F.indptr, rate, among[among >= 0], error, kept)
            visited += F.nnz
            energies.append(max(float((A.E * error) @ error + kept @ kept), least))
            if energies[-1] <= energies[0] * math.exp(-fall):
                break
        yield np.log(energies) - math.log(energies[0])


@kernel
def _sweep(
    E: np.ndarray,
    data: np.ndarray,
    indices: np.ndarray,
    indptr: np.ndarray,
    rate: np.ndarray,
    order: np.ndarray,
    error: np.ndarray,
    kept: np.ndarray,
) -> None:
    """error_i -= rate_i (A error)_i for each i of the order, A = diag(E) + F F', with F'error kept."""
    for i in order:
        gradient = E[i] * error[i]
        for k in range(indptr[i], indptr[i + 1]):
            gradient += data[k] * kept[indices[k]]
        step = rate[i] * gradient
        error[i] -= step
        for k in range(indptr[i], indptr[i + 1]):
            kept[indices[k]] -= step * data[k]


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
