"""cdlab.certify bounds the distance of fitted models from their optima, closely, and refuses what it cannot judge."""

import copy

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from fitted_models import DENSE, SPARSE, TARGETS, cases, measured
from sklearn.linear_model import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LogisticRegression,
    LogisticRegressionCV,
    QuantileRegressor,
    Ridge,
    RidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
    SGDClassifier,
)  # fmt: skip
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR

import cdlab
from cdlab import losses

T = TARGETS["dense"]
SIGNS = np.where(T > 0.7, 1, -1)
THREE = np.digitize(T, np.quantile(T, [0.3, 0.7]))
WEIGHTS = np.random.default_rng(1).exponential(size=T.size)
BY_CLASS = {0: 1, 1: 5, 2: 0.3}
TWO = {-1: 0.5, 1: 4}
MANY = 100_000


@each_of("k", range(len(cases())))
def test_never_below_the_distance_and_within_ten_times_of_it(k):
    m = measured(k)
    assert m.certified.at_least <= m.distance + 1e-15 * m.at_zero
    assert m.distance <= m.certified.gap <= 10 * max(m.distance, 1e-12 * m.at_zero)
    assert m.certified.primal == pytest.approx(m.primal, rel=1e-13)
    assert m.certified.gap == pytest.approx(
        max(0.0, m.certified.primal - m.certified.dual) + m.certified.rounding, rel=1e-12
    )


CV_OPTIONS = {
    "l1_ratios": (0.0,), "tol": 1e-12, "solver": "newton-cholesky", "use_legacy_attributes": False, "cv": 3,
    "scoring": "neg_log_loss",
}  # fmt: skip
OLD = {"use_legacy_attributes": True, "solver": "liblinear", "tol": 1e-10}
EXACT = [  # fitted to rounding, or what the solver can: a mapping that is off in any weight leaves far more than this
    (LogisticRegression(tol=1e-12, solver="newton-cholesky", class_weight=TWO), SIGNS, 1e-12),
    (LogisticRegression(tol=1e-12, solver="newton-cholesky", class_weight=BY_CLASS), THREE, 1e-12),
    (LogisticRegression(tol=1e-10, solver="liblinear", class_weight=TWO, intercept_scaling=3), SIGNS, 1e-12),
    (LogisticRegression(tol=1e-10, solver="saga", l1_ratio=0.4, max_iter=MANY), SIGNS, 1e-9),
    (LinearSVC(random_state=0, tol=1e-10, max_iter=MANY, class_weight=TWO, intercept_scaling=2), SIGNS, 1e-11),
    (LinearSVC(random_state=0, tol=1e-10, max_iter=MANY, class_weight=BY_CLASS), THREE, 1e-10),
    (LinearSVC(random_state=0, tol=1e-9, max_iter=MANY, penalty="l1", dual=False), SIGNS, 1e-9),
    (LinearSVC(random_state=0, C=0.1, tol=1e-9, max_iter=MANY, loss="hinge", class_weight=TWO), SIGNS, 1e-6),
    (SVC(kernel="linear", tol=1e-9, class_weight=TWO), SIGNS, 1e-6),
    (Ridge(2), T, 1e-12),
    (Lasso(0.1, tol=1e-12), T, 1e-11),
    (ElasticNet(0.1, l1_ratio=0.4, tol=1e-12), T, 1e-11),
    (LassoCV(cv=3, tol=1e-12), T, 1e-10),
    (ElasticNetCV(cv=3, l1_ratio=[0.3, 0.7], tol=1e-12), T, 1e-10),
    (RidgeCV([0.1, 1, 10]), T, 1e-12),
    (RidgeCV([0.1, 1, 10], cv=3), T, 1e-12),
    (RidgeClassifier(2, class_weight=TWO), SIGNS, 1e-12),
    (RidgeClassifier(2, class_weight="balanced", fit_intercept=False), THREE, 1e-12),
    (RidgeClassifierCV([0.1, 10], class_weight=BY_CLASS), THREE, 1e-12),
    (LogisticRegressionCV(**CV_OPTIONS, class_weight=TWO), SIGNS, 1e-12),
    (LogisticRegressionCV(**CV_OPTIONS, Cs=3), THREE, 1e-12),
    (LogisticRegressionCV(**CV_OPTIONS | OLD), SIGNS, 1e-10),
    (LogisticRegressionCV(**CV_OPTIONS | OLD | {"l1_ratios": (1.0,)}, Cs=3), SIGNS, 1e-8),
    (LinearSVR(random_state=0, tol=1e-10, max_iter=MANY, loss="squared_epsilon_insensitive", C=3), T, 1e-9),
    (LinearSVR(random_state=0, tol=1e-9, max_iter=MANY, C=0.1, intercept_scaling=2), T, 1e-5),
    (
        LinearSVR(epsilon=0.2, random_state=0, tol=1e-10, max_iter=MANY, loss="squared_epsilon_insensitive", C=3),
        T,
        1e-9,
    ),
    (LinearSVR(epsilon=0.2, random_state=0, tol=1e-9, max_iter=MANY, C=0.1, intercept_scaling=2), T, 1e-5),
    (SVR(kernel="linear", tol=1e-9, C=0.5), T, 1e-6),
    (QuantileRegressor(quantile=0.8, alpha=0.02), T, 1e-9),
    (SGDClassifier("log_loss", alpha=0.05, random_state=0, tol=None, average=True, class_weight=TWO), SIGNS, 1e-3),
    (
        SGDClassifier("squared_hinge", learning_rate="invscaling", eta0=0.1, alpha=0.5, tol=None, average=True),
        SIGNS,
        3e-3,
    ),
    (SGDClassifier("log_loss", alpha=0.05, random_state=0, tol=None, average=True, class_weight=BY_CLASS), THREE, 1e-3),
    (SGDClassifier("modified_huber", alpha=0.05, random_state=0, tol=None, average=True), SIGNS, 1e-3),
    (SGDClassifier("huber", alpha=0.05, random_state=0, tol=None, average=True), SIGNS, 1e-3),
]


def named(x):
    return " ".join(str(x).split()) if hasattr(x, "fit") else ""


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("model", "y", "most"),
    [*EXACT[::2], *(pytest.param(*case, marks=pytest.mark.full) for case in EXACT[1::2])],
    ids=lambda x: str(x).replace("\n", "") if hasattr(x, "fit") else "",
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_models_that_solved_their_problem_are_certified_with_their_weights(model, y, most, weighted):
    s = WEIGHTS if weighted else None
    model.fit(DENSE, y, sample_weight=s)
    assert cdlab.certify(model, DENSE, y, sample_weight=s).relative_gap <= most


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_objectives_are_those_of_the_table():
    """docs/sklearn.md says which Problem each model solves: P and its minimum are the same there and here."""
    n = len(T)
    for model, y, loss, l2, l1 in (
        (LogisticRegression(C=2), SIGNS, "logistic", 1 / (2 * n), 0),
        (LinearSVC(C=2, loss="hinge", fit_intercept=False, max_iter=MANY), SIGNS, "hinge", 1 / (2 * n), 0),
        (LinearSVC(C=2, fit_intercept=False), SIGNS, "squared_hinge", 1 / (4 * n), 0),
        (LinearSVR(C=2, fit_intercept=False, max_iter=MANY), T, "absolute", 1 / (2 * n), 0),
        (QuantileRegressor(quantile=0.7, alpha=0.1), T, losses.Pinball(0.7), 0, 0.1),
        (SVR(kernel="linear", C=2), T, losses.EpsilonInsensitive(0.1), 1 / (2 * n), 0),
        (Ridge(2), T, "squared", 2 / n, 0),
        (RidgeClassifier(2), SIGNS, "squared", 2 / n, 0),
        (Lasso(0.1), T, "squared", 0, 0.1),
        (ElasticNet(0.1, l1_ratio=0.3), T, "squared", 0.1 * 0.7, 0.1 * 0.3),
        (SGDClassifier("squared_hinge", alpha=0.1, fit_intercept=False), SIGNS, "squared_hinge", 0.05, 0),
    ):
        model.fit(DENSE, y)
        is_free = getattr(model, "fit_intercept", True)
        coef, b = np.ravel(model.coef_), np.ravel(model.intercept_)[0] if is_free else None
        there = cdlab.certify(coef, DENSE, y, loss, l2, l1, intercept=b)
        assert cdlab.certify(model, DENSE, y).primal == pytest.approx(there.primal, rel=1e-12)


def test_the_dual_point_of_an_svc_is_a_certificate():
    model = SVC(kernel="linear", C=0.5, tol=1e-9, class_weight=TWO).fit(DENSE, SIGNS, WEIGHTS)
    assert cdlab.certify(model, DENSE, SIGNS, sample_weight=WEIGHTS, max_passes=0).relative_gap < 1e-6
    model = SVR(kernel="linear", C=0.5, tol=1e-9).fit(DENSE, T, WEIGHTS)
    assert cdlab.certify(model, DENSE, T, sample_weight=WEIGHTS, max_passes=0).relative_gap < 1e-6


@each_of("loss", ["logistic", "hinge", "squared_hinge"])
@each_of("y", [SIGNS, THREE], ids=["two", "three"])
@pytest.mark.filterwarnings("ignore:the penalty of the intercept")
def test_estimators_of_cdlab_get_their_own_gap_or_a_better_one(loss, y):
    model = cdlab.CDClassifier(loss, l2=0.02, tol=1e-3, class_weight="balanced", intercept_scaling=2).fit(DENSE, y)
    found = cdlab.certify(model, DENSE, y)
    assert found.primal == pytest.approx(model.certificate_.primal, rel=1e-12)
    assert 0 < found.gap <= model.gap_ + 1e-13


@pytest.mark.full
def test_cross_validated_models_are_certified_at_the_weight_that_was_chosen():
    regressor = cdlab.CDRegressorCV(l1_ratio=0.5, weights=5, cv=3).fit(SPARSE, T)
    classes = np.digitize(T, np.quantile(T, [0.3, 0.7]))
    classifier = cdlab.CDClassifierCV(weights=5, eps=1e-5, cv=3, class_weight="balanced").fit(DENSE, classes)
    for model, X, y in ((regressor, SPARSE, T), (classifier, DENSE, classes)):
        known = cdlab.certify(model, X, y)
        assert known.at_least <= known.gap <= 1.01 * model.gap_ + known.rounding
    other = copy.copy(regressor)
    other.l1_ *= 0.5  # of another weight it is no solution
    assert cdlab.certify(other, SPARSE, T).relative_gap > 1e-4


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_regressors_of_cdlab_too(loss):
    model = cdlab.CDRegressor(loss, l2=0.02, tol=1e-3).fit(SPARSE, T)
    assert 0 < cdlab.certify(model, SPARSE, T).gap <= model.gap_ + 1e-13  # rounding, of w and of alpha apart


def test_a_solution_knows_its_problem_and_a_loaded_one_is_told(tmp_path):
    problem = cdlab.Problem(DENSE, SIGNS, "logistic", l2=0.01, intercept=True, sample_weight=WEIGHTS)
    s = cdlab.solve(problem, tol=1e-3)
    s.save(tmp_path / "s.npz")
    found = cdlab.certify(s, DENSE, SIGNS)
    assert found.gap <= s.gap
    assert found.primal == pytest.approx(s.trace.records[-1].primal)
    loaded = cdlab.load_solution(tmp_path / "s.npz")
    told = cdlab.certify(loaded, DENSE, SIGNS, "logistic", 0.01, sample_weight=WEIGHTS)
    assert told.gap == pytest.approx(found.gap, rel=1e-9)
    with pytest.raises(ValueError, match="pass loss and l2"):
        cdlab.certify(loaded, DENSE, SIGNS)


def test_coefficients_with_and_without_an_intercept():
    model = LogisticRegression(C=10).fit(DENSE, SIGNS)
    n = T.size
    by_model = cdlab.certify(model, DENSE, SIGNS)
    by_hand = cdlab.certify(model.coef_[0], DENSE, SIGNS, "logistic", 0.1 / n, intercept=model.intercept_[0])
    assert by_hand.gap == pytest.approx(by_model.gap, rel=1e-6)
    zero = cdlab.certify(np.zeros(10), DENSE, SIGNS, loss="logistic", l2=0.1)
    assert zero.relative_gap > 0.01
    assert zero.primal == pytest.approx(np.log(2))


def test_the_answer_is_a_sentence_that_stays_true_when_it_is_rounded():
    found = cdlab.certify(np.zeros(10), DENSE, SIGNS, loss="logistic", l2=0.1)
    said = str(found).split("at most ")[1]
    most, least = float(said.split()[0]), float(said.split("at least ")[1].split()[0])
    assert found.gap <= most <= 1.2 * found.gap
    assert 0 < least <= found.at_least
    assert found.rounding < 1e-12


def test_words_as_classes_and_columns_stored_in_other_ways():
    words = np.where(SIGNS > 0, "yes", "no")
    model = LogisticRegression(tol=1e-2).fit(DENSE, words)
    gaps = [cdlab.certify(model, X, words).gap for X in (DENSE, np.asfortranarray(DENSE), sp.csc_matrix(DENSE))]
    assert gaps == pytest.approx([gaps[0]] * 3, rel=1e-6)


@each_of("penalty", ["l2", "l1", "elasticnet"])
@each_of("free", [True, False])
def test_kinks_with_many_examples_and_each_penalty(penalty, free):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1500, 6))
    y = np.sign(X[:, 0] + rng.standard_normal(1500))
    model = SGDClassifier(penalty=penalty, alpha=0.02, fit_intercept=free, random_state=0).fit(X, y)
    found = cdlab.certify(model, X, y)
    assert 0 < found.gap <= 4 * found.at_least


def test_what_diverged_is_told_as_that():
    found = cdlab.certify(np.full(10, 1e9), DENSE, SIGNS, "squared_hinge", 0.1)
    assert found.relative_gap > 1e9
    assert found.at_least > 0.4 * found.gap


def test_least_squares_without_a_regulariser_have_a_bound_and_other_losses_do_not():
    assert cdlab.certify(Ridge(0).fit(DENSE, T), DENSE, T).relative_gap < 1e-12
    found = cdlab.certify(LogisticRegression(C=np.inf).fit(DENSE, SIGNS), DENSE, SIGNS)
    assert found.gap == np.inf
    assert "no number can be given: without a regulariser" in str(found)


JOINTLY = LinearSVC(C=0.01, multi_class="crammer_singer", max_iter=MANY)
FITTED = LogisticRegression().fit(DENSE, SIGNS)
REFUSED = [
    (lambda: cdlab.certify(LogisticRegression(), DENSE, SIGNS), "this LogisticRegression is not fitted"),
    (lambda: cdlab.certify(SVC(kernel="linear"), DENSE, SIGNS), "this SVC is not fitted"),
    (lambda: cdlab.certify(LogisticRegression, DENSE, SIGNS), "in place of the class"),
    (lambda: cdlab.certify(FITTED, DENSE[:, :4], SIGNS), "X has 4 features, and this Logistic.* was fitted to 10"),
    (lambda: cdlab.certify(FITTED, DENSE, SIGNS[:9]), "120"),
    (lambda: cdlab.certify(FITTED, DENSE, SIGNS + 1), r"y has the classes \[0, 2\], and this Logistic.* \[-1, 1\]"),
    (lambda: cdlab.certify(FITTED, DENSE, THREE), r"y has the classes \[0, 1, 2\]"),
    (lambda: cdlab.certify(FITTED, DENSE, SIGNS, "logistic", 1.0), "knows its own objective: leave loss, l2 out"),
    (lambda: cdlab.certify(FITTED, DENSE, SIGNS, sample_weight=-WEIGHTS), "sample_weight must hold"),
    (lambda: cdlab.certify(SVC().fit(DENSE, SIGNS), DENSE, SIGNS), 'kernel="linear"'),
    (lambda: cdlab.certify(SVC(kernel="linear").fit(DENSE, THREE), DENSE, THREE), "one against one"),
    (lambda: cdlab.certify(SGDClassifier("perceptron").fit(DENSE, SIGNS), DENSE, SIGNS), "loss 'perceptron'"),
    (lambda: cdlab.certify(Ridge().fit(DENSE, np.c_[T, T]), DENSE, T), "2 targets"),
    (lambda: cdlab.certify(JOINTLY.fit(DENSE, THREE), DENSE, THREE), "crammer_singer"),
    (lambda: cdlab.certify(make_pipeline(StandardScaler(), FITTED), DENSE, SIGNS), r"model\[-1\]"),
    (lambda: cdlab.certify(LogisticRegressionCV(), DENSE, SIGNS), "this LogisticRegressionCV is not fitted"),
    (lambda: cdlab.certify(SVR().fit(DENSE, T), DENSE, T), 'an SVR with kernel="linear"'),
    (lambda: cdlab.certify(np.zeros(10), DENSE, SIGNS), "pass loss and l2"),
    (lambda: cdlab.certify(np.zeros(3), DENSE, SIGNS, "logistic", 0.1), "it must be \\(10,\\)"),
    (lambda: cdlab.certify(np.full(10, np.nan), DENSE, SIGNS, "logistic", 0.1), "finite numbers"),
    (lambda: cdlab.certify(np.zeros(10), DENSE, SIGNS, "logistic", 0.1, intercept=[1, 2]), "the intercept has shape"),
    (lambda: cdlab.certify("w.npz", DENSE, SIGNS, "logistic", 0.1), "coefficients"),
]  # fmt: skip


@each_of("call, says", REFUSED)
def test_bad_input_gets_one_sentence(call, says):
    with pytest.raises((ValueError, TypeError), match=says):
        call()


@pytest.mark.full
def test_the_table_of_the_forty():
    """Printed with -s."""
    from fitted_models import table

    print(f"\n{table()}")
    ratios = [measured(k).certified.gap / max(measured(k).distance, 1e-12 * measured(k).at_zero) for k in range(40)]
    assert np.mean(np.array(ratios) <= 10) >= 0.9
