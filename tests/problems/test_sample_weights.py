"""Sample weights: a whole weight is that many equal rows, with weight 0 none; only ratios matter."""

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st
from problems import LOSSES, data

import cdlab
from cdlab.losses import weighted
from cdlab.losses.per_example import gradients, mean_conjugate, mean_loss

X, y = data()
n, d = X.shape
TIMES = np.random.default_rng(3).integers(0, 4, n)  # some of them 0


def classes(loss):
    return np.arange(n) % 3 if loss == "softmax" else y


def both(loss, times=TIMES, l2=0.1, l1=0.0, **options):
    """The problem with weights, and the one with repeated rows."""
    rows = np.repeat(np.arange(n), times)
    labels = classes(loss)
    W = cdlab.Problem(X, labels, loss, l2, l1, sample_weight=times, **options)
    return W, cdlab.Problem(X[rows], labels[rows], loss, l2, l1), rows


def point(P, seed=0):
    return np.random.default_rng(seed).standard_normal(P.zeros(P.d).shape)


@each_of("loss", cdlab.losses.LOSSES)
def test_whole_weights_are_repeated_rows(loss):
    W, P, rows = both(loss)
    w = point(W)
    alpha = W.alpha(w)
    assert W.primal(w) == pytest.approx(P.primal(w), rel=1e-12)
    assert W.gradient(w) == pytest.approx(P.gradient(w), rel=1e-10, abs=1e-13)
    assert (alpha[TIMES == 0] == 0).all()
    assert W.dual(alpha) == pytest.approx(P.dual(P.alpha(w)), rel=1e-11)
    assert P.alpha(w) == pytest.approx(alpha[rows] / W.sample_weight.reshape(-1, *[1] * (w.ndim - 1))[rows])


@given(st.lists(st.integers(0, 1000), min_size=n, max_size=n).filter(any), st.integers(-30, 30))
def test_only_ratios_matter(times, power):
    P = cdlab.Problem(X, y, sample_weight=times)
    Q = cdlab.Problem(X, y, sample_weight=np.array(times) * 2.0**power)
    assert P.digest == Q.digest
    s = np.array(times, float)
    losses = np.logaddexp(0, -y * (X @ np.ones(d)))
    assert P.primal(np.ones(d)) == pytest.approx(s @ losses / s.sum() + 1e-3 * d / 2, rel=1e-12)


def test_equal_weights_are_none():
    P, Q = cdlab.Problem(X, y), cdlab.Problem(X, y, sample_weight=np.full(n, 7))
    assert Q.sample_weight is None
    assert (Q.digest, repr(Q)) == (P.digest, repr(P))


def test_weights_are_part_of_the_digest_and_of_what_is_printed():
    P = cdlab.Problem(X, y, sample_weight=np.arange(n))
    assert P.digest != cdlab.Problem(X, y).digest
    assert "loss=Logistic(tol=1e-08)" in repr(P)
    assert "sample weights 0 to 2" in repr(P)
    assert P.loss.name == "logistic"
    assert (P.y == y).all()


FACTORS = st.floats(1e-3, 1e3)


@pytest.mark.parametrize("loss", LOSSES)
@given(u=st.floats(-5, 5), b=st.floats(0, 1), q=st.floats(1e-3, 10), s=FACTORS, sign=st.sampled_from([-1.0, 1.0]))
def test_formulas_are_those_of_s_phi(loss, u, b, q, s, sign):
    """The step is beta = s phi'(u - q (beta - y0)) where phi is smooth; the conjugate attains Fenchel's bound there."""
    phi = cdlab.losses.resolve(loss)
    S, (label,) = weighted(phi, np.array([sign]), np.array([s]))
    slope = S.grad_phi(u, label)
    assert slope == s * phi.grad_phi(u, sign)
    assert S.phi(u, label) + S.phi_conj(-slope, label) == pytest.approx(u * slope, rel=1e-9, abs=1e-9 * s)
    y0 = -sign * b * s
    beta = S.dualprox(u, y0, q, label)
    assert np.isfinite(S.phi_conj(-beta, label))
    if cdlab.losses.has_hessian(phi):
        assert S.hess_phi(u, label) == s * phi.hess_phi(u, sign)
    if phi.gamma > 0:
        assert beta == pytest.approx(S.grad_phi(u - q * (beta - y0), label), rel=1e-6, abs=1e-6 * s)


def test_facts_are_those_of_the_heaviest_example():
    P = cdlab.Problem(X, y, "smooth_hinge", sample_weight=TIMES)
    heaviest = TIMES.max() / TIMES.mean()
    assert 1 / heaviest == pytest.approx(P.loss.gamma)
    assert P.loss.lipschitz == pytest.approx(heaviest)
    assert P.constants()["gamma"] == P.loss.gamma


@pytest.mark.parametrize("side", ["dual", "primal"])
def test_coordinates_know_the_smoothness_along_each_of_them(side):
    """n times the second derivative of the squared loss's mean, plus l2 n: what importance sampling is made of."""
    W, P, rows = both("squared")
    s = W.sample_weight
    curvature = s * (X**2).sum(axis=1) if side == "dual" else s @ X**2
    c = W.coordinates(side)
    assert c.smoothness == pytest.approx(curvature + 0.1 * n)
    p = cdlab.samplings.resolve("importance").probabilities(c)
    assert p == pytest.approx(c.smoothness / c.smoothness.sum())
    if side == "primal":
        assert c.smoothness / n == pytest.approx(P.coordinates(side).smoothness / P.n)


@each_of("loss", ["squared", "logistic", "softmax"])
def test_a_test_set_has_no_weights(loss):
    W, _, _ = both(loss)
    w, test = point(W), W.test_data(X, classes(loss))
    plain = cdlab.Problem(X, classes(loss), loss, 0.1)
    assert W.test_scores(w, test) == plain.test_scores(w, test)


def test_sparse_and_dense_are_alike():
    dense, _, _ = both("logistic")
    thin = cdlab.Problem(sp.csr_matrix(X), y, l2=0.1, sample_weight=TIMES)
    w = point(dense)
    assert thin.primal(w) == pytest.approx(dense.primal(w), rel=1e-14)
    assert thin.weighed_norms2("primal") == pytest.approx(dense.weighed_norms2("primal"))


def test_what_is_computed_of_a_vector_loss_leaves_its_arguments_alone():
    """Its formulas divide by the weight in place."""
    W, _, _ = both("softmax")
    alpha = W.alpha(point(W))
    before = alpha.copy()
    W.dual(alpha)
    assert np.array_equal(alpha, before)


def test_the_strong_convexity_is_that_of_the_weighted_loss():
    W, P, _ = both("squared", l2=0.0)
    found = [cdlab.solve(Q, "gd", strong_convexity="compute", tol=1e-6).gap for Q in (W, P)]
    assert found[0] == pytest.approx(found[1], rel=1e-6)
    few = np.where(np.arange(n) < d - 1, 1.0, 0.0)
    with pytest.raises(ValueError, match="more columns than rows with a positive weight"):
        cdlab.solve(cdlab.Problem(X, y, "squared", 0, sample_weight=few), "gd", strong_convexity=1e-3)


def test_a_loss_that_carries_weights_belongs_to_one_problem():
    P = cdlab.Problem(X, y, sample_weight=TIMES)
    with pytest.raises(TypeError, match=r"pass cdlab.losses.unweighted\(P.loss\), sample_weight=P.sample_weight"):
        cdlab.Problem(X, y, P.loss)
    again = cdlab.Problem(X, y, cdlab.losses.unweighted(P.loss), sample_weight=P.sample_weight)
    assert again.digest == P.digest


@each_of(
    "wrong, message",
    [
        (np.ones(n - 1), rf"sample_weight must have shape \({n},\), one weight for each row of X; it has \({n - 1},\)"),
        (np.ones((n, 1)), "sample_weight must have shape"),
        (2.0, "sample_weight must have shape"),
        (np.zeros(n), "all sample weights are zero"),
        (np.where(np.arange(n) == 4, -1, 1), r"finite numbers >= 0; that of example 4 \(of 1 such\) is -1"),
        (np.full(n, np.nan), r"that of example 0 \(of 30 such\) is nan"),
        (np.full(n, "heavy"), "sample_weight must hold real numbers"),
        (np.full(n, 1j), "sample_weight must hold real numbers"),
    ],
)
def test_weights_that_are_none_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        cdlab.Problem(X, y, sample_weight=wrong)


def test_weights_near_the_end_of_float64_do_not_overflow():
    heavy = np.where(TIMES > 0, TIMES, 1) * 5e307
    assert cdlab.Problem(X, y, sample_weight=heavy).sample_weight.mean() == pytest.approx(1)


def test_sums_over_examples_take_weights():
    """The mean of s phi, one by one with numpy."""
    phi = cdlab.losses.resolve("logistic")
    s = TIMES / TIMES.mean()
    S, labels = weighted(phi, y, s)
    z = X @ np.ones(d)
    assert mean_loss(S, z, labels) == pytest.approx((s * np.logaddexp(0, -y * z)).mean(), rel=1e-13)
    slopes = gradients(S, z, labels)
    assert slopes == pytest.approx(s * gradients(phi, z, y), rel=1e-14)
    assert mean_loss(S, z, labels) + mean_conjugate(S, -slopes, labels) == pytest.approx((z * slopes).mean(), rel=1e-12)
