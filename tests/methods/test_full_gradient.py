"""gd, agd, fista and lbfgs: what full-gradient methods owe beside what every method does."""

import numpy as np
import pytest
from cases import each_of
from problems import data, optimum, problem
from watched import ONCE, Watched

import cdlab
from cdlab.methods.agd import AGD
from cdlab.methods.fista import FISTA
from cdlab.methods.gd import GD
from cdlab.methods.lbfgs import LBFGS
from cdlab.testing.watched import read_visits, watch_lines

METHODS = [GD(), AGD(), FISTA(), LBFGS()]
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)


def columns(trace):
    """Everything of a trace but its seconds."""
    return np.array([(r.iteration, r.passes, r.primal, r.dual, r.gap) for r in trace.records])


# ---------------------------------------------------------------- other problems
@every_method
@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_l1_alone_is_certified(method, loss):
    """l2 = 0 < l1: the dual point is scaled into the feasible box."""
    P = problem(loss, l2=0.0, l1=0.02)
    tol = 1e-8 if method.name == "lbfgs" else 1e-9  # scipy compares values of P, and stops at their rounding
    s = cdlab.solve(P, method, tol=tol, max_passes=20_000)
    assert s.status == "tolerance reached"
    assert P.primal(s.w) - optimum(loss, 0.0, 0.02) <= 1e-8 * P.primal(np.zeros(P.d))


@every_method
def test_least_squares_without_a_regulariser(method):
    P = problem("squared", l2=0.0)
    w = np.linalg.lstsq(P.X, P.y, rcond=None)[0]
    small = cdlab.solve(P, method, tol=1e-8, max_passes=50_000)
    assert small.status == "gradient small"
    np.testing.assert_allclose(small.w, w, atol=1e-5)
    certified = cdlab.solve(P, method, tol=1e-9, max_passes=50_000, strong_convexity="compute")
    assert certified.status == "tolerance reached"
    assert P.primal(certified.w) - P.primal(w) <= certified.gap + 1e-15


@every_method
def test_softmax(method):
    """Several classes: w is a matrix. scikit-learn's multinomial logistic regression is the referee."""
    from sklearn.linear_model import LogisticRegression

    X = data()[0]
    P = cdlab.Problem(X, np.arange(30) % 3, loss="softmax", l2=0.1)
    s = cdlab.solve(P, method, tol=1e-10, max_passes=1000)
    model = LogisticRegression(C=1 / (P.l2 * P.n), fit_intercept=False, tol=1e-12, max_iter=1000)
    np.testing.assert_allclose(s.w, model.fit(X, P.y).coef_.T, atol=1e-4)
    assert cdlab.solve(P, LBFGS(), tol=1e-10).w == pytest.approx(s.w, abs=1e-4)


@every_method
def test_nothing_is_random(method):
    a, b = (cdlab.solve(problem(), method, tol=0, max_passes=20, seed=seed).trace for seed in (0, 1))
    np.testing.assert_array_equal(columns(a), columns(b))


@every_method
def test_a_run_goes_on_at_the_optimum(method):
    """tol = 0: past round-off nothing breaks, passes keep counting, and the point stays."""
    s = cdlab.solve(problem(l1=0.02), method, tol=0, max_passes=1500)
    assert s.status == "pass limit"
    assert s.relative_gap <= 1e-13


# ---------------------------------------------------------------- passes
def test_an_iteration_of_gd_or_fista_is_one_pass_after_the_norm_is_found():
    """The first epoch also counts the products that ||X|| took; a given step needs none."""
    from cdlab.numerics.eigenvalues import largest_eigenvalue

    P = problem(sparse=True)
    products = largest_eigenvalue(P.X)[1]
    for method in (GD, FISTA):
        passes = cdlab.solve(P, method(), tol=0, max_passes=20, every=1).trace.column("passes")
        np.testing.assert_array_equal(passes[:4], [0, 1 + products, 2 + products, 3 + products])
        passes = cdlab.solve(P, method(step=0.1), tol=0, max_passes=20, every=1).trace.column("passes")
        np.testing.assert_array_equal(passes[:4], [0, 1, 2, 3])


@each_of("method", [GD(step=0.1), FISTA(step=0.1), AGD()])
def test_two_products_are_a_pass(method):
    """Every X w and X'r of an epoch is counted as half a pass, line searches included."""
    P = problem(l1=0.02, sparse=True)
    log = watch_lines(P)
    S = method.init(P, "uniform")
    read_visits(log)
    for _ in range(12):
        S = method.epoch(P, S, ONCE)
        assert method.count(P, S, ONCE)[:2] == (1, read_visits(log).least)


def test_evaluations_of_lbfgs_are_passes():
    P, method = Watched(problem(l1=0.02)), LBFGS()
    S = method.init(P, "uniform")
    P.products = 0
    for _ in range(12):
        S = method.epoch(P, S, ONCE)
        assert method.count(P, S, ONCE)[:2] == (1, P.products / 2 * P.nnz)
        P.products = 0
