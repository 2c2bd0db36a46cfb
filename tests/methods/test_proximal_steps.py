"""rcd with l1, and without l2: what a step minimises, and that runs end at the optimum, certified, for every loss."""

import numpy as np
import pytest
from cases import each_of
from problems import SMOOTH, optimum, problem

import cdlab
from cdlab.methods import Points
from cdlab.methods.rcd import RCD
from cdlab.samplings import TauNice


@each_of("weights", [{"l2": 0.1, "l1": 0.05}, {"l2": 0.0, "l1": 0.05}, {"l2": 0.0}])
def test_for_the_squared_loss_a_step_minimises_the_objective_along_its_coordinate(weights):
    P, method = problem("squared", **weights), RCD()
    S = method.init(P, "uniform", Points(np.random.default_rng(0).standard_normal(P.d), None))
    for j in range(P.d):
        S = method.epoch(method.view(P), S, np.array([j], np.uint64))
        for h in np.concatenate([-np.geomspace(1e-6, 1, 20), np.geomspace(1e-6, 1, 20)]):
            assert P.primal(S.w) < P.primal(S.w + h * np.eye(P.d)[j])


@pytest.mark.parametrize("l2", [0.0, 0.05])
@pytest.mark.parametrize("loss", SMOOTH)
def test_with_l1_a_run_ends_at_the_optimum_with_a_certificate(loss, l2):
    P, best = problem(loss, l2=l2, l1=0.05), optimum(loss, l2, 0.05)
    s = cdlab.solve(P, "rcd", sampling="permutation", tol=1e-9, max_passes=3000)
    assert s.status == "tolerance reached"
    assert abs(P.primal(s.w) - best) < 1e-7
    for record in s.trace.records:  # what scales alpha into the feasible set keeps D below P*
        assert record.dual <= best + 1e-8
    assert (s.w == 0).any(), "l1 makes zeros that are exact"


def test_where_a_column_is_empty_and_l2_is_0_steps_are_finite():
    """P does not move along an empty column, so that any step is right, but 0/0 is not one."""
    X = np.zeros((6, 4))
    X[:, 1:3] = np.random.default_rng(0).standard_normal((6, 2))
    for l1 in (0.0, 0.01):
        P = cdlab.Problem(X, np.ones(6), loss="squared", l2=0.0, l1=l1)
        for sampling in ("uniform", "importance", TauNice(2)):
            w = cdlab.solve(P, "rcd", sampling=sampling, tol=0, max_passes=50).w
            assert np.isfinite(w).all()
            assert w[0] == w[3] == 0
    empty = cdlab.solve(cdlab.Problem(np.zeros((3, 2)), np.ones(3), l2=0.0, l1=0.1), "rcd", tol=0, max_passes=5)
    assert not empty.w.any()


def test_without_any_regulariser_the_gradient_certifies():
    P = problem("squared", l2=0.0)
    s = cdlab.solve(P, "rcd", strong_convexity="compute", tol=1e-10)
    assert s.status == "tolerance reached"
    np.testing.assert_allclose(s.w, np.linalg.lstsq(P.X, P.y, rcond=None)[0], atol=1e-4)
