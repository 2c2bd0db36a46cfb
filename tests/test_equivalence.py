"""Methods that must coincide in special cases do, coordinate by coordinate."""

import numpy as np
import pytest
from forms import FOUR, forms
from problems import problem

import cdlab
from cdlab import methods, samplings


def after(P, method, order, sampling="uniform"):
    """(w, alpha) after one epoch of a method on a given order."""
    method = methods.resolve(*method) if isinstance(method, tuple) else methods.resolve(method)
    p = samplings.resolve(sampling).probabilities(P.coordinates(method.side))
    S = method.epoch(method.view(P), method.init(P, p), np.asarray(order, dtype=np.uint64))
    points = method.points(P, S)
    return points.w, points.alpha


def test_exact_and_local_steps_coincide_for_the_squared_loss():
    """Its dual is quadratic: the maximiser along e_i is the damped step of length l2 n/(beta v_i + l2 n)."""
    P, order = problem("squared", l1=0.0), [3, 1, 4, 1, 5, 9, 2, 6]
    exact, local = after(P, "sdca", order), after(P, methods.Quartz(step="local"), order)
    np.testing.assert_allclose(exact[1], local[1], atol=1e-14)


def test_fixed_and_local_steps_coincide_under_importance_sampling():
    P, order = problem(), [3, 1, 4, 1, 5, 9, 2, 6]
    fixed = after(P, methods.Quartz(step="fixed"), order, sampling="importance")
    local = after(P, methods.Quartz(step="local"), order, sampling="importance")
    np.testing.assert_allclose(fixed[1], local[1], atol=1e-14)


def test_importance_sampling_of_equal_norms_is_uniform():
    X = np.where(np.random.default_rng(0).standard_normal((20, 6)) > 0, 1.0, -1.0)
    P = cdlab.Problem(X, np.r_[np.ones(10), -np.ones(10)], l2=0.1)
    order = np.random.default_rng(1).integers(20, size=40)
    for method in ("sdca", "quartz"):
        for a, b in zip(after(P, method, order, "uniform"), after(P, method, order, "importance"), strict=True):
            np.testing.assert_allclose(a, b, atol=1e-15)
    np.testing.assert_allclose(samplings.resolve("importance").probabilities(P.coordinates("dual")), 1 / 20)


@pytest.mark.parametrize(("loss", "l1", "sparse"), forms(FOUR, 0.05))
def test_the_lazy_average_is_the_dense_one(loss, l1, sparse):
    """Quartz's averaged w, w <- (1 - theta) w + theta grad g*(v) before each update, against the O(d) form."""
    P = problem(loss, l1=l1, sparse=sparse)
    order = np.random.default_rng(0).integers(P.n, size=200)
    X, n = np.asarray(P.X.todense()) if sparse else P.X, P.n
    v_i, l2n = (X**2).sum(1), P.l2 * P.n
    theta = (l2n / (P.beta * v_i + l2n)).min() / n
    w, alpha = np.zeros(P.d), np.zeros(n)
    for i in order:
        w = (1 - theta) * w + theta * P.w(alpha)
        alpha[i] -= theta * n * (P.loss.grad_phi(X[i] @ w, P.y[i]) + alpha[i])
    lazy = after(P, methods.Quartz(averaged_primal=True), order)
    np.testing.assert_allclose(lazy[0], w, atol=1e-11)
    np.testing.assert_allclose(lazy[1], alpha, atol=1e-11)


def test_the_lazy_average_survives_folding():
    """theta = 1/2 halves r 400 times, past the fold."""
    P = cdlab.Problem(np.array([[1.0], [1.0]]), [1.0, -1.0], loss="squared", l2=1e6)
    order = np.tile([0, 1], 200)
    w, alpha = after(P, methods.Quartz(averaged_primal=True), order)
    np.testing.assert_allclose(w, P.w(alpha), atol=1e-15)


def test_quartz_keeps_its_average_when_v_is_refreshed():
    P, method = problem(l1=0.001), methods.Quartz(averaged_primal=True)
    S = method.init(P, np.full(P.n, 1 / P.n))
    S = method.epoch(method.view(P), S, np.arange(P.n, dtype=np.uint64))
    before = method.points(P, S).w
    S.v[:] += 1e-9  # drift
    drifted = method.points(P, S).w
    method.refresh(P, S)
    np.testing.assert_allclose(S.v, P.v(S.alpha), atol=1e-16)
    np.testing.assert_allclose(method.points(P, S).w, drifted, atol=1e-15)
    assert not np.array_equal(before, drifted)


def test_sdca_step_maximises_the_dual_along_its_coordinate():
    from scipy.optimize import minimize_scalar

    for loss in ("logistic", "squared", "hinge", "huber"):
        P = problem(loss)
        alpha = after(P, "sdca", [0, 3, 7])[1]
        moved = after(P, "sdca", [0, 3, 7, 5])[1]
        low, high = {"hinge": (0, 1), "logistic": (0, 1), "huber": (-1, 1), "squared": (-10, 10)}[loss]
        signs = sorted((low * P.y[5], high * P.y[5]))

        def value(a, P=P, alpha=alpha):
            trial = alpha.copy()
            trial[5] = a
            return -P.dual(trial)

        found = minimize_scalar(value, bounds=signs, method="bounded", options={"xatol": 1e-12})
        assert P.dual(moved) >= -found.fun - 1e-12


def test_rcd_step_is_gradient_descent_with_step_one_over_L():
    """A numerical gradient of P as the referee."""
    P = problem()
    w = after(P, "rcd", [2, 5])[0]
    moved = after(P, "rcd", [2, 5, 1])[0]
    h, e = 1e-5, np.eye(8)[1]
    slope = (P.primal(w + h * e) - P.primal(w - h * e)) / (2 * h)
    L = (P.beta * P.column_profile.norms2[1] + P.l2 * P.n) / P.n
    np.testing.assert_allclose(moved, w - slope / L * e, atol=1e-9)
