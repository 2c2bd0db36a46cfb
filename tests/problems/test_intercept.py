"""An intercept: predictions are X w + b, b is not penalised, and certificates know that the dual sums to 0."""

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st
from problems import SMOOTH, data, loss_by_definition

import cdlab
from cdlab.problems.intercept import balance

X, y = data()
n, d = X.shape
WEIGHTS = np.random.default_rng(3).exponential(size=n)


def with_intercept(loss="logistic", l2=0.1, l1=0.0, X=X, **options):
    return cdlab.Problem(X, y, loss, l2, l1, intercept=True, **options)


@each_of("loss", SMOOTH)
@each_of("weights", [None, WEIGHTS])
def test_the_objective_leaves_the_last_coordinate_alone(loss, weights):
    P = with_intercept(loss, 0.3, 0.2, sample_weight=weights)
    w, b = np.linspace(-1, 1, d), 0.7
    s = np.ones(n) if weights is None else weights
    mean = s @ loss_by_definition(loss, X @ w + b, y) / s.sum()
    assert P.primal(np.append(w, b)) == pytest.approx(mean + 0.15 * w @ w + 0.2 * np.abs(w).sum(), rel=1e-12)


def test_the_gradient_is_that_of_the_objective():
    P = with_intercept(sample_weight=WEIGHTS)
    at, h = np.linspace(-1, 1, d + 1), 1e-6
    slopes = [(P.primal(at + h * e) - P.primal(at - h * e)) / (2 * h) for e in np.eye(d + 1)]
    assert P.gradient(at) == pytest.approx(slopes, abs=1e-8)


numbers = st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=20).map(np.array)


@given(numbers)
def test_a_balanced_point_sums_to_0_and_shrinks(alpha):
    found = balance(alpha)
    assert abs(found.sum()) <= 1e-13 * np.abs(alpha).sum()
    assert (np.abs(found) <= np.abs(alpha)).all()
    assert (found * alpha >= 0).all()


def test_a_balanced_point_is_itself():
    alpha = np.array([0.5, -0.25, -0.25])
    assert np.array_equal(balance(alpha), alpha)


@given(st.integers(0, 2**32 - 1), st.sampled_from(SMOOTH), st.sampled_from([(0.1, 0.0), (0.1, 0.05), (0.0, 0.05)]))
def test_weak_duality_holds_at_any_pair(seed, loss, penalties):
    """Also for an alpha that belongs to no w, and for one whose entries do not sum to 0."""
    P = with_intercept(loss, *penalties, sample_weight=WEIGHTS)
    rng = np.random.default_rng(seed)
    w, other = 3 * rng.standard_normal((2, d + 1))
    alpha = rng.random(n) * P.alpha(other)
    assert P.dual(alpha) <= P.primal(w) * (1 + 1e-12) + 1e-14
    assert np.isfinite(P.dual(alpha))


def test_with_one_class_the_dual_is_at_0():
    """All signs are alike, so only alpha = 0 is feasible, and P* = 0 is at b = inf."""
    P = cdlab.Problem(X, np.ones(n), intercept=True)
    assert P.dual(P.alpha(np.zeros(d + 1))) == 0


def test_sparse_and_dense_are_alike():
    dense, thin = with_intercept(), with_intercept(X=sp.csr_matrix(X))
    w = np.linspace(-1, 1, d + 1)
    assert thin.primal(w) == pytest.approx(dense.primal(w), rel=1e-14)
    assert thin.gap(w, thin.alpha(w)) == pytest.approx(dense.gap(w, dense.alpha(w)), rel=1e-12)
    assert (thin.d, thin.nnz) == (dense.d, dense.nnz) == (d + 1, np.count_nonzero(X) + n)


def test_the_matrix_that_was_given_is_not_changed():
    mine = X.copy()
    cdlab.Problem(mine, y, intercept=True)
    assert np.array_equal(mine, X)


def test_test_data_are_as_wide_as_the_users():
    P = with_intercept()
    w, b = np.linspace(-1, 1, d), -0.3
    error, loss, _ = P.test_scores(np.append(w, b), P.test_data(X, y))
    assert error == np.mean(y * (X @ w + b) <= 0)
    assert loss == pytest.approx(loss_by_definition("logistic", X @ w + b, y).mean())
    with pytest.raises(ValueError, match=f"test X has {d + 1} features, training X has {d}"):
        P.test_data(np.ones((3, d + 1)), y[:3])


@pytest.mark.parametrize("l2", [0.1, 0.0])
def test_alpha_does_not_determine_an_intercept(l2):
    P = with_intercept(l2=l2)
    with pytest.raises(ValueError, match=r"w\(alpha\) "):
        P.w(np.zeros(n))
    with pytest.raises(ValueError, match="give w, too"):
        cdlab.solve(P, "gd", start=(None, np.zeros(n)))


def test_what_is_no_intercept_is_refused():
    with pytest.raises(ValueError, match="intercept must be True or False, not 'yes'"):
        cdlab.Problem(X, y, intercept="yes")


def test_theory_is_about_problems_whose_every_coordinate_is_penalised():
    P = with_intercept()
    with pytest.raises(ValueError, match="for a regulariser of every coordinate, and this problem has an intercept"):
        cdlab.theory.bound("rcd").for_problem(P, eps=1e-6)
    with pytest.raises(ValueError, match="for a regulariser of every coordinate, and this problem has an intercept"):
        cdlab.theory.bound("newton_cd").for_problem(P)
    f = cdlab.faceoff(P)
    assert f.winner is None
    assert "the intercept has none" in f.reason


def test_advice_names_methods_that_take_it():
    advised = cdlab.advise(with_intercept(), eps=1e-4, probe=False)
    taking = {"sdca", "rcd", "greedy", "gd", "agd", "fista", "lbfgs", "newton_cd"}
    assert {choice.method for choice in advised} <= taking
