"""Paths over l1 are found by one driver: every solution is certified, and is that of other packages."""

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression, enet_path, lasso_path

import cdlab
from cdlab.paths import Driver, PathLimits, largest_l1

LOSSES = ["squared", "logistic", "squared_hinge", "smooth_hinge", "huber"]
PUSHED = LOSSES[:2]  # each has kernels of its own, which a new machine compiles for seconds
TOL = 1e-8


def examples(n, d, seed=0, loss="squared"):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    z = X @ (rng.standard_normal(d) * (rng.random(d) < 0.4)) + 0.3 * rng.standard_normal(n)
    return X, z if loss in ("squared", "huber") else np.where(z >= np.median(z), 1.0, -1.0)


def weights_of(P, count=8, ratio=0.02):
    largest = largest_l1(P) or 1.0
    return np.geomspace(1.5 * largest, ratio * largest, count)


def check_certified(P, along, tol):
    """Every gap is what the problem makes of w and alpha, but for thousandths of the tolerance, which it is within."""
    for l1, l2, s in zip(along.l1, along.l2, along, strict=True):
        Q = P.with_(l1=l1, l2=l2)
        w = np.append(s.w, s.intercept) if P.intercept else s.w
        scale = max(Q.at_zero - Q.dual(s.alpha), 1e-6 * Q.at_zero)
        rounding = 1e-13 * Q.at_zero
        assert s.status in ("tolerance reached", "rounding limit")  # the last where w* = 0
        assert Q.gap(w, s.alpha) <= tol * scale * (1 + 1e-6) + rounding
        assert s.gap == pytest.approx(Q.gap(w, s.alpha), rel=1e-3, abs=rounding + 2e-3 * tol * scale)
        assert "along the path" in s.trace.meta["chosen"]


@pytest.mark.parametrize(
    "loss", [each if each in PUSHED else pytest.param(each, marks=pytest.mark.full) for each in LOSSES]
)
@each_of("intercept", [False, True])
@each_of("l2", [0.0, 0.01])
def test_every_solution_is_certified(loss, intercept, l2):
    X, y = examples(40, 60, loss=loss)
    for stored in (X, sp.csr_matrix(X * (np.abs(X) > 0.7))):
        P = cdlab.Problem(stored, y, loss, l2=l2, intercept=intercept)
        check_certified(P, cdlab.path(P, l1=weights_of(P), tol=TOL), TOL)


@each_of("intercept", [False, True], pushed=[True])
def test_sample_weights_are_repeated_examples(intercept):
    X, y = examples(30, 20, loss="logistic")
    s = np.random.default_rng(1).integers(1, 4, 30)
    P = cdlab.Problem(X, y, "logistic", l2=0.0, intercept=intercept, sample_weight=s)
    Q = cdlab.Problem(np.repeat(X, s, axis=0), np.repeat(y, s), "logistic", l2=0.0, intercept=intercept)
    l1 = weights_of(P)[1:]
    along = cdlab.path(P, l1=l1, tol=TOL)
    check_certified(P, along, TOL)
    for one, other in zip(along, cdlab.path(Q, l1=l1, tol=TOL), strict=True):
        np.testing.assert_allclose(one.w, other.w, atol=1e-3)


@given(
    st.integers(1, 25), st.integers(1, 25), st.integers(0, 10**6), st.sampled_from(PUSHED), st.booleans(),
    st.sampled_from(["as it is", "zero column", "equal columns", "constant y", "sparse"]),
)  # fmt: skip
def test_any_shape(n, d, seed, loss, intercept, kind):
    X, y = examples(n, d, seed, loss)
    if kind == "zero column":
        X[:, seed % d] = 0.0
    if kind == "equal columns":
        X[:, seed % d] = -2 * X[:, 0]
    if kind == "constant y":
        y = np.ones(n)
    P = cdlab.Problem(sp.csr_matrix(X) if kind == "sparse" else X, y, loss, l2=0.0, intercept=intercept)
    along = cdlab.path(P, l1=weights_of(P, 5), tol=1e-5)
    check_certified(P, along, 1e-5)
    assert not along[0].w.any()  # above the largest weight


@each_of("n, d", [(30, 80), (80, 30)])
@each_of("stored", [np.asarray, sp.csr_matrix])
def test_lasso_path_of_scikit_learn(n, d, stored):
    X, y = examples(n, d)
    P = cdlab.Problem(stored(X), y, "squared", l2=0.0)
    l1 = weights_of(P)[1:]
    theirs = lasso_path(X, y, alphas=l1, tol=1e-12, max_iter=100_000)[1].T
    ours = cdlab.path(P, l1=l1, tol=1e-10)
    np.testing.assert_allclose([s.w for s in ours], theirs, atol=1e-5)


def test_elastic_net_path_of_scikit_learn():
    X, y = examples(30, 50)
    P = cdlab.Problem(X, y, "squared", l2=0.05)
    for weight in (0.3, 0.1):
        theirs = enet_path(X, y, l1_ratio=weight / (weight + 0.05), alphas=[weight + 0.05], tol=1e-12)[1][:, 0]
        ours = cdlab.path(P, l1=[0.4, weight], tol=1e-10)[-1]
        np.testing.assert_allclose(ours.w, theirs, atol=1e-5)


def test_logistic_regression_of_scikit_learn():
    X, y = examples(60, 20, loss="logistic")
    P = cdlab.Problem(X, y, "logistic", l2=0.0, intercept=True)
    l1 = weights_of(P, 4, 0.1)[1:]
    for weight, s in zip(l1, cdlab.path(P, l1=l1, tol=1e-10), strict=True):
        there = LogisticRegression(C=1 / (60 * weight), l1_ratio=1.0, solver="saga", tol=1e-9, max_iter=100_000)
        there.fit(X, y)
        np.testing.assert_allclose(s.w, there.coef_[0], atol=1e-4)
        assert s.intercept == pytest.approx(there.intercept_[0], abs=1e-4)


def test_nearly_dependent_features():
    """Sweeps alone would take thousands of passes here."""
    X, y = examples(40, 80)
    X = X[:, :4] @ np.random.default_rng(2).standard_normal((4, 80)) + 0.01 * X + 3
    P = cdlab.Problem(X, y, "squared", l2=0.0)
    along = cdlab.path(P, l1=weights_of(P, 20, 1e-3), tol=TOL)
    check_certified(P, along, TOL)
    assert along.to_frame()["passes"].mean() < 50


def test_features_that_are_not_read_are_in_order():
    """D(alpha) is exact though most features are skipped: the bound of their slopes holds."""
    X, y = examples(50, 400)
    P = cdlab.Problem(X, y, "squared", l2=0.0, l1=1.0)
    driver = Driver(P)
    for l1 in weights_of(P, 30):
        found = driver.solve(0.0, l1, PathLimits(1e-6))
        assert np.abs(P.v(found.alpha)).max() <= l1 * (1 + 1e-5)
        assert P.with_(l1=l1).dual(found.alpha) == pytest.approx(found.dual, rel=1e-12)
    skipped = driver.S.alpha_length_at_v < driver.S.alpha_length_at_v.max()
    assert skipped.any()


def test_the_largest_weight_is_where_features_enter():
    X, y = examples(40, 10, loss="logistic")
    for intercept in (False, True):
        P = cdlab.Problem(X, y + 0, "logistic", l2=0.0, intercept=intercept)
        largest = largest_l1(P)
        above, below = cdlab.path(P, l1=[1.001 * largest, 0.99 * largest], tol=TOL)
        assert not above.w.any()
        assert below.w.any()


def test_limits_and_callbacks_are_those_of_other_paths():
    X, y = examples(40, 60)
    P = cdlab.Problem(X, y, "squared", l2=0.0)
    l1 = weights_of(P)
    limited = cdlab.path(P.with_(loss="huber"), l1=l1, tol=1e-15, max_passes=1)
    assert {str(s.status) for s in limited} <= {"pass limit", "tolerance reached", "rounding limit"}
    assert str(limited[-1].status) == "pass limit"
    seen = []
    along = cdlab.path(
        P, l1=l1, test=(X, y), on_solution=lambda *each: seen.append(each), stop=lambda _: len(seen) == 3
    )
    assert [each[1] for each in seen] == list(along.l1) == list(l1[:3])
    assert along.to_frame()["test_error"].notna().all()
    again = cdlab.path(P, l1=l1[3:], start=along[-1], tol=TOL)
    check_certified(P, again, TOL)


def test_several_l2_with_several_l1():
    X, y = examples(30, 20)
    P = cdlab.Problem(X, y, "squared")
    along = cdlab.path(P, l1=[0.1, 0.3], l2=[0.01, 0.1], tol=TOL)
    assert list(zip(along.l1, along.l2, strict=True)) == [(0.3, 0.1), (0.3, 0.01), (0.1, 0.1), (0.1, 0.01)]
    check_certified(P, along, TOL)


def test_named_methods_have_runs_of_their_own():
    X, y = examples(30, 20)
    P = cdlab.Problem(X, y, "squared", l2=0.0)
    along = cdlab.path(P, "rcd", l1=weights_of(P, 3))
    assert {s.trace.meta["method"] for s in along} == {"rcd"} or all("rcd" in s.trace.meta["method"] for s in along)
    assert all(s.relative_gap <= 1e-6 for s in along)
