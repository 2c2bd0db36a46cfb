"""Offsets in estimators: what scipy finds with them, predictions that need them, folds that keep their rows."""

import pickle

import dask.array as da
import numpy as np
import pandas as pd
import pytest
from cases import each_of
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from sklearn import config_context
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import GridSearchCV, KFold

import cdlab

rng = np.random.default_rng(5)
n, d = 60, 4
X, O, S = rng.standard_normal((n, d)), 2 * rng.standard_normal(n), rng.integers(1, 4, n).astype(float)
REAL = X @ [1.0, -1, 0.5, 0] + O + rng.standard_normal(n)
SIGNS = np.where(X @ [1.0, -1, 0.5, 0] + O + rng.logistic(size=n) > 0, 1, -1)
THREE = np.arange(n) % 3
FITTED = {"real": (cdlab.CDRegressor, REAL), "classes": (cdlab.CDClassifier, SIGNS)}
BY_FOLDS = {"real": (cdlab.CDRegressorCV, REAL), "classes": (cdlab.CDClassifierCV, SIGNS)}


def scipys(target, o, l2=0.1, s=S, rows=slice(None)):
    """w and b of least P, by BFGS: the mean logistic loss of words, half the mean square of others."""
    A, y, o, s = X[rows], target[rows], o[rows], s[rows] / s[rows].mean()

    def P(wb):
        z = A @ wb[:d] + wb[d] + o
        loss = -log_expit(y * z) if target is SIGNS else (z - y) ** 2 / 2
        slope = -y * expit(-y * z) if target is SIGNS else z - y
        gradient = A.T @ (s * slope) / y.size + l2 * wb[:d]
        return np.mean(s * loss) + l2 / 2 * wb[:d] @ wb[:d], np.append(gradient, np.mean(s * slope))

    found = minimize(P, np.zeros(d + 1), jac=True, method="BFGS", options={"gtol": 1e-10}).x
    return found[:d], found[d]


@each_of("kind", FITTED)
def test_coefficients_and_predictions_are_scipys(kind):
    cls, y = FITTED[kind]
    model = cls(l2=0.1, tol=1e-12).fit(X, y, S, offset=O)
    w, b = scipys(y, O)
    assert np.ravel(model.coef_) == pytest.approx(w, abs=1e-5)
    assert np.ravel(model.intercept_) == pytest.approx([b], abs=1e-5)
    z = X @ w + b + O
    if kind == "real":
        assert model.predict(X, O) == pytest.approx(z, abs=1e-4)
        assert model.score(X, y, S, O) == pytest.approx(r2_score(y, z, sample_weight=S), abs=1e-5)
    else:
        assert model.decision_function(X, pd.Series(O)) == pytest.approx(z, abs=1e-4)
        assert np.exp(model.predict_log_proba(X, O)) == pytest.approx(model.predict_proba(X, O), rel=1e-12)
        assert model.predict_proba(X, O)[:, 1] == pytest.approx(expit(z), abs=1e-4)
        assert model.score(X, y, S, O) == accuracy_score(y, np.where(z > 0, 1, -1), sample_weight=S)


@each_of("kind", FITTED)
@each_of("column", [None, 100.0])
def test_one_number_moves_the_intercept_and_nothing_else(kind, column):
    cls, y = FITTED[kind]
    plain, moved = (cls(l2=0.1, tol=1e-12).fit(X, y, offset=o) for o in (O, O + 3))
    assert np.ravel(moved.coef_) == pytest.approx(np.ravel(plain.coef_), abs=1e-4)
    assert np.ravel(moved.intercept_) == pytest.approx(np.ravel(plain.intercept_) - 3, abs=1e-4)
    alike = cls(l2=0.1, tol=1e-12, intercept_scaling=column).fit(X, y, offset=3)
    z = alike.predict(X, 3) if kind == "real" else alike.decision_function(X, 3)
    told = cdlab.certify(alike, X, y, offset=np.full(n, 3.0))
    assert told.relative_gap <= 1e-9
    if column is None:
        without = cls(l2=0.1, tol=1e-12).fit(X, y)
        assert z == pytest.approx(without.predict(X) if kind == "real" else without.decision_function(X), abs=1e-4)


@each_of("kind", [*FITTED])
@each_of("models", [FITTED, BY_FOLDS])
def test_a_model_with_an_offset_predicts_with_one_alone(kind, models):
    cls, y = models[kind]
    model = cls(**({"cv": 3, "weights": [0.1]} if models is BY_FOLDS else {"l2": 0.1})).fit(X, y, offset=O)
    for fitted in (model, pickle.loads(pickle.dumps(model))):
        for ask in (fitted.predict, lambda A, m=fitted: m.score(A, y)):
            with pytest.raises(ValueError, match="pass offset=0 for the baseline"):
                ask(X)
    assert np.array_equal(model.predict(X, 0), model.predict(X, np.zeros(n)))
    with pytest.raises(ValueError, match="was fitted with an offset: pass the same to certify"):
        cdlab.certify(model, X, y)
    certified = cdlab.certify(model, X, y, offset=O)
    assert certified.primal == pytest.approx(model.certificate_.primal, rel=1e-12)
    assert certified.relative_gap <= 1e-5
    assert model.fit(X, y).predict(X).shape == (n,)  # what a fit was given is forgotten by the next


@pytest.mark.filterwarnings("ignore:.*chose the smallest weight")  # of two that are to be compared
@each_of("kind", BY_FOLDS)
def test_folds_have_the_offsets_of_their_rows(kind):
    cls, y = BY_FOLDS[kind]
    folds, weights = list(KFold(4, shuffle=True, random_state=2).split(X)), [1.0, 0.1]
    model = cls(l1_ratio=0, weights=weights, cv=folds, tol=1e-10).fit(X, y, offset=O)
    for k, l2 in enumerate(weights):
        for fold, (train, test) in enumerate(folds):
            w, b = scipys(y, O, l2, np.ones(n), train)
            z = X[test] @ w + b + O[test]
            score = -np.mean((z - y[test]) ** 2) if kind == "real" else np.mean(np.where(z > 0, 1, -1) == y[test])
            assert model.scores_[k, fold] == pytest.approx(score, abs=1e-5)


def test_one_class_against_the_rest_has_the_offset_in_each_problem():
    model = cdlab.CDClassifier("squared_hinge", l2=0.1, tol=1e-12).fit(X, THREE, offset=O)
    for k in range(3):
        one = cdlab.solve(
            cdlab.Problem(X, np.where(THREE == k, 1, -1), "squared_hinge", 0.1, offset=O, intercept=True), tol=1e-12
        )
        assert model.decision_function(X, O)[:, k] == pytest.approx(one.decision_function(X, O), abs=1e-4)
    assert cdlab.certify(model, X, THREE, offset=O).relative_gap <= 1e-9


def test_metadata_routing_asks_for_offsets():
    with config_context(enable_metadata_routing=True):
        model = cdlab.CDRegressor().set_fit_request(offset=True).set_score_request(offset=True)
        search = GridSearchCV(model, {"l2": [0.1, 10.0]}, cv=[(np.arange(40), np.arange(40, n))])
        search.fit(X, REAL, offset=O)
    w, b = scipys(REAL, O, 0.1, np.ones(n), np.arange(40))
    held_out = slice(40, n)
    expected = r2_score(REAL[held_out], X[held_out] @ w + b + O[held_out])
    assert search.cv_results_["mean_test_score"][0] == pytest.approx(expected, abs=1e-3)


@each_of(
    "sentence, call",
    [
        (r"offset must have shape \(60,\)", lambda: cdlab.CDRegressor().fit(X, REAL, offset=O[:3])),
        ("offset must hold finite numbers", lambda: cdlab.CDRegressor().fit(X, REAL, offset=np.full(n, np.nan))),
        ("offset holds masked|masked", lambda: cdlab.CDRegressor().fit(X, REAL, offset=np.ma.masked_less(O, 0))),
        ("softmax takes no offset", lambda: cdlab.CDClassifier().fit(X, THREE, offset=O)),
        ("softmax takes no offset", lambda: cdlab.CDClassifier().fit(X, THREE).predict(X, O)),
        ("leave scoring or offset out", lambda: cdlab.CDRegressorCV(scoring="r2").fit(X, REAL, offset=O)),
        (r"offset must have shape \(60,\)", lambda: cdlab.CDRegressor().fit(X, REAL, offset=O).predict(X, O[:3])),
        ("not for Dask", lambda: cdlab.CDRegressor().fit(da.from_array(X), da.from_array(REAL), offset=O)),
        ("one number for all", lambda: cdlab.CDRegressor().fit(X, REAL).predict(da.from_array(X), O)),
    ],
)
def test_refusals(sentence, call):
    with pytest.raises(ValueError, match=sentence):
        call()
