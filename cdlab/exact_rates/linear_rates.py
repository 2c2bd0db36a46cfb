"""The exact rate of a method that is linear in its state, on tiny data, and the refusals where there is none."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..numerics import checks
from ..problems.problem import Problem
from ..samplings import Importance, Sampling
from .arguments import ORDERS, ParametrizedMethod, checked_order, drawn_probabilities
from .linear_epochs import (
    MAX_EXAMPLES,
    MAX_PERMUTED,
    MAX_STATE,
    LinearDraws,
    LinearEpochs,
    LinearPermutations,
    LinearSweeps,
)
from .linear_methods import LINEAR_METHODS, LinearMethod
from .optimum import find_optimum, is_quadratic
from .quadratics import Optimum, dense
from .result import ExactRate


def linear_rate(problem: Problem, asked: ParametrizedMethod, drawn: Sampling, order: Any) -> ExactRate:
    """The rate by the operator of the method's whole state.

    Raises
    ------
    ValueError
        Where the method, the sampling or the size of the data has none.
    """
    steps = LINEAR_METHODS[asked.name]
    _refuse(problem, asked)
    if steps.samplings is not None and drawn.name not in steps.samplings:
        raise ValueError(
            f"{asked.name} does not run with {drawn.name} sampling: use {checks.join_with_or(steps.samplings)}"
        )
    counts = (problem.row_profile if steps.side == "dual" else problem.column_profile).counts
    if asked.name == "kaczmarz":
        drawn = Importance() if drawn.name == "uniform" else drawn
        w = np.linalg.lstsq(dense(problem.X), problem.targets)[0]
        optimum = Optimum(w, np.zeros(problem.n), np.full(problem.n, problem.beta))
        p = drawn_probabilities(problem, drawn, "dual", np.flatnonzero(counts))
    else:
        optimum = find_optimum(problem)
        p = drawn_probabilities(problem, drawn, steps.side, np.arange(counts.size))
    method = steps.build(problem, optimum, p, {**asked.parameters, "sampling": drawn.name})
    errors = _epochs(method, asked, drawn, p, order)
    radius = errors.radius()
    passes = 1.0 if drawn.name in ORDERS else p.size * float(p @ counts) / problem.nnz
    return ExactRate(
        method=asked.label,
        sampling=drawn.label,
        radius=radius.value,
        interval=(radius.low, radius.high),
        worst_epoch=None,
        steps_per_epoch=p.size,
        passes_per_epoch=passes + p.size * (1 / method.stages.steps if method.stages else method.heads),
        how=errors.how,
        local=False,
        errors=errors,
        forms=method.forms,
        start=method.start,
    )


def _refuse(problem: Problem, asked: ParametrizedMethod) -> None:
    """Refuse problems and parameters whose steps are not linear, or not written down."""
    name, parameters = asked.name, asked.parameters
    if not is_quadratic(problem):
        raise ValueError(
            f"{name}'s rate is exact for the squared loss, and this is {problem.loss.name}: near the solution only "
            "sdca, rcd and quartz have one here"
        )
    if problem.sample_weight is not None:
        raise ValueError(
            f"{name}'s exact rate is of examples that weigh alike: leave sample_weight out, or ask about rcd"
        )
    if name == "kaczmarz" and problem.l2 > 0:
        raise ValueError("kaczmarz solves X w = y: set l2 = 0, or ask about sdca")
    if name == "sgd":
        checks.flag("sgd's implicit", parameters["implicit"])
        if parameters["step"] is not None or parameters["constant_step"] is None:
            steps = "eta/sqrt(t)" if parameters["step"] is not None else "c/(l2 t)"
            raise ValueError(
                f"sgd's steps {steps} shrink, so its errors fall at no rate: pass constant_step=eta, which has one"
            )
    if parameters.get("m") not in (None, "theory"):
        checks.integer("svrg's m", parameters["m"], "a whole number >= 1, 'theory' or None")
    if parameters.get("rho") is not None:
        checks.number("lsvrg's rho", parameters["rho"], "a number > 0 and <= 1, or None", high=1, ends="(]")
    if parameters.get("primal_step"):
        raise ValueError("apcg's exact rate is of x and w(x): leave primal_step out")
    for key in ("step", "constant_step", "dual_step", "convexity"):
        if parameters.get(key) is not None:
            checks.number(f"{name}'s {key}", parameters[key], "a number > 0 or None")
    if parameters.get("theta") is not None:
        ends = "()" if name == "asdca" else "[]"
        checks.number(f"{name}'s theta", parameters["theta"], "a number between 0 and 1, or None", high=1, ends=ends)
    if name == "asdca":
        checks.number("asdca's factor", parameters["factor"], "a number > 0 and < 4, of theta <= 1/4", high=4)


def _epochs(
    method: LinearMethod, asked: ParametrizedMethod, drawn: Sampling, p: np.ndarray, order: Any
) -> LinearEpochs:
    n, size = p.size, method.start.size
    if size > MAX_STATE or n > MAX_EXAMPLES:
        raise ValueError(
            f"{asked.name}'s exact rate is of tiny data, with a state of at most {MAX_STATE} numbers and at most "
            f"{MAX_EXAMPLES} examples, and here these are {size} and {n}: take a part of the data"
        )
    if drawn.name not in ORDERS:
        return LinearDraws(method, p)
    if method.stages or method.heads:
        raise ValueError(
            f"{asked.name}'s exact rate is of independent draws, not of {drawn.name}: use uniform sampling"
        )
    if drawn.name == "permutation":
        if n > MAX_PERMUTED:
            raise ValueError(
                f"{asked.name}'s exact rate under permutations is of at most {MAX_PERMUTED} examples, and here are "
                f"{n}: use uniform or cyclic sampling"
            )
        return LinearPermutations(method)
    forward = np.arange(n)
    if drawn.name == "symmetric":
        return LinearSweeps(method, [forward, forward[::-1]])
    return LinearSweeps(method, [checked_order(order, drawn, n) if drawn.name == "fixed_permutation" else forward])
