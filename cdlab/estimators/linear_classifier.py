"""Base of the classifiers: the problems that they make of classes, and what they predict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.metaestimators import available_if

from .. import losses
from ..numerics import checks
from ..problems.weights import with_offset
from ..runs import Solution
from .base import by_chunks_of_dask


def is_logistic(self: Any) -> bool:
    """Tell whether decision values are log odds, so that probabilities follow (sigmoid or softmax)."""
    return self.loss == "logistic" if isinstance(self.loss, str) else isinstance(self.loss, losses.Logistic)


def stacked_coefficients(solutions: Sequence[Solution]) -> tuple[np.ndarray, np.ndarray]:
    """The coefficients (K, d) and intercepts (K,) of one solution of softmax, or of one a class."""
    b = [np.broadcast_to(s.intercept, s.w.shape[1:] or 1) for s in solutions]
    return np.vstack([s.w.T for s in solutions]), np.concatenate(b)


class LinearClassifier(ClassifierMixin):
    """A classifier by decision values X w + b + offset, of two classes one, of more one a class."""

    loss: Any
    class_weight: Any
    classes_: np.ndarray
    coef_: np.ndarray
    intercept_: np.ndarray
    has_offset_: bool
    _validated_new: Callable[[Any], Any]

    def _codes(self, y: Any) -> np.ndarray:
        """The index in `classes_` of each label."""
        return np.searchsorted(self.classes_, y)

    def _targets(self, codes: np.ndarray) -> tuple[losses.Loss, list[np.ndarray]]:
        """The loss of the problems, and the labels of each: one of softmax or two classes, else one a class."""
        loss, several = self._loss(), self.classes_.size > 2
        if several and is_logistic(self):
            return losses.Softmax(), [codes.astype(np.float64)]
        positive = range(self.classes_.size) if several else [1]
        return loss, [np.where(codes == code, 1.0, -1.0) for code in positive]

    def _loss(self) -> losses.Loss:
        """The loss, checked against the classes."""
        loss = losses.resolve(self.loss)
        if losses.is_vector(loss) or not loss.classification:
            other = "loss='logistic', which is softmax with more than two classes" if losses.is_vector(loss) else None
            raise ValueError(
                f"{loss.name} is no loss of {type(self).__name__}: use {other or 'CDRegressor, which takes it'}"
            )
        if self.classes_.size < 2:
            only = self.classes_.tolist()[0]
            raise ValueError(f"{type(self).__name__} needs at least two classes, and y has one class only: {only!r}")
        return loss

    def _weights(self, y: np.ndarray, codes: np.ndarray, s: np.ndarray | None) -> np.ndarray | None:
        """Sample weights times class weights, (n,); None where neither is given."""
        if self.class_weight is None:
            return s
        balanced = isinstance(self.class_weight, str) and self.class_weight == "balanced"
        if not (balanced or isinstance(self.class_weight, dict)):
            raise ValueError(
                "class_weight must be a dict from classes to numbers, 'balanced' or None, not "
                f"{checks.short_repr(self.class_weight)}"
            )
        s = np.ones(y.size) if s is None else s
        if balanced:
            # By weights, not by counts: an example of weight 2 is two examples.
            masses = np.bincount(codes, weights=s)[codes]
            return np.divide(s, masses, out=np.zeros_like(s), where=masses > 0)
        for label, weight in self.class_weight.items():
            checks.number(f"class_weight of {label!r}", weight, "a finite number >= 0", ends="[)")
        return s * compute_sample_weight(self.class_weight, y)

    @by_chunks_of_dask
    def decision_function(self, X: Any, offset: Any = None) -> np.ndarray:
        """The decision values X w + b + offset.

        Parameters
        ----------
        X : (m, d) array, sparse matrix or frame
            Rows are examples, with the features of training.
        offset : (m,) array or number, optional
            That of these examples; 0, the default unless `fit` was given one, gives the baseline.

        Returns
        -------
        (m,) array, positive for the second class; with more than two classes (m, K)
        """
        z, K = self._validated_new(X) @ self.coef_.T + self.intercept_, self.classes_.size
        if offset is not None and K > 2 and is_logistic(self):
            raise ValueError("softmax takes no offset, which is for losses of one prediction: leave offset out")
        return with_offset(z.ravel() if K == 2 else z, offset, self.has_offset_)

    @by_chunks_of_dask
    def predict(self, X: Any, offset: Any = None) -> np.ndarray:
        """The classes (m,) of examples (m, d): by the sign, or the largest, of their decision values."""
        z = self.decision_function(X, offset)
        return self.classes_[(z > 0).astype(int) if z.ndim == 1 else z.argmax(axis=1)]

    @available_if(is_logistic)
    @by_chunks_of_dask
    def predict_proba(self, X: Any, offset: Any = None) -> np.ndarray:
        """The probabilities (m, K) of the classes for examples (m, d); available only with the logistic loss."""
        z = self.decision_function(X, offset)
        return np.column_stack([expit(-z), expit(z)]) if z.ndim == 1 else softmax(z, axis=1)

    @available_if(is_logistic)
    @by_chunks_of_dask
    def predict_log_proba(self, X: Any, offset: Any = None) -> np.ndarray:
        """The logarithms of `predict_proba`, (m, K)."""
        z = self.decision_function(X, offset)
        return np.column_stack([log_expit(-z), log_expit(z)]) if z.ndim == 1 else log_softmax(z, axis=1)

    def score(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> float:
        """The share of the classes (m,) of examples (m, d) that `predict` tells."""
        return accuracy_score(y, self.predict(X, offset), sample_weight=sample_weight)
