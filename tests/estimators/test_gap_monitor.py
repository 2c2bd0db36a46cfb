"""GapMonitor: its gaps bound P - P* of each iterate, and a fit that it ends is as near as was asked for."""

import pickle
import warnings

import numpy as np
import pytest
import sklearn
from cases import each_of
from packaging.version import Version
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import cdlab

HAS_CALLBACKS = Version(sklearn.__version__) >= Version("1.9")
needs_callbacks = pytest.mark.skipif(not HAS_CALLBACKS, reason="scikit-learn before 1.9 has no callbacks")
X, Y = cdlab.datasets.make(n=120, d=6, seed=0)
CLASSES = np.digitize(X[:, 0], [-0.5, 0.5])


class Iterates:
    """A callback that keeps the coefficients that it is told of."""

    def __init__(self):
        self.found = []

    def setup(self, estimator, context):
        pass

    teardown = on_fit_task_begin = setup

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        if fitted_estimator is not None and context.max_subtasks == 0:
            self.found.append((np.array(fitted_estimator.coef_), np.array(fitted_estimator.intercept_)))


@needs_callbacks
@each_of("y, how", [(Y, {}), (Y, {"fit_intercept": False}), (CLASSES, {}), (Y, {"class_weight": {-1: 2.0, 1: 0.5}})])
def test_gaps_are_between_the_distance_and_certify(y, how):
    """Of each iterate P - P*, by an independent solve to 1e-13, is at most the gap; certify's bound is near it."""
    s = np.arange(y.size) % 3 + 1.0
    monitor, told = cdlab.GapMonitor(), Iterates()
    model = LogisticRegression(C=0.5, tol=1e-10, **how).set_callbacks(monitor, told).fit(X, y, sample_weight=s)
    s = s * [how["class_weight"][label] for label in y.tolist()] if "class_weight" in how else s
    (trace,) = monitor.traces
    assert len(trace.records) == model.n_iter_[0] == len(told.found)
    l2 = 1 / (0.5 * s.sum())
    loss = "softmax" if y is CLASSES else "logistic"
    P = cdlab.Problem(X, y, loss, l2, sample_weight=s, intercept=how.get("fit_intercept", True))
    best = cdlab.solve(P, tol=1e-13)
    for record, (w, b) in zip(trace.records, told.found, strict=True):
        w, b = (w.T, b) if y is CLASSES else (w[0], b[0])
        found = cdlab.certify(w, X, y, loss=loss, l2=l2, sample_weight=s, intercept=b if P.intercept else None)
        assert record.primal == pytest.approx(found.primal, rel=1e-12)
        assert record.primal - best.record.primal <= record.gap
        assert record.dual <= best.record.primal
        assert record.gap >= found.at_least
    assert trace.records[-1].gap <= 1e-8


@needs_callbacks
@pytest.mark.filterwarnings("ignore:lbfgs failed")
@each_of("y", [Y, CLASSES])
def test_with_tol_the_fit_ends_early_and_certify_confirms_it(y):
    whole = LogisticRegression(C=10, tol=1e-10).fit(X, y)
    monitor = cdlab.GapMonitor(tol=1e-3)
    model = LogisticRegression(C=10, tol=1e-10).set_callbacks(monitor).fit(X, y)
    assert model.n_iter_[0] < whole.n_iter_[0]
    assert cdlab.certify(model, X, y).at_least <= monitor.traces[0].records[-1].gap
    assert monitor.traces[0].column("relative_gap")[-1] <= 1e-3 < monitor.traces[0].column("relative_gap")[-2]
    assert cdlab.certify(model, X, y).relative_gap <= 2e-3


@needs_callbacks
@each_of(
    "model, y",
    [
        (cdlab.CDClassifier(method="gd", tol=1e-9), Y),
        (cdlab.CDClassifier(method="gd", tol=1e-9, class_weight="balanced"), CLASSES),
        (cdlab.CDClassifier("hinge", method="sdca", intercept_scaling=2.0, tol=1e-9), Y),
        (cdlab.CDRegressor(method="fista", l1=0.01, tol=1e-9), X[:, 0] + 0.1),
    ],
)
def test_estimators_of_cdlab_are_watched_and_ended_the_same_way(model, y):
    monitor = cdlab.GapMonitor(tol=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("error", sklearn.exceptions.ConvergenceWarning)  # to be ended is no failure
        fitted = sklearn.clone(model).set_callbacks(monitor).fit(X, y)
    trace = monitor.traces[0]
    assert trace.column("relative_gap")[-1] <= 1e-3
    assert fitted.trace_.meta["status"] == "stopped"
    found = cdlab.certify(fitted, X, y)
    assert found.primal == pytest.approx(trace.records[-1].primal, rel=1e-9)
    assert found.relative_gap <= 2e-3


@needs_callbacks
def test_every_callback_of_scikit_learn_is_told_of_each_record_or_class():
    from sklearn.callback import ScoringMonitor

    scores, told = ScoringMonitor(scoring="accuracy"), Iterates()
    model = cdlab.CDClassifier(method="gd").set_callbacks(scores, told).fit(X, Y)
    rows = scores.get_logs().data
    assert len(rows) == len(told.found) + 1  # and the fit as a whole
    assert max(row["accuracy"] for row in rows) >= model.score(X, Y)
    plain = cdlab.CDClassifier(method="gd").fit(X, Y)
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    cdlab.CDClassifier("hinge", n_jobs=2).set_callbacks(ScoringMonitor(scoring="accuracy")).fit(X, CLASSES)


@needs_callbacks
def test_each_fit_of_a_cross_validation_has_its_trace():
    monitor = cdlab.GapMonitor(every=2)
    model = make_pipeline(StandardScaler(), LogisticRegression().set_callbacks(monitor))
    cross_val_score(model, X, Y, cv=3)
    assert len(monitor.traces) == 3
    assert all(np.all(trace.column("iteration") % 2 == 0) for trace in monitor.traces)


@needs_callbacks
def test_what_it_cannot_watch_is_refused_in_a_sentence():
    monitor = cdlab.GapMonitor()
    with pytest.raises(ValueError, match="solver='lbfgs'"):
        LogisticRegression().set_callbacks(monitor).set_params(solver="saga").fit(X, Y)
    with pytest.raises(ValueError, match="needs a penalty"):
        LogisticRegression(C=np.inf).set_callbacks(monitor).fit(X, Y)
    with pytest.raises(ValueError, match="one for each class"):
        cdlab.CDClassifier("hinge").set_callbacks(monitor).fit(X, CLASSES)
    with pytest.raises(TypeError, match="n_jobs=1"):
        pickle.dumps(LogisticRegression().set_callbacks(monitor).fit(X, Y))
    for wrong in ({"tol": 0}, {"every": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            cdlab.GapMonitor(**wrong)


def test_without_callbacks_it_says_which_version_has_them(monkeypatch):
    monkeypatch.setattr("cdlab.certificates.monitoring.find_spec", lambda name: None)
    with pytest.raises(ImportError, match="scikit-learn 1.9"):
        cdlab.GapMonitor()
