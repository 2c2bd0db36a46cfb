"""CDRegressorCV: a regressor whose weights are chosen by cross-validation along the path."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, Self

import numpy as np

from .. import losses
from ..losses.per_example import mean_loss
from ..runs import Path
from .base import parameters
from .cross_validated import CrossValidatedEstimator, with_coefficients
from .regressor import LinearRegressor, numeric_targets, regression_loss


@parameters
class CDRegressorCV(LinearRegressor, CrossValidatedEstimator):
    """Linear regression with the weight of least cross-validated error, certified along the whole path.

    It minimises (1/n) sum_i phi(x_i'w + b; y_i) + a ((1 - l1_ratio)/2 ||w||^2 + l1_ratio ||w||_1), as scikit-learn's
    `LassoCV` and `ElasticNetCV` do with the squared loss, whose alpha is a.

    Parameters
    ----------
    loss : str or loss instance, default "squared"
        As of `CDRegressor`, with its `quantile` and `epsilon`; with l1_ratio = 0 and without weights a smooth one.
    l1_ratio : float from 0 to 1 or several, default 1
        The share of l1 in the weight; of several the best is taken, too.
    weights : int or several numbers > 0, default 50
        The weights a, or how many: from the smallest with w = 0 down to `eps` of it, evenly in their logarithm. With
        l1_ratio below 1e-3, where no weight makes w = 0: from the mean squared norm of the rows of X (of centred
        columns with an intercept) over gamma, which shrinks w at least by half in every direction, down to eps^2 of
        it.
    eps : float, default 1e-3
        The last of these weights over the first.
    cv : int, splitter or iterable of (train, test), default None
        As in scikit-learn; None: five folds.
    scoring : str or callable, default None
        As in scikit-learn. None: the mean squared error; of another loss its mean. With an offset None alone.
    rule : "best" or "one_standard_error", default "best"
        "one_standard_error": the largest weight whose score is within one standard error of the best.
    n_jobs : int, default None
        Threads, each with one fold (and one class) at a time; the result is the same with any number.
    tol, max_passes
        As of `CDRegressor`, for each solution.
    fit_intercept, intercept_scaling, positive, lower, upper, penalty_factor
        As of `CDRegressor`.
    random_state : int, RandomState or None, default None
        What methods draw with, where l1_ratio is 0.

    Attributes
    ----------
    coef_, intercept_, n_features_in_, feature_names_in_, has_offset_, gap_, certificate_, trace_, solution_
        As of `CDRegressor`, for the weight that was chosen and all examples.
    weight_, l1_ratio_, l1_, l2_ : float
        The choice, as one weight and as two.
    weights_ : (m,) array; of several l1_ratio a row for each
    scores_ : (m, folds) array; of several l1_ratio a matrix for each
        The larger, the better.
    mse_path_ : (m, folds) array, as ``scores_``
        The mean squared error; only with the squared loss and no `scoring`.
    path_ : cdlab.runs.Path
        The solutions for all examples and all weights of that l1_ratio, each with its certificate.

    Warns
    -----
    UserWarning
        If the smallest weight is the best, and by more than the standard error of its score better than the one ten
        times as large: a smaller one may be better still.

    Examples
    --------
    >>> import cdlab
    >>> X, y = cdlab.datasets.make(n=100, d=20, seed=0, task="regression")
    >>> model = cdlab.CDRegressorCV(cv=5).fit(X, y)
    >>> model.scores_.shape, bool(max(s.relative_gap for s in model.path_) <= 1e-6)
    ((50, 5), True)
    """

    _FOREIGN = {
        "alphas": "weights=alphas in place of LassoCV's, and weights=alphas / n, l1_ratio=0 in place of RidgeCV's",
        "n_alphas": "weights=n_alphas",
        "max_iter": "max_passes",
    }

    _: KW_ONLY
    quantile: float | None = None
    epsilon: float | None = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None, **params: Any) -> Self:
        """Fit to examples and their targets; parameters and errors are those of `CDRegressor.fit`.

        `groups` are passed on to the splitter; with metadata routing whatever splitter and scorer ask for.
        """
        loss = regression_loss(self)
        X, y = self._validated_examples(X, numeric_targets(y, loss), y_numeric=True)
        s, o = self._sample_weight(sample_weight, X), self._offset(offset, X)
        self._fit_path(X, y, [y], loss, s, s, o, params, stratified=False)
        if self._is_squared() and self.scoring is None:
            self.mse_path_: np.ndarray = -self.scores_
        return self

    def _is_squared(self) -> bool:
        return isinstance(regression_loss(self), losses.Squared)

    def _fold_scores(self, z: np.ndarray, y: np.ndarray, s: np.ndarray | None) -> np.ndarray:
        if self._is_squared():
            return -np.average((z[0] - y) ** 2, axis=1, weights=s)
        loss, labels = regression_loss(self), np.ascontiguousarray(y, dtype=float)
        if s is not None:
            loss, labels = losses.weighted(loss, labels, s / s.mean())
        return np.array([-mean_loss(loss, np.ascontiguousarray(row), labels) for row in z[0]])

    def _at(self, paths: list[Path], k: int) -> Self:
        return with_coefficients(self, paths[0][k].w, paths[0][k].intercept)
