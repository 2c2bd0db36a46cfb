"""Cross-validation takes sample weights, scores and groups as scikit-learn's own does, which is the referee."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LassoCV, LogisticRegression, LogisticRegressionCV
from sklearn.metrics import accuracy_score, f1_score, get_scorer, log_loss, make_scorer, mean_absolute_error
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, LeaveOneOut, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import cdlab

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 6))
TARGETS = X @ rng.standard_normal(6) + rng.standard_normal(60)
LABELS = np.where(TARGETS > 0, "yes", "no")
KINDS = np.digitize(TARGETS, np.quantile(TARGETS, [0.3, 0.6]))
WEIGHTS = np.geomspace(0.3, 0.001, 8)


def drawn(seed):
    """Examples, targets and exponential weights."""
    g = np.random.default_rng(seed)
    n, d = g.integers(20, 60), g.integers(2, 8)
    A = g.normal(size=(n, d))
    return A, A @ g.normal(size=d) / 2 + g.normal(size=n), g.exponential(size=n)


SETS = [pytest.param(range(12)), pytest.param(range(12, 200), marks=pytest.mark.full)]


@pytest.mark.full
@pytest.mark.filterwarnings("ignore:.*still improves")
@pytest.mark.parametrize("seeds", SETS)
def test_weights_of_one_change_nothing(seeds):
    for seed in seeds:
        A, z, _ = drawn(seed)
        y = (z > np.median(z)).astype(int)
        for Model, target in ((cdlab.CDRegressorCV, z), (cdlab.CDClassifierCV, y)):
            without = Model(weights=8, cv=3).fit(A, target)
            for s in (np.ones(len(z)), np.full(len(z), 3)):
                ones = Model(weights=8, cv=3).fit(A, target, s)
                np.testing.assert_array_equal(ones.scores_, without.scores_)
                assert ones.weight_ == without.weight_
    r = np.random.RandomState(3)
    A, z = r.randn(11, 2), r.randn(11)
    folds = cdlab.CDRegressorCV(weights=5, cv=3).fit(A, z, np.r_[np.full(10, 1), 1 + 1e-9])
    assert folds.weight_ == pytest.approx(cdlab.CDRegressorCV(weights=5, cv=3).fit(A, z).weight_)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore:.*still improves")
@pytest.mark.parametrize("seeds", [pytest.param(range(4)), pytest.param(range(4, 60), marks=pytest.mark.full)])
def test_weighted_choices_are_scikit_learns(seeds):
    """LassoCV's alpha is the weight. C = 1/(weight * mass), of the examples that a fold trains on: where every fold
    weighs the same there is one C for all of them."""
    grid = np.geomspace(0.3, 0.003, 10)
    for seed in seeds:
        A, z, s = drawn(seed)
        there = LassoCV(alphas=grid, cv=4, tol=1e-10, max_iter=100_000).fit(A, z, sample_weight=s)
        here = cdlab.CDRegressorCV(weights=grid, cv=4, tol=1e-9).fit(A, z, s)
        np.testing.assert_allclose(here.mse_path_, there.mse_path_, rtol=1e-3)
        assert here.weight_ == pytest.approx(there.alpha_)
        y = np.where(z > np.median(z), "yes", "no")
        folds = list(StratifiedKFold(4).split(A, y))
        for _, test in folds:
            s[test] /= s[test].sum()
        for scoring in ("accuracy", "neg_log_loss"):
            here = cdlab.CDClassifierCV(l1_ratio=0, weights=grid, cv=folds, tol=1e-10, scoring=scoring).fit(A, y, s)
            there = LogisticRegressionCV(
                Cs=1 / (3 * grid), l1_ratios=(0.0,), cv=folds, scoring=scoring, tol=1e-8, solver="newton-cholesky",
                use_legacy_attributes=False,
            ).fit(A, y, sample_weight=s)  # fmt: skip
            np.testing.assert_allclose(here.scores_, there.scores_[:, 0].T, rtol=1e-4)
            assert here.weight_ == pytest.approx(1 / (3 * there.C_))


@pytest.mark.full
@pytest.mark.filterwarnings("ignore:.*still improves")
@each_of("scoring", [None, "accuracy", "neg_log_loss", "roc_auc", "f1"])
@each_of("class_weight", [None, "balanced"])
def test_scores_are_weighted_by_examples_and_not_by_classes(scoring, class_weight):
    s = np.random.default_rng(1).exponential(size=60)
    folds = list(StratifiedKFold(3).split(X, LABELS))
    model = cdlab.CDClassifierCV(l1_ratio=0, weights=WEIGHTS, cv=folds, scoring=scoring, class_weight=class_weight)
    model.set_params(tol=1e-10).fit(X, LABELS, s)
    masses = {kind: s[LABELS == kind].sum() for kind in ("yes", "no")}
    counted = s if class_weight is None else s / np.array([masses[kind] for kind in LABELS])
    score = make_scorer(f1_score, pos_label="yes") if scoring == "f1" else get_scorer(scoring or "accuracy")
    for k, weight in enumerate(WEIGHTS):
        for fold, (train, test) in enumerate(folds):
            peer = LogisticRegression(C=1 / (weight * counted[train].sum()), tol=1e-8, solver="newton-cholesky")
            peer.fit(X[train], LABELS[train], counted[train])
            there = score(peer, X[test], LABELS[test], sample_weight=s[test])
            assert model.scores_[k, fold] == pytest.approx(there, rel=1e-4)
    assert model.weight_ == WEIGHTS[model.scores_.mean(axis=1).argmax()]
    there = score(model, X, LABELS, sample_weight=s)
    assert model.score(X, LABELS, s) == pytest.approx(there)


FEW = np.r_[np.full(30, 1), np.full(27, 2), np.full(3, 0)]  # five folds, three of which have class 0


FEW = np.random.default_rng(2).permutation(np.r_[np.full(3, "c"), np.full(30, "a"), np.full(27, "b")])


@pytest.mark.filterwarnings("ignore:The least populated class", "ignore:.*still improves", "ignore:F-score")
@each_of("scoring", ["neg_log_loss", "neg_brier_score", "accuracy", "f1_macro", "roc_auc_ovo"])
@each_of("l1_ratio", [0, 1], pushed=[0])
def test_a_fold_without_a_class_is_scored_with_all_classes(scoring, l1_ratio):
    model = cdlab.CDClassifierCV(l1_ratio=l1_ratio, weights=5, cv=5, scoring=scoring).fit(X, FEW)
    assert np.isfinite(model.scores_).all()
    assert model.score(X, FEW) == pytest.approx(get_scorer(scoring)(model, X, FEW))
    lacking = FEW != "c"
    assert np.isfinite(model.score(X[lacking], FEW[lacking]))
    if scoring == "neg_log_loss":
        there = log_loss(FEW[lacking], model.predict_proba(X[lacking]), labels=model.classes_)
        assert model.score(X[lacking], FEW[lacking]) == pytest.approx(-there)


@pytest.mark.filterwarnings("ignore:Only one class", "ignore:R.2 score", "ignore:The least populated class")
def test_folds_without_a_score_are_told_and_do_not_count():
    order = np.argsort(LABELS)
    A, y = X[order], LABELS[order]
    with pytest.warns(UserWarning, match="4 of 5 folds have no score"):
        model = cdlab.CDClassifierCV(weights=WEIGHTS, cv=KFold(5), scoring="roc_auc").fit(A, y)
    fold = np.flatnonzero(np.isfinite(model.scores_[0]))
    assert fold.size == 1
    assert model.weight_ == model.weights_[model.scores_[:, fold].argmax()]
    with pytest.raises(ValueError, match="2 of 2 folds have no score"), pytest.warns(match="lack a class"):
        cdlab.CDClassifierCV(weights=3, cv=KFold(2), scoring="roc_auc").fit(A, y)
    with pytest.raises(ValueError, match="60 of 60 folds"):
        cdlab.CDRegressorCV(weights=3, cv=LeaveOneOut(), scoring="r2").fit(X, TARGETS)
    with pytest.warns(UserWarning, match="2 of 5 folds"):
        cdlab.CDClassifierCV(weights=3, cv=5, scoring="roc_auc_ovr").fit(X, FEW)
    s = np.ones(60)
    s[:12] = 0
    with pytest.warns(UserWarning, match="1 of 5 folds .* weigh nothing"):
        weighed = cdlab.CDRegressorCV(weights=3, cv=5).fit(X, TARGETS, s)
    assert np.isnan(weighed.scores_).all(axis=0).tolist() == [True] + [False] * 4


def test_folds_that_cannot_learn_a_class_are_told():
    order = np.argsort(KINDS)
    with pytest.warns(UserWarning, match="1 of 3 folds lack a class"):
        cdlab.CDClassifierCV(weights=3, cv=KFold(3)).fit(X[order], KINDS[order])
    for lacking in range(3):
        train, test = np.flatnonzero(KINDS != lacking), np.arange(60)
        for fit_intercept in (True, False):
            model = cdlab.CDClassifierCV(weights=[0.05], cv=[(train, test)], fit_intercept=fit_intercept, tol=1e-7)
            for scoring in (None, "neg_log_loss"):
                with pytest.warns(UserWarning, match="1 of 1 folds lack a class"):
                    model.set_params(scoring=scoring).fit(X, KINDS)
                alone = cdlab.CDClassifier(l2=0, l1=0.05, fit_intercept=fit_intercept, tol=1e-7)
                alone.fit(X[train], KINDS[train])
                if scoring is None:
                    assert model.scores_[0, 0] == alone.score(X, KINDS)
                else:
                    p = np.zeros((60, 3))
                    p[:, [k for k in range(3) if k != lacking]] = alone.predict_proba(X)
                    assert model.scores_[0, 0] == pytest.approx(-log_loss(KINDS, p), rel=1e-4)


def test_a_class_may_weigh_nothing():
    s = np.where(KINDS == 2, 0.0, np.linspace(1, 2, 60))
    for ratio in (0, 1):
        model = cdlab.CDClassifierCV(l1_ratio=ratio, weights=4, cv=3, scoring="neg_log_loss").fit(X, KINDS, s)
        assert np.isfinite(model.scores_).all()
        assert model.predict_proba(X)[:, 2].max() < 0.01


def test_a_score_must_be_one_and_take_the_weights():
    s = np.linspace(1, 2, 60)
    for scoring in ("neg_max_error", lambda model, A, z: model.score(A, z)):
        with pytest.raises(TypeError, match="takes no sample_weight"):
            cdlab.CDRegressorCV(weights=3, scoring=scoring).fit(X, TARGETS, s)
    with pytest.raises(ValueError, match="scoring must be one name"):
        cdlab.CDRegressorCV(weights=3, scoring=["r2"]).fit(X, TARGETS)


def test_no_variation_leaves_a_grid_of_as_many_weights():
    for y, ratio in ((np.ones(60), 1), (np.ones(60), 0), (np.ones(60), [0.2, 1])):
        model = cdlab.CDRegressorCV(weights=3, cv=4, l1_ratio=ratio).fit(X, y)
        assert model.scores_.shape == ((2, 3, 4) if isinstance(ratio, list) else (3, 4))
        np.testing.assert_allclose(model.coef_, 0, atol=1e-15)
        assert model.intercept_ == pytest.approx(1)
    assert cdlab.CDClassifierCV(weights=3, cv=4).fit(0 * X, KINDS).scores_.shape == (3, 4)


GROUPS = np.arange(60) // 6


@pytest.mark.filterwarnings("ignore:.*still improves")
@each_of("Model, y", [(cdlab.CDRegressorCV, TARGETS), (cdlab.CDClassifierCV, LABELS)])
def test_groups_reach_the_splitter(Model, y):
    folds = list(GroupKFold(5).split(X, y, GROUPS))
    by_hand = Model(weights=WEIGHTS, cv=folds).fit(X, y)
    model = Model(weights=WEIGHTS, cv=GroupKFold(5))
    np.testing.assert_array_equal(model.fit(X, y, groups=GROUPS).scores_, by_hand.scores_)
    with pytest.raises(ValueError, match="groups"):
        model.fit(X, y)
    with pytest.raises(TypeError, match="takes sample_weight, offset and groups, not group$"):
        model.fit(X, y, group=GROUPS)
    s = np.linspace(0.5, 2, 60)
    weighed = Model(weights=WEIGHTS, cv=folds).fit(X, y, s)
    with config_context(enable_metadata_routing=True):
        routed = make_pipeline(FunctionTransformer(), model.set_fit_request(sample_weight=True))
        routed.fit(X, y, groups=GROUPS, sample_weight=s)
        np.testing.assert_array_equal(routed[-1].scores_, weighed.scores_)
        scoring = make_scorer(mean_absolute_error if y is TARGETS else accuracy_score)
        for takes in (True, False):
            scoring.set_score_request(sample_weight=takes)
            scored = Model(weights=WEIGHTS, cv=GroupKFold(5), scoring=scoring).fit(X, y, s, groups=GROUPS)
            assert scored.scores_.shape == (8, 5)
            if y is LABELS:
                assert np.allclose(scored.scores_, weighed.scores_, rtol=1e-9) == takes


def test_estimators_take_routed_weights():
    s = np.linspace(0.5, 2, 60)
    with config_context(enable_metadata_routing=True):
        model = cdlab.CDClassifier().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        search = GridSearchCV(model, {"l2": [1e-3, 1e-1]}, cv=GroupKFold(3)).fit(
            X, LABELS, sample_weight=s, groups=GROUPS
        )
    np.testing.assert_array_equal(search.best_estimator_.coef_, search.best_estimator_.fit(X, LABELS, s).coef_)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore:.*still improves")
def test_more_than_two_classes_are_softmax():
    A, y = load_iris(return_X_y=True)
    A = StandardScaler().fit_transform(A)
    folds = list(StratifiedKFold(4).split(A, y))
    for ratio in (0, 1):
        model = cdlab.CDClassifierCV(l1_ratio=ratio, weights=6, cv=folds, tol=1e-9, scoring="neg_log_loss").fit(A, y)
        alone = cdlab.CDClassifier(l2=model.l2_, l1=model.l1_, tol=1e-9).fit(A, y)
        np.testing.assert_allclose(model.coef_, alone.coef_, atol=1e-3)
        np.testing.assert_allclose(model.predict_proba(A), alone.predict_proba(A), atol=1e-4)
        assert max(s.relative_gap for s in model.path_) <= 2e-8  # some cannot be told nearer
        if ratio == 1:
            assert not model.path_[0].w.any()
            assert model.path_[1].w.any()
        else:
            there = LogisticRegressionCV(
                Cs=1 / (model.weights_ * 112.5), l1_ratios=(0.0,), cv=folds, scoring="neg_log_loss", tol=1e-8,
                max_iter=10_000, solver="newton-cholesky", use_legacy_attributes=False,
            ).fit(A, y)  # fmt: skip
            assert 1 / (112.5 * there.C_) == pytest.approx(model.weight_)


def test_probabilities_beyond_float64_have_logarithms():
    A = np.array([[1.0], [-1.0], [2.0], [-2.0], [0.5], [-0.5]])
    for y in ([0, 1, 0, 1, 0, 1], [0, 1, 0, 1, 2, 2]):
        for model in (cdlab.CDClassifier().fit(A, y), cdlab.CDClassifierCV(weights=[1e-3], cv=2).fit(A, y)):
            far = model.predict_log_proba([[1e4], [-1e4]])
            z = model.decision_function([[1e4], [-1e4]])
            z = np.c_[0 * z, z] if z.ndim == 1 else z
            np.testing.assert_allclose(far, z - z.max(axis=1, keepdims=True), atol=1e-9)
            assert far.min() < -1000
            np.testing.assert_allclose(np.exp(far).sum(axis=1), 1)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore:.*still improves")
def test_pickles_are_small_and_predict():
    A = np.random.default_rng(1).normal(size=(5000, 3))
    y = A[:, 0] + np.random.default_rng(2).normal(size=5000)
    for model in (
        cdlab.CDRegressor(), cdlab.CDRegressorCV(cv=3), cdlab.CDClassifier(), cdlab.CDClassifierCV(cv=3),
        cdlab.CDClassifier("squared_hinge"),
    ):  # fmt: skip
        target = y if "Regressor" in type(model).__name__ else np.digitize(y, [-1, 1])
        text = pickle.dumps(model.fit(A, target))
        assert len(text) < 5000
        again = pickle.loads(text)
        np.testing.assert_array_equal(again.predict(A), model.predict(A))
        assert (again.gap_, again.certificate_.primal) == (model.gap_, model.certificate_.primal)
        assert cdlab.certify(again, A, target).gap == pytest.approx(model.gap_, rel=1, abs=1e-9)
        assert hasattr(model, "solution_")  # which stays


@pytest.mark.filterwarnings("ignore:.*still improves")
def test_select_from_model_takes_the_nonzero():
    for model, y in (
        (cdlab.CDRegressor(l1=0.9), TARGETS), (cdlab.CDClassifier(l1=0.1), LABELS),
        (cdlab.CDClassifier(l1=0.1), KINDS), (cdlab.CDRegressorCV(weights=[0.9]), TARGETS),
        (cdlab.CDClassifierCV(l1_ratio=0.5, weights=[0.2]), LABELS),
    ):  # fmt: skip
        selection = SelectFromModel(model).fit(X, y)
        nonzero = np.atleast_2d(selection.estimator_.coef_).any(axis=0)
        assert 0 < nonzero.sum() < 6
        np.testing.assert_array_equal(selection.get_support(), nonzero)
    assert SelectFromModel(cdlab.CDRegressor()).fit(X, TARGETS).get_support().sum() < 6  # above the mean


def test_float32_is_kept():
    for model, y in (
        (cdlab.CDRegressor(), TARGETS), (cdlab.CDClassifier(), LABELS), (cdlab.CDClassifier(), KINDS),
        (cdlab.CDRegressorCV(weights=[0.1]), TARGETS), (cdlab.CDClassifierCV(weights=[0.1]), KINDS),
    ):  # fmt: skip
        low = X.astype(np.float32)
        exact, single, sparse = (clone(model).fit(A, y) for A in (low.astype(float), low, sp.csr_matrix(low)))
        assert exact.coef_.dtype == float
        assert single.coef_.dtype == sparse.coef_.dtype == np.float32
        assert np.asarray(single.predict(low)).dtype in (np.float32, np.asarray(y).dtype)
        np.testing.assert_array_equal(single.coef_, exact.coef_.astype(np.float32))
        assert single.gap_ == exact.gap_  # of the solution before it was rounded


def test_a_warning_without_a_regulariser_names_the_remedy():
    with pytest.warns(match="without a gap that certifies anything"):
        cdlab.CDClassifier(l2=0, max_passes=3).fit(X, LABELS)
