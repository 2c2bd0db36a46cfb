"""Theorems and lemmas as what is attacked: the exact contraction of a step, or of a stage, against the promised one.

A theorem E[bounded] <= constant (1 - 1/K)^t implies that the spectral radius rho of a step is at most 1 - 1/K, if the
bounded quantity has a share in every mode of the state; it has, since each draw moves w by one example's own part. A
lemma about one step says the same of the worst state, measured by the potential of its proof. So

    ratio = (1/(1 - rho))/K,

the exact K over the promised one. For rho stands the lower end of its certified interval.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...exact_rates import exact_rate
from ...exact_rates.linear_epochs import LinearDraws
from ...exact_rates.linear_methods import LINEAR_METHODS
from ...exact_rates.optimum import find_optimum
from ...exact_rates.steps import COORDINATE_DESCENT
from ...numerics import checks
from ...problems.problem import Problem
from ..bound import Bound, Uncovered
from ..named_samplings import NamedSampling, name_sampling
from ..symbols import m
from .statements import POTENTIALS, Statement, worst_step

NOT_COVERED = ("sgd", "kaczmarz")  # noise is left; no l2
METHODS = tuple(name for name in (*COORDINATE_DESCENT, *LINEAR_METHODS) if name not in NOT_COVERED)
NOT_PLAIN = (("primal_step", True), ("averaged_primal", True), ("m", "theory"))


def statement_of(bound: Bound) -> Statement:
    """Return what a bound says about the exact rate of its method.

    Raises
    ------
    ValueError
        For a bound without a rate, or whose method has no exact one.
    """
    sampling = name_sampling(bound.sampling) if bound.asked_sampling is None else bound.asked_sampling
    blocks = (sampling.block_size or 1) if sampling.in_blocks else None
    plain = not any(parameter in NOT_PLAIN for parameter in bound.parameters)
    if bound.method not in METHODS or not plain or (blocks and bound.method != "asdca"):
        raise ValueError(
            f"the {bound} cannot be attacked: that needs an exact rate, which {checks.join_with_or(METHODS)} have in "
            "their plain form, and only asdca in blocks"
        )
    given = [symbol.name for symbol, _ in bound.numbers if symbol != m]
    if given:
        raise ValueError(f"the {bound} with {' and '.join(given)} given cannot be attacked: leave them to the method")
    if bound.kind == "theorem" and bound.K is not None:
        promised, exact = bound.per("K"), _radius
        what = f"a {bound.step} multiplies expected errors in the end by at most 1 - 1/K"
    elif not bound.counts and bound.theorem == "one step" and bound.method in POTENTIALS:
        promised, exact, what = bound, _worst_step, bound.target
    else:
        raise ValueError(
            f"the {bound} cannot be attacked: that is for theorems with a rate K, and for the lemma 'one step' of "
            f"{checks.join_with_or(POTENTIALS)}"
        )
    name = f"{bound.subject}, {f'blocks of {blocks}, ' if blocks else ''}theorem {bound.theorem!r}"
    ratio = functools.partial(_ratio, promised, functools.partial(exact, bound, sampling, blocks))
    return Statement(name, what, ratio, least_rows=blocks or 1)


def _ratio(promised: Bound, exact: Callable[[Problem], float], problem: Problem) -> float:
    try:
        value = promised.for_problem(problem)
    except Uncovered:
        return 0.0
    K = value if promised.counts else 1 / (1 - value)
    left = 1 - exact(problem)
    return float(1 / (left * K)) if left > 0 else np.inf


def _radius(bound: Bound, sampling: NamedSampling, blocks: int | None, problem: Problem) -> float:
    """The radius of a step or a stage, from below."""
    if bound.method in COORDINATE_DESCENT:
        rate = exact_rate(problem, bound.method, sampling.sampling, **dict(bound.parameters))
        return float(rate.interval[0] ** (1 / rate.steps_per_epoch))
    draws, _ = _linear_draws(bound, sampling, blocks, problem)
    stages = draws.method.stages
    found = draws.step_radius() if stages is None or bound.step != "stage" else draws.stage_radius(stages)
    return found.low


def _worst_step(bound: Bound, sampling: NamedSampling, blocks: int | None, problem: Problem) -> float:
    """The largest factor by which a step multiplies the potential of a proof."""
    draws, parameters = _linear_draws(bound, sampling, blocks, problem)
    return worst_step(draws, POTENTIALS[bound.method](problem, draws, parameters))


def _linear_draws(
    bound: Bound, sampling: NamedSampling, blocks: int | None, problem: Problem
) -> tuple[LinearDraws, Mapping[str, Any]]:
    """The steps of a bound's method, and the parameters that they were built with."""
    steps = LINEAR_METHODS[bound.method]
    p = sampling.probabilities(problem.coordinates(steps.side))
    parameters = {**steps.parameters, **dict(bound.parameters), "sampling": sampling.name}
    if blocks:
        parameters["batch_size"] = blocks
    method = steps.build(problem, find_optimum(problem), p, parameters)
    alike = len(method.T)
    return LinearDraws(method, np.full(alike, 1 / alike) if blocks else p), parameters
