"""CDClassifier: two classes by a loss of the margin, more by softmax or one-vs-rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any, Self

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from .. import losses
from ..distributed.dask_collections import by_chunks, distinct, is_collection
from ..problems.labels import check_number_of_classes
from ..runs import Solution
from .base import SolvingEstimator, parameters
from .callbacks import CallbackSupportMixin
from .linear_classifier import LinearClassifier, stacked_coefficients


@parameters
class CDClassifier(CallbackSupportMixin, LinearClassifier, SolvingEstimator):
    """Linear classification, certified: P(w) - P(w*) <= `gap_`.

    It minimises (1/n) sum_i phi(x_i'w + b; y_i) + (l2/2) ||w||^2 + l1 ||w||_1, the objective of `cdlab.Problem`.

    Parameters
    ----------
    loss : str or loss instance, default "logistic"
        "logistic", "squared_hinge", "smooth_hinge" or "hinge", or an instance for other parameters. With more than two
        classes "logistic" is the softmax loss; the others solve one-vs-rest problems.
    l2, l1 : float, default 1e-3 and 0
        Weights of (1/2)||w||^2 and of ||w||_1, on the scale of the mean loss: scikit-learn's C is 1/(n l2), and for its
        squared hinge, which has no 1/2, 1/(2 n l2).
    method : str or method instance, default "auto"
        As for `cdlab.solve`.
    sampling : str, sampling instance or (m,) array, optional
        As for `cdlab.solve`. None: the method's default.
    tol : float, default 1e-6
        On the relative duality gap, (P(w) - D(alpha)) / max(P(0) - D(alpha), 1e-6 P(0)).
    max_passes : float or None, default 1000
        Passes over the nonzeros of X.
    fit_intercept : bool, default True
        Whether to fit a b.
    intercept_scaling : float or None, default None
        None: b is not penalised. A number, as of scikit-learn's `LinearSVC`: the value of a column that is appended to
        X for b; b is this times its weight, which is penalised like the others, less where it is larger. `fit` warns
        where that penalty is felt.
    positive : bool, default False
        Whether coefficients are >= 0: the same as lower=0. The intercept has no bounds.
    lower, upper, penalty_factor : float or (d,) array, default None
        Bounds of coefficients, and what l2 and l1 are multiplied by for each feature, as for `cdlab.Problem`.
    class_weight : dict, "balanced" or None, default None
        Weight of each class, times the sample weights of its examples. "balanced": all classes alike. One-vs-rest,
        they count the same in each problem.
    warm_start : bool, default False
        Whether to start from the last solution, if that has the same shape.
    n_jobs : int, default None
        Threads: one-vs-rest, each has one class at a time; else they are those of `cdlab.Problem`. The result is the
        same with any number.
    random_state : int, RandomState or None, default None
        What coordinates are drawn with: the same number gives the same result.

    Attributes
    ----------
    classes_ : (K,) array
    coef_ : (1, d) array, or with more than two classes (K, d)
    intercept_ : (1,) or (K,) array
    n_features_in_ : int
    feature_names_in_ : (d,) array of str, where X has such names
    has_offset_ : bool
        Whether `fit` was given an offset, so that predictions need one.
    gap_ : float
        The duality gap, max(0, primal - dual) + rounding: at least P(w) - P(w*); inf where nothing is certified
        (l2 = l1 = 0). One-vs-rest, the sum over the classes, as `certificate_`, `n_passes_` and `n_iter_`.
    certificate_ : (primal, dual, gradient, rounding)
        The values P(w) and D(alpha), and what rounding may have added to their difference; gradient is NaN.
    n_passes_ : float
    n_iter_ : int
        Passes over X, and iterations as the method counts them.
    trace_, solution_ : cdlab.Trace, cdlab.Solution
        Of the problem with labels -1 and 1, or with softmax the indices of `classes_`. One-vs-rest, a list of them, in
        the order of `classes_`.

    Examples
    --------
    >>> import cdlab
    >>> X, y = cdlab.datasets.load("mushrooms")
    >>> model = cdlab.CDClassifier(l2=1e-3).fit(X, y)
    >>> bool(model.gap_ <= 1e-6)
    True
    >>> model.score(X, y) > 0.99
    True
    """

    _FOREIGN = {
        "C": "l2=1 / (n * C), with n examples, or 1 / (2 * n * C) for the C of LinearSVC's squared hinge",
        "penalty": "l2 and l1, the weights themselves, in place of penalty and C",
        "l1_ratio": "l2=(1 - l1_ratio) / (n * C) and l1=l1_ratio / (n * C), with n examples",
        "alpha": "l2=alpha * (1 - l1_ratio) and l1=alpha * l1_ratio in place of SGDClassifier's alpha",
        "solver": "method",
        "max_iter": "max_passes",
    }

    loss: str | losses.Loss = "logistic"
    class_weight: Any = field(default=None, kw_only=True)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> Self:
        """Fit to examples and their classes.

        Parameters
        ----------
        X : (n, d) array, sparse matrix or frame, or a Dask array or frame
            Rows are examples. Those of Dask stay at its workers, see ``cdlab.distributed.solve``; y is of Dask, too.
        y : (n,) array
            Their classes: numbers or words.
        sample_weight : (n,) array of numbers >= 0, optional
            What each example counts in the mean loss; only their ratios matter.
        offset : (n,) array or number, optional
            What is added to the predictions of examples: a baseline, or the predictions of another model. It is not of
            softmax; with one class against the rest it is added in each problem.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            For data or parameters that do not fit, as `cdlab.Problem` and `cdlab.solve`.
        """
        if is_collection(X):
            self._check_collection(X)
            self.classes_ = distinct(y)
            codes = by_chunks(self._codes, y, self.classes_[:1])
        else:
            X, y = self._validated_examples(X, y)
            check_classification_targets(y)
            self.classes_, codes = np.unique(y, return_inverse=True)
            check_number_of_classes(self.classes_.size, y.size)
        loss, targets = self._targets(codes)
        weights = self._weights(y, codes, self._sample_weight(sample_weight, X))
        examples = {"sample_weight": weights, "offset": self._offset(offset, X)}
        self._solve_problems(X, targets, loss, examples, y, {"sample_weight": sample_weight, "offset": offset})
        return self

    def _attributes(self, solutions: Sequence[Solution]) -> dict[str, Any]:
        coef, intercept = stacked_coefficients(solutions)
        return {"coef_": coef.astype(self._dtype), "intercept_": intercept.astype(self._dtype)}
