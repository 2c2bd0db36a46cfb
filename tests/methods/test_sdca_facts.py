"""What SDCA's authors say about it, and what of that is so: stop on the gap, shuffle; misprints of their slides."""

import numpy as np
import pytest
from problems import data, problem
from scipy.special import expit

import cdlab


# ---------------------------------------------------------------- a good dual point can be a bad primal one
def separable(margin, eps):
    """Data with margins y_i x_i'w0 >= margin, and l2 = 2 eps/||w0||^2."""
    X, _ = data()
    w0 = np.random.default_rng(0).standard_normal(X.shape[1])
    z = X @ w0
    X, y = X[np.abs(z) > 0.1], np.sign(z[np.abs(z) > 0.1])
    w0 *= margin / (y * (X @ w0)).min()
    return cdlab.Problem(X, y, loss="hinge", l2=2 * eps / (w0 @ w0)), w0


@pytest.mark.parametrize("eps", [1e-1, 1e-3])
def test_alpha_0_is_dual_optimal_to_eps_and_its_w_is_useless(eps):
    """D* - D(0) = P* <= P(w0) = eps, but P(w(0)) - P* = 1 - P* >= 1 - eps: always stop on the duality gap."""
    P, w0 = separable(1.0, eps)
    assert P.primal(w0) == pytest.approx(eps)
    best = cdlab.solve(P, "sdca", sampling="permutation", tol=1e-6, max_passes=10_000).trace.records[-1]
    alpha = np.zeros(P.n)
    assert P.dual(alpha) == 0
    assert best.primal <= eps + best.gap
    assert P.primal(P.w(alpha)) - best.primal >= 1 - eps - best.gap
    assert P.gap(P.w(alpha), alpha) == pytest.approx(1, rel=1e-14)


def test_separable_is_not_enough_for_that_the_margin_must_be_1():
    """The slides say separable only: with margins of 1/2 the mean loss of w0 is not 0."""
    P, w0 = separable(0.5, 1e-3)
    assert P.primal(w0) > 10 * 1e-3


# ---------------------------------------------------------------- orders
def epochs_to(P, sampling, gap=1e-6, seed=0):
    for epochs, record in enumerate(cdlab.iterate(P, "sdca", sampling=sampling, seed=seed)):
        if record.gap <= gap:
            return epochs


def sun_ye(n=24, c=0.95, seed=0):
    """Rows with inner products (1 - c) I + c 11': every fixed order is the cyclic one with its labels permuted."""
    X = np.linalg.cholesky((1 - c) * np.eye(n) + c)
    return cdlab.Problem(X, np.random.default_rng(seed).standard_normal(n), loss="squared", l2=0.05 / n)


@pytest.mark.parametrize("seed", range(3))
def test_one_order_for_ever_can_be_many_times_slower_than_a_new_one_each_epoch(seed):
    """Sun & Ye's matrix: randomising once does not help, randomising every epoch does."""
    P = sun_ye(seed=seed)
    permutation, uniform = (epochs_to(P, s, seed=seed) for s in ("permutation", "uniform"))
    for fixed in ("cyclic", "fixed_permutation"):
        assert epochs_to(P, fixed, seed=seed) > 5 * max(permutation, uniform)


@pytest.mark.parametrize("seed", range(3))
def test_it_need_not_be_on_random_data_no_order_is_much_slower(seed):
    """ "Randomisation is crucial" depends on the data."""
    rng = np.random.default_rng(seed)
    P = cdlab.Problem(rng.standard_normal((50, 20)), rng.standard_normal(50), loss="squared", l2=0.02)
    uniform = epochs_to(P, "uniform", seed=seed)
    for sampling in ("cyclic", "fixed_permutation", "permutation"):
        assert epochs_to(P, sampling, seed=seed) < 1.5 * uniform


# ---------------------------------------------------------------- misprints
def test_the_svm_dual_contains_the_labels_once():
    """y_i alpha_i in [0, 1] and the quadratic is ||sum alpha_i x_i||^2; the slides' sum alpha_i y_i x_i has y twice."""
    P = problem("hinge")
    s = cdlab.solve(P, "sdca", sampling="permutation", tol=1e-9, max_passes=20_000)

    def dual(direction):
        v = P.X.T @ direction / P.n
        return (P.y * s.alpha).mean() - v @ v / (2 * P.l2)

    assert dual(s.alpha) == pytest.approx(P.primal(s.w), rel=1e-6)
    assert abs(dual(s.alpha * P.y) - P.primal(s.w)) > 0.05 * P.primal(s.w)


def test_the_logistic_conjugate_is_a_ln_a_plus_its_mirror_image():
    """phi*(-alpha) = a ln a + (1 - a) ln(1 - a), a = y alpha in [0, 1]; the slides print its negative."""
    P = problem("logistic")
    a = expit(-P.y * (P.X @ np.ones(P.d)))  # of the w = 1 that alpha belongs to
    np.testing.assert_allclose(P.alpha(np.ones(P.d)), P.y * a, rtol=1e-14)
    conjugate = (a * np.log(a) + (1 - a) * np.log(1 - a)).mean()
    quadratic = ((P.X.T @ (P.y * a) / P.n) ** 2).sum() / (2 * P.l2)
    assert P.dual(P.y * a) == pytest.approx(-conjugate - quadratic)
    s = cdlab.solve(P, "sdca", tol=1e-12)
    b = P.y * s.alpha
    entropy = -(b * np.log(b) + (1 - b) * np.log(1 - b)).mean()
    rest = P.l2 / 2 * s.w @ s.w
    assert entropy - rest == pytest.approx(P.primal(s.w), rel=1e-10)  # strong duality
    assert -entropy - rest < 0 < P.primal(s.w)  # as printed the gap never closes


def test_the_conjugate_is_taken_at_minus_alpha():
    """The slides' algorithm has phi*(alpha + step): infinite wherever a step can lead."""
    P = problem("logistic")
    assert np.isfinite(P.dual(0.5 * P.y))
    assert P.dual(-0.5 * P.y) == -np.inf


def test_the_slides_truncation_is_the_soft_threshold_divided_by_l2():
    """Their regulariser is l2 g, g = ||w||^2/2 + (l1/l2)||w||_1: trunc(v/l2, l1/l2) = soft(v, l1)/l2."""
    P = problem(l2=0.1, l1=0.02)
    alpha = P.alpha(np.ones(P.d))
    v = P.X.T @ alpha / P.n / 0.1
    trunc = np.sign(v) * np.maximum(np.abs(v) - 0.02 / 0.1, 0)
    np.testing.assert_allclose(P.w(alpha), trunc, atol=1e-15)
