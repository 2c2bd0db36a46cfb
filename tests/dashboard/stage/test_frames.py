"""Updates one by one are those of `solve`: the same coordinates, the same numbers, the same states."""

import numpy as np
import pytest
from cases import each_of

from cdlab import Problem, datasets, solve
from cdlab.dashboard.stage.frames import frames
from cdlab.methods import METHODS
from cdlab.samplings import TauNice, Uniform


def problem(loss: str = "smooth_hinge", density: float = 0.4, **weights) -> Problem:
    X, y = datasets.make(n=30, d=12, density=density, seed=1)
    return Problem(X, y, loss, **{"l2": 0.05} | weights)


def epochs(count: int):
    """Stop after so many."""
    records = iter(range(count + 1))
    return lambda record: next(records) == count


SERIAL = ["sdca", "quartz", "rcd", "apcg", "acc_rcd", "sag", "sgd", "spdc"]
MORE_THAN_UPDATES = ["gd", "lbfgs", "fista", "greedy", "adasdca"]


@each_of("density", [0.2, 1.0])
@each_of("entry", ["sdca", "quartz@importance", "rcd", "rcd@permutation", "sdca@cyclic"])
def test_after_three_epochs_the_state_is_that_of_solve(entry, density):
    P = problem(density=density)
    found = solve(P, entry, seed=3, tol=0.0, max_passes=1000, stop=epochs(3))
    made = frames(P, entry, seed=3, most=found.trace.records[-1].iteration)
    np.testing.assert_array_equal(made.points[-1][0], found.w)
    np.testing.assert_array_equal(made.points[-1][1], found.alpha)
    last = found.trace.records[-1]
    assert (made.passes[-1], made.primal[-1], made.dual[-1]) == (last.passes, last.primal, last.dual)
    assert not made.whole


@pytest.mark.parametrize("entry", ["sdca", "rcd"])
def test_a_step_names_what_it_moves_and_what_that_costs(entry):
    P = problem(density=0.2)
    made = frames(P, entry, most=40)
    counts = (P.row_profile if entry == "sdca" else P.column_profile).counts
    which = 1 if entry == "sdca" else 0
    for k, (moved,) in enumerate(made.coordinates):
        before, after = made.points[k][which], made.points[k + 1][which]
        assert set(np.flatnonzero(before != after)) <= {moved}
        assert made.nonzeros[k] == counts[moved]
    np.testing.assert_allclose(made.passes, np.cumsum(made.nonzeros) / P.nnz, rtol=0, atol=0)


def test_blocks_are_steps():
    P = problem()
    made = frames(P, ("quartz", {"sampling": TauNice(4)}), most=5)
    assert [len(each) for each in made.coordinates] == [4] * 5
    for k, moved in enumerate(made.coordinates):
        assert set(np.flatnonzero(made.points[k][1] != made.points[k + 1][1])) <= set(moved)


@each_of("method", MORE_THAN_UPDATES)
def test_a_method_whose_epoch_is_more_than_its_updates_is_shown_by_epochs(method):
    P = problem()
    made = frames(P, method, most=4)
    found = solve(P, method, tol=0.0, max_passes=made.passes[-1])
    assert made.whole
    assert made.coordinates == [[]] * 4
    np.testing.assert_array_equal(made.points[-1][0], found.w)


def test_a_full_gradient_is_part_of_the_step_that_needs_it():
    P = problem()
    made = frames(P, "svrg", most=2)
    assert made.nonzeros[0] > P.nnz > made.nonzeros[1]


def test_long_paths_recompute_what_drifts_as_every_run_does():
    P = problem(density=1.0)
    made = frames(P, "rcd", most=60 * P.d)
    found = solve(P, "rcd", tol=0.0, max_passes=1000, stop=epochs(60), every=1)
    np.testing.assert_array_equal(made.points[-1][0], found.w)


def test_what_does_not_fit_is_refused_as_by_solve():
    with pytest.raises(ValueError, match="greedy does not handle l1 > 0"):
        frames(problem(l1=0.1), "greedy")


def test_every_method_that_fits_has_frames_of_its_own_kind():
    P = problem()
    whole = {}
    for name, kind in METHODS.items():
        if kind().refusal(P, Uniform()) is None:
            made = frames(P, name, most=3)
            whole[name] = made.whole
            assert len(made.points) == 1 + len(made.nonzeros) == 4
    assert [name for name in SERIAL if whole[name]] == []
