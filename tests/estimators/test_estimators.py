"""Estimators keep their certificate, work in scikit-learn's tools, and say what does not fit."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from cases import each_of
from multiclass import classes
from problems import data
from processes import python
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
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


@each_of("labels", [y, classes()[1]])
@each_of("intercept", [True, False])
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


@each_of("method", ["auto", "sdca", "rcd"])
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


@each_of("labels", [y, classes()[1]])
@each_of("intercept", [True, False])
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


EACH_LOSS = [
    *(cdlab.CDClassifier(loss, l2=0.1) for loss in ("logistic", "squared_hinge", "smooth_hinge", "hinge")),
    *(cdlab.CDRegressor(loss, l2=0.1) for loss in ("squared", "huber", "absolute")),
]


@each_of("model", EACH_LOSS)
@each_of("scaling", [1.0, 5])
@pytest.mark.filterwarnings("ignore:the penalty of the intercept")
def test_a_scaling_penalises_the_intercept_as_a_column_of_X(model, scaling):
    model = clone(model).set_params(intercept_scaling=scaling, tol=1e-4).fit(X, y)
    P = cdlab.Problem(np.column_stack([X, np.full(n, scaling)]), y, model.loss, l2=model.l2)
    w = np.append(model.coef_, model.intercept_ / scaling)
    assert P.gap(w, model.solution_.alpha) == pytest.approx(model.gap_, rel=1e-9)
    assert model.coef_.size == model.n_features_in_ == d
    assert model.predict(X) == pytest.approx(model.solution_.predict(X))
    assert f"intercept_scaling={scaling}" in repr(model)
    assert clone(model).set_params(warm_start=True).fit(X, y).gap_ < 1e-3


@each_of("model", EACH_LOSS)
def test_an_intercept_is_free_by_default(model):
    model = clone(model).set_params(tol=1e-9).fit(X, y)
    P = cdlab.Problem(X, y, model.loss, l2=0.1, intercept=True)
    assert P.gap(np.append(model.coef_, model.intercept_), model.solution_.alpha) == pytest.approx(model.gap_, rel=1e-6)
    assert "intercept_scaling" not in repr(model)
    moved = clone(model).fit(X + 3, y)  # the same model in other coordinates
    assert moved.coef_ == pytest.approx(model.coef_, abs=2e-3)
    plain = clone(model).set_params(fit_intercept=False, intercept_scaling=2.0).fit(X, y)
    assert plain.intercept_ == 0
    best = cdlab.solve(cdlab.Problem(X, y, model.loss, l2=0.1), tol=1e-9)
    assert plain.coef_.ravel() == pytest.approx(best.w, abs=2e-3)


def test_classes_and_folds_have_free_and_penalised_intercepts():
    A, labels = classes()
    B = np.column_stack([A, np.full(len(A), 2.0)])
    for model in (cdlab.CDClassifier(), cdlab.CDClassifierCV(weights=3, cv=3, l1_ratio=0.5, eps=1e-2)):
        model = model.set_params(intercept_scaling=2.0, tol=1e-9)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a weight at the end of the grid, and of the penalty
            model.fit(A, labels)
        l2, l1 = (model.l2_, model.l1_) if hasattr(model, "l2_") else (model.l2, model.l1)
        s = cdlab.solve(cdlab.Problem(B, labels, "softmax", l2=l2, l1=l1), tol=1e-9, max_passes=10**5)
        assert model.intercept_ == pytest.approx(2 * s.w[-1], abs=1e-3)
        assert model.coef_ == pytest.approx(s.w[:-1].T, abs=1e-3)
        assert cdlab.certify(model, A, labels).relative_gap < 1e-6


def test_a_penalty_that_pulls_the_intercept_is_told():
    raw, t = load_iris(return_X_y=True)
    model = cdlab.CDClassifier("hinge", intercept_scaling=1.0, max_passes=10**5)
    with pytest.warns(UserWarning, match=r"intercept_scaling=1\): leave intercept_scaling=None"):
        model.fit(raw, t == 0)
    rng = np.random.default_rng(0)
    centred = rng.standard_normal((100, 3))
    model.fit(centred - centred.mean(axis=0), centred[:, 0] > 0)
    assert model.gap_ < 1e-5


@each_of("load", [load_iris, load_wine, load_breast_cancer])
def test_a_free_hinge_is_solved_on_raw_data(load):
    raw, t = load(return_X_y=True)
    model = cdlab.CDClassifier("hinge").fit(raw, t)  # a warning would be an error
    assert cdlab.certify(model, raw, t).relative_gap <= 2e-6


def test_the_median_of_a_line_far_from_0_is_found():
    x = np.arange(20.0)[:, None] + 2000
    target = 350 + 3 * (x[:, 0] - 2000) + np.tile([1.0, -1, 0.5, -0.5], 5)
    model = cdlab.CDRegressor("absolute", tol=1e-9).fit(x, target)
    near = cdlab.Problem(x - 2009.5, target, "absolute", intercept=True)
    best = cdlab.solve(near, "ssnal", tol=1e-10).trace.records[-1].primal
    assert model.certificate_.primal == pytest.approx(best, abs=1e-5)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", cdlab.losses.SmoothHinge(0.5)])
@pytest.mark.parametrize("intercept", [True, False])
def test_one_class_against_the_rest_is_a_problem_each(loss, intercept):
    A, labels = classes()
    words = np.array(["a", "b", "c"])[np.unique(labels, return_inverse=True)[1]]
    model = cdlab.CDClassifier(loss, l2=0.1, fit_intercept=intercept, tol=1e-9, random_state=0).fit(A, words)
    each = OneVsRestClassifier(cdlab.CDClassifier(loss, l2=0.1, fit_intercept=intercept, tol=1e-9)).fit(A, words)
    assert model.coef_ == pytest.approx(np.vstack([e.coef_ for e in each.estimators_]), abs=1e-3)
    assert model.decision_function(A).shape == (len(A), 3)
    assert (model.predict(A) == each.predict(A)).all()
    assert model.gap_ == pytest.approx(sum(s.gap for s in model.solution_))
    assert len(model.trace_) == len(model.solution_) == 3
    again = model.set_params(warm_start=True).fit(A, words)
    assert again.trace_[0].records[0].primal == pytest.approx(again.trace_[0].records[-1].primal, rel=1e-6)


def test_classes_that_missed_the_tolerance_are_counted_in_one_warning():
    A, labels = classes()
    with pytest.warns(ConvergenceWarning, match="for 3 of 3 classes") as caught:
        cdlab.CDClassifier("squared_hinge", method="rcd", tol=1e-12, max_passes=1).fit(A, labels)
    assert [w.filename for w in caught] == [__file__]


# ---------------------------------------------------------------- inputs that scikit-learn would take
@pytest.mark.full
def test_inconsistent_sparse_matrices_are_refused_and_do_not_end_the_process():
    """Each was a segmentation fault, or could be one: tried in a process of its own."""
    code = """
import json, numpy as np, scipy.sparse as sp, cdlab
X, y = np.random.default_rng(0).standard_normal((40, 6)), np.arange(40) % 2
def broken(kind, member, change):
    A = kind(X)
    value = getattr(A, member).copy()
    change(value)
    setattr(A, member, value)
    return A
def put(place, number):
    return lambda value: value.__setitem__(place, number)
cases = [broken(kind, *how) for kind in (sp.csr_matrix, sp.csc_matrix, sp.csc_array, sp.csr_array)
         for how in (("indices", put(3, 10**8)), ("indices", put(3, -5)), ("indptr", put(2, 10**8)),
                     ("indptr", put(-1, 10**8)))]
cases += [broken(sp.bsr_matrix, "indices", put(0, 10**7)), broken(sp.bsr_array, "indptr", put(-1, 10**7))]
for kind in (sp.coo_matrix, sp.coo_array):
    A = kind(X); A.row = A.row.copy(); A.row[5] = 10**8; cases.append(A)
    A = kind(X); A.col = A.col.copy(); A.col[5] = -10**8; cases.append(A)
told = []
for A in cases:
    for model in (cdlab.CDClassifier(), cdlab.CDRegressor()):
        fitted = type(model)().fit(X, y)
        calls = [lambda: model.fit(A, y), lambda: fitted.predict(A), lambda: fitted.score(A, y)]
        if isinstance(model, cdlab.CDClassifier):
            calls += [lambda: fitted.decision_function(A), lambda: fitted.predict_proba(A)]
        for call in calls:
            try:
                call()
                told.append("taken")
            except ValueError as error:
                told.append(str(error))
print(json.dumps(told))
"""
    told = python(code)
    assert len(told) == 22 * 8
    assert all("inconsistent sparse matrix" in words for words in told)


MASKED, TIMES = np.ma.array(X, mask=np.arange(X.size).reshape(X.shape) == 3), np.abs(X * 100).astype("M8[ns]")


@each_of("model", [cdlab.CDClassifier(), cdlab.CDRegressor()])
@each_of(
    "A, words",
    [
        (MASKED, "masked"),
        (TIMES, "dates"),
        (TIMES - TIMES[0], "dates"),
        (pd.DataFrame(TIMES), "dates"),
        (pd.DataFrame({0: X[:, 0], 1: TIMES[:, 1]}), "dates"),
        (list(TIMES), "dates"),
    ],
)
def test_masks_and_times_are_no_numbers(model, A, words):
    with pytest.raises((ValueError, TypeError), match=words):
        clone(model).fit(A, y)
    fitted = clone(model).fit(X, y)
    with pytest.raises((ValueError, TypeError), match=words + "|feature names"):
        fitted.predict(A)


def test_masks_and_times_are_no_targets_or_weights():
    some = np.arange(n) == 2
    for bad, words in (
        (np.ma.array(y, mask=some), "masked"),
        (TIMES[:, 0], "dates"),
        (pd.Series(TIMES[:, 0]), "dates"),
    ):
        with pytest.raises(ValueError, match=f"y .*{words}"):
            cdlab.CDRegressor().fit(X, bad)
        with pytest.raises(ValueError, match=f"sample_weight .*{words}"):
            cdlab.CDRegressor().fit(X, y, bad)
    assert cdlab.CDRegressor().fit(np.ma.array(X), np.ma.array(y)).gap_ < 1e-5  # nothing is masked


def test_probabilities_are_for_the_logistic_loss():
    assert hasattr(cdlab.CDClassifier(), "predict_proba")
    assert not hasattr(cdlab.CDClassifier("squared_hinge"), "predict_proba")
    assert not hasattr(cdlab.CDClassifier("squared_hinge"), "predict_log_proba")


@each_of(
    "model, sentence",
    [
        (cdlab.CDClassifier("squared"), "squared is no loss of CDClassifier: use CDRegressor"),
        (cdlab.CDClassifier("softmax"), "softmax is no loss of CDClassifier: use loss='logistic'"),
        (cdlab.CDRegressor("logistic"), "logistic is no loss of CDRegressor: use CDClassifier"),
        (cdlab.CDRegressor("softmax"), "softmax is no loss of CDRegressor: use CDClassifier with loss='logistic'"),
        (cdlab.CDClassifier(l2=-1), "l2 must be a finite number >= 0"),
        (cdlab.CDClassifier(method="nothing"), "there is no method named 'nothing'"),
        (cdlab.CDClassifier(fit_intercept="yes"), "fit_intercept must be True or False, not 'yes'"),
        (cdlab.CDClassifier(warm_start=2), "warm_start must be True or False, not 2"),
        (cdlab.CDClassifier("hinge", intercept_scaling=0), "intercept_scaling must be a number > 0 or None, not 0"),
        (cdlab.CDClassifier(class_weight=[1]), "class_weight must be a dict"),
        (cdlab.CDClassifier(class_weight="even"), "class_weight must be a dict"),
        (cdlab.CDClassifier(class_weight={1: "a"}), "class_weight of 1 must be a finite number >= 0"),
    ],
)
def test_what_does_not_fit_is_one_sentence(model, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        model.fit(X, y)


def test_nobody_waits_for_scikit_learn_who_does_not_ask_for_it():
    code = "import cdlab, json, sys; print(json.dumps(['sklearn' in sys.modules, 'CDClassifier' in dir(cdlab)]))"
    assert python(code) == [False, True]
