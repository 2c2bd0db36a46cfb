"""Bounds and penalty factors of estimators, against scikit-learn's positive=True, and their certificates."""

import numpy as np
import pytest
from cases import each_of
from sklearn.linear_model import ElasticNet, Lasso, Ridge

import cdlab
from cdlab import CDClassifier, CDClassifierCV, CDRegressor, CDRegressorCV

RNG = np.random.default_rng(3)
X = RNG.standard_normal((40, 5))
Y = X @ [1, -1, 0.5, 0, 0] + 0.3 * RNG.standard_normal(40)
SIGNS = np.where(Y > 0, "yes", "no")
INF = np.inf


def test_positive_is_that_of_scikit_learn():
    ours = CDRegressor(l2=0, l1=0.05, positive=True, tol=1e-10).fit(X, Y)
    theirs = Lasso(0.05, positive=True, tol=1e-12).fit(X, Y)
    assert ours.coef_ == pytest.approx(theirs.coef_, abs=1e-6)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-6)
    ridge = CDRegressor(l2=1 / 40, lower=0, tol=1e-10).fit(X, Y)
    assert ridge.coef_ == pytest.approx(Ridge(1.0, positive=True, tol=1e-12).fit(X, Y).coef_, abs=1e-5)


@each_of("model", [Lasso(0.05, positive=True), ElasticNet(0.1, positive=True), Ridge(1.0, positive=True)])
def test_certify_knows_what_positive_models_minimise(model):
    found = cdlab.certify(model.fit(X, Y), X, Y)
    assert 0 <= found.gap < 1e-3
    assert "lower 0" in found.problem


@each_of("scaling", [None, 1.0])
@each_of("model", [CDRegressor, CDClassifier])
def test_limits_are_kept_and_certified(model, scaling):
    limits = {"lower": [0, -INF, -0.1, 0, -1], "upper": [0.3, 0, INF, 0, 1], "penalty_factor": [1, 2, 0.5, 1, 1]}
    y = Y if model is CDRegressor else SIGNS
    fitted = model(l2=0.05, tol=1e-9, intercept_scaling=scaling, **limits).fit(X, y)
    w = fitted.coef_.ravel()
    assert (np.array(limits["lower"]) <= w).all()
    assert (w <= limits["upper"]).all()
    assert fitted.gap_ < 1e-8
    again = cdlab.certify(fitted, X, y)
    assert again.gap < 1e-7
    assert "penalty_factor 0.5 to 2" in again.problem


def test_coefficients_and_solutions_are_certified_in_their_box():
    P = cdlab.Problem(X, Y, "squared", 0.1, upper=0.2, penalty_factor=[1, 2, 1, 1, 1])
    s = cdlab.solve(P, tol=1e-9)
    assert cdlab.certify(s, X, Y).gap < 1e-7
    alone = cdlab.certify(s.w, X, Y, "squared", 0.1, upper=0.2, penalty_factor=[1, 2, 1, 1, 1])
    assert alone.gap < 1e-7
    outside = cdlab.certify(s.w + 1, X, Y, "squared", 0.1, upper=0.2)
    assert "w lies outside of its bounds" in str(outside)
    with pytest.raises(ValueError, match="a fitted model knows its own objective: leave lower out"):
        cdlab.certify(Lasso(positive=True).fit(X, Y), X, Y, lower=0)


@each_of("model, y", [(CDRegressorCV, Y), (CDClassifierCV, SIGNS)])
def test_cross_validation_keeps_them(model, y):
    loss = {} if model is CDRegressorCV else {"loss": "logistic"}
    fitted = model(weights=4, cv=3, positive=True, penalty_factor=[1, 2, 1, 1, 1], **loss).fit(X, y)
    assert (fitted.coef_ >= 0).all()
    assert fitted.gap_ < 1e-5
    first = fitted.weights_[0]
    strongest = (CDRegressor if model is CDRegressorCV else CDClassifier)(
        l2=0, l1=float(first) * (1 + 1e-9), positive=True, penalty_factor=[1, 2, 1, 1, 1], tol=1e-10
    ).fit(X, y)
    assert not strongest.coef_.any()  # the grid begins where w = 0 is optimal,
    weaker = strongest.set_params(l1=0.99 * float(first)).fit(X, y)
    assert weaker.coef_.any()  # and not before


def test_more_classes_and_contradictions_are_refused_in_one_sentence():
    with pytest.raises(ValueError, match="bounds and penalty factors of features are not for softmax: leave them out"):
        CDClassifier(positive=True).fit(X, np.arange(40) % 3)
    with pytest.raises(ValueError, match="positive=True is lower=0: leave one of positive and lower out"):
        CDRegressor(positive=True, lower=-1).fit(X, Y)
    with pytest.raises(ValueError, match="upper must be a number or one of each of the 5 features"):
        CDRegressor(upper=[1, 2]).fit(X, Y)


def test_a_warm_start_comes_into_the_box():
    model = CDRegressor(warm_start=True).fit(X, Y)
    assert (model.set_params(positive=True).fit(X, Y).coef_ >= 0).all()
