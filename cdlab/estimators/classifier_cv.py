"""CDClassifierCV: a classifier whose weights are chosen by cross-validation along the path."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Self

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from .. import losses
from ..problems.labels import check_number_of_classes
from ..runs import Path
from .base import parameters
from .cross_validated import CrossValidatedEstimator, with_coefficients
from .linear_classifier import LinearClassifier, stacked_coefficients


@parameters
class CDClassifierCV(LinearClassifier, CrossValidatedEstimator):
    """Linear classification with the weight of best cross-validated score, certified along the whole path.

    It minimises (1/n) sum_i phi(x_i'w + b; y_i) + a ((1 - l1_ratio)/2 ||w||^2 + l1_ratio ||w||_1): scikit-learn's
    `LogisticRegressionCV` has C = 1/(n a). With more than two classes it is softmax, or one-vs-rest problems with one
    weight for all, as of `CDClassifier`.

    Parameters
    ----------
    loss : str or loss instance, default "logistic"
        A smooth one: "logistic", "squared_hinge" or "smooth_hinge", or an instance.
    l1_ratio, weights, eps, cv, rule, n_jobs, tol, max_passes, fit_intercept, intercept_scaling, positive, lower, upper,
    penalty_factor, random_state
        As of `CDRegressorCV`; folds keep the shares of the classes.
    scoring : str or callable, default None
        As in scikit-learn. None: the accuracy. With an offset None alone.
    class_weight : dict, "balanced" or None, default None
        As of `CDClassifier`.

    Attributes
    ----------
    classes_ : (K,) array
    coef_ : (1, d) array, or with more than two classes (K, d)
    intercept_ : (1,) or (K,) array
    weight_, l1_ratio_, l1_, l2_, weights_, scores_, path_, gap_, certificate_, trace_, solution_
        As of `CDRegressorCV`; one-vs-rest `path_`, `trace_` and `solution_` are lists, in the order of `classes_`, and
        `gap_` and `certificate_` are sums.

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

    loss: str | losses.Loss = "logistic"
    class_weight: Any = field(default=None, kw_only=True)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None, **params: Any) -> Self:
        """Fit to examples and their classes; parameters and errors are those of `CDClassifier.fit`.

        `groups` are passed on to the splitter; with metadata routing whatever splitter and scorer ask for.
        Sample weights count in fits and scores, class weights in fits.
        """
        X, y = self._validated_examples(X, y)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        check_number_of_classes(self.classes_.size, y.size)
        loss, targets = self._targets(codes)
        s, o = self._sample_weight(sample_weight, X), self._offset(offset, X)
        self._fit_path(X, y, targets, loss, self._weights(y, codes, s), s, o, params, stratified=True)
        self.intercept_ = self.intercept_.astype(self._dtype)
        return self

    def score(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> float:
        """The score of these examples (m, d) and their classes (m,): by `scoring`, or else the accuracy."""
        if (scorer := self._scorer(offset)) is None:
            return super().score(X, y, sample_weight, offset)
        reasons: list[str] = []
        score = self._score(
            scorer, self, X, y, {} if sample_weight is None else {"sample_weight": sample_weight}, reasons
        )
        if reasons:
            raise ValueError(reasons[0])
        return score

    def _fold_scores(self, z: np.ndarray, y: np.ndarray, s: np.ndarray | None) -> np.ndarray:
        codes = (z[0] > 0).astype(int) if len(z) == 1 else z.argmax(axis=0)
        return np.average(self.classes_[codes] == y, axis=1, weights=s)

    def _at(self, paths: list[Path], k: int) -> Self:
        return with_coefficients(self, *stacked_coefficients([path[k] for path in paths]))
