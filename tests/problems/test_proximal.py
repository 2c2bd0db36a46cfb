"""The inner problem P(w) + (weight/2)||w - center||^2 is a Problem like any other."""

import numpy as np
import pytest
from cases import each_of
from problems import SMOOTH, data, objective, problem
from scipy.optimize import minimize

import cdlab
from cdlab.problems.proximal import ProximalProblem

CENTER = np.random.default_rng(5).standard_normal(8)


@each_of("l1", [0.0, 0.03])
@each_of("l2", [0.0, 0.1])
@each_of("sparse", [False, True])
def test_primal_and_weak_duality(l1, l2, sparse):
    Q = ProximalProblem(problem(l2=l2, l1=l1, sparse=sparse), 0.7, CENTER)
    rng = np.random.default_rng(0)
    for w, u in zip(rng.standard_normal((20, 8)), rng.standard_normal((20, 8)), strict=True):
        expected = objective("logistic", *data(), l2, l1, w) + 0.35 * ((w - CENTER) ** 2).sum()
        assert Q.primal(w) == pytest.approx(expected, rel=1e-13)
        assert Q.primal(w) >= Q.dual(Q.alpha(u)) - 1e-12


@each_of("loss", SMOOTH)
@each_of("method", ["sdca", "quartz"])
def test_dual_methods_solve_it_as_it_is(loss, method):
    Q = ProximalProblem(problem(loss, l2=0.0), 0.7, CENTER)
    s = cdlab.solve(Q, method, tol=1e-10, max_passes=3000)
    assert s.status == "tolerance reached"
    found = minimize(Q.primal, np.zeros(8), jac=Q.gradient, method="BFGS", options={"gtol": 1e-9})
    assert Q.primal(s.w) <= found.fun + s.gap
    np.testing.assert_allclose(s.w, found.x, atol=1e-4)


def test_a_warm_start_is_where_the_run_begins():
    from cdlab.methods import RCD, SDCA, Points

    P = problem()
    first = cdlab.solve(P, "sdca", tol=1e-3)
    for method in (SDCA(), RCD()):
        p = np.full(P.n if method.side == "dual" else P.d, 0.1)
        points = method.points(P, method.init(P, p, Points(first.w, first.alpha)))
        np.testing.assert_allclose(points.w, first.w, atol=1e-12)


def test_the_weight_must_be_positive():
    with pytest.raises(ValueError, match="proximal weight"):
        ProximalProblem(problem(), 0.0, CENTER)
