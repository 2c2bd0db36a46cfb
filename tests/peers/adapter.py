"""scikit-learn's constructors with cdlab behind fit and predict, so that scikit-learn's own tests try cdlab.

Each class derives from the one that it stands for, which keeps its parameters, their checks and its name. `fit` solves
by cdlab what has a counterpart there; anything else goes to scikit-learn, and `Calls` says why. Objectives are put on
the scale of the mean loss as docs/sklearn.md has it.
"""

import os
import tempfile
import warnings
from collections import Counter
from numbers import Real
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import sklearn.datasets
import sklearn.linear_model as there
import sklearn.svm
from sklearn.datasets import load_svmlight_file as their_reader
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import enet_path as their_path
from sklearn.model_selection import LeaveOneOut, check_cv
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import column_or_1d

import cdlab

TOL = 1e-13  # of the relative gap, often below its rounding: they compare to 5 to 10 digits
PASSES = 1_000
CHOOSING = 1e-9  # the same on the paths by which a weight is chosen
ENOUGH = 1e-9  # of the relative gap: no warning of theirs is due


class Calls:
    """What reached cdlab since the last reset, by name; and what did not, by reason."""

    served, others = Counter(), Counter()
    is_reading = False  # a file

    @classmethod
    def reset(cls):
        cls.served.clear()
        cls.others.clear()


class NoCounterpart(Exception):
    """What is asked for is no problem of cdlab; the text says what."""


def refuse(*reasons):
    """Raise for the first reason that holds, of pairs (holds, reason)."""
    for holds, reason in reasons:
        if holds:
            raise NoCounterpart(reason)


def mass(X, s):
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    return float(n if s is None else np.sum(s) if np.ndim(s) else n * s)


def check_data(X, y, s):
    refuse(
        (np.ndim(y) != 1, "y has several targets or is a column"),
        (hasattr(X, "__array_namespace__") and not isinstance(X, np.ndarray), "X is an array of another library"),
    )


class Adapted:
    """`fit` by `_counterpart`, an estimator of cdlab; predictions by it."""

    model_ = None

    def fit(self, X, y, sample_weight=None, **options):
        self._validate_params()
        self.model_ = None
        name = type(self).__name__
        try:
            refuse(
                (bool(options.keys() - {"check_input"}), "metadata of fit"),
                (getattr(self, "positive", False), "positive coefficients"),
                (bool(getattr(self, "_skl_callbacks", None)), "callbacks"),
            )
            check_data(X, y, sample_weight)
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", ".*still improves")
                model, column = self._counterpart(X, y, sample_weight)
        except NoCounterpart as error:
            Calls.others[f"{name}: {error}"] += 1
            return super().fit(X, y, *([] if sample_weight is None else [sample_weight]), **options)
        Calls.served[name] += 1
        self.column_ = column
        if getattr(self, "warm_start", False) and hasattr(self, "kept_"):
            model = self.kept_.set_params(**model.get_params())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings("ignore", ".*still improves")
            model.fit(self._widened(X), y, sample_weight)
        solutions = model.solution_ if isinstance(model.solution_, list) else [model.solution_]
        if max(s.relative_gap for s in solutions) > ENOUGH:
            warnings.warn(f"{name} did not converge by cdlab", ConvergenceWarning, stacklevel=2)
        self._take(model)
        return self

    def _take(self, model):
        self.model_ = self.kept_ = model
        own = model.coef_ if self.column_ is None else model.coef_[..., :-1]
        b = model.intercept_ if self.column_ is None else self.column_ * model.coef_[..., -1]
        self.coef_ = own
        self.intercept_ = b if self.fit_intercept else np.zeros_like(b) if np.ndim(b) else 0.0
        self.n_features_in_ = own.shape[-1]
        if hasattr(self, "solver"):
            self.solver_ = self.solver
        if hasattr(model, "feature_names_in_"):
            self.feature_names_in_ = model.feature_names_in_
        self.dual_gap_ = model.gap_
        self.n_iter_ = np.array([max(model.n_iter_, 1)]) if hasattr(model, "classes_") else max(model.n_iter_, 1)
        if hasattr(model, "classes_"):
            self.classes_ = model.classes_

    def _widened(self, X):
        """X with the column of an intercept that is penalised."""
        if self.column_ is None:
            return X
        column = np.full((X.shape[0] if sp.issparse(X) else len(X), 1), self.column_)
        return sp.hstack([X, column], format="csr") if sp.issparse(X) else np.hstack([np.asarray(X), column])

    def __getattribute__(self, name):
        if name in ("predict", "decision_function", "predict_proba", "predict_log_proba", "score"):
            model = object.__getattribute__(self, "model_")
            own = object.__getattribute__(self, "__dict__")
            known = model is not None and own.get("column_") is None and own["coef_"] is model.coef_
            if known and hasattr(model, name):
                return getattr(model, name)
        return super().__getattribute__(name)


def regressor(alpha, ratio, self, **options):
    return cdlab.CDRegressor(
        l2=alpha * (1 - ratio), l1=alpha * ratio, fit_intercept=self.fit_intercept, tol=TOL, max_passes=PASSES,
        warm_start=getattr(self, "warm_start", False), **options,
    )  # fmt: skip


class ElasticNet(Adapted, there.ElasticNet):
    def _counterpart(self, X, y, s):
        refuse((self.max_iter < 5, "a limit of a few iterations"))
        return regressor(self.alpha, self.l1_ratio, self), None


class Lasso(Adapted, there.Lasso):
    _counterpart = ElasticNet._counterpart


class Ridge(Adapted, there.Ridge):
    def _counterpart(self, X, y, s):
        refuse(
            (np.ndim(self.alpha) > 0, "several weights at once"),
            (self.max_iter is not None and self.max_iter < 5, "a limit of a few iterations"),
        )
        return regressor(float(self.alpha) / mass(X, s), 0.0, self), None


class CrossValidated(Adapted):
    def _counterpart(self, X, y, s):
        several = np.ndim(self.alphas) > 0
        refuse(
            (several and not all(isinstance(a, Real) and a > 0 for a in self.alphas), "a weight of 0 on a path"),
            (several and len({*self.alphas}) < len(self.alphas), "a weight twice on a path"),
            (self.max_iter < 5, "a limit of a few iterations"),
        )
        options = {"weights": self.alphas, "eps": self.eps, "cv": self.cv, "fit_intercept": self.fit_intercept}
        choice = cdlab.CDRegressorCV(
            l1_ratio=getattr(self, "l1_ratio", 1.0), tol=CHOOSING, n_jobs=self.n_jobs, **options
        ).fit(X, y, s)
        given = several and choice.weights_.ndim > 1
        self.alpha_, self.alphas_ = choice.weight_, choice.weights_[0] if given else choice.weights_
        self.mse_path_ = choice.mse_path_
        if hasattr(self, "l1_ratio"):
            self.l1_ratio_ = choice.l1_ratio_
        return regressor(choice.weight_, choice.l1_ratio_, self), None


class LassoCV(CrossValidated, there.LassoCV):
    pass


class ElasticNetCV(CrossValidated, there.ElasticNetCV):
    pass


def class_mass(self, X, y, s):
    """The sum of sample weights times class weights."""
    if self.class_weight is None:
        return mass(X, s)
    y = column_or_1d(y)
    given = np.ones(len(y)) if s is None else np.asarray(s, float)
    if isinstance(self.class_weight, str):
        return float(given.sum())
    return float((given * compute_sample_weight(self.class_weight, y)).sum())


class LogisticRegression(Adapted, there.LogisticRegression):
    def _counterpart(self, X, y, s):
        liblinear, classes = self.solver == "liblinear", len(np.unique(y))
        ratio = {"l2": 0.0, "l1": 1.0, None: 0.0}.get(self.penalty, self.l1_ratio or 0.0)
        refuse(
            (liblinear and classes > 2, "an error of scikit-learn's about its solvers"),
            (self.dual and not liblinear, "an error of scikit-learn's about its solvers"),
            (self.solver not in ("saga", "liblinear") and ratio > 0, "an error of scikit-learn's about its solvers"),
            (liblinear and not 0 <= ratio <= 1, "an error of scikit-learn's about its solvers"),
            (liblinear and (self.penalty is None or 0 < ratio < 1), "an error of scikit-learn's about its solvers"),
            (liblinear and self.dual and ratio > 0, "an error of scikit-learn's about its solvers"),
            (self.penalty not in ("deprecated", "l2", "l1", "elasticnet", None), "a penalty of another kind"),
            (self.max_iter < 5, "a limit of a few iterations"),
        )
        weight = 0.0 if self.penalty is None else 1 / (self.C * class_mass(self, X, y, s))
        column = float(self.intercept_scaling) if liblinear and self.fit_intercept else None
        model = cdlab.CDClassifier(
            l2=weight * (1 - ratio), l1=weight * ratio, fit_intercept=self.fit_intercept and column is None, tol=TOL,
            max_passes=PASSES, class_weight=self.class_weight, warm_start=self.warm_start,
        )  # fmt: skip
        return model, column


class RidgeCV(Adapted, there.RidgeCV):
    """Folds have alpha of the sum over what they train on; the refit one of the sum over all."""

    def _counterpart(self, X, y, s):
        alphas = np.atleast_1d(self.alphas).astype(float)
        refuse(
            (self.store_cv_results, "results of each fold that are kept"),
            (bool(self.alpha_per_target), "a weight for each target"),
            (not (alphas > 0).all() or len({*alphas}) < len(alphas), "a weight of 0 on a path, or one twice"),
            (s is not None, "a search that scores without weights"),
        )
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        cv = LeaveOneOut() if self.cv is None else check_cv(self.cv)
        trained = np.mean([len(train) for train, _ in cv.split(np.zeros(n))])
        scoring = self.scoring or (None if self.cv is None else "r2")
        choice = cdlab.CDRegressorCV(
            l1_ratio=0, weights=alphas / trained, cv=cv, scoring=scoring, fit_intercept=self.fit_intercept, tol=CHOOSING
        ).fit(X, y)
        k = int(np.argmin(np.abs(choice.weights_ - choice.weight_)))
        self.alpha_ = alphas[np.argmin(np.abs(alphas / trained - choice.weight_))]
        self.best_score_ = choice.scores_[k].mean()
        return regressor(self.alpha_ / n, 0.0, self), None


class LogisticRegressionCV(Adapted, there.LogisticRegressionCV):
    """Folds have C of the sum over what they train on; the refit one of the sum over all."""

    def _counterpart(self, X, y, s):
        ratios = [0.0] if self.l1_ratios is None or isinstance(self.l1_ratios, str) else [*self.l1_ratios]
        Cs = np.logspace(-4, 4, self.Cs) if np.ndim(self.Cs) == 0 else np.asarray(self.Cs, float)
        refuse(
            (not self.refit, "means over folds in place of a fit"),
            (self.solver == "liblinear", "folds with an intercept that is penalised"),
            (self.penalty != "deprecated", "a name of a penalty in place of l1_ratios"),
            (self.solver != "saga" and any(ratios), "an error of scikit-learn's about its solvers"),
            (not all(0 <= r <= 1 for r in ratios), "an error of scikit-learn's about its parameters"),
            (not np.isfinite(Cs).all() or len({*Cs}) < len(Cs), "a weight of 0 on a path, or one twice"),
            (self.max_iter < 5, "a limit of a few iterations"),
            (isinstance(self.class_weight, dict), "an error of scikit-learn's about classes"),
        )
        folds = [*check_cv(self.cv, y, classifier=True).split(X, y)]
        given = np.ones(len(y)) if s is None else np.asarray(s, float) * np.ones(len(y))
        trained = np.mean([given[train].sum() for train, _ in folds])
        scoring = None if self.scoring == "warn" else self.scoring
        common = {"fit_intercept": self.fit_intercept, "class_weight": self.class_weight}
        choice = cdlab.CDClassifierCV(
            l1_ratio=ratios, weights=1 / (Cs * trained), cv=folds, scoring=scoring, tol=1e-8, **common
        ).fit(X, y, s)
        order = np.argsort(-1 / (Cs * trained)).argsort()
        scores = choice.scores_.transpose(2, 0, 1)[:, :, order]  # folds, ratios, Cs
        k = int(np.argmin(np.abs(1 / (Cs * trained) - choice.weight_)))
        self.Cs_, self.l1_ratios_, self.scores_ = Cs, np.asarray(ratios), scores
        self.C_, self.l1_ratio_ = float(Cs[k]), choice.l1_ratio_
        if self.use_legacy_attributes:
            classes = np.unique(y)
            several = classes.size if classes.size > 2 else 1
            self.C_, self.l1_ratio_ = np.full(several, self.C_), np.full(several, self.l1_ratio_)
            old = scores.transpose(0, 2, 1)
            old = old[:, :, 0] if self.l1_ratios is None or isinstance(self.l1_ratios, str) else old
            self.scores_ = dict.fromkeys(classes if several > 1 else classes[1:], old)
        weight = 1 / (float(Cs[k]) * given.sum())
        ratio = choice.l1_ratio_
        model = cdlab.CDClassifier(l2=weight * (1 - ratio), l1=weight * ratio, tol=TOL, max_passes=PASSES, **common)
        return model, None


class LinearSVC(Adapted, sklearn.svm.LinearSVC):
    def _counterpart(self, X, y, s):
        several, hinge = len(np.unique(y)) > 2, self.loss == "hinge"
        refuse(
            (self.multi_class != "ovr", "classes told apart jointly"),
            (several and self.class_weight is not None, "class weights of one class and none of the rest"),
            (hinge and (self.penalty == "l1" or self.dual is False), "an error of scikit-learn's about its solvers"),
            (self.penalty == "l1" and self.dual is True, "an error of scikit-learn's about its solvers"),
            (self.max_iter < 5, "a limit of a few iterations"),
        )
        weight = 1 / ((1 if hinge else 2) * self.C * class_mass(self, X, y, s))
        ratio = float(self.penalty == "l1")
        column = float(self.intercept_scaling) if self.fit_intercept else None
        refuse((self.fit_intercept and self.intercept_scaling <= 0, "an error of scikit-learn's about its solvers"))
        model = cdlab.CDClassifier(
            self.loss, l2=weight * (1 - ratio), l1=weight * ratio, fit_intercept=False, tol=TOL, max_passes=PASSES,
            class_weight=self.class_weight,
        )  # fmt: skip
        return model, column


class LinearSVR(Adapted, sklearn.svm.LinearSVR):
    def _counterpart(self, X, y, s):
        refuse((self.max_iter < 5, "a limit of a few iterations"))
        times = 1 if self.loss == "epsilon_insensitive" else 2
        column = float(self.intercept_scaling) if self.fit_intercept else None
        model = cdlab.CDRegressor(
            self.loss, epsilon=self.epsilon, l2=1 / (times * self.C * mass(X, s)), fit_intercept=False, tol=TOL,
            max_passes=PASSES,
        )  # fmt: skip
        return model, column


class QuantileRegressor(Adapted, there.QuantileRegressor):
    def _counterpart(self, X, y, s):
        refuse((self.alpha == 0, "no regulariser"))
        return cdlab.CDRegressor(
            "pinball", quantile=self.quantile, l2=0, l1=self.alpha, fit_intercept=self.fit_intercept, tol=TOL,
            max_passes=PASSES,
        ), None  # fmt: skip


def enet_path(X, y, *, l1_ratio=0.5, eps=1e-3, alphas=100, positive=False, return_n_iter=False, **options):
    """The path by `cdlab.path`; with what else scikit-learn's takes, by that."""
    several = np.ndim(alphas) > 0
    try:
        refuse(
            (positive, "positive coefficients"),
            (np.ndim(y) != 1, "y has several targets or is a column"),
            (not several, "a grid of weights for a function"),
            (bool(options.keys() - {"copy_X", "precompute", "tol", "max_iter", "verbose"}), "options of their own"),
            (several and len({*alphas}) < len(alphas), "a weight twice on a path"),
        )
    except NoCounterpart as error:
        Calls.others[f"enet_path: {error}"] += 1
        options |= {"l1_ratio": l1_ratio, "eps": eps, "alphas": alphas, "positive": positive}
        return their_path(X, y, return_n_iter=return_n_iter, **options)
    Calls.served["enet_path"] += 1
    P = cdlab.Problem(X, y, "squared", l2=0)
    path = cdlab.path(P, weights=alphas, l1_ratio=l1_ratio, tol=TOL, max_passes=PASSES)
    coefs = np.array([s.w for s in path]).T.astype(X.dtype if getattr(X, "dtype", None) == np.float32 else float)
    found = np.sort(np.asarray(alphas, float))[::-1], coefs, np.array([s.gap for s in path])
    return (*found, [int(s.trace.records[-1].iteration) for s in path]) if return_n_iter else found


def lasso_path(X, y, **options):
    return enet_path(X, y, l1_ratio=1.0, **options)


def load_svmlight_file(f, *, n_features=None, dtype=np.float64, zero_based="auto", **options):
    """A file by `cdlab.load`, which takes paths: what is open is written to one. It calls their reader itself."""
    if Calls.is_reading:
        return their_reader(f, n_features=n_features, dtype=dtype, zero_based=zero_based, **options)
    try:
        own = {} if zero_based == "auto" else {"zero_based": zero_based}
        refuse((any(options.values()), "several labels, query ids, or a part of a file"))
    except NoCounterpart as error:
        Calls.others[f"load_svmlight_file: {error}"] += 1
        return their_reader(f, n_features=n_features, dtype=dtype, zero_based=zero_based, **options)
    Calls.served["load_svmlight_file"] += 1
    with tempfile.TemporaryDirectory() as folder:
        if hasattr(f, "read") or isinstance(f, int):
            source = f if hasattr(f, "read") else os.fdopen(f, "rb", closefd=False)
            path = Path(folder) / "open.svm"
            path.write_bytes(source.read())
        else:
            path = f
        Calls.is_reading = True
        try:
            X, y = cdlab.datasets.load(path, split="all", n_features=n_features, dense=False, **own)
        finally:
            Calls.is_reading = False
    return X.astype(dtype), np.asarray(y, dtype)


REPLACED = {
    sklearn.datasets: (load_svmlight_file,),
    there: (
        ElasticNet, ElasticNetCV, Lasso, LassoCV, LogisticRegression, LogisticRegressionCV, QuantileRegressor, Ridge,
        RidgeCV, enet_path, lasso_path,
    ),
    sklearn.svm: (LinearSVC, LinearSVR),
}  # fmt: skip
