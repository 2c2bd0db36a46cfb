"""Accelerated Prox-SDCA: where it is SDCA, and where it is faster."""

import numpy as np
import pytest
from problems import problem

import cdlab
from cdlab.methods.accprox_sdca import AccProxSDCA
from cdlab.methods.shared.inner_problem import proximal


def records(P, method, **settings):
    return cdlab.solve(P, method, tol=1e-9, **settings)


@pytest.mark.parametrize("l1", [0.0, 0.02])
def test_without_prox_weight_and_momentum_it_is_sdca(l1):
    P = problem(l2=0.001, l1=l1)
    ours, plain = records(P, AccProxSDCA(prox_weight=0.0, eta=1.0)), records(P, "sdca")
    assert np.array_equal(ours.w, plain.w)
    assert np.array_equal(ours.trace.column("passes"), plain.trace.column("passes"))


@pytest.mark.parametrize("l1", [0.0, 0.02])
def test_it_tends_to_sdca_as_the_prox_weight_vanishes(l1):
    """The same through the whole machinery: centers, warm starts and gap tests."""
    P = problem(l2=0.001, l1=l1)
    method, plain = AccProxSDCA(prox_weight=1e-13, eta=1.0), cdlab.methods.SDCA()
    S, T, rng = method.init(P, "uniform"), plain.init(P, "uniform"), np.random.default_rng(0)
    stages = 0
    for _ in range(40):
        order = rng.integers(P.n, size=P.n).astype(np.uint64)
        stages += S.stage.solved
        S, T = method.epoch(None, S, order), plain.epoch(P.by_rows, T, order)
        np.testing.assert_allclose(method.points(P, S).w, plain.points(P, T).w, atol=1e-9)
        np.testing.assert_allclose(method.points(P, S).alpha, T.alpha, atol=1e-9)
    assert stages > 3


def test_it_is_sdca_where_acceleration_does_not_pay():
    """kappa <= 10 n, by the paper's rule; the same counting, the same iterates."""
    l2 = 1.0000001 * problem().R ** 2 / (4 * 10 * 30)
    for weight, method in ((l2, "sdca"), (0.999 * l2, None)):
        P = problem(l2=weight)
        ours, plain = records(P, AccProxSDCA()), records(P, "sdca")
        assert np.array_equal(ours.w, plain.w) == (method == "sdca")
        assert np.array_equal(ours.trace.column("passes"), plain.trace.column("passes")) == (method == "sdca")


def test_in_its_own_regime_it_needs_fewer_passes():
    """kappa/n of about 3e4; gap tests counted."""
    P = problem("squared", l2=1e-5)
    fast = cdlab.solve(P, AccProxSDCA(), tol=1e-6, max_passes=20_000)
    slow = cdlab.solve(P, "sdca", tol=1e-6, max_passes=20_000)
    assert fast.status == "tolerance reached"
    assert slow.status == "pass limit"


def test_inside_another_loop_the_two_quadratics_merge():
    """On P + (0.01/2)||w - s||^2 it starts at w = y = grad g*(v), with l2 + 0.01 for l2 in its rules."""
    P, s = problem("squared", l2=1e-4), np.linspace(-1, 1, 8)
    Q = proximal(P, 0.01, s)
    method = AccProxSDCA()
    S = method.init(Q, "uniform")
    start = 0.01 * s / (P.l2 + 0.01)
    np.testing.assert_allclose(S.outer.w, start)
    kappa_a = P.R**2 / P.n - Q.l2
    assert S.outer.eta == pytest.approx((Q.l2 / 2 / (Q.l2 / 2 + kappa_a)) ** 0.5)
    assert S.stage.problem.weight == pytest.approx(0.01 + kappa_a)
    np.testing.assert_allclose(S.stage.problem.center, (0.01 * s + kappa_a * start) / (0.01 + kappa_a))
    solution = cdlab.solve(Q, method, tol=1e-10, max_passes=20_000)
    exact = np.linalg.solve(P.X.T @ P.X / P.n + Q.l2 * np.eye(8), P.X.T @ P.y / P.n + 0.01 * s)
    np.testing.assert_allclose(solution.w, exact, atol=1e-5)
