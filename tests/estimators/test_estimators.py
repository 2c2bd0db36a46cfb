"""Estimators keep their certificate, work in scikit-learn's tools, and say what does not fit."""

import pickle

import numpy as np
import pandas as pd
import pytest
from multiclass import classes
from problems import data
from processes import python
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import cdlab

X, y = data()
n, d = X.shape
WORDS = np.where(y > 0, "yes", "no")


def loose(**options):
    """A model that stops early, at a gap that is not small."""
    return cdlab.CDClassifier(tol=0.05, random_state=0, **options)


@pytest.mark.parametrize("labels", [y, classes()[1]])
@pytest.mark.parametrize("intercept", [True, False])
def test_the_gap_bounds_the_suboptimality(labels, intercept):
    rough = loose(fit_intercept=intercept).fit(X, labels)
    exact = cdlab.CDClassifier(tol=1e-12, fit_intercept=intercept).fit(X, labels)
    assert 0 < rough.certificate_.primal - exact.certificate_.primal <= rough.gap_
    assert rough.gap_ == rough.certificate_.gap
    assert rough.gap_ == pytest.approx(rough.certificate_.primal - rough.certificate_.dual, rel=1e-9)
    assert exact.gap_ < rough.gap_


def test_the_trace_and_its_counts_are_kept():
    model = cdlab.CDClassifier(random_state=0).fit(X, y)
    last = model.trace_.records[-1]
    assert (model.n_passes_, model.n_iter_) == (last.passes, last.iteration)
    assert isinstance(model.n_iter_, int)
    assert model.solution_.status == "tolerance reached"


@pytest.mark.parametrize("method", ["auto", "sdca", "rcd"])
def test_the_same_seed_gives_the_same_model(method):
    one, two = (loose(method=method, sampling=None, fit_intercept=False).fit(X, y) for _ in range(2))
    assert np.array_equal(one.coef_, two.coef_)
    assert one.trace_.records[-1].passes == two.trace_.records[-1].passes


def test_method_and_sampling_are_those_of_solve():
    model = cdlab.CDClassifier(method="sdca", sampling="importance", fit_intercept=False).fit(X, y)
    assert (model.trace_.meta["method"], model.trace_.meta["sampling"]) == ("sdca", "importance")


def test_they_work_in_pipelines_and_searches():
    search = GridSearchCV(
        make_pipeline(StandardScaler(), cdlab.CDClassifier(random_state=0)), {"cdclassifier__l2": [1e-3, 10.0]}, cv=3
    ).fit(X, WORDS)
    assert {*search.predict(X)} == {"yes", "no"}
    assert search.best_estimator_[-1].gap_ < 1e-5
    assert cross_val_score(cdlab.CDRegressor(), X, X @ np.ones(d), cv=3).min() > 0.99


def test_copies_are_unfitted_and_pickles_predict_the_same():
    model = cdlab.CDClassifier(cdlab.losses.SmoothHinge(0.5), l2=0.1).fit(X, WORDS)
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(clone(model), "coef_")
    loaded = pickle.loads(pickle.dumps(model))
    assert np.array_equal(loaded.predict(X), model.predict(X))
    assert loaded.gap_ == model.gap_


def test_frames_name_the_features():
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(d)])
    model = cdlab.CDClassifier().fit(frame, pd.Series(WORDS))
    assert model.feature_names_in_.tolist() == list(frame)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[frame.columns[::-1]])


def test_polars_frames_are_taken():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({f"f{j}": X[:, j] for j in range(d)})
    model = cdlab.CDClassifier().fit(frame, polars.Series(WORDS.tolist()))
    assert model.feature_names_in_.tolist() == frame.columns
    assert {*model.predict(frame)} == {"yes", "no"}


@pytest.mark.parametrize("labels", [y, classes()[1]])
@pytest.mark.parametrize("intercept", [True, False])
def test_a_warm_start_goes_on_from_the_last_solution(labels, intercept):
    model = cdlab.CDClassifier(tol=1e-8, warm_start=True, fit_intercept=intercept).fit(X, labels)
    first = model.n_passes_
    again = model.fit(X, labels)
    assert again.n_passes_ < first
    assert again.trace_.records[0].primal == pytest.approx(again.certificate_.primal, rel=1e-6)
    assert model.fit(X[:, :-1], labels).coef_.shape[1] == d - 1  # another shape begins anew


def test_a_limit_that_came_first_is_told():
    with pytest.warns(ConvergenceWarning, match="CDRegressor ended with 'pass limit' after .* raise max_passes or tol"):
        cdlab.CDRegressor(method="rcd", tol=1e-12, max_passes=1).fit(X, X @ np.ones(d))


def test_a_loss_with_kinks_says_what_to_do_about_the_intercept():
    with pytest.raises(ValueError, match="hinge loss, which is not smooth, with an intercept: set fit_intercept=False"):
        cdlab.CDClassifier("hinge").fit(X, y)
    assert cdlab.CDClassifier("hinge", fit_intercept=False).fit(X, y).gap_ < 1e-5
    with pytest.raises(ValueError, match="set fit_intercept=False"):
        cdlab.CDRegressor("absolute").fit(X, y)


def test_one_against_the_rest_is_scikit_learns():
    labels = classes()[1]
    with pytest.raises(ValueError, match=r"y has 3 classes: use loss='logistic' or sklearn\.multiclass\.OneVsRest"):
        cdlab.CDClassifier("squared_hinge").fit(X, labels)
    each = OneVsRestClassifier(cdlab.CDClassifier("squared_hinge")).fit(X, labels)
    assert max(model.gap_ for model in each.estimators_) < 1e-5


def test_probabilities_are_for_the_logistic_loss():
    assert hasattr(cdlab.CDClassifier(), "predict_proba")
    assert not hasattr(cdlab.CDClassifier("squared_hinge"), "predict_proba")
    assert not hasattr(cdlab.CDClassifier("squared_hinge"), "predict_log_proba")


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (cdlab.CDClassifier("squared"), "squared is no loss of CDClassifier: use CDRegressor"),
        (cdlab.CDClassifier("softmax"), "softmax is no loss of CDClassifier: use loss='logistic'"),
        (cdlab.CDRegressor("logistic"), "logistic is no loss of CDRegressor: use CDClassifier"),
        (cdlab.CDRegressor("softmax"), "softmax is no loss of CDRegressor: use CDClassifier with loss='logistic'"),
        (cdlab.CDClassifier(l2=-1), "l2 must be a finite number >= 0"),
        (cdlab.CDClassifier(method="nothing"), "there is no method named 'nothing'"),
        (cdlab.CDClassifier(fit_intercept="yes"), "fit_intercept must be True or False, not 'yes'"),
        (cdlab.CDClassifier(warm_start=2), "warm_start must be True or False, not 2"),
    ],
)
def test_what_does_not_fit_is_one_sentence(model, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        model.fit(X, y)


def test_nobody_waits_for_scikit_learn_who_does_not_ask_for_it():
    code = "import cdlab, json, sys; print(json.dumps(['sklearn' in sys.modules, 'CDClassifier' in dir(cdlab)]))"
    assert python(code) == [False, True]
