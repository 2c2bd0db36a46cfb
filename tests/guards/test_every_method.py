"""What every registered method owes to the loop: repeatable, the same on dense and sparse data, measured as defined."""

import numpy as np
import pytest
from problems import data, problem

import cdlab
from cdlab.methods import METHODS
from cdlab.samplings import Uniform


def taken(name):
    """A small problem that the method takes: logistic with l2 > 0, or a linear system."""
    for loss, l2 in (("logistic", 0.1), ("squared", 0.0)):
        if METHODS[name]().refusal(problem(loss, l2=l2), Uniform()) is None:
            return {"loss": loss, "l2": l2}
    raise AssertionError(f"{name} takes neither a logistic problem nor a linear system: give it one here")


def columns(trace):
    """Everything of a trace but its seconds."""
    return np.array([(r.iteration, r.passes, r.primal, r.dual, r.gap) for r in trace.records])


every_method = pytest.mark.parametrize("method", METHODS)


@every_method
def test_the_same_seed_gives_the_same_records_and_another_does_not_where_there_is_chance(method):
    P = problem(**taken(method))
    a, b, other = (columns(cdlab.solve(P, method, tol=0, max_passes=4, seed=seed).trace) for seed in (3, 3, 4))
    np.testing.assert_array_equal(a, b)
    chance = METHODS[method]().effective(Uniform()) is not None
    assert chance <= (a.shape != other.shape or not np.array_equal(a[:, 2], other[:, 2]))


@every_method
def test_dense_and_csr_agree(method):
    dense, csr = (
        cdlab.solve(problem(**taken(method), sparse=sparse), method, tol=0, max_passes=6, seed=1)
        for sparse in (False, True)
    )
    np.testing.assert_allclose(columns(dense.trace)[:, :3], columns(csr.trace)[:, :3], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(dense.w, csr.w, rtol=1e-7, atol=1e-9)


@every_method
def test_what_is_given_is_not_changed(method):
    X, y = (a.copy() for a in data())
    cdlab.solve(cdlab.Problem(X, y, **taken(method)), method, max_passes=3)
    np.testing.assert_array_equal(X, data()[0])
    np.testing.assert_array_equal(y, data()[1])


@every_method
def test_a_record_is_what_its_points_are_worth(method):
    """P and D of a record are those of the run's w and alpha, and the gap is their difference."""
    P = problem(**taken(method))
    run = cdlab.iterate(P, method, seed=0, test=data())
    for _ in range(5):
        record = next(run)
    assert record.primal == pytest.approx(P.primal(run.w), rel=1e-12)
    assert record.test_error == P.test_error(run.w, data())
    if P.l2 > 0:
        assert record.dual == pytest.approx(P.dual(run.alpha), rel=1e-9)
        assert record.gap == pytest.approx(P.gap(run.w, run.alpha), rel=1e-9, abs=1e-14)
    assert record.gap >= 0


@every_method
def test_a_run_that_goes_on_is_one_that_never_stopped(method):
    P = problem(**taken(method))
    whole = cdlab.solve(P, method, max_passes=8, seed=2, tol=0)
    part = cdlab.solve(P, method, max_passes=3, seed=2, tol=0).resume(max_passes=8, tol=0)
    np.testing.assert_array_equal(columns(part.trace), columns(whole.trace))
    np.testing.assert_array_equal(part.w, whole.w)
