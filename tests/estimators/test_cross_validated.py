"""Estimators that choose their weight by cross-validation choose as scikit-learn does, and keep their certificates."""

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from sklearn.base import clone
from sklearn.linear_model import ElasticNetCV, LassoCV, RidgeCV
from sklearn.metrics import accuracy_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils.estimator_checks import parametrize_with_checks

import cdlab

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 15))
TARGETS = X @ (rng.standard_normal(15) * (rng.random(15) < 0.4)) + rng.standard_normal(60)
LABELS = np.where(TARGETS > 0, "yes", "no")
WEIGHTS = np.geomspace(0.5, 0.01, 12)

ESTIMATORS = [
    cdlab.CDRegressorCV(l1_ratio=0.5, tol=1e-10, cv=3, weights=5),
    cdlab.CDClassifierCV(l1_ratio=0.5, tol=1e-10, cv=3, weights=5),
]


@pytest.mark.full
@pytest.mark.filterwarnings("ignore::UserWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learns_check(estimator, check):
    assert check(estimator) is None


@each_of("intercept", [True, False])
@each_of("stored", [np.asarray, sp.csr_matrix])
def test_lasso_cv(intercept, stored):
    there = LassoCV(alphas=WEIGHTS, cv=4, fit_intercept=intercept, tol=1e-10, max_iter=100_000).fit(X, TARGETS)
    here = cdlab.CDRegressorCV(weights=WEIGHTS, cv=4, fit_intercept=intercept, tol=1e-9).fit(stored(X), TARGETS)
    np.testing.assert_allclose(here.mse_path_, there.mse_path_, rtol=1e-4)
    assert here.weight_ == here.l1_ == pytest.approx(there.alpha_)
    np.testing.assert_allclose(here.coef_, there.coef_, atol=1e-4)
    assert here.intercept_ == pytest.approx(there.intercept_, abs=1e-4)


def test_elastic_net_cv():
    ratios = [0.2, 0.9]
    there = ElasticNetCV(l1_ratio=ratios, alphas=WEIGHTS, cv=4, tol=1e-10, max_iter=100_000).fit(X, TARGETS)
    here = cdlab.CDRegressorCV(l1_ratio=ratios, weights=WEIGHTS, cv=4, tol=1e-9).fit(X, TARGETS)
    np.testing.assert_allclose(here.mse_path_, there.mse_path_, rtol=1e-4)
    assert (here.l1_ratio_, here.weight_) == (there.l1_ratio_, pytest.approx(there.alpha_))
    assert here.l2_ == pytest.approx(here.weight_ * (1 - here.l1_ratio_))


def test_scores_are_those_of_estimators_fitted_one_by_one():
    folds = list(StratifiedKFold(3).split(X, LABELS))
    model = cdlab.CDClassifierCV(cv=folds, weights=4, tol=1e-8).fit(X, LABELS)
    for k, weight in enumerate(model.weights_):
        for fold, (train, test) in enumerate(folds):
            alone = cdlab.CDClassifier(l1=weight, l2=0.0, tol=1e-8).fit(X[train], LABELS[train])
            assert model.scores_[k, fold] == alone.score(X[test], LABELS[test])
    assert model.weight_ == model.weights_[model.scores_.mean(axis=1).argmax()]
    scored = cdlab.CDClassifierCV(cv=folds, weights=4, tol=1e-8, scoring="accuracy").fit(X, LABELS)
    np.testing.assert_array_equal(scored.scores_, model.scores_)
    assert accuracy_score(LABELS, model.predict(X)) == model.score(X, LABELS) > 0.7
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))


@pytest.mark.full
@pytest.mark.filterwarnings("ignore:.*still improves")  # the best of two weights is the smaller
def test_a_loss_that_is_not_squared_is_scored_by_its_own_mean():
    folds, weights = list(KFold(3).split(X)), [0.3, 0.1]
    s = np.linspace(0.5, 2, 60)
    for given in (None, s):
        model = cdlab.CDRegressorCV("huber", cv=folds, weights=weights, tol=1e-9).fit(X, TARGETS, given)
        for k, weight in enumerate(weights):
            for fold, (train, test) in enumerate(folds):
                alone = cdlab.CDRegressor("huber", l1=weight, l2=0.0, tol=1e-9)
                alone.fit(X[train], TARGETS[train], None if given is None else given[train])
                off = np.abs(alone.predict(X[test]) - TARGETS[test])
                losses = np.where(off <= 1, off**2 / 2, off - 0.5)
                mean = np.average(losses, weights=None if given is None else given[test])
                assert model.scores_[k, fold] == pytest.approx(-mean, abs=1e-5)
    assert not hasattr(model, "mse_path_")


@pytest.mark.filterwarnings("ignore:.*still improves")
def test_a_quantile_is_chosen_along_l1_too():
    model = cdlab.CDRegressorCV("pinball", quantile=0.8, cv=3, weights=4).fit(X, TARGETS)
    assert max(s.relative_gap for s in model.path_) <= 1e-6
    assert not model.path_[0].w.any()
    alone = cdlab.CDRegressor("pinball", quantile=0.8, l1=model.weight_, l2=0).fit(X, TARGETS)
    assert alone.certificate_.primal == pytest.approx(model.certificate_.primal, rel=1e-5)


def test_the_path_is_certified_and_holds_the_choice():
    model = cdlab.CDRegressorCV(tol=1e-7).fit(X, TARGETS)
    assert len(model.path_) == len(model.weights_) == 50
    assert max(s.relative_gap for s in model.path_) <= 1e-7
    assert not model.path_[0].w.any()  # the largest weight is the least with w = 0
    chosen = model.path_[list(model.weights_).index(model.weight_)]
    np.testing.assert_array_equal(model.coef_, chosen.w)
    assert model.gap_ == chosen.gap


def test_one_standard_error_is_the_largest_weight_that_is_as_good():
    best = cdlab.CDRegressorCV(cv=5).fit(X, TARGETS)
    simple = cdlab.CDRegressorCV(cv=5, rule="one_standard_error").fit(X, TARGETS)
    means, k = best.mse_path_.mean(axis=1), list(best.weights_).index(best.weight_)
    allowed = means[k] + best.mse_path_[k].std(ddof=1) / np.sqrt(5)
    assert simple.weight_ == best.weights_[np.flatnonzero(means <= allowed)[0]] > best.weight_


def test_threads_change_nothing():
    kinds = np.digitize(TARGETS, np.quantile(TARGETS, [0.3, 0.6]))
    for model, y in [
        (cdlab.CDRegressorCV(cv=4), TARGETS),
        (cdlab.CDClassifierCV(cv=4, weights=5), kinds),
        (cdlab.CDClassifierCV(cv=4, weights=5, scoring="accuracy"), kinds),
        (cdlab.CDClassifier("squared_hinge", random_state=0), kinds),
    ]:
        one, two = (clone(model).set_params(n_jobs=jobs).fit(X, y) for jobs in (1, 2))
        np.testing.assert_array_equal(one.coef_, two.coef_)
        np.testing.assert_array_equal(getattr(one, "scores_", ()), getattr(two, "scores_", ()))


@pytest.mark.full
def test_several_classes_are_told_from_the_rest_by_a_margin():
    kinds = np.digitize(TARGETS, np.quantile(TARGETS, [0.3, 0.6]))
    model = cdlab.CDClassifierCV("smooth_hinge", weights=5, cv=3).fit(X, kinds)
    assert model.coef_.shape == (3, 15)
    assert len(model.path_) == 3
    assert model.score(X, kinds) > 0.6
    assert not hasattr(model, "predict_proba")


@pytest.mark.full
def test_weights_of_examples_count_in_fits_and_scores():
    s = np.r_[np.ones(40), np.zeros(20)]
    folds = [(np.r_[train, 40:60], np.r_[test, 40:50]) for train, test in KFold(4).split(X[:40])]
    weighed = cdlab.CDRegressorCV(weights=WEIGHTS, cv=folds, tol=1e-9).fit(X, TARGETS, s)
    left = cdlab.CDRegressorCV(weights=WEIGHTS, cv=4, tol=1e-9).fit(X[:40], TARGETS[:40])
    np.testing.assert_allclose(weighed.scores_, left.scores_, rtol=1e-4)
    assert weighed.weight_ == left.weight_


@each_of(
    "options, sentence",
    [
        ({"rule": "first"}, "rule must be"),
        ({"l1_ratio": 1.5}, "l1_ratio must be a number from 0 to 1"),
        ({"weights": [0.1, -1]}, "finite number >= 0"),
        ({"weights": []}, "weights must be"),
        ({"eps": 2}, "eps must be"),
        ({"loss": "absolute", "l1_ratio": 0}, "with l1_ratio = 0 needs a smooth loss"),
        ({"loss": "huber", "quantile": 0.5}, "the loss huber has no quantile: take loss='pinball'"),
        ({"loss": "logistic"}, "use CDClassifier"),
    ],
)
def test_what_does_not_fit_is_said(options, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        cdlab.CDRegressorCV(**options).fit(X, TARGETS)


def test_ridge_has_a_grid_that_holds_the_best_weight():
    """Units of X and y change nothing, as they do to the weights that l1 would be made for."""
    for y in (TARGETS, 1e5 * TARGETS + 1e6):
        model = cdlab.CDRegressorCV(l1_ratio=0, cv=5).fit(X, y)
        assert model.weights_.min() < model.weight_ < model.weights_.max()
        peer = RidgeCV(48 * model.weights_, cv=5, scoring="neg_mean_squared_error").fit(X, y)  # of sums over 48 rows
        assert 48 * model.weight_ == pytest.approx(peer.alpha_)


def test_the_end_of_the_grid_is_said_where_it_matters():
    y = X @ np.arange(1.0, 16) + 0.1 * TARGETS
    with pytest.warns(UserWarning, match="still improves"):
        cut = cdlab.CDRegressorCV(cv=5, eps=0.1).fit(X, y)
    assert cut.weight_ == cut.weights_.min()
    noise = np.random.default_rng(3).normal(size=60)
    cdlab.CDRegressorCV(cv=5).fit(X, noise)  # no warning: they are errors
