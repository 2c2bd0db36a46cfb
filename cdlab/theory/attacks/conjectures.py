"""Statements by name: conjectures that nobody has proved, and constants of two papers."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import scipy.linalg

from ...exact_rates import exact_rate
from ...exact_rates.closed_forms import equicorrelated_radius
from ...exact_rates.linear_epochs import LinearDraws
from ...exact_rates.linear_methods import LINEAR_METHODS
from ...exact_rates.optimum import find_optimum
from ...exact_rates.quadratics import dual_quadratic
from ...numerics import checks
from ...problems.problem import Problem
from ...samplings import Norms
from .statements import Statement, asdca_potential, expected_form, weighted_distances, worst_step

MAX_STEPS = 60  # Steps of SPDC, at most.
HALVINGS = 30  # Halvings of an interval that a share is in.


def slowest_on_equal_correlations(problem: Problem) -> float:
    """Epochs per factor e of a permutation on this dual, over those on the equicorrelated G of the same sigma."""
    G = dual_quadratic(problem, find_optimum(problem), np.zeros(problem.n)).G
    sigma = float(scipy.linalg.eigvalsh(G)[0])
    if sigma >= 1:  # orthogonal rows: nothing is left after an epoch
        return 0.0
    slowest = equicorrelated_radius(problem.n, sigma, "permutation")
    permuted = exact_rate(problem, "sdca", "permutation").interval[0]
    return math.log(slowest) / math.log(permuted) if permuted > 0 else 0.0


def gain_of_permutations(problem: Problem) -> float:
    """Epochs per factor e of a permutation, over n/(n + 1) of those of uniform draws."""
    n = problem.n
    permuted = exact_rate(problem, "sdca", "permutation").interval[0]
    drawn = exact_rate(problem, "sdca", "uniform").interval[1]
    return (n + 1) / n * math.log(drawn) / math.log(permuted) if permuted > 0 else 0.0


def printed_constant_of_spdc(problem: Problem) -> float:
    """2 gamma/n over the largest constant c with which Theorem 2 holds here, for all starts and all t up to 60.

    From any (x, y), with xbar = x, the theorem says A E||x_t||^2 + (7/(16 s) + c) E||y_t||^2 <= theta^t (A ||x||^2 +
    (1/(2 s) + 2 gamma) ||y||^2), A = 1/(2 tau) + l2, for distances from the optimum. As forms of the start, c times
    one is at most the difference of two others, which its proof shows to be positive.
    """
    n, d, l2, gamma = problem.n, problem.d, problem.l2, problem.loss.gamma
    p = Norms().probabilities(problem.coordinates("dual"))
    Rbar = float(np.sqrt(problem.row_profile.norms2).mean())
    tau, s = math.sqrt(gamma / (n * l2)) / (4 * Rbar), math.sqrt(n * l2 / gamma) / (4 * Rbar)
    theta = 1 - 1 / (2 * n + 2 * Rbar * math.sqrt(n / (l2 * gamma)))
    steps = {**LINEAR_METHODS["spdc"].parameters, "step": tau, "dual_step": s, "theta": theta}
    method = LINEAR_METHODS["spdc"].build(problem, find_optimum(problem), p, steps)
    A = 1 / (2 * tau) + l2
    start = np.zeros((2 * d + n, d + n))
    start[:d, :d] = start[d : 2 * d, :d] = np.eye(d)
    start[2 * d :, d:] = np.eye(n)
    right = np.diag(np.concatenate([np.full(d, A), np.full(n, 1 / (2 * s) + 2 * gamma)]))
    rest = weighted_distances(A, np.full(n, 7 / (16 * s)), d)
    of_c = weighted_distances(0.0, np.ones(n), d)
    largest = 0.0
    for t in range(1, MAX_STEPS + 1):
        rest, of_c = expected_form(method, p, rest), expected_form(method, p, of_c)
        room = theta**t * right - start.T @ rest @ start
        largest = max(largest, float(scipy.linalg.eigvalsh(start.T @ of_c @ start, room)[-1]))
    return 2 * gamma / n * largest


def quarter_of_asdca(problem: Problem, m: int) -> float:
    """1/4 over a share, up to 1, with which ASDCA's one step fails here, by halving an interval; 1/4 if 1 does not.

    theta is that share of min{1, sqrt(k/m), k}, and a step multiplies m (P(x) - P*) + n (D* - D(alpha)), of the worst
    (x, alpha), by at most 1 - theta m/n.
    """
    k = problem.n / problem.kappa
    least = min(1.0, math.sqrt(k / m), k)
    optimum, p = find_optimum(problem), np.full(problem.n, 1 / problem.n)
    parameters = {**LINEAR_METHODS["asdca"].parameters, "batch_size": m}

    def excess(share: float) -> float:
        method = LINEAR_METHODS["asdca"].build(problem, optimum, p, {**parameters, "theta": share * least})
        draws = LinearDraws(method, np.full(len(method.T), 1 / len(method.T)))
        return worst_step(draws, asdca_potential(problem, draws, parameters)) - (1 - share * least * m / problem.n)

    low, high = 1 / 4, 1.0
    if excess(high) <= 0:
        return 1 / 4
    if excess(low) > 0:  # the proof says never
        low, high = 0.0, 1 / 4
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) <= 0 else (low, middle)
    return 1 / 4 / high


CONJECTURES = {
    each.name: each
    for each in (
        Statement(
            "J1",
            "exact steps in random permutations are slowest, among all G with unit diagonal and a given smallest "
            "eigenvalue, on the equicorrelated one",
            slowest_on_equal_correlations,
            least_rows=2,
        ),
        Statement(
            "J2",
            "exact steps in random permutations need at most n/(n + 1) of the epochs of uniform draws",
            gain_of_permutations,
            least_rows=2,
        ),
        Statement(
            "spdc 2 gamma/n",
            "SPDC's Theorem 2 as printed, with 2 gamma/n on the left, where its proof gives 2 gamma/(n + 1)",
            printed_constant_of_spdc,
        ),
        Statement(
            "asdca 1/4",
            "a step of ASDCA multiplies the potential of its proof by at most 1 - theta/n, theta = min{1, k}/4",
            functools.partial(quarter_of_asdca, m=1),
        ),
        Statement(
            "asdca 1/4, pairs",
            "a step of ASDCA in blocks of two multiplies the potential of its proof by at most 1 - 2 theta/n, "
            "theta = min{1, sqrt(k/2), k}/4",
            functools.partial(quarter_of_asdca, m=2),
            least_rows=2,
        ),
    )
}


def conjecture(name: Any) -> Statement:
    """A statement to be attacked, by its name: two conjectures, and constants of two papers.

    Parameters
    ----------
    name : "J1", "J2", "spdc 2 gamma/n", "asdca 1/4" or "asdca 1/4, pairs"
        The first two are conjectures of cdlab's. Of a constant, the ratio is that constant over the best one with which
        the theorem, or a step of its proof, holds on the data.

    Returns
    -------
    Statement

    Raises
    ------
    ValueError
        For another name.

    Examples
    --------
    >>> from cdlab import theory
    >>> theory.conjecture("J2").words
    'exact steps in random permutations need at most n/(n + 1) of the epochs of uniform draws'
    """
    checks.one_of("conjecture", name, tuple(CONJECTURES))
    return CONJECTURES[name]
