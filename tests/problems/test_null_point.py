"""The null point: the best constant model, from which runs with an intercept start and relative gaps are measured."""

import numpy as np
import pytest
from cases import each_of
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

import cdlab
from cdlab.losses import (
    EpsilonInsensitive,
    Huber,
    Pinball,
    SmoothHinge,
    Softmax,
    SquaredEpsilonInsensitive,
    SquaredHinge,
)

REGRESSION = ["squared", "absolute", "huber", Huber(gamma=0.01), Huber(gamma=50.0)]
REGRESSION += [Pinball(0.9), Pinball(1 / 3), Pinball(0.1, gamma=0.5), EpsilonInsensitive(0.25), EpsilonInsensitive(2.0)]
REGRESSION += [EpsilonInsensitive(0.5, gamma=0.3), SquaredEpsilonInsensitive(0.25)]
HINGES = ["hinge", "squared_hinge", "smooth_hinge", SmoothHinge(gamma=0.3), SmoothHinge(gamma=3.0), SquaredHinge(c=1.0)]


def null_problem(loss, y, s=None, X=None):
    X = np.ones((len(y), 1)) if X is None else X
    return cdlab.Problem(X, y, loss, 0.1, intercept=True, sample_weight=s)


def least_of_constants(loss, y, s):
    """By brute force: a fine grid, every target, and a search between."""
    s = np.ones(len(y)) if s is None else s
    phi = cdlab.losses.resolve(loss).phi

    def value(b):
        return s @ [phi(b, each) for each in y] / s.sum()

    grid = np.concatenate([np.linspace(min(y.min(), -1), max(y.max(), 1), 25), y])
    best = grid[np.argmin([value(b) for b in grid])]
    near = minimize_scalar(value, bounds=(best - 1, best + 1), method="bounded", options={"xatol": 1e-10})
    return min(value(best), near.fun)


targets = st.lists(st.sampled_from([-3.0, -1.0, 0.0, 0.5, 2.0, 7.5]), min_size=2, max_size=12).map(np.array)
labels = st.lists(st.sampled_from([-1.0, 1.0]), min_size=2, max_size=12).map(np.array)
seeds = st.integers(0, 2**32 - 1)


def weights_of(seed, n):
    rng = np.random.default_rng(seed)
    s = rng.choice([0.0, 0.5, 1.0, 3.0], size=n) if seed % 2 else None
    return None if s is None or not s.any() else s


def check_against_brute_force(loss, y, seed):
    s = weights_of(seed, len(y))
    P = null_problem(loss, y, s)
    best = least_of_constants(loss, y, s)
    null = P.primal(np.array([0.0, P.null.b]))
    assert null <= best + 1e-9 * (1 + best)
    assert P.at_zero == pytest.approx(null, rel=1e-12, abs=1e-15) or (null < 1e-15 and P.at_zero > 0)
    alpha = P.null.alpha  # optimal where w = 0 is: its sum is 0, and its loss's conjugate says so
    assert abs(alpha.sum()) <= 1e-10 * max(1.0, np.abs(alpha).sum())
    constant = cdlab.Problem(np.zeros((len(y), 1)), y, loss, 0.1, intercept=True, sample_weight=s)
    assert constant.dual(alpha) >= best - 1e-8 * (1 + best)


@each_of("loss", REGRESSION)
@settings(max_examples=20)
@given(targets, seeds)
def test_best_constants_of_regression(loss, y, seed):
    check_against_brute_force(loss, y, seed)


@each_of("loss", HINGES)
@settings(max_examples=20)
@given(labels, seeds)
def test_best_constants_of_hinges_also_of_one_class(loss, y, seed):
    check_against_brute_force(loss, y, seed)


@settings(max_examples=20)
@given(labels, seeds)
def test_best_constant_of_the_logistic_loss(y, seed):
    s = weights_of(seed, len(y))
    P = null_problem("logistic", y, s)
    share = np.average(y > 0, weights=s)
    if share in (0, 1):  # it would be infinite
        assert P.null.b == 0
        assert P.at_zero == pytest.approx(np.log(2))
        return
    assert P.null.b == pytest.approx(np.log(share / (1 - share)), abs=1e-14)
    check_against_brute_force("logistic", y, seed)


def test_softmax_and_a_class_that_weighs_nothing():
    y = np.array([0, 1, 1, 2, 2, 2])
    P = null_problem("softmax", y)
    np.testing.assert_allclose(np.diff(P.null.b), np.diff(np.log([1 / 6, 2 / 6, 3 / 6])))
    assert abs(P.null.b.sum()) < 1e-15
    p = np.array([1, 2, 3]) / 6
    assert P.at_zero == pytest.approx(-p @ np.log(p))
    empty = null_problem("softmax", y, s=np.array([0.0, 1, 1, 1, 1, 1]))
    assert not empty.null.b.any()
    assert empty.at_zero == pytest.approx(np.log(3))
    assert isinstance(empty.loss.loss, Softmax)


def test_a_rare_class():
    y = np.where(np.arange(10**6) == 7, 1.0, -1.0)
    assert null_problem("logistic", y).null.b == pytest.approx(np.log(1 / (10**6 - 1)), rel=1e-13)


@each_of(
    "loss", ["squared", "huber", "absolute", Pinball(0.9), EpsilonInsensitive(0.3), SquaredEpsilonInsensitive(0.3)]
)
@each_of("constant", [0.0, 3.7, -1e9, 1.7e9])
def test_a_constant_target_is_solved_at_once(loss, constant):
    X = np.random.default_rng(0).normal(size=(12, 3))
    P = cdlab.Problem(X, np.full(12, constant), loss, 0.1, intercept=True)
    assert P.null.b == constant
    assert P.gap(np.array([0.0, 0, 0, constant]), np.zeros(12)) == 0
    if P.loss.gamma > 0:
        s = cdlab.solve(P)
        assert (s.gap, s.relative_gap, s.intercept, s.trace.records[-1].passes) == (0, 0, constant, 0)


@each_of("loss", ["squared", "huber", "logistic", "squared_hinge", "softmax"])
def test_runs_start_there_and_gaps_are_measured_from_there(loss):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 4))
    y = X[:, 0] + 100.0 if loss in ("squared", "huber") else (X[:, 0] > 0.8).astype(int)
    y = y + (X[:, 1] > 1) if loss == "softmax" else y
    P = cdlab.Problem(X, y, loss, 0.05, intercept=True)
    run = cdlab.iterate(P, "fista")
    first = next(run)
    assert first.primal == pytest.approx(P.at_zero, rel=1e-12)
    assert not run.w[:-1].any()
    s = cdlab.solve(P, "fista", tol=1e-4)
    last = s.trace.records[-1]
    assert s.relative_gap == last.gap / (P.at_zero - last.dual)
    assert cdlab.certify(s, X, y).relative_gap <= s.relative_gap * 1.01
    assert P.constants()["P0"] == P.at_zero


def test_a_far_target_is_fitted_as_a_near_one():
    """findings A1: with b = 0 for a start, a large mean made every gap small."""
    rng = np.random.default_rng(0)
    X = np.random.default_rng(3).normal(size=(300, 40)) * (np.random.default_rng(4).random((300, 40)) < 0.2)
    t = X @ rng.normal(size=40) + 0.5 * rng.normal(size=300)
    near = cdlab.CDRegressor(l2=1e-3).fit(X, t).score(X, t)
    for far in (2e3, 1e5, 1.7e9):
        assert cdlab.CDRegressor(l2=1e-3).fit(X, t + far).score(X, t + far) == pytest.approx(near, abs=1e-6)
    chosen = cdlab.CDRegressorCV(l1_ratio=0, weights=10).fit(X, t).weight_
    assert cdlab.CDRegressorCV(l1_ratio=0, weights=10).fit(X, t + 1e6).weight_ == pytest.approx(chosen, rel=1e-6)
