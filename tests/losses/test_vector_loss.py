"""The softmax loss: its definition, its conjugate, its dual step against independent optimisers."""

import numpy as np
import pytest
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import logsumexp, wrightomega
from scipy.special import softmax as softmax_of

from cdlab import losses
from cdlab.losses import softmax
from cdlab.losses.base import ROUNDING
from cdlab.losses.softmax import wright_omega

LOSS = losses.resolve("softmax")
predictions = st.lists(st.floats(-50, 50), min_size=2, max_size=5).map(np.array)
seeds = st.integers(0, 2**32 - 1)


def gradient(u, y):
    out = np.empty(u.size)
    LOSS.grad_phi_into(u, y, out)
    return out


def dualprox(u, y0, q, y):
    out = np.empty(u.size)
    LOSS.dualprox_into(u, y0, q, y, out)
    return out


def drawn(seed, K=None, sharp=1.0):
    """A prediction, a class and a feasible y0 = pi0 - e_y."""
    rng = np.random.default_rng(seed)
    K = K or int(rng.integers(2, 6))
    u, y, pi = 3 * rng.standard_normal(K), int(rng.integers(K)), softmax_of(3 * sharp * rng.standard_normal(K))
    if rng.random() < 0.3:
        pi = np.eye(K)[rng.integers(K)]
    y0 = pi.copy()
    y0[y] = 0
    y0[y] = -y0.sum()
    return u, y0, float(y)


# ---------------------------------------------------------------- the formulas
@given(u=predictions)
def test_phi_is_the_definition(u):
    for y in range(u.size):
        assert LOSS.phi(u, float(y)) == pytest.approx(logsumexp(u) - u[y], rel=1e-14, abs=1e-13)


def test_phi_keeps_its_digits_where_it_is_small_and_its_size_where_it_is_large():
    assert LOSS.phi(np.array([0.0, 50.0]), 1.0) == pytest.approx(np.exp(-50.0), rel=1e-14)
    assert LOSS.phi(np.array([1e300, -1e300]), 1.0) == 2e300


@given(u=predictions, seed=seeds)
def test_fenchel_young(u, seed):
    """phi(u) + phi*(-a) >= -a'u, with equality at a = -phi'(u)."""
    _, y0, y = drawn(seed, K=u.size)
    assert LOSS.phi(u, y) + LOSS.phi_conj(-y0, y) >= y0 @ u - 1e-9
    a = -gradient(u, y)
    assert LOSS.phi(u, y) + LOSS.phi_conj(a, y) == pytest.approx(-a @ u, abs=1e-9)


@given(seed=seeds)
def test_the_gradient_is_the_slope(seed):
    u, _, y = drawn(seed)
    h = 1e-6 * np.eye(u.size)
    slopes = [(LOSS.phi(u + e, y) - LOSS.phi(u - e, y)) / 2e-6 for e in h]
    np.testing.assert_allclose(gradient(u, y), slopes, atol=1e-8)
    assert gradient(u, y).sum() == pytest.approx(0, abs=1e-15)


@given(u=predictions, seed=seeds)
def test_gamma_and_the_lipschitz_constant(u, seed):
    t = np.random.default_rng(seed).uniform(-50, 50, u.size)
    size = np.linalg.norm(u - t)
    assert np.linalg.norm(gradient(u, 0.0) - gradient(t, 0.0)) <= size / LOSS.gamma + 1e-12
    assert abs(LOSS.phi(u, 0.0) - LOSS.phi(t, 0.0)) <= LOSS.lipschitz * size + 1e-9


def test_gamma_2_and_the_square_root_of_2_are_tight():
    """Two classes of probability 1/2 have the largest curvature, 1/2; a lost example the steepest slope."""
    u = np.array([0.0, 0.0, -60.0])
    step = 1e-5 * np.array([1.0, -1.0, 0.0])
    slope = np.linalg.norm(gradient(u + step, 0.0) - gradient(u - step, 0.0)) / np.linalg.norm(2 * step)
    assert slope == pytest.approx(1 / LOSS.gamma, rel=1e-9)
    assert np.linalg.norm(gradient(np.array([-100.0, 0.0]), 0.0)) == pytest.approx(LOSS.lipschitz, rel=1e-15)


def test_outside_the_simplex_the_conjugate_is_infinite():
    for a in ([0.2, 0.1, -0.3], [1.2, -0.6, -0.6], [0.2, -0.1, 0.0]):  # pi_1 < 0, pi_0 < 0, sum != 0
        assert LOSS.phi_conj(np.array(a), 0.0) == np.inf
    assert LOSS.phi_conj(np.zeros(3), 0.0) == 0


def test_the_simplex_is_widened_by_rounding_and_by_no_more():
    """Each component may be below 0 by it, and the sum differ from 1 by as much for each class."""
    for outside in (np.array([0.0, 1.0, -1.0]), np.array([0.0, 0.0, -3.0])):
        assert LOSS.phi_conj(outside * ROUNDING / 2, 0.0) == pytest.approx(0, abs=1e-10)
        assert LOSS.phi_conj(outside * ROUNDING * 10, 0.0) == np.inf


# ---------------------------------------------------------------- the dual step
@given(x=st.floats(-700, 1e300))
def test_wright_omega_is_scipys(x):
    assert wright_omega(x) == pytest.approx(float(wrightomega(x).real), rel=1e-13)


def test_wright_omega_underflows_to_0():
    assert wright_omega(-1e4) == 0


@given(seed=seeds, log_q=st.floats(-4, 4))
def test_dualprox_maximises(seed, log_q):
    """dualprox = argmax_beta u'beta - phi*(beta) - (q/2)||beta - y0||^2, against BFGS on the logarithms of pi."""
    (u, y0, y), q = drawn(seed), 10.0**log_q
    e = np.eye(u.size)[int(y)]

    def value(pi):
        return u @ (pi - e) - LOSS.phi_conj(e - pi, y) - q / 2 * ((pi - e - y0) ** 2).sum()

    beta = dualprox(u, y0, q, y)
    start = np.log(np.maximum(y0 + e, 1e-3))
    found = minimize(lambda t: -value(softmax_of(t)), start, method="BFGS", options={"gtol": 1e-8})
    assert value(beta + e) >= -found.fun - 1e-9 * (1 + abs(found.fun))


@given(seed=seeds, log_q=st.floats(-20, 12))
def test_dualprox_is_a_damped_gradient(seed, log_q):
    """beta = phi'(u - q (beta - y0)), however large q is; and beta stays in the domain of phi*, exactly."""
    (u, y0, y), q = drawn(seed, sharp=3.0), 10.0**log_q
    beta = dualprox(u, y0, q, y)
    np.testing.assert_allclose(gradient(u - q * (beta - y0), y), beta, atol=1e-9 + 1e-15 * q)
    assert np.isfinite(LOSS.phi_conj(-beta, y))
    assert beta.sum() == pytest.approx(0, abs=1e-15)


@given(seed=seeds, log_q=st.floats(-16, 12))
def test_dualprox_takes_few_steps(seed, log_q):
    """At most seven, with one value of omega for each class."""
    u, y0, y = drawn(seed, sharp=3.0)
    with pytest.MonkeyPatch.context() as patch:
        calls = []
        patch.setattr(softmax, "wright_omega", lambda x: calls.append(x) or wright_omega(x))
        dualprox(u, y0, 10.0**log_q, y)
    assert len(calls) <= 7 * u.size


@given(u=st.floats(-30, 30), a0=st.floats(0, 1), log_q=st.floats(-15, 13), y=st.sampled_from([0, 1]))
def test_two_classes_are_the_logistic_loss_of_the_difference_with_q_doubled(u, a0, log_q, y):
    sign, q = 2.0 * y - 1, 10.0**log_q
    beta = dualprox(np.array([-u / 2, u / 2]), np.array([1.0, -1.0]) * a0 * sign, q, float(y))
    assert beta[1] == pytest.approx(losses.Logistic().dualprox(u, -sign * a0, 2 * q, sign), abs=1e-13)


@each_of("K", [2, 3, 50])
def test_limits_of_q(K):
    """q = 0 (a zero row) gives phi'(u); q -> inf keeps y0, from corners of the simplex too."""
    for seed in range(20):
        u, y0, y = drawn(seed, K=K)
        np.testing.assert_array_equal(dualprox(u, y0, 0.0, y), gradient(u, y))
        np.testing.assert_allclose(dualprox(u, y0, 1e-16, y), gradient(u, y), atol=1e-13)
        for q in (1e10, 1e100, 1e301):
            np.testing.assert_allclose(dualprox(u, y0, q, y), y0, atol=1e-7)


def test_extreme_predictions():
    for u in ([1e5, -1e5, 0.0], [1e150, 0.0, 0.0], [-1e150, -1e150, -1e150]):
        for q in (1e-10, 1.0, 1e10):
            beta = dualprox(np.array(u), np.zeros(3), q, 0.0)
            assert np.isfinite(LOSS.phi_conj(-beta, 0.0))


def test_an_incomplete_vector_loss_is_refused():
    class NoVector:
        vector, _fields = True, ()

    with pytest.raises(TypeError, match="grad_phi_into, dualprox_into"):
        losses.resolve(NoVector())
    assert losses.resolve("softmax").name == "softmax"
    with pytest.raises(ValueError, match="tol of the loss Softmax must be a finite number > 0"):
        losses.resolve(losses.Softmax(tol=0.0))
