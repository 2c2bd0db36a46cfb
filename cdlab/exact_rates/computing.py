"""The exact rate of a method on a problem: which computation serves, and the refusals where none does."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..numerics import checks
from ..problems.problem import Problem
from .arguments import ParametrizedMethod, parametrized_method, resolved_sampling
from .descent_rates import descent_rate
from .linear_methods import LINEAR_METHODS
from .linear_rates import linear_rate
from .optimum import find_optimum, is_quadratic
from .result import ExactRate
from .steps import COORDINATE_DESCENT


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
    """Compute what a method does on this problem in expectation, exactly: no bound.

    Parameters
    ----------
    problem : Problem
        With l2 > 0, l1 = 0 and a smooth loss of one prediction. For the squared loss the rate holds from the start on,
        for others near the solution, to first order.
    method : str or Method, default "sdca"
        "sdca", "rcd" or "quartz", or an instance. On tiny data and the squared loss also "saga", "spdc", "svrg",
        "lsvrg", "apcg", "acc_rcd", "asdca", "sgd" with its `constant_step` (of its iterates, not their average), and
        "kaczmarz" with l2 = 0.
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
        The method's parameters, where it is given by its name.

    Returns
    -------
    ExactRate

    Raises
    ------
    ValueError, TypeError
        If no computation serves; the message says what would.

    Notes
    -----
    Independent draws of at most 500 coordinates are solved by Lanczos' method (curves: 200), permutations of at most 16
    by a recursion over subsets, and both of any number up to 2000 where at most 6 kinds of coordinates differ. Beyond
    these the rate of draws is known to within a band, and that of permutations is estimated up to 500. Fixed orders
    take 2000. Empty lines of X, and examples whose loss is flat at the solution, are drawn but move nothing;
    but quartz's damped steps move flat examples, too. Its rate is then that of squared errors, of P - P* and of
    ``|w-w*|^2``, which have curves. D* - D and the gap have none: they are linear in the error of a flat example, of
    which an epoch leaves `ExactRate.flat_radius` on average.

    Examples
    --------
    >>> import cdlab
    >>> P = cdlab.Problem([[1.0, 0.5], [0.2, 1.0], [1.0, 1.0]], [1.0, -1.0, 2.0], loss="squared", l2=0.1)
    >>> rate = cdlab.theory.exact_rate(P, "sdca", "permutation")
    >>> rate.how, round(rate.radius, 6)
    ('subsets', 0.614325)
    """
    if not isinstance(problem, Problem):
        raise TypeError(f"an exact rate is of a cdlab.Problem, not of {checks.short_repr(problem)}")
    known = {name: defaults for name, (_, defaults, _) in COORDINATE_DESCENT.items()}
    known |= {name: steps.parameters for name, steps in LINEAR_METHODS.items()}
    asked = parametrized_method(method, parameters, known)
    drawn = resolved_sampling(sampling)
    if order is not None and drawn.name != "fixed_permutation":
        raise ValueError(f"order is of fixed_permutation sampling, not of {drawn.name}: leave it out")
    refuse_problem(problem, asked)
    if asked.name in LINEAR_METHODS:
        if start is not None or solution is not None:
            raise ValueError(
                f"{asked.name}'s rate is of its whole state, from its own start: leave start and solution out"
            )
        return linear_rate(problem, asked, drawn, order)
    side = COORDINATE_DESCENT[asked.name][0]
    optimum, begun = find_optimum(problem, solution), _start(problem, side, start)
    return descent_rate(problem.centred, asked, drawn, order, optimum, begun)


def refuse_problem(problem: Problem, asked: ParametrizedMethod) -> None:
    """Refuse a problem, or parameters of a method, without an exact rate.

    Raises
    ------
    ValueError
        If there is none; the message says why, and what has one.
    """
    if problem.outputs:
        raise ValueError(f"exact rates are of losses of one prediction, and {problem.loss.name} has one for each class")
    if problem.loss.gamma == 0:
        raise ValueError(
            f"exact rates are of smooth losses, and {problem.loss.name} is not: take smooth_hinge, huber or squared"
        )
    if problem.l1 > 0:
        raise ValueError(f"exact rates are of problems without l1, and this one has l1 = {problem.l1:g}: set l1 = 0")
    if problem.bounded:
        raise ValueError("exact rates are of features without bounds and penalty factors: leave them out")
    if problem.l2 == 0 and asked.name != "kaczmarz":
        raise ValueError("exact rates need strong convexity, and this problem has l2 = 0: set l2 > 0")
    if problem.intercept and asked.name != "rcd":
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
    return found if side == "dual" else problem.to_centred(found)
