"""The objective, its dual, the maps between them, and the label rules."""

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st
from problems import LOSSES, NON_SMOOTH, SMOOTH, data, objective, problem

import cdlab

every_loss = pytest.mark.parametrize("loss", LOSSES)
both_forms = pytest.mark.parametrize("sparse", [False, True], ids=["dense", "csr"])
points = st.lists(st.floats(-5, 5), min_size=8, max_size=8)


@every_loss
@both_forms
@pytest.mark.parametrize("l1", [0.0, 0.05])
def test_primal_is_the_definition(loss, sparse, l1):
    P, (X, y) = problem(loss, l1=l1, sparse=sparse), data()
    w = np.random.default_rng(1).standard_normal(8)
    assert P.primal(w) == pytest.approx(objective(loss, X, y, 0.1, l1, w), rel=1e-14)


@every_loss
@given(w=points, u=points)
def test_weak_duality(loss, w, u):
    """P(w) >= D(alpha) for every w and every feasible alpha."""
    P = problem(loss, l1=0.05)
    assert P.primal(np.array(w)) >= P.dual(P.alpha(np.array(u))) - 1e-12


@each_of("loss", SMOOTH)
def test_at_the_optimum_the_maps_are_inverse_and_the_gap_is_zero(loss):
    P = problem(loss, l1=0.02)
    s = cdlab.solve(P, "sdca", tol=0, max_passes=300)
    np.testing.assert_allclose(P.w(P.alpha(s.w)), s.w, atol=1e-6)
    assert P.gap(s.w, P.alpha(s.w)) < 1e-12


@every_loss
def test_dual_is_the_definition(loss):
    P = problem(loss, l1=0.05)
    alpha = P.alpha(np.random.default_rng(2).standard_normal(8))
    v = P.X.T @ alpha / P.n
    g_conj = (np.maximum(np.abs(v) - 0.05, 0) ** 2).sum() / 0.2
    conj = np.mean([P.loss.phi_conj(a, label) for a, label in zip(alpha, P.y, strict=True)])
    assert P.dual(alpha) == pytest.approx(-conj - g_conj, rel=1e-13)


def test_outside_the_domain_the_dual_is_minus_infinity():
    assert problem("hinge").dual(np.full(30, 2.0)) == -np.inf


@each_of("loss", LOSSES)
def test_pure_l1_has_a_certificate(loss):
    """l2 = 0 < l1: the scaled alpha is feasible, so the value is a lower bound of P* for every alpha."""
    P = problem(loss, l2=0.0, l1=0.05)
    best = min(P.primal(w) for w in np.random.default_rng(0).standard_normal((50, 8)))
    for u in np.random.default_rng(1).standard_normal((20, 8)):
        assert -np.inf < P.dual(P.alpha(u)) <= best


def test_without_any_regulariser_the_dual_is_finite_only_at_v_0():
    P = problem(l2=0.0)
    assert P.dual(P.alpha(np.ones(8))) == -np.inf
    assert P.dual(np.zeros(30)) == 0
    with pytest.raises(ValueError, match="needs l2 > 0"):
        P.w(np.zeros(30))


@both_forms
def test_constants(sparse):
    P, (X, _) = problem(sparse=sparse), data()
    c = P.constants()
    norms = np.linalg.norm(X, axis=1)
    assert (c["n"], c["d"], c["nnz"]) == (30, 8, np.count_nonzero(X))
    assert c["R"] == pytest.approx(norms.max())
    assert c["Rbar"] == pytest.approx(norms.mean())
    assert c["F"] == pytest.approx((X**2).sum())
    assert c["kappa"] == pytest.approx(norms.max() ** 2 / (0.1 * 4))
    assert c["C_D"] == pytest.approx(((X != 0).sum(1) * (X**2).sum(1)).sum())
    assert c["C_P"] == pytest.approx(((X != 0).sum(0) * (X**2).sum(0)).sum())
    assert c["P0"] == pytest.approx(np.log(2))
    assert problem(loss="hinge").kappa == np.inf


@each_of(
    "given_, expected",
    [
        ([1, 2, 1], [-1, 1, -1]),
        ([0, 1, 0], [-1, 1, -1]),
        ([-3.5, 7, 7], [-1, 1, 1]),
        ([1, 1, 1], [1, 1, 1]),
        ([-1, -1, -1], [-1, -1, -1]),
        ([0, 0, 0], [-1, -1, -1]),
        ([True, False, True], [1, -1, 1]),
    ],
)
def test_label_rules(given_, expected):
    np.testing.assert_array_equal(cdlab.Problem(np.eye(3), given_, loss="hinge", l2=0.1).y, expected)


@each_of("loss", [name for name, make in cdlab.losses.LOSSES.items() if make().classification])
@each_of("kind", [list, np.array, lambda y: np.array(y, dtype=object)], ids=["list", "str", "object"])
def test_words_are_labels_in_the_order_they_sort_in(loss, kind):
    """As if each word were its place in the dictionary; the map, the classes and the name of the problem show them."""
    words, X = ["spam", "ham", "spam", "ham"], np.eye(4)
    P, Q = cdlab.Problem(X, kind(words), loss=loss), cdlab.Problem(X, [1, 0, 1, 0], loss=loss)
    np.testing.assert_array_equal(P.y, Q.y)
    assert list(P.classes) == list(P.label_map) == ["ham", "spam"]
    assert list(P.label_map.values()) == list(Q.label_map.values())
    assert "classes ['ham', 'spam']" in repr(P)
    np.testing.assert_array_equal(P.test_data(X[:2], ["ham", "spam"])[1], Q.test_data(X[:2], [0, 1])[1])
    with pytest.raises(ValueError, match=r"label 'eggs' is not among the training labels \['ham', 'spam'\]"):
        P.test_data(X[:1], ["eggs"])
    with pytest.raises(ValueError, match=r"label 1 is not among the training labels \['ham', 'spam'\]"):
        P.test_data(X[:1], [1])
    with pytest.raises(ValueError, match=r"label 'ham' is not among the training labels \[0, 1\]"):
        Q.test_data(X[:1], ["ham"])


@each_of("loss", ["squared", "absolute", "huber"])
def test_regression_labels_are_never_mapped(loss):
    np.testing.assert_array_equal(cdlab.Problem(np.eye(3), [1, 2, 2], loss=loss).y, [1, 2, 2])


@each_of(
    "change, sentence",
    [
        ({"y": [0, 1, 2]}, "softmax"),
        ({"y": [5, 5, 5]}, "single class"),
        ({"y": [1, -1]}, "3 rows and y has 2 labels"),
        ({"y": [[1], [-1], [1]]}, "one-dimensional"),
        ({"y": ["a", "b", None]}, "label 2 is None"),
        ({"y": ["a", "b", "a"], "loss": "squared"}, "'a', and the squared loss needs numbers"),
        ({"y": ["a", "b", "c"]}, "3 distinct labels"),
        ({"y": ["a", "a", "a"]}, "all labels are 'a'"),
        ({"y": np.ma.array([1, -1, 1], mask=[0, 1, 0])}, "y has 1 masked entries"),
        ({"y": np.array([1, np.longdouble("1e400"), -1])}, "y holds numbers beyond float64"),
        ({"X": [[1], [1, 2], [3]]}, "its rows differ in length"),
        ({"X": np.ma.array(np.eye(3), mask=np.eye(3))}, "X has 3 masked entries"),
        ({"X": np.eye(3) * np.longdouble("1e400")}, "X holds numbers beyond float64"),
        ({"X": np.eye(3) * 1j}, "X must hold real numbers; its dtype is complex128"),
        ({"l2": 10**400}, "l2 must be a finite number >= 0"),
        ({"y": [1, np.nan, -1]}, "y contains NaN"),
        ({"l2": -1.0}, "l2 must be a finite number >= 0"),
        ({"l1": np.nan}, "l1 must be a finite number >= 0"),
        ({"loss": "hinges"}, "did you mean 'hinge'"),
        ({"X": np.zeros((0, 3)), "y": []}, "at least one example"),
    ],
)
def test_bad_problems_are_refused_in_one_sentence(change, sentence):
    arguments = {"X": np.eye(3), "y": [1, -1, 1], "loss": "logistic", "l2": 0.1} | change
    with pytest.raises(ValueError, match=sentence) as error:
        cdlab.Problem(**arguments)
    assert "\n" not in str(error.value)


def test_rows_whose_norms_overflow_are_refused_with_what_to_divide_them_by():
    with pytest.raises(ValueError, match="divide that column"):
        cdlab.Problem(np.full((3, 2), 1e200), [1, -1, 1])


def test_weights_must_be_numbers():
    with pytest.raises(TypeError, match="l2 must be a number"):
        cdlab.Problem(np.eye(2), [1, -1], l2="1/n")


@each_of(
    "asked, sentence",
    [
        (lambda P: P.primal(np.zeros(7)), r"w must have shape \(8,\); it has \(7,\)"),
        (lambda P: P.primal(np.zeros(8), z=np.zeros(8)), r"z must have shape \(30,\)"),
        (lambda P: P.dual(np.zeros(30), v=np.zeros(30)), r"v must have shape \(8,\)"),
        (lambda P: P.alpha(np.zeros(8), z=np.zeros(1)), r"z must have shape \(30,\)"),
        (lambda P: P.gradient(np.zeros(9)), r"w must have shape \(8,\)"),
        (lambda P: P.primal(np.zeros(8) + 1j), "w must hold real numbers"),
        (lambda P: P.dual(np.zeros(30) + 1j), "alpha must hold real numbers"),
        (lambda P: P.w(["a"] * 30), "alpha must hold real numbers"),
        (lambda P: P.primal(np.ma.array(np.zeros(8), mask=np.arange(8) < 2)), "w has 2 masked entries"),
    ],
)
def test_points_that_do_not_belong_to_the_problem_are_refused(asked, sentence):
    with pytest.raises(ValueError, match=sentence):
        asked(problem())


@each_of("loss", SMOOTH + NON_SMOOTH)
def test_test_error(loss):
    P, (X, y) = problem(loss), data()
    w = np.ones(8)
    expected = np.mean(np.sign(X @ w) != y) if P.loss.classification else objective(loss, X, y, 0, 0, w)
    assert P.test_error(w, P.test_data(X, y)) == pytest.approx(expected)


def test_test_data_must_fit():
    P = problem()
    with pytest.raises(ValueError, match="n_features=8"):
        P.test_data(np.ones((2, 7)), [1, -1])
    with pytest.raises(ValueError, match="label 3 is not among"):
        P.test_data(np.ones((2, 8)), [1, 3])


def test_the_digest_identifies_the_data():
    X, y = data()
    assert cdlab.Problem(X, y).digest == cdlab.Problem(X.copy(), y * 3, l2=7).digest  # same labels after the rules
    assert cdlab.Problem(X, y).digest != cdlab.Problem(X * 2, y).digest
    assert cdlab.Problem(sp.csr_matrix(X), y).digest == cdlab.Problem(sp.coo_matrix(X), y).digest


@each_of("loss", ["logistic", "squared", "hinge"])
def test_what_is_not_finite_certifies_nothing(loss):
    P = cdlab.Problem(np.ones((3, 2)), [1, -1, 1], loss=loss, l2=0.1)
    assert P.gap(np.full(2, np.nan), np.zeros(3)) == np.inf
    assert not P.gap(np.array([np.inf, 0.0]), np.zeros(3)) < np.inf
    assert not P.gap(np.zeros(2), np.full(3, np.nan)) < np.inf


def test_a_full_matrix_stored_sparse_is_solved_as_the_array_that_it_is():
    X, y = cdlab.datasets.make(n=30, d=50, seed=4)
    for method in ("auto", "sdca", "rcd"):
        dense, stored = (cdlab.solve(cdlab.Problem(form(X), y, l2=1e-2), method) for form in (np.array, sp.csr_matrix))
        np.testing.assert_array_equal(stored.w, dense.w)
    few = X * (np.arange(X.size).reshape(X.shape) % 2)
    assert cdlab.Problem(sp.csr_matrix(few), y).full_X is None  # an array would be larger
