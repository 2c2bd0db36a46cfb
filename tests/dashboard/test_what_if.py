from dataclasses import replace

import numpy as np
import pytest
from cases import each_of

import cdlab
from cdlab.dashboard.bounds.theorems import theorem_for
from cdlab.dashboard.bounds.what_if import what_if
from cdlab.methods import METHODS, resolve
from cdlab.samplings import resolve as sampling

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page

X, Y = cdlab.datasets.make(n=30, d=12, density=0.4, seed=1)
LOSS = "smooth_hinge"


def problem(copies=1, l2=0.02, loss=LOSS, l1=0.0):
    return cdlab.Problem(np.vstack([X] * copies), np.tile(Y, copies), loss=loss, l2=l2, l1=l1)


@pytest.mark.parametrize("name", ["uniform", "importance", "norms"])
@pytest.mark.parametrize("method", METHODS)
def test_a_moved_bound_is_the_bound_of_the_moved_problem(method, name):
    """Of data with every example there several times, another l2 and another accuracy."""
    try:
        what = what_if(problem(), resolve(method), sampling(name))
    except ValueError:
        pytest.skip("no theorem")
    compared = 0
    for copies, l2, eps in [(1, 0.02, 1e-6), (3, 0.02, 1e-6), (1, 0.3, 1e-6), (1, 0.001, 1e-6), (2, 0.1, 1e-3)]:
        other = problem(copies, l2)
        moved = what.passes(30 * copies, l2, eps)
        bound = theorem_for(other, method, name)
        if bound.method == what.bound.method and bound.theorem == what.bound.theorem:
            assert moved == pytest.approx(bound.for_problem(other, eps), rel=1e-4)  # L_f is found by iteration
            compared += 1
    assert compared


@each_of("copies", [1, 2])
@each_of("method", ["quartz", "rcd", "spdc", "asdca"])
def test_the_batch_size_moves_the_bound_as_another_batch_size_does(method, copies):
    what = what_if(problem(), resolve(method), sampling("uniform"))
    other = problem(copies)
    for m in (1, 2, 5):
        bound = theorem_for(other, replace(resolve(method), batch_size=m), "uniform")
        assert what.passes(30 * copies, 0.02, 1e-6, m) == pytest.approx(bound.for_problem(other, 1e-6), rel=1e-4)


def test_arrays_broadcast_and_agree_with_numbers():
    what = what_if(problem(), resolve("quartz"), sampling("norms"))
    n, l2 = np.array([30.0, 300.0, 3000.0]), np.geomspace(1e-4, 1, 4)[:, None]
    table = what.passes(n, l2, 1e-6)
    assert table.shape == (4, 3)
    assert table[2, 1] == what.passes(300, l2[2, 0], 1e-6)


def test_a_fallback_takes_over_where_the_theorem_ends():
    what = what_if(problem(l2=1e-3), resolve("accprox_sdca"), sampling("uniform"))
    sdca = what_if(problem(l2=1e-3), resolve("sdca"), sampling("uniform"))
    ill, well = what.passes(30, np.array([1e-5, 10.0]), 1e-6)
    assert well == sdca.passes(30, 10.0, 1e-6)
    assert ill != sdca.passes(30, 1e-5, 1e-6)


def test_where_nothing_is_covered_there_is_no_number():
    what = what_if(problem(), resolve("quartz"), sampling("uniform"))
    assert np.isnan(what.passes(30, 0.02, 1e-6, 31))  # a batch of 31 out of 30


def test_no_data_no_movement():
    with pytest.raises(ValueError, match="X = 0"):
        what_if(cdlab.Problem(np.zeros((3, 2)), [1, -1, 1], l2=0.1), resolve("sdca"), sampling("uniform"))


def test_an_optimal_start_takes_no_time():
    P = cdlab.Problem(np.eye(2), [0.0, 0.0], loss="squared", l2=0.1)
    assert what_if(P, resolve("sdca"), sampling("uniform")).passes(2, 0.1, 1e-6) == 0
