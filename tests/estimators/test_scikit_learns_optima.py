"""The optimum is scikit-learn's, with its scalings, with and without intercept and sample weights."""

import inspect

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from multiclass import classes
from problems import data
from sklearn.linear_model import ElasticNet, LogisticRegression, Ridge
from sklearn.svm import LinearSVC

import cdlab

X, y = data()
n, d = X.shape
TARGETS = X @ np.linspace(-1, 1, d) + 2 + 0.1 * np.random.default_rng(0).standard_normal(n)
WEIGHTS = np.random.default_rng(1).exponential(size=n)
CASES = [(intercept, weights) for intercept in (True, False) for weights in (None, WEIGHTS)]
EXACT = {"tol": 1e-13, "max_passes": 10_000}


def agree(ours, theirs):
    assert ours.coef_.shape == theirs.coef_.shape
    assert np.ravel(ours.coef_) == pytest.approx(np.ravel(theirs.coef_), abs=2e-5)
    assert np.ravel(ours.intercept_) == pytest.approx(np.ravel(theirs.intercept_), abs=2e-5)


def mass(weights):
    """What stands in place of n: scikit-learn sums over examples, cdlab takes their weighted mean."""
    return n if weights is None else weights.sum()


@each_of("intercept, weights", CASES)
def test_ridge(intercept, weights):
    ours = cdlab.CDRegressor(l2=0.5 / mass(weights), fit_intercept=intercept, **EXACT).fit(X, TARGETS, weights)
    agree(ours, Ridge(0.5, fit_intercept=intercept).fit(X, TARGETS, weights))


@each_of("intercept, weights", CASES)
def test_elastic_net(intercept, weights):
    ours = cdlab.CDRegressor(l2=0.02, l1=0.03, fit_intercept=intercept, **EXACT).fit(X, TARGETS, weights)
    theirs = ElasticNet(0.05, l1_ratio=0.6, fit_intercept=intercept, tol=1e-14, max_iter=100_000)
    agree(ours, theirs.fit(X, TARGETS, weights))


@each_of("intercept, weights", CASES)
@each_of("K", [2, 3])
def test_logistic_regression(intercept, weights, K):
    A, labels = (X, y) if K == 2 else classes()
    ours = cdlab.CDClassifier(l2=1 / (3 * mass(weights)), fit_intercept=intercept, **EXACT).fit(A, labels, weights)
    theirs = LogisticRegression(C=3, fit_intercept=intercept, tol=1e-12, max_iter=10_000)
    theirs.fit(A, labels, weights)
    if K == 3:  # an equal shift of all intercepts changes nothing
        ours.intercept_ -= ours.intercept_.mean()
        theirs.intercept_ = theirs.intercept_ - theirs.intercept_.mean()
    agree(ours, theirs)
    assert ours.predict_proba(A) == pytest.approx(theirs.predict_proba(A), abs=1e-5)
    assert ours.predict_log_proba(A) == pytest.approx(theirs.predict_log_proba(A), abs=1e-4)
    assert ours.decision_function(A).shape == theirs.decision_function(A).shape


@each_of("weights", [None, WEIGHTS])
@each_of("loss", ["hinge", "squared_hinge"])
def test_linear_support_vectors(loss, weights):
    scale = 1 if loss == "hinge" else 2  # theirs has no 1/2
    ours = cdlab.CDClassifier(loss, l2=1 / (scale * mass(weights)), fit_intercept=False, **EXACT | {"tol": 1e-10})
    theirs = LinearSVC(loss=loss, dual=True, fit_intercept=False, tol=1e-10, max_iter=1_000_000)
    agree(ours.fit(X, y, weights), theirs.fit(X, y, weights))


@each_of("weights", [None, WEIGHTS])
@each_of("scaling", [1.0, 3.0])
@each_of("K", [2, 3])
@pytest.mark.filterwarnings("ignore:the penalty of the intercept")
def test_a_hinge_s_intercept_is_that_of_support_vectors(scaling, weights, K):
    A, labels = (X, y) if K == 2 else classes()
    l2 = 1 / (0.1 * len(A)) if weights is None else 10 / weights.sum()
    ours = cdlab.CDClassifier("hinge", l2=l2, intercept_scaling=scaling, tol=1e-11, max_passes=20_000)
    theirs = LinearSVC(loss="hinge", C=0.1, intercept_scaling=scaling, dual=True, tol=1e-10, max_iter=1_000_000)
    agree(ours.fit(A, labels, weights), theirs.fit(A, labels, weights))
    assert (ours.predict(A) == theirs.predict(A)).all()


@each_of("given", [np.asfortranarray(X), sp.csr_matrix(X), sp.csc_array(X), sp.coo_array(X)])
def test_matrices_of_any_kind_give_one_model(given):
    model, same = (cdlab.CDClassifier(tol=1e-12).fit(A, y) for A in (X, given))
    assert same.coef_ == pytest.approx(model.coef_, abs=1e-5)
    assert same.decision_function(given) == pytest.approx(model.decision_function(X), abs=1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_numbers_of_any_kind_give_one_model(dtype):
    rough = np.round(4 * X).astype(dtype)  # exact in both
    model, same = (cdlab.CDRegressor(random_state=0).fit(A, TARGETS) for A in (rough.astype(float), rough))
    assert np.array_equal(same.coef_, model.coef_.astype(same.coef_.dtype))


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_balanced_classes_weigh_alike(weights):
    """The weighted mean over each class is half of the objective, whatever its examples count."""
    s = np.ones(n) if weights is None else weights
    positive = y > 0
    by_hand = np.where(positive, s / s[positive].sum(), s / s[~positive].sum())
    model = cdlab.CDClassifier(class_weight="balanced", random_state=0).fit(X, y, weights)
    assert model.coef_ == pytest.approx(cdlab.CDClassifier(random_state=0).fit(X, y, by_hand).coef_, rel=1e-9)
    double = cdlab.CDClassifier(class_weight={1: 2.0}, random_state=0).fit(X, y, weights)
    same = cdlab.CDClassifier(random_state=0).fit(X, y, np.where(positive, 2 * s, s))
    assert double.coef_ == pytest.approx(same.coef_, rel=1e-9)


@each_of(
    "estimator, name, words",
    [
        (cdlab.CDClassifier, "C", r"write l2=1 / \(n \* C\)"),
        (cdlab.CDClassifier, "penalty", "write l2 and l1"),
        (cdlab.CDRegressor, "alpha", "l1=alpha in place of Lasso's, and l2=alpha / n"),
        (cdlab.CDRegressorCV, "alphas", "write weights=alphas"),
        (cdlab.CDClassifierCV, "Cs", r"write weights=1 / \(n \* Cs\)"),
    ],
)
def test_parameters_of_scikit_learn_are_refused_with_ours(estimator, name, words):
    with pytest.raises(TypeError, match=f"{estimator.__name__} has no parameter {name}: .*{words}"):
        estimator(**{name: 1.0})
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        estimator(unknown=1.0)
    assert name not in estimator().get_params()
    assert "(loss" in str(inspect.signature(estimator))


@pytest.mark.filterwarnings("ignore:.*still improves")  # the best of two weights is the smaller
def test_weights_of_cross_validation_are_those_of_scikit_learn():
    """As the refusals of alphas and Cs say."""
    alphas, Cs = np.array([0.3, 0.03]), np.array([0.1, 1.0])
    path = cdlab.CDRegressorCV(weights=alphas / n, l1_ratio=0, tol=1e-13, cv=2).fit(X, TARGETS).path_
    for alpha, s in zip(alphas, path, strict=True):
        assert s.w == pytest.approx(Ridge(alpha).fit(X, TARGETS).coef_, abs=2e-5)
    path = cdlab.CDClassifierCV(weights=1 / (n * Cs), l1_ratio=0, tol=1e-13, cv=2).fit(X, y).path_
    for C, s in zip(Cs, path, strict=True):
        theirs = LogisticRegression(C=C, tol=1e-12, max_iter=10_000).fit(X, y)
        assert s.w == pytest.approx(theirs.coef_[0], abs=2e-5)
