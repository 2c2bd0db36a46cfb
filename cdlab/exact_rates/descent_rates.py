"""The exact rate of coordinate descent: which computation serves, and the refusals where none does."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..problems.problem import Problem
from ..samplings import Sampling
from . import counts, draws, permutations, populations, quadratics
from .arguments import ORDERS, ParametrizedMethod, checked_order, drawn_probabilities
from .band import band
from .counts import GroupDraws, GroupPermutations
from .draws import IndependentDraws
from .equal_lines import Groups, find_groups
from .expected_errors import ExpectedErrors
from .optimum import is_quadratic
from .orders import FixedOrders
from .permutations import Permutations
from .populations import SimulatedPermutations
from .quadratics import Optimum, Quadratic, curvature, dual_quadratic, primal_quadratic
from .result import ExactRate
from .steps import COORDINATE_DESCENT, DAMPED, Coordinates

EXACT_STEPS = 1e-10  # of a step length from 1
QUADRATICS = {"dual": dual_quadratic, "primal": primal_quadratic}


def descent_rate(
    problem: Problem, asked: ParametrizedMethod, drawn: Sampling, order: Any, optimum: Optimum, start: np.ndarray | None
) -> ExactRate:
    """The rate of coordinate descent by the computation that serves, with curves from `start`, None for none.

    Raises
    ------
    ValueError
        Where none serves.
    """
    side, _, step_lengths = COORDINATE_DESCENT[asked.name]
    profile = problem.row_profile if side == "dual" else problem.column_profile
    flat = (profile.counts > 0) & (asked.name in DAMPED) & (optimum.h == 0 if side == "dual" else False)
    optimum = optimum.curved_slightly(flat) if flat.any() else optimum
    moving = (profile.counts > 0) & (optimum.h > 0 if side == "dual" else True)
    lines = np.flatnonzero(moving)
    if lines.size == 0:
        raise ValueError("no coordinate of this problem moves near the solution: there is no rate to speak of")
    p = drawn_probabilities(problem, drawn, side, lines)
    facts: dict[str, Any] = {
        "method": asked.label,
        "sampling": drawn.label,
        "steps_per_epoch": moving.size,
        "passes_per_epoch": 1.0 if drawn.name in ORDERS else moving.size * float(p @ profile.counts) / problem.nnz,
        "local": not is_quadratic(problem),
    }
    conditioned = np.where(profile.counts > 0, p, 0.0)
    conditioned /= conditioned.sum()
    if lines.size > quadratics.MAX_COORDINATES:
        return _in_band(problem, asked, drawn, optimum, Coordinates(lines, np.empty(0), conditioned), p, facts)
    origin = np.zeros(moving.size) if start is None else start
    quadratic = QUADRATICS[side](problem, optimum, origin)
    among = Coordinates(lines, quadratic.curvature, conditioned)
    quadratic = quadratic.with_steps(step_lengths(asked.parameters, problem, optimum, among))
    curved = ~flat[lines]
    if not curved.any():
        raise ValueError("the loss is flat at all examples of the solution: there is no rate to speak of")
    moved = quadratic.of(curved) if flat.any() else quadratic
    errors = _expected_errors(moved, drawn, p[lines[curved]], order)
    if errors is None:
        return _in_band(problem, asked, drawn, optimum, among, p, facts)
    radius, forms, worst_epoch = errors.radius(), quadratic.forms, None if flat.any() else errors.worst_epoch()
    how = errors.how
    if flat.any():
        s, drawn_flat = quadratic.omega[~curved], p[lines[~curved]]
        left = _left_of_flat(s * (2 - s), drawn_flat, drawn, quadratic.drawn)
        facts["flat_radius"] = _left_of_flat(s, drawn_flat, drawn, quadratic.drawn)
        radius = radius._replace(value=max(radius.value, left), low=max(radius.low, left), high=max(radius.high, left))
        forms = {name: M for name, M in forms.items() if name in ("P-P*", "|w-w*|^2")}
        if start is not None:
            errors = _expected_errors(quadratic, drawn, p[lines], order, with_flat=True)
    return ExactRate(
        **facts,
        radius=radius.value,
        interval=(radius.low, radius.high),
        worst_epoch=worst_epoch,
        how=how,
        errors=errors,
        forms=forms,
        start=None if start is None else quadratic.error,
    )


def _left_of_flat(taken: np.ndarray, p: np.ndarray, drawn: Sampling, draws_per_epoch: int) -> float:
    """The largest share that an epoch leaves, in expectation, where a draw of a flat example takes `taken` (F,)."""
    in_order = drawn.name in ORDERS
    return float((1 - (taken if in_order else p * taken)).max()) ** (1 if in_order else draws_per_epoch)


def _expected_errors(
    quadratic: Quadratic, drawn: Sampling, p: np.ndarray, order: Any, *, with_flat: bool = False
) -> ExpectedErrors | None:
    """The computation that serves; None where only the band is left.

    With flat coordinates it is for curves alone, and takes none of them for equal: their rows of G are those of I.
    """
    N = quadratic.size
    if drawn.name in ("cyclic", "symmetric", "fixed_permutation"):
        return FixedOrders(quadratic, _sweeps(quadratic, drawn, order))
    in_order = drawn.name == "permutation"
    groups = None if with_flat else _few_groups(quadratic, np.ones(N) if in_order else p)
    if not in_order:
        if groups is not None:
            return GroupDraws(quadratic, groups, p)
        return IndependentDraws(quadratic, p) if draws.MAX_COORDINATES >= N or with_flat else None
    if groups is not None and counts.recursion_fits(groups):
        return GroupPermutations(quadratic, groups)
    if permutations.MAX_COORDINATES >= N:
        return Permutations(quadratic)
    if populations.MAX_COORDINATES >= N:
        return SimulatedPermutations(quadratic)
    raise ValueError(
        f"permutations of {N} coordinates are beyond an exact rate: it is known for at most "
        f"{permutations.MAX_COORDINATES}, or where few kinds of coordinates differ, and estimated for at most "
        f"{populations.MAX_COORDINATES}; "
        'ask about "clipped" or "uniform" sampling, whose rate is known to within a band, or about "cyclic"'
    )


def _sweeps(quadratic: Quadratic, drawn: Sampling, order: Any) -> list[np.ndarray]:
    """The orders of a fixed order's sweeps, over the coordinates of the quadratic."""
    forward = np.arange(quadratic.size)
    if drawn.name == "symmetric":
        return [forward, forward[::-1]]
    if drawn.name == "fixed_permutation":
        place = np.full(quadratic.drawn, -1)
        place[quadratic.lines] = forward
        visited = place[checked_order(order, drawn, quadratic.drawn)]
        return [visited[visited >= 0]]
    return [forward]


def _few_groups(quadratic: Quadratic, p: np.ndarray) -> Groups | None:
    """The groups of equal coordinates where they are few beside all."""
    groups = find_groups([quadratic.G, *quadratic.forms.values()], [quadratic.omega, p])
    return groups if groups is not None and 2 * groups.sizes.size <= quadratic.size else None


def _in_band(
    problem: Problem,
    asked: ParametrizedMethod,
    drawn: Sampling,
    optimum: Optimum,
    among: Coordinates,
    p: np.ndarray,
    facts: dict[str, Any],
) -> ExactRate:
    """The rate of exact steps under independent draws, to within the spectral band."""
    if drawn.name in ORDERS:
        raise ValueError(
            f"{drawn.name} order of {among.lines.size} coordinates is beyond an exact rate, which takes at most "
            f"{quadratics.MAX_COORDINATES}: "
            'ask about "clipped" or "uniform" sampling, whose rate is known to within a band'
        )
    side, _, step_lengths = COORDINATE_DESCENT[asked.name]
    A, _ = curvature(problem, optimum, side)
    omega = step_lengths(asked.parameters, problem, optimum, among._replace(curvature=A.diagonal))
    if not np.allclose(omega, 1, rtol=EXACT_STEPS, atol=0):
        raise ValueError(
            f"the band is of exact steps, which those of {asked.label} are not here: its rate is known for at most "
            f"{draws.MAX_COORDINATES} coordinates, and here are {among.lines.size}"
        )
    found = band(A, p[among.lines])
    interval = found.low ** facts["steps_per_epoch"], found.high ** facts["steps_per_epoch"]
    return ExactRate(
        **facts,
        radius=float(np.sqrt(interval[0] * interval[1])),
        interval=interval,
        worst_epoch=None,
        how="band" if found.certified else "probable band",
    )
