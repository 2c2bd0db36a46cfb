"""newton_cd with an intercept: by every way to minimise its model, the optimum that scikit-learn and others find."""

import numpy as np
import pytest
import scipy.sparse as sp
from problems import SMOOTH, data

import cdlab
from cdlab import losses
from cdlab.losses.per_example import curvatures
from cdlab.methods import NewtonCD

X, y = data()
X = X + 0.5
n, d = X.shape
TIMES = np.random.default_rng(3).integers(0, 4, n)
TWICE = [name for name in SMOOTH if losses.has_hessian(losses.resolve(name))]
PENALTIES = [(0.1, 0.0), (1e-4, 0.0), (0.01, 0.02), (0.0, 0.02)]


def ways(l1):
    return ("gram", "columns") if l1 > 0 else ("gram", "dual", "truncated", "preconditioned")


def problem(loss="logistic", l2=0.1, l1=0.0, X=X, y=y, **options):
    return cdlab.Problem(X, y, loss, l2, l1, intercept=True, **options)


def solved(P, inner="auto", tol=1e-11, start=None):
    s = cdlab.solve(P, NewtonCD(inner=inner), tol=tol, max_passes=5000, start=start)
    assert s.status in ("tolerance reached", "rounding limit")  # the last where w* = 0
    assert (np.diff(s.trace.column("primal")) <= 1e-14 * s.trace.column("primal")[0]).all()
    return s


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize(("l2", "l1"), PENALTIES)
@pytest.mark.parametrize("loss", TWICE)
def test_every_way_leads_to_the_point_of_another_method(loss, l2, l1, weighed, sparse):
    given = {"X": sp.csr_matrix(X) if sparse else X, "sample_weight": TIMES if weighed else None}
    P = problem(loss, l2, l1, **given)
    best = cdlab.solve(P, "fista" if l1 > 0 else "lbfgs", tol=1e-7, max_passes=10**5)
    assert best.status == "tolerance reached"
    for inner in ways(l1):
        s = solved(P, inner=inner)
        assert s.trace.records[-1].primal <= best.trace.records[-1].primal + s.gap  # whenever the other ended
        assert s.trace.records[-1].primal >= best.trace.records[-1].dual - 1e-14


@pytest.mark.parametrize(("l2", "l1"), PENALTIES)
def test_with_the_squared_loss_it_is_scikit_learns(l2, l1):
    from sklearn.linear_model import ElasticNet, Ridge

    tight = {"tol": 1e-12, "max_iter": 10**6}
    model = Ridge(l2 * n) if l1 == 0 else ElasticNet(l1 + l2, l1_ratio=l1 / (l1 + l2), **tight)
    model.fit(X, y)
    for inner in ways(l1):
        s = solved(problem("squared", l2, l1), inner=inner)
        assert s.w == pytest.approx(model.coef_, abs=1e-5)
        assert s.intercept == pytest.approx(model.intercept_, abs=1e-5)


def test_with_the_logistic_loss_it_is_scikit_learns():
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1 / (0.01 * TIMES.sum()), tol=1e-12, max_iter=10**4).fit(X, y, sample_weight=TIMES)
    for inner in ways(0.0):
        s = solved(problem(l2=0.01, sample_weight=TIMES), inner=inner)
        assert s.w == pytest.approx(model.coef_[0], abs=1e-5)
        assert s.intercept == pytest.approx(model.intercept_[0], abs=1e-5)


@pytest.mark.parametrize("inner", ["gram", "dual"])
def test_ridge_is_one_factorisation(inner):
    """The curvature of the intercept is 1: it needs no damping, which would cost more steps."""
    s = solved(problem("squared", 1e-4), tol=1e-10, inner=inner)
    assert len(s.trace.records) == 2  # the start, and one epoch


@pytest.mark.parametrize(("loss", "labels", "b"), [("huber", 1e3 + y, 0.0), ("smooth_hinge", y, -1e3)])
@pytest.mark.parametrize("l1", [0.0, 0.02])
def test_where_no_example_has_curvature_it_moves_on(loss, labels, b, l1):
    """A loss on its straight parts says nothing about how far b should go."""
    P = problem(loss, 0.1, l1, y=labels)
    start = np.append(np.zeros(d), b)
    assert not curvatures(P.loss, P.predict(start), P.loss_y).any()
    for inner in ways(l1):
        solved(P, tol=1e-10, inner=inner, start=(start, None))


@pytest.mark.parametrize("l1", [0.0, 0.02])
def test_without_features_the_intercept_is_the_mean(l1):
    P = problem("squared", 0.1, l1, X=np.zeros((n, 2)))
    for inner in ways(l1):
        s = solved(P, inner=inner)
        assert s.w == pytest.approx([0, 0])
        assert s.intercept == pytest.approx(np.mean(y))


def test_auto_takes_it_where_there_is_no_sdca():
    X, y = cdlab.datasets.make(n=300, d=3000, density=0.01, seed=1)
    s = cdlab.solve(problem(l2=1e-3, X=X, y=y), "auto", tol=1e-6)
    assert s.trace.meta["chosen"] == "newton_cd at once: sdca does not fit"
    assert s.status == "tolerance reached"


def test_auto_takes_it_at_once_where_features_are_few():
    s = cdlab.solve(problem(l2=1e-4), "auto", tol=1e-8)
    assert s.trace.meta["chosen"] == "newton_cd at once: its models are cheap here"
    assert s.status == "tolerance reached"
