"""Paths and cross-validations as tasks: many weights l1 at once, and an error of the whole answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from .tasks import SLOPES, Kind, primal

NUM_WEIGHTS, LAST_SHARE, NUM_FOLDS = 50, 0.01, 10
LEAST_SCALE = 1e-6  # of P(0), where P* is near it: as in the relative gap of a solution


def falling_weights(X: Any, y: np.ndarray, loss: str, null: float = 0.0) -> np.ndarray:
    """50 weights from the least l1 with w* = 0, where `null` is the best intercept, down to its hundredth."""
    largest = float(np.abs(X.T @ SLOPES[loss](np.full(len(y), null), y)).max()) / len(y)
    return np.geomspace(largest, LAST_SHARE * largest, NUM_WEIGHTS)


@dataclass(frozen=True, eq=False)
class PathTask:
    """Minimise P(w) = mean phi(x_i'w; y_i) + l1 ||w||_1 for each of several l1.

    Attributes
    ----------
    X, y, loss
        As of `tasks.Task`.
    l1 : (50,) array
        The weights, falling.
    """

    X: Any
    y: np.ndarray
    loss: str
    l1: np.ndarray

    kind = Kind.PATH
    penalty = "l1"
    l2 = 0.0

    @property
    def d(self) -> int:
        """Features."""
        return int(self.X.shape[1])

    @property
    def arguments(self) -> tuple[Any, ...]:
        """What a peer's `fit` is given before its budget."""
        return self.X, self.y, self.loss, self.l1

    def primal(self, l1: float, w: np.ndarray, b: float = 0.0) -> float:
        """P(w, b) for one of the weights."""
        return primal(self.X, self.y, self.loss, 0.0, l1, w, b)

    def error(self, l1: float, best: float, w: np.ndarray, b: float = 0.0) -> float:
        """(P(w, b) - P*)/(P(0) - P*) for one of the weights; infinity for what is no point of R^d."""
        w = np.asarray(w, dtype=np.float64).ravel()
        if w.shape != (self.d,) or not (np.isfinite(w).all() and np.isfinite(b)):
            return float("inf")
        at_zero = self.primal(l1, np.zeros(self.d))
        return (self.primal(l1, w, b) - best) / max(at_zero - best, LEAST_SCALE * at_zero)

    def suboptimality(self, points: Any, best: Any) -> float:
        """The largest of the errors of the points (50, d), where P* is `best` (50,)."""
        if len(points) != len(self.l1):
            return float("inf")
        return max(self.error(l1, low, w) for l1, low, w in zip(self.l1, best, points, strict=True))


class Choice(NamedTuple):
    """What a cross-validation ends with: the weight that it chose, and the point that it fitted to all examples."""

    l1: float
    w: np.ndarray
    b: float


@dataclass(frozen=True, eq=False)
class CrossValidationTask(PathTask):
    """Choose one of the weights by the scores of ten folds, and minimise P for it on all examples.

    With the squared loss there is an intercept, and the score is minus the mean squared error; with others there is
    none, since liblinear would penalise it, and the score is the accuracy. Then only the fit is judged: C of
    scikit-learn is of the sum of losses, so that its folds are penalised more than all examples are.

    Attributes
    ----------
    folds : list of (train, test)
        Indices of examples.
    """

    folds: list[tuple[np.ndarray, np.ndarray]]

    kind = Kind.CV

    @property
    def has_intercept(self) -> bool:
        """Whether b is free, or 0."""
        return has_intercept(self.loss)

    @property
    def arguments(self) -> tuple[Any, ...]:
        """What a peer's `fit` is given before its budget."""
        return self.X, self.y, self.loss, self.l1, self.folds

    def suboptimality(self, choice: Choice, best: Sequence[Sequence[float]]) -> float:
        """The error of the fit; with the squared loss at least the share of the score to be won that its weight loses.

        Parameters
        ----------
        choice : Choice
            The answer.
        best : two sequences of 50 numbers
            P* of each weight, and the mean score of its certified solutions.
        """
        lows, scores = best
        k = int(np.abs(np.log(self.l1 / choice.l1)).argmin())
        error = self.error(float(self.l1[k]), lows[k], choice.w, choice.b)
        if not self.has_intercept:
            return error
        most = max(scores)
        return max(error, (most - scores[k]) / max(most - scores[0], LEAST_SCALE * abs(most)))


def has_intercept(loss: str) -> bool:
    """Whether a cross-validation with this loss has a free intercept."""
    return loss == "squared"


def path_task(X: Any, y: np.ndarray, loss: str) -> PathTask:
    """The task of a path."""
    return PathTask(X, y, loss, falling_weights(X, y, loss))


def cross_validation_task(X: Any, y: np.ndarray, loss: str) -> CrossValidationTask:
    """The task of a cross-validation; its folds are the same for everybody."""
    splitter = KFold if has_intercept(loss) else StratifiedKFold
    folds = list(splitter(NUM_FOLDS, shuffle=True, random_state=0).split(X, y))
    null = float(y.mean()) if has_intercept(loss) else 0.0
    return CrossValidationTask(X, y, loss, falling_weights(X, y, loss, null), folds)
