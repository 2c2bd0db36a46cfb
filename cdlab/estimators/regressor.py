"""CDRegressor: least squares and its robust relatives, with L2 and l1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score

from .. import losses
from ..distributed.dask_collections import is_collection
from ..numerics import checks
from ..problems import labels
from ..problems.weights import with_offset
from ..runs import Solution
from .base import SolvingEstimator, by_chunks_of_dask, parameters
from .callbacks import CallbackSupportMixin


def regression_loss(estimator: Any) -> losses.Loss:
    """The estimator's loss; a ValueError where it is one of classes, or lacks a parameter that is given."""
    loss: Any = losses.resolve(estimator.loss)
    for name, able in (("quantile", "pinball"), ("epsilon", "epsilon_insensitive")):
        if (value := getattr(estimator, name)) is not None:
            if name not in loss._fields:
                raise ValueError(f"the loss {loss.name} has no {name}: take loss={able!r}, or leave {name} out")
            loss = losses.resolve(loss._replace(**{name: value}))
    if loss.classification:
        other = " with loss='logistic'" if losses.is_vector(loss) else ", which takes it"
        raise ValueError(f"{loss.name} is no loss of {type(estimator).__name__}: use CDClassifier{other}")
    return loss


def numeric_targets(y: Any, loss: losses.Loss) -> Any:
    """The targets as they are; a ValueError where they are words, or texts that `float` does not take."""
    values = checks.array("y", y)
    if values.ndim == 1 and values.dtype.kind in "OUT":
        try:
            values.astype(np.float64)
        except (TypeError, ValueError):
            labels.make_label_map(labels.validated_labels(values, values.size), loss)
    return y


class LinearRegressor(RegressorMixin):
    """A regressor by X w + b, and the offset of examples where training had one."""

    @by_chunks_of_dask
    def predict(self: Any, X: Any, offset: Any = None) -> np.ndarray:
        """The predictions X w + b + offset (m,) for examples (m, d).

        The offset, (m,) or one number for all, is that of these examples; 0, the default unless `fit` was given one,
        gives the baseline.
        """
        return with_offset(self._validated_new(X) @ self.coef_ + self.intercept_, offset, self.has_offset_)

    def score(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> float:
        """The share R^2 of the variance of targets (m,) that `predict` tells of examples (m, d)."""
        return r2_score(y, self.predict(X, offset), sample_weight=sample_weight)


@parameters
class CDRegressor(CallbackSupportMixin, LinearRegressor, SolvingEstimator):
    """Linear regression, certified: P(w) - P(w*) <= `gap_`.

    It minimises (1/n) sum_i phi(x_i'w + b; y_i) + (l2/2) ||w||^2 + l1 ||w||_1, the objective of `cdlab.Problem`.

    Parameters
    ----------
    loss : str or loss instance, default "squared"
        "squared", "huber", "absolute", "pinball" or "epsilon_insensitive", or an instance for other parameters.
    quantile, epsilon : float, default None
        Parameters of these losses where it is a name: of "pinball" (0.5), and of "epsilon_insensitive" and the squared
        one (0.1).
    l2, l1 : float, default 1e-3 and 0
        Weights of (1/2)||w||^2 and of ||w||_1, on the scale of the mean loss. ``Ridge(alpha=a)`` is l2 = a/n,
        ``ElasticNet(alpha=a, l1_ratio=r)`` is l2 = a (1 - r), l1 = a r.
    method, sampling, tol, max_passes, fit_intercept, intercept_scaling, positive, lower, upper, penalty_factor,
    warm_start, random_state
        As for `CDClassifier`.
    n_jobs : int, default None
        Threads, as of `cdlab.Problem`; the result is the same with any number.

    Attributes
    ----------
    coef_ : (d,) array
    intercept_ : float
    n_features_in_, feature_names_in_, has_offset_, gap_, certificate_, n_passes_, n_iter_, trace_, solution_
        As for `CDClassifier`.

    Examples
    --------
    >>> import numpy as np, cdlab
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> model = cdlab.CDRegressor(l2=0, tol=1e-12).fit(X, 2 * X[:, 0] + 1)
    >>> model.coef_.round(3), round(model.intercept_, 3)
    (array([2.]), 1.0)
    """

    _FOREIGN = {
        "alpha": "l2=0, l1=alpha in place of Lasso's, and l2=alpha / n, with n examples, in place of Ridge's",
        "l1_ratio": "l2=alpha * (1 - l1_ratio) and l1=alpha * l1_ratio",
        "penalty": "l2 and l1, the weights themselves",
        "solver": "method",
        "max_iter": "max_passes",
    }

    loss: str | losses.Loss = "squared"
    _: KW_ONLY
    quantile: float | None = None
    epsilon: float | None = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> Self:
        """Fit to examples and their targets; parameters and errors are those of `CDClassifier.fit`."""
        loss = regression_loss(self)
        if is_collection(X):
            self._check_collection(X)
        else:
            X, y = self._validated_examples(X, numeric_targets(y, loss), y_numeric=True)
        examples = {"sample_weight": self._sample_weight(sample_weight, X), "offset": self._offset(offset, X)}
        self._solve_problems(X, [y], loss, examples, y, {"sample_weight": sample_weight, "offset": offset})
        return self

    def _attributes(self, solutions: Sequence[Solution]) -> dict[str, Any]:
        (s,) = solutions
        return {"coef_": s.w.astype(self._dtype), "intercept_": s.intercept}
