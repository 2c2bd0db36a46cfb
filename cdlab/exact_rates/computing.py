"""The exact rate of a method on a problem: which computation serves, and the refusals where none does."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..numerics import checks
from ..problems.problem import Problem
from ..samplings import Sampling
from . import band, counts, draws, permutations, populations, quadratics
from .asked import ORDERS, AskedMethod, asked_method, checked_order, drawn_probabilities, resolved_sampling
from .counts import GroupDraws, GroupPermutations
from .draws import IndependentDraws
from .equal_lines import Groups, find_groups
from .expected_errors import ExpectedErrors
from .optimum import find_optimum, is_quadratic
from .orders import FixedOrders
from .permutations import Permutations
from .populations import SimulatedPermutations
from .quadratics import Optimum, Quadratic, dual_quadratic, primal_quadratic
from .result import ExactRate
from .steps import COORDINATE_DESCENT

QUADRATICS = {"dual": dual_quadratic, "primal": primal_quadratic}


def exact_rate(
    problem: Problem,
    method: Any = "sdca",
    sampling: Any = "uniform",
    *,
    order: Any = None,
    start: Any = None,
    solution: Any = None,
    **parameters: Any,
) -> ExactRate:
    """What a method does on this problem in expectation, exactly: no bound.

    Parameters
    ----------
    problem : Problem
        With l2 > 0, l1 = 0 and a smooth loss of one prediction. For the squared loss the rate holds from the start on,
        for others near the solution, to first order.
    method : str or Method, default "sdca"
        "sdca", "rcd" or "quartz", or an instance.
    sampling : str, array or Sampling, default "uniform"
        Independent draws with any probabilities, or "permutation", "cyclic", "symmetric", "fixed_permutation".
    order : array of int, optional
        The order that "fixed_permutation" repeats.
    start : array, optional
        alpha (n,) of a dual method, w (d,) of a primal one, where curves start; 0 by default. For losses other than the
        squared one there are curves only from a start that is given, and meant to be near the solution.
    solution : Solution or (d,) array, optional
        The optimum of a loss other than the squared one; computed by default, of at most 2000 features.
    **parameters
        Of the method, where it is given by its name.

    Returns
    -------
    ExactRate

    Raises
    ------
    ValueError, TypeError
        Where no computation serves: it says what would.

    Notes
    -----
    Independent draws of at most 200 coordinates are solved by Lanczos' method, permutations of at most 16 by a
    recursion over subsets, and both of any number up to 2000 where at most 6 kinds of coordinates differ. Beyond these
    the rate of draws is known to within a band, and that of permutations is estimated up to 500. Fixed orders take
    2000. Empty lines of X, and examples whose loss is flat at the solution, are drawn but move nothing.

    Examples
    --------
    >>> import cdlab
    >>> P = cdlab.Problem([[1.0, 0.5], [0.2, 1.0], [1.0, 1.0]], [1.0, -1.0, 2.0], loss="squared", l2=0.1)
    >>> rate = cdlab.theory.exact_rate(P, "sdca", "permutation")
    >>> rate.how, round(rate.radius, 6)
    ('subsets', 0.614325)
    """
    known = {name: defaults for name, (_, defaults, _) in COORDINATE_DESCENT.items()}
    asked = asked_method(method, parameters, known)
    drawn = resolved_sampling(sampling)
    if order is not None and drawn.name != "fixed_permutation":
        raise ValueError(f"order is of fixed_permutation sampling, not of {drawn.name}: leave it out")
    side = COORDINATE_DESCENT[asked.name][0]
    _refuse(problem, asked, side)
    optimum = find_optimum(problem, solution)
    return _coordinate_descent(problem, asked, drawn, order, optimum, _start(problem, side, start))


def _refuse(problem: Problem, asked: AskedMethod, side: str) -> None:
    """Refuse what has no exact rate."""
    if problem.outputs:
        raise ValueError(f"exact rates are of losses of one prediction, and {problem.loss.name} has one for each class")
    if problem.loss.gamma == 0:
        raise ValueError(
            f"exact rates are of smooth losses, and {problem.loss.name} is not: take smooth_hinge, huber or squared"
        )
    if problem.l1 > 0:
        raise ValueError(f"exact rates are of problems without l1, and this one has l1 = {problem.l1:g}: set l1 = 0")
    if problem.l2 == 0:
        raise ValueError("exact rates need strong convexity, and this problem has l2 = 0: set l2 > 0")
    if problem.intercept and side == "dual":
        raise ValueError(f"{asked.name} takes no intercept: ask about rcd, or append a column of ones to X")
    if asked.parameters.get("batch_size") is not None:
        raise ValueError(f"exact rates are of one coordinate at a time: leave {asked.name}'s batch_size out")
    if asked.parameters.get("averaged_primal"):
        raise ValueError("exact rates are of quartz's alpha and w(alpha): leave averaged_primal out")


def _start(problem: Problem, side: str, start: Any) -> np.ndarray | None:
    """The start of curves; None where the rate is local and none was given."""
    size = problem.n if side == "dual" else problem.d
    if start is None:
        return np.zeros(size) if is_quadratic(problem) else None
    found = checks.real_array("start", start)
    if found.shape != (size,) or not np.isfinite(found).all():
        what = "alpha" if side == "dual" else "w"
        raise ValueError(f"start must be {what}, {size} finite numbers, not {checks.short_repr(start)}")
    return found


def _coordinate_descent(
    problem: Problem, asked: AskedMethod, drawn: Sampling, order: Any, optimum: Optimum, start: np.ndarray | None
) -> ExactRate:
    side, _, step_lengths = COORDINATE_DESCENT[asked.name]
    profile = problem.row_profile if side == "dual" else problem.column_profile
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
    if lines.size > quadratics.MAX_COORDINATES:
        return _in_band(problem, optimum, drawn, side, p, facts)
    origin = np.zeros(moving.size) if start is None else start
    quadratic = QUADRATICS[side](problem, optimum, origin)
    conditioned = np.where(profile.counts > 0, p, 0.0)
    quadratic = quadratic.with_steps(
        step_lengths(asked.parameters, problem, quadratic, optimum, conditioned / conditioned.sum())
    )
    errors = _expected_errors(quadratic, drawn, p[lines], order)
    if errors is None:
        if not np.allclose(quadratic.omega, 1, rtol=1e-12, atol=0):
            raise ValueError(
                f"the steps of {asked.label} on {lines.size} coordinates are beyond an exact rate, and the band is of "
                f"exact steps: at most {draws.MAX_COORDINATES} coordinates are"
            )
        return _in_band(problem, optimum, drawn, side, p, facts)
    radius = errors.radius()
    return ExactRate(
        **facts,
        radius=radius.value,
        interval=(radius.low, radius.high),
        worst_epoch=errors.worst_epoch(),
        how=errors.how,
        errors=errors,
        forms=quadratic.forms,
        start=None if start is None else quadratic.error,
    )


def _expected_errors(quadratic: Quadratic, drawn: Sampling, p: np.ndarray, order: Any) -> ExpectedErrors | None:
    """The computation that serves; None where only the band is left."""
    N = quadratic.size
    if drawn.name in ("cyclic", "symmetric", "fixed_permutation"):
        return FixedOrders(quadratic, _sweeps(quadratic, drawn, order))
    in_order = drawn.name == "permutation"
    groups = _few_groups(quadratic, np.ones(N) if in_order else p)
    if not in_order:
        if groups is not None:
            return GroupDraws(quadratic, groups, p)
        return IndependentDraws(quadratic, p) if draws.MAX_COORDINATES >= N else None
    if groups is not None and counts.recursion_fits(groups):
        return GroupPermutations(quadratic, groups)
    if permutations.MAX_COORDINATES >= N:
        return Permutations(quadratic)
    if populations.MAX_COORDINATES >= N:
        return SimulatedPermutations(quadratic)
    raise ValueError(
        f"permutations of {N} coordinates are beyond an exact rate: it is known for at most "
        f"{permutations.MAX_COORDINATES}, or where few kinds of coordinates differ, and estimated for at most "
        f"{populations.MAX_COORDINATES}; ask about uniform or cyclic sampling"
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
    problem: Problem, optimum: Optimum, drawn: Sampling, side: str, p: np.ndarray, facts: dict[str, Any]
) -> ExactRate:
    """The rate of exact steps under independent draws, to within the spectral band."""
    if drawn.name in ORDERS:
        raise ValueError(
            f"{drawn.name} of this many coordinates is beyond an exact rate, which takes at most "
            f"{quadratics.MAX_COORDINATES}: ask about uniform sampling, whose rate is known to within a band"
        )
    A, lines = band.curvature(problem, optimum, side)
    low, high = band.band(band.spectral_lambda(A, p[lines]), float(p[lines].min()))
    interval = low ** facts["steps_per_epoch"], high ** facts["steps_per_epoch"]
    return ExactRate(
        **facts, radius=float(np.sqrt(interval[0] * interval[1])), interval=interval, worst_epoch=None, how="band"
    )
