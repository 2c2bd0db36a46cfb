"""The steps that exact rates take of accelerated methods, against their kernels on the same draws."""

from itertools import combinations, islice

import numpy as np
import pytest
from golden_data import five_by_four

import cdlab
from cdlab.exact_rates.linear_methods import LINEAR_METHODS
from cdlab.exact_rates.optimum import find_optimum

EPOCHS = 4


@pytest.mark.parametrize("sampling", ["uniform", "importance"])
def test_a_step_is_that_of_the_accelerated_primal_kernel(sampling):
    check_points(five_by_four(), cdlab.methods.AccRCD(), sampling, {}, lambda order: order)


@pytest.mark.parametrize("parameters", [{}, {"batch_size": 2}, {"factor": 3.0}, {"theta": 0.2, "batch_size": 5}])
def test_a_step_is_that_of_asdcas_kernel(parameters):
    problem, method = five_by_four(), cdlab.methods.ASDCA(**parameters)
    blocks = list(combinations(range(problem.n), parameters.get("batch_size", 1)))

    def drawn(order):
        ends = zip(order.starts[:-1], order.starts[1:], strict=True)
        return [blocks.index(tuple(sorted(order.indices[first:last].tolist()))) for first, last in ends]

    check_points(problem, method, "uniform", parameters, drawn)


def check_points(problem, method, sampling, parameters, drawn):
    """The primal point after each epoch of some, from zero, by the kernel and by the matrices of steps."""
    steps, optimum = LINEAR_METHODS[method.name], find_optimum(problem)
    p = cdlab.samplings.resolve(sampling).probabilities(problem.coordinates(steps.side))
    linear = steps.build(problem, optimum, p, {**steps.parameters, **parameters})
    z, state, view = linear.start, method.init(problem, sampling), method.view(problem)
    chosen = method.draws(cdlab.samplings.resolve(sampling))
    for order in islice(method.orders(problem, chosen, np.random.default_rng(0)), EPOCHS):
        state = method.epoch(view, state, order)
        for i in drawn(order):
            z = linear.T[i] @ z
        assert z[: problem.d] + optimum.w == pytest.approx(method.points(problem, state).w, abs=1e-12)


@pytest.mark.parametrize("snapshot", ["last", "average"])
def test_the_steps_of_a_stage_are_those_of_svrgs_kernel(snapshot):
    problem, method = five_by_four(), cdlab.methods.SVRG(snapshot=snapshot)
    optimum, parameters = find_optimum(problem), {"step": None, "m": None, "snapshot": snapshot}
    linear = LINEAR_METHODS["svrg"].build(problem, optimum, np.full(5, 0.2), parameters)
    state, view, w = method.init(problem, "uniform"), method.view(problem), -optimum.w
    orders = method.orders(problem, cdlab.samplings.resolve("uniform"), np.random.default_rng(0))
    for _ in range(3):
        z = linear.stages.begin @ w
        for _ in range(linear.stages.steps // problem.n):
            order = next(orders)
            state = method.epoch(view, state, order)
            for i in order:
                z = linear.T[i] @ z
        w = linear.stages.end @ z
        assert w + optimum.w == pytest.approx(method.points(problem, state).w, abs=1e-12)
