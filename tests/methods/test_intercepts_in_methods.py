"""Methods that take an intercept find the optimum of (w, b) with a certificate; the others say what can."""

from functools import cache

import cvxpy as cp
import numpy as np
import pytest
from cases import each_of
from problems import CONVEX, SMOOTH, data, minimise

import cdlab
from cdlab.methods import METHODS
from cdlab.runs.entries import check_entry, resolve_entry

X, y = data()
X = X + 0.5
n, d = X.shape
TIMES = np.random.default_rng(3).integers(0, 4, n)
TAKING = {"sdca", "rcd", "greedy", "gd", "agd", "fista", "lbfgs", "newton_cd"}
L1 = TAKING - {"greedy", "sdca"}  # which needs l2 > 0


def problem(loss, l2=0.1, l1=0.0, **options):
    return cdlab.Problem(X, y, loss, l2, l1, intercept=True, **options)


@cache
def optimum(loss, l2, l1, weighed):
    """The optimal (w, b) by an interior-point method; weights as repeated rows."""
    rows = np.repeat(np.arange(n), TIMES if weighed else 1)
    w, b = cp.Variable(d), cp.Variable()
    z = X[rows] @ w + b
    mean = CONVEX[loss](cp, cp.multiply(y[rows], z), z - y[rows]) / rows.size
    minimise(mean + l2 / 2 * cp.sum_squares(w) + l1 * cp.norm1(w), 1e-11)
    return np.append(w.value, b.value)


def agrees(s, P, best):
    """P(w, b) is within its certificate of the best, all along the run."""
    assert s.status == "tolerance reached"
    above = s.trace.column("primal") - P.primal(best)
    assert (above <= s.trace.column("gap") * (1 + 1e-9) + 1e-12).all()
    assert P.primal(np.append(s.w, s.intercept)) == pytest.approx(s.trace.records[-1].primal, rel=1e-14)
    assert s.intercept == pytest.approx(best[-1], abs=1e-3)


@pytest.mark.parametrize("method", sorted(TAKING))
@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize("weighed", [False, True])
def test_the_optimum_is_that_of_an_interior_point_method(method, loss, weighed):
    P = problem(loss, sample_weight=TIMES if weighed else None)
    agrees(cdlab.solve(P, method, tol=1e-8, max_passes=20_000), P, optimum(loss, 0.1, 0.0, weighed))


@pytest.mark.parametrize("method", sorted(L1))
@pytest.mark.parametrize("l2", [0.1, 0.0])
def test_so_it_is_with_l1(method, l2):
    P = problem("squared", l2, 0.05)
    agrees(cdlab.solve(P, method, tol=1e-7, max_passes=20_000), P, optimum("squared", l2, 0.05, False))


@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize("l2", [0.1, 0.0])
@pytest.mark.parametrize("weighed", [False, True])
def test_newton_cd_finds_it_with_l1_and_every_loss(loss, l2, weighed):
    P = problem(loss, l2, 0.05, sample_weight=TIMES if weighed else None)
    agrees(cdlab.solve(P, "newton_cd", tol=1e-9, max_passes=5000), P, optimum(loss, l2, 0.05, weighed))


DRAWS = [
    {"sampling": "importance"},
    {"sampling": "permutation"},
    {"batch_size": 3},
    {"sampling": "symmetric", "anderson": 5},
]


@pytest.mark.parametrize("options", DRAWS)
def test_so_it_is_however_rcd_draws(options):
    P = problem("logistic")
    agrees(cdlab.solve(P, "rcd", tol=1e-8, max_passes=20_000, **options), P, optimum("logistic", 0.1, 0.0, False))


def test_without_a_regulariser_an_intercept_is_one_more_feature():
    P, Q = problem("squared", 0.0), cdlab.Problem(np.hstack([X, np.ones((n, 1))]), y, "squared", 0.0)
    s, t = (cdlab.solve(A, "fista", strong_convexity="compute", tol=1e-13, max_passes=20_000) for A in (P, Q))
    assert np.append(s.w, s.intercept) == pytest.approx(t.w, abs=1e-6)


def test_methods_that_take_it_say_so():
    assert {name for name, made in METHODS.items() if "intercept" in made.takes} == TAKING | {"ssnal"}


@each_of("method", sorted(METHODS.keys() - TAKING - {"ssnal"}))
def test_others_say_what_can(method):
    P = problem("squared", 0.0 if "kaczmarz" in method or method == "acc_cd" else 0.1)
    with pytest.raises(ValueError, match=f"{method} takes no intercept, a coordinate without a regulariser: use rcd"):
        check_entry(P, *resolve_entry(method))


def test_what_is_named_instead_takes_an_intercept_too():
    with pytest.raises(
        ValueError,
        match="rcd needs a smooth loss and hinge is not: take smooth_hinge instead, or use the method ssnal$",
    ):
        check_entry(problem("hinge"), *resolve_entry("rcd"))
    with pytest.raises(ValueError, match="greedy does not handle l1 > 0: use rcd or fista, or set l1 = 0"):
        check_entry(problem("logistic", 0.1, 0.1), *resolve_entry("greedy"))


def test_working_sets_take_none():
    with pytest.raises(ValueError, match="rcd's working_set takes no intercept"):
        check_entry(problem("squared", 0.0, 0.05), *resolve_entry("rcd", "cyclic", working_set=True))


def test_a_solution_predicts_with_its_intercept(tmp_path):
    s = cdlab.solve(problem("logistic"), "lbfgs", tol=1e-8)
    assert s.w.shape == (d,)
    assert isinstance(s.intercept, float)
    assert s.decision_function(X) == pytest.approx(X @ s.w + s.intercept)
    s.save(tmp_path / "s.npz")
    t = cdlab.load_solution(tmp_path / "s.npz")
    assert t.intercept == s.intercept
    assert np.array_equal(t.predict(X), s.predict(X))


def test_a_run_starts_from_a_solution():
    P = problem("logistic")
    s = cdlab.solve(P, "lbfgs", tol=1e-10)
    assert next(cdlab.iterate(P, "rcd", start=s)).primal == pytest.approx(s.trace.records[-1].primal, rel=1e-14)
    plain = cdlab.solve(cdlab.Problem(X, y, "logistic", 0.1), "lbfgs")
    assert plain.intercept == 0.0
    assert abs(cdlab.iterate(P, "rcd", start=plain).w[-1]) < 1e-15
