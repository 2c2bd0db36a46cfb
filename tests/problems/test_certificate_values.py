"""Certificates as numbers: what is claimed is P(w) - P* or more, and where it is exact it is no more."""

import numpy as np
import pytest
from cases import each_of
from problems import problem

import cdlab
from cdlab.methods import Points
from cdlab.problems.certificates import certificate
from cdlab.problems.convexity import strong_convexity


def test_the_gradient_s_certificate_is_exact_along_the_flattest_direction():
    """P = 1/2 sum_j c_j w_j^2 - ...: a step along the smallest curvature mu costs exactly ||grad||^2/(2 mu)."""
    X = np.diag([1.0, 2.0, 4.0])
    P = cdlab.Problem(X, [1.0, 2.0, 4.0], loss="squared", l2=0.0)  # w* = 1, P* = 0
    mu = 1 / 3  # the smallest squared singular value over n
    for shift in (0.5, -3.0):
        w = np.ones(3)
        w[0] += shift
        known = certificate(P, Points(w, None), mu)
        assert known.primal == pytest.approx(shift**2 / 6)
        assert known.gradient == pytest.approx(abs(shift) / 3 / np.sqrt(1 / 3))  # in column 0's scale
        assert known.dual == pytest.approx(0.0, abs=1e-15)
        assert known.gap == pytest.approx(known.primal)


def test_along_any_other_direction_it_is_at_least_the_suboptimality():
    X = np.diag([1.0, 2.0, 4.0])
    P = cdlab.Problem(X, [1.0, 2.0, 4.0], loss="squared", l2=0.0)
    known = certificate(P, Points(np.array([1.0, 1.0, 2.0]), None), 1 / 3)
    assert known.gap == pytest.approx(16 * known.primal)  # 16 times as curved


@each_of("l2, l1", [(0.1, 0.0), (0.1, 0.02), (0.0, 0.02)])
def test_with_a_regulariser_the_duality_gap_certifies(l2, l1):
    P = problem("logistic", l2=l2, l1=l1)
    w = 0.1 * np.arange(8.0)
    alpha = P.alpha(w)
    known = certificate(P, Points(w, alpha), None)
    assert known.primal == pytest.approx(P.primal(w))
    assert known.dual == pytest.approx(P.dual(alpha))
    assert known.gap == pytest.approx(P.primal(w) - P.dual(alpha))
    assert np.isnan(known.gradient)


def test_a_product_that_is_at_hand_is_used():
    """z is X w for what a method maintains; here it is that of another point, and the answer follows it."""
    P = problem("logistic")
    w, other, alpha = np.ones(8), np.zeros(8), np.zeros(30)
    known = certificate(P, Points(w, alpha, z=P.X @ other), None)
    assert known.primal == pytest.approx(P.primal(other) + P.l2 / 2 * 8)
    known = certificate(P, Points(w, P.y / 2, v=np.zeros(8)), None)
    assert known.dual == pytest.approx(P.dual(P.y / 2, v=np.zeros(8)))
    assert known.dual != pytest.approx(P.dual(P.y / 2))


def test_a_gap_is_never_negative():
    """Rounding can put D(alpha) above P(w)."""
    P = problem("squared", l2=0.1)
    s = cdlab.solve(P, tol=1e-13, max_passes=3000)
    assert all(record.gap >= 0 for record in s.trace.records)
    assert cdlab.problems.certificates.Certificate(1.0, 1.0 + 1e-16, np.nan, 0.0).gap == 0
    assert cdlab.problems.certificates.Certificate(1.0, 0.75, np.nan, 0.125).gap == 0.375


@each_of("mu", [0, 0.0, -0.5, np.inf, np.nan, True, "0.1", [0.1]])
def test_a_modulus_that_certifies_is_a_positive_number(mu):
    """0 would divide by 0, and True is no 1."""
    with pytest.raises(ValueError, match='strong_convexity must be a number > 0 or "compute", not'):
        cdlab.solve(problem("squared", l2=0.0), "lbfgs", strong_convexity=mu)


@pytest.mark.parametrize("n", [2, 8])
def test_a_modulus_may_be_the_smoothness_itself(n):
    """P = ||w - y||^2/(2n) has both equal, and as many columns as rows."""
    P = cdlab.Problem(np.eye(n), np.arange(1.0, n + 1), loss="squared", l2=0.0)
    assert strong_convexity(P, 1 / n) == strong_convexity(P, "compute") == 1 / n
    with pytest.raises(ValueError, match="strong convexity is at most smoothness"):
        strong_convexity(P, 1.1 / n)


def test_the_modulus_is_computed_for_so_many_columns_and_no_more(monkeypatch):
    monkeypatch.setattr("cdlab.problems.convexity.MAX_GRAM_FEATURES", 3)
    for columns in (3, 4):
        X = np.eye(6, columns) * np.arange(1.0, columns + 1)
        P = cdlab.Problem(X, np.ones(6), loss=cdlab.losses.Squared(c=2.0), l2=0.0)
        if columns == 3:
            assert strong_convexity(P, "compute") == pytest.approx(4 / 6)
        else:
            with pytest.raises(ValueError, match="X has more than 3 columns; pass a number"):
                strong_convexity(P, "compute")


def test_one_empty_column_among_many_is_a_flat_direction():
    X = np.ones((5, 3)) + np.eye(5, 3)
    X[:, 1] = 0
    for mu in ("compute", 1e-9):
        with pytest.raises(ValueError, match="X has an empty column"):
            strong_convexity(cdlab.Problem(X, np.ones(5), loss="squared", l2=0.0), mu)


@pytest.mark.parametrize(("share", "independent"), [(2.0, True), (0.5, False)])
def test_an_eigenvalue_that_rounding_cannot_tell_from_0_is_0(share, independent):
    """d times the unit of rounding, relative to the largest eigenvalue."""
    d = 50
    squares = np.append(np.ones(d - 1), share * d * np.finfo(float).eps)
    P = cdlab.Problem(np.diag(np.sqrt(squares)), np.ones(d), loss="squared", l2=0.0)
    if independent:
        assert strong_convexity(P, "compute") == pytest.approx(squares[-1] / d)
    else:
        with pytest.raises(ValueError, match="linearly dependent"):
            strong_convexity(P, "compute")
