"""Test data of a problem, and errors on them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .. import losses
from ..losses import Loss, over_examples
from ..numerics import matrices, profiles
from . import labels, products
from .intercept import with_ones


class Scores(NamedTuple):
    """Errors on test data, by the names that they have in a `Record`."""

    test_error: float  # share of wrong signs or classes; regression: the mean loss
    test_loss: float  # mean loss
    test_sign_error: float  # share of wrong signs where a regression loss is given labels -1 and 1; else NaN


class HeldOut:
    """What a `Problem`, whose base it is, says of data that it was not made from."""

    d: int
    loss: Loss
    intercept: bool
    label_map: labels.LabelMap | None

    def test_data(self, X: Any, y: Any) -> tuple[np.ndarray | sp.csr_matrix, np.ndarray]:
        """Test data (m, d), (m,) as `test_error` takes them: validated, with this problem's label rules.

        Raises
        ------
        ValueError
            As for the training data; for another width; for a class that training did not have.
        """
        X, features = profiles.validated(X), self.d - self.intercept
        if X.shape[1] != features:
            raise ValueError(
                f"test X has {X.shape[1]} features, training X has {features}; load both with n_features={features}"
            )
        return with_ones(X) if self.intercept else X, labels.mapped(labels.checked(y, X.shape[0]), self.label_map)

    def test_error(self, w: np.ndarray, test: tuple[np.ndarray | sp.csr_matrix, np.ndarray]) -> float:
        """The share of wrong signs or classes on `test_data` (a 0 or a tie is wrong); regression: the mean loss."""
        return self.test_scores(w, test)[0]

    def test_scores(self, w: np.ndarray, test: tuple[np.ndarray | sp.csr_matrix, np.ndarray]) -> Scores:
        """The errors on `test_data`, from one X @ w."""
        X, y = test
        z = X @ w if w.ndim > 1 else products.times(matrices.rows(X), X.shape[0], np.ascontiguousarray(w))
        loss = losses.unweighted(self.loss)
        signs = over_examples.sign_error(z, y) if not loss.classification and np.all(np.abs(y) == 1) else np.nan
        return Scores(over_examples.prediction_error(loss, z, y), over_examples.mean_loss(loss, z, y), signs)
