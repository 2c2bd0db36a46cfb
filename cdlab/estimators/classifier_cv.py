"""CDClassifierCV: a classifier whose weights are chosen by cross-validation along the path."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import expit
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets

from .. import losses
from ..problems.labels import check_number_of_classes
from ..runs import Path
from .classifier import CDClassifier, is_logistic
from .cross_validated import CrossValidatedEstimator, with_coefficients


class CDClassifierCV(ClassifierMixin, CrossValidatedEstimator):
    """Linear classification with the weight of best cross-validated score, certified along the whole path.

    It minimises (1/n) sum_i phi(x_i'w + b; y_i) + a ((1 - l1_ratio)/2 ||w||^2 + l1_ratio ||w||_1): scikit-learn's
    `LogisticRegressionCV` has C = 1/(n a). With more than two classes each is told from the rest, with one weight for
    all.

    Parameters
    ----------
    loss : str or loss instance, default "logistic"
        A smooth one: "logistic", "squared_hinge" or "smooth_hinge", or an instance.
    l1_ratio, weights, eps, cv, rule, n_jobs, tol, max_passes, fit_intercept, random_state
        As of `CDRegressorCV`; folds keep the shares of the classes.
    scoring : str or callable, default None
        As in scikit-learn. None: the accuracy.
    class_weight : dict, "balanced" or None, default None
        As of `CDClassifier`.

    Attributes
    ----------
    classes_ : (K,) array
    coef_ : (1, d) array, or with more than two classes (K, d)
    intercept_ : (1,) or (K,) array
    weight_, l1_ratio_, l1_, l2_, weights_, scores_, path_, gap_, certificate_, trace_, solution_
        As of `CDRegressorCV`; with more than two classes `path_`, `trace_` and `solution_` are lists, in the order of
        `classes_`, and `gap_` and `certificate_` are sums.

    Examples
    --------
    >>> import cdlab
    >>> X, y = cdlab.datasets.make(n=200, d=20, seed=0)
    >>> model = cdlab.CDClassifierCV(cv=5, rule="one_standard_error").fit(X, y)
    >>> model.scores_.shape, bool(model.gap_ <= 1e-6)
    ((50, 5), True)
    """

    _FOREIGN = {
        "Cs": "weights=1 / (n * Cs), with n examples, and l1_ratio=0 for penalty='l2'",
        "l1_ratios": "l1_ratio=l1_ratios",
        "penalty": "l1_ratio=0 for 'l2', 1 for 'l1'",
        "max_iter": "max_passes",
    }

    def __init__(
        self,
        loss: str | losses.Loss = "logistic",
        *,
        l1_ratio: Any = 1.0,
        weights: Any = 50,
        eps: float = 1e-3,
        cv: Any = None,
        scoring: Any = None,
        rule: str = "best",
        n_jobs: int | None = None,
        tol: float = 1e-6,
        max_passes: float | None = 1000,
        fit_intercept: bool = True,
        class_weight: Any = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            loss,
            l1_ratio=l1_ratio,
            weights=weights,
            eps=eps,
            cv=cv,
            scoring=scoring,
            rule=rule,
            n_jobs=n_jobs,
            tol=tol,
            max_passes=max_passes,
            fit_intercept=fit_intercept,
            random_state=random_state,
        )
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to examples and their classes; parameters and errors are those of `CDClassifier.fit`."""
        X, y = self._validated_examples(X, y)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        check_number_of_classes(self.classes_.size, y.size)
        loss, s = self._loss(), self._weights(X, y, codes, sample_weight)
        positive = [1] if self.classes_.size == 2 else range(self.classes_.size)
        targets = [np.where(codes == code, 1.0, -1.0) for code in positive]
        self._fit_path(X, y, targets, loss, s, stratified=True)
        return self

    def _fold_scores(self, z: np.ndarray, y: np.ndarray, s: np.ndarray | None) -> np.ndarray:
        codes = (z[0] > 0).astype(int) if len(z) == 1 else z.argmax(axis=0)
        return np.average(self.classes_[codes] == y, axis=1, weights=s)

    def _at(self, paths: list[Path], k: int) -> Self:
        solutions = [path[k] for path in paths]
        return with_coefficients(self, np.array([s.w for s in solutions]), np.array([s.intercept for s in solutions]))

    _loss, _weights = CDClassifier._loss, CDClassifier._weights
    decision_function, predict = CDClassifier.decision_function, CDClassifier.predict

    @available_if(is_logistic)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities (m, K) of the classes; of more than two those of each against the rest, over their sum."""
        z = self.decision_function(X)
        if z.ndim == 1:
            return np.column_stack([expit(-z), expit(z)])
        p = expit(z)
        return p / p.sum(axis=1, keepdims=True)

    @available_if(is_logistic)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithms of `predict_proba`, (m, K)."""
        return np.log(self.predict_proba(X))
