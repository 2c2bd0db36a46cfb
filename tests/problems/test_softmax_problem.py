"""Problems with the softmax loss: points have a column a class, classes are the sorted labels."""

import numpy as np
import pytest
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st
from multiclass import classes, softmax_objective, softmax_problem
from scipy.special import softmax as softmax_of

import cdlab

seeds = st.integers(0, 2**32 - 1)


@each_of("sparse", [False, True], ids=["dense", "csr"])
@each_of("l1", [0.0, 0.05])
def test_primal_and_dual_are_the_definitions(sparse, l1):
    P = softmax_problem(l1=l1, sparse=sparse)
    X, _ = classes()
    W = np.random.default_rng(1).standard_normal((8, 3))
    assert P.primal(W) == pytest.approx(softmax_objective(X, P.y, 0.1, l1, W), rel=1e-14)
    alpha = P.alpha(W)
    v = X.T @ alpha / P.n
    pi = np.eye(3)[P.y.astype(int)] - alpha
    g_conj = (np.maximum(np.abs(v) - l1, 0) ** 2).sum() / 0.2
    assert P.dual(alpha) == pytest.approx(-(pi * np.log(pi)).sum() / P.n - g_conj, rel=1e-13)
    np.testing.assert_allclose(pi, softmax_of(X @ W, axis=1), atol=1e-15)
    h = 1e-6 * np.random.default_rng(2).standard_normal((8, 3))
    slope = P.primal(W + h) - P.primal(W - h) - l1 * (np.abs(W + h).sum() - np.abs(W - h).sum())
    assert 2 * np.vdot(P.gradient(W), h) == pytest.approx(slope, abs=1e-12)


@given(seed=seeds, l2=st.sampled_from([0.0, 0.1]))
def test_weak_duality_also_for_pure_l1(seed, l2):
    rng = np.random.default_rng(seed)
    P = softmax_problem(l2=l2, l1=0.05)
    W, U = rng.standard_normal((2, 8, 3))
    assert -np.inf < P.dual(P.alpha(U)) <= P.primal(W) + 1e-12


def test_points_have_one_column_a_class():
    P = softmax_problem()
    assert P.w(P.alpha(np.zeros((8, 3)))).shape == (8, 3)
    assert P.predict(np.ones((8, 3))).shape == (30, 3)
    assert P.zeros(P.n).shape == (30, 3)
    with pytest.raises(ValueError, match=r"w must have shape \(8, 3\); it has \(8,\)"):
        P.primal(np.zeros(8))


def test_constants():
    P, X = softmax_problem(), classes()[0]
    c, R = P.constants(), np.linalg.norm(X, axis=1).max()
    assert (c["gamma"], c["L"], c["outputs"]) == (2.0, np.sqrt(2), 3)
    assert c["kappa"] == pytest.approx(R**2 / (0.1 * 2))
    assert c["P0"] == pytest.approx(np.log(3))
    assert c["gap0"] == pytest.approx(np.log(3))


def test_faceoff_reads_the_matrix_and_beta_one_half():
    P = softmax_problem()
    f, X = cdlab.faceoff(P), P.X
    assert (f.C_P, f.C_D) == (cdlab.faceoff(X).C_P, cdlab.faceoff(X).C_D)
    assert pytest.approx(f.nnz + 0.5 / (0.1 * P.n) * f.C_D) == f.T_D
    assert (f.T_P, f.ratio) == (None, None)  # no theorem here covers a primal method with several predictions
    assert "rcd does not handle softmax" in f.reason
    with pytest.raises(ValueError, match="pass a number"):
        cdlab.faceoff(P, derivative_cost="measured")


def test_classes_are_the_sorted_labels():
    P = cdlab.Problem(np.eye(4), [7, -2, 7, 3], loss="softmax")
    np.testing.assert_array_equal(P.classes, [-2, 3, 7])
    np.testing.assert_array_equal(P.y, [2, 0, 2, 1])
    assert cdlab.Problem(np.eye(2), [1, -1], loss="squared").classes is None


@each_of(
    "y, sentence",
    [
        ([0.5, 1, 2], "encode the classes as whole numbers"),
        ([4, 4, 4], "at least two classes"),
        ([0, 1, np.nan], "y contains NaN"),
    ],
)
def test_labels_that_are_no_classes_are_refused(y, sentence):
    with pytest.raises(ValueError, match=sentence):
        cdlab.Problem(np.eye(3), y, loss="softmax")


def test_test_error_is_the_share_of_wrong_classes():
    P, (X, y) = softmax_problem(), classes()
    W = np.random.default_rng(0).standard_normal((8, 3))
    expected = np.mean(P.classes[(X @ W).argmax(axis=1)] != y)
    assert 0 < expected < 1
    assert P.test_error(W, P.test_data(X, y)) == expected
    assert P.test_error(np.zeros((8, 3)), P.test_data(X, y)) == 1  # a tie is wrong, as a prediction of 0 is
    with pytest.raises(ValueError, match=r"label 2 is not among the training labels \[1, 4, 7\]"):
        P.test_data(X, np.full(30, 2))


def test_the_digest_identifies_the_data():
    X, y = classes()
    assert softmax_problem().digest == cdlab.Problem(X.copy(), y * 2, loss="softmax").digest
    assert softmax_problem().digest != cdlab.Problem(X, np.roll(y, 1), loss="softmax").digest
