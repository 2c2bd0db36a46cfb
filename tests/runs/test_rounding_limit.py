"""A run ends where float64 can bring its gap no lower, says so, and that is a success."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from cases import each_of, pushed
from problems import problem
from sklearn.linear_model import Lasso

import cdlab
from cdlab.methods import METHODS
from cdlab.runs.limits import STATUSES, is_at_rounding_limit
from cdlab.runs.trace import Record

ROUNDING_LIMIT = "rounding limit"


def fitting(P):
    return [name for name, method in METHODS.items() if method().refusal(P, cdlab.samplings.resolve("uniform")) is None]


def lasso(loss="squared", intercept=False):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 30))
    y = X @ rng.normal(size=30) + rng.normal(size=100)
    P = cdlab.Problem(X, y if loss == "squared" else np.sign(y), loss, l2=0.0, l1=1.0, intercept=intercept)
    return P, cdlab.paths.largest_l1(P)


# ---------------------------------------------------------------- where w = 0 is the solution
@pytest.mark.parametrize("l2", [0.1, 0.0])
def test_where_w_is_0_the_first_record_is_enough(l2):
    P, largest = lasso()
    P = P.with_(l2=l2, l1=2 * largest)
    for name in ["newton_cd", "rcd", "fista", "lbfgs"] + ["auto"] * (l2 == 0):
        s = cdlab.solve(P, name, tol=1e-10)
        assert (s.status, s.trace.records[-1].passes) == (ROUNDING_LIMIT, 0), name
        assert not s.w.any()
    if l2 > 0:  # from alpha = 0, which is not the dual solution
        s = cdlab.solve(P, "sdca@permutation", tol=1e-10)
        assert s.status == ROUNDING_LIMIT
        assert s.trace.records[-1].passes < 300


def test_of_a_matrix_of_zeros_too():
    P = cdlab.Problem(np.zeros((30, 4)), np.arange(30.0), "squared", l2=0.1)
    for name in ["auto", *fitting(P)]:
        s = cdlab.solve(P, name, tol=1e-10)
        assert s.status == ROUNDING_LIMIT, name
        assert s.trace.records[-1].passes < 300


# ---------------------------------------------------------------- no sooner
@pytest.mark.parametrize("name", pushed(["auto", *METHODS], "auto", "sdca", "rcd", "newton_cd", "spdc", "svrg"))
@pytest.mark.parametrize(("loss", "l2", "l1"), [("squared", 0.1, 0.0), ("logistic", 1e-3, 0.01), ("hinge", 0.1, 0.0)])
def test_no_run_is_cut_off_while_its_gap_still_falls_by_a_factor(name, loss, l2, l1):
    """Its gap is at most about twice the least that the same method ever shows."""
    P = problem(loss, l2, l1)
    if name not in ("auto", *fitting(P)):
        with pytest.raises(ValueError, match=name):
            cdlab.solve(P, name)
        return
    ended = cdlab.solve(P, name, tol=1e-15, max_passes=1500)
    assert ended.status in (ROUNDING_LIMIT, "pass limit")
    if ended.status == ROUNDING_LIMIT:
        long = cdlab.solve(P, name, tol=0, max_passes=1500, every=1)
        assert ended.gap <= 2.1 * long.trace.column("gap").min()
    if name in ("auto", "newton_cd", "rcd") and loss != "hinge":
        assert ended.status == ROUNDING_LIMIT


def seen(passes, gap, rounding):
    return Record(0, passes, 0.0, 1.0 + gap - rounding, 1.0, gap, np.nan, rounding=rounding)


@each_of(
    "fallen, now, ends",
    [
        (None, seen(0, 2e-15, 1e-15), True),  # the start, where P - D is its rounding
        (None, seen(0, 1e-3, 1e-15), False),
        (seen(10, 1e-14, 1e-15), seen(11, 2e-15, 1e-15), False),  # within its rounding, but still falling
        (seen(10, 1e-14, 1e-15), seen(11, 1e-14, 6e-15), True),  # within its rounding, and no longer
        (seen(10, 2e-15, 1e-15), seen(11, 1e-3, 1e-15), True),  # the least of the run was
        (seen(10, 5e-14, 1e-15), seen(11, 5e-14, 1e-15), False),  # some times its rounding: as many passes again
        (seen(10, 5e-14, 1e-15), seen(1000, 5e-14, 1e-15), True),
        (seen(10, 1e-12, 1e-15), seen(1000, 1e-12, 1e-15), False),  # far above its rounding
    ],
)
def test_a_gap_is_at_its_limit_within_rounding_where_it_no_longer_falls(fallen, now, ends):
    run = SimpleNamespace(start=None, best=SimpleNamespace(last_fall=fallen))
    assert is_at_rounding_limit(now, run) == ends


def test_a_start_of_huge_rounding_is_not_its_limit():
    """X has a null space, in which w is huge: the products there round by more than all that P is above P*."""
    X = np.repeat(np.random.default_rng(0).normal(size=(40, 3)), 2, axis=1)
    P = cdlab.Problem(X, X @ np.ones(6), "squared", l2=1e-3)
    far = np.tile([1e5, -1e5], 3)
    s = cdlab.solve(P, "newton_cd", tol=1e-12, start=(far, None))
    assert s.relative_gap < 1e-12


def test_a_tolerance_of_0_runs_to_its_limit():
    for name in ("auto", "sdca", "newton_cd"):
        assert cdlab.solve(problem("squared"), name, tol=0, max_passes=60).status == "pass limit"


def test_a_tolerance_that_is_reached_comes_first():
    P, largest = lasso()
    assert cdlab.solve(P.with_(l1=2 * largest), tol=1e-8).status == "tolerance reached"


# ---------------------------------------------------------------- paths and cross-validation
@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("intercept", [False, True])
def test_a_path_to_a_tolerance_below_rounding_costs_little_more(loss, intercept):
    P, largest = lasso(loss, intercept)
    weights = largest * np.logspace(0, -2, 30)
    usual, tight, beyond = (cdlab.path(P, l1=weights, tol=tol) for tol in (1e-6, 1e-10, 1e-16))
    passes = [sum(s.trace.records[-1].passes for s in found) for found in (usual, tight, beyond)]
    assert passes[1] < 3 * passes[0]
    assert passes[2] < 40 * passes[0]
    assert {str(s.status) for s in beyond} == {ROUNDING_LIMIT}
    assert max(s.relative_gap for s in beyond[5:]) < 1e-12


def test_a_cross_validation_to_a_tolerance_below_rounding_ends():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4))
    y = np.sign(X @ rng.normal(size=4) + rng.normal(size=150))
    near, beyond = (cdlab.CDClassifierCV(tol=tol, cv=3).fit(X, y) for tol in (1e-10, 1e-14))
    assert beyond.weight_ == near.weight_
    assert max(s.trace.records[-1].passes for s in beyond.path_) < 500


# ---------------------------------------------------------------- a success
def test_it_is_a_success_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        P = problem()
        assert cdlab.solve(P, "sdca", tol=1e-30).status == ROUNDING_LIMIT
        assert {s.status for s in cdlab.path(P, "sdca", l2=[1.0, 0.1], tol=1e-30)} == {ROUNDING_LIMIT}
        assert cdlab.CDClassifier(tol=1e-30).fit(P.X, P.y).solution_.status == ROUNDING_LIMIT
    assert ROUNDING_LIMIT in STATUSES


def test_a_solution_that_ended_so_is_saved_and_goes_on(tmp_path):
    s = cdlab.solve(problem(), "sdca", tol=1e-30)
    s.save(tmp_path / "s.npz")
    assert cdlab.load_solution(tmp_path / "s.npz").status == ROUNDING_LIMIT
    assert s.resume(tol=0, max_passes=s.trace.records[-1].passes + 20).status == "pass limit"


@each_of("l2", [1e-15, 1e-16])
def test_wide_ridge_with_a_tiny_weight_is_solved(l2):
    """Next to the least-norm solution, of which |w| is at most .3."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((50, 100)), rng.standard_normal(50)
    model = cdlab.CDRegressor(l2=l2, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(model.coef_, np.linalg.pinv(X) @ y, atol=1e-6)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("intercept", [False, True])
def test_what_rounding_leaves_far_above_the_tolerance_is_no_success(intercept):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 2))
    y = X[:, 1] + 0.1 * rng.standard_normal(100)
    X[:2, 0] = 1e30  # a fill value, whose products round to more than P(0)
    P = cdlab.Problem(X, y, "squared", l2=0.0, l1=1e-3, intercept=intercept)
    for s in (cdlab.solve(P), *cdlab.path(P, l1=[1e-1, 1e-3])):
        assert s.relative_gap <= 1e-6 or s.status == "pass limit"


def test_a_lasso_on_columns_of_unlike_scale_is_not_held_up_by_rounding():
    """What v is off in the column of seconds counts in D as far as D falls, not as a share of all that P gained."""
    rng = np.random.default_rng(0)
    year, seconds = rng.integers(1950, 2024, 400), 1.6e9 + rng.integers(0, 10**8, 400)
    X = np.c_[year, np.exp(rng.normal(11, 1, 400)), seconds]
    y = 1e5 + 1e3 * (year - 1987) + rng.normal(0, 1e4, 400)
    mine, theirs = cdlab.CDRegressor(l2=0, l1=1.0).fit(X, y), Lasso(tol=1e-12, max_iter=100_000).fit(X, y)
    assert mine.solution_.status == "tolerance reached"
    values = [np.mean((y - m.predict(X)) ** 2) / 2 + np.abs(m.coef_).sum() for m in (mine, theirs)]
    assert values[0] == pytest.approx(values[1], rel=1e-6)


def test_a_choice_of_a_constant_on_columns_of_unlike_scale_is_told():
    rng = np.random.default_rng(1)
    year = rng.integers(1950, 2024, 200)
    X = np.c_[year, 1e3 * (1.6e9 + rng.integers(0, 10**8, 200))]
    y = 1e5 + 1e3 * (year - 1987) + rng.normal(0, 1e4, 200)
    with pytest.warns(UserWarning, match="columns of X differ in scale by a factor of .*: scale them"):
        cdlab.CDRegressorCV().fit(X, y)
    cdlab.CDRegressorCV().fit((X - X.mean(axis=0)) / X.std(axis=0), y)  # warnings are errors here
