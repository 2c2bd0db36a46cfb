"""The tasks that packages are given, and P(w) in plain numpy, by which the answers of all are compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

NUM_WEIGHTS, LAST_SHARE, NUM_FOLDS = 50, 0.01, 10
LEAST_SCALE = 1e-6  # Errors are divided by at least this share of P(0), as relative gaps of solutions are.


class Kind(StrEnum):
    """The kinds of tasks."""

    WEIGHT = "weight"  # one point, for one pair of weights
    PATH = "path"  # a point for each of several l1
    CV = "cv"  # the l1 that cross-validation chooses, and its point


LOSSES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "logistic": lambda z, y: np.logaddexp(0.0, -y * z),
    "squared_hinge": lambda z, y: 0.5 * np.maximum(0.0, 1.0 - y * z) ** 2,
    "squared": lambda z, y: 0.5 * (z - y) ** 2,
    "hinge": lambda z, y: np.maximum(0.0, 1.0 - y * z),
    "absolute": lambda z, y: np.abs(z - y),
}
SLOPES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "logistic": lambda z, y: -y / (1.0 + np.exp(np.minimum(y * z, 700.0))),
    "squared_hinge": lambda z, y: -y * np.maximum(0.0, 1.0 - y * z),
    "squared": lambda z, y: z - y,
    "hinge": lambda z, y: -y * (y * z < 1.0),
    "absolute": lambda z, y: np.sign(z - y),
}
REGRESSIONS = ("squared", "absolute")


def largest_l1(X: Any, y: np.ndarray, loss: str, intercept: float = 0.0) -> float:
    """The smallest l1 with w* = 0, where `intercept` is the best one: max_j |sum_i phi'(b; y_i) x_ij|/n."""
    return float(np.abs(X.T @ SLOPES[loss](np.full(len(y), intercept), y)).max()) / len(y)


def best_constant(y: np.ndarray, loss: str) -> float:
    """A b that minimises mean phi(b; y_i).

    Examples
    --------
    >>> best_constant(np.array([1.0, 1.0, 1.0, -1.0]), "squared_hinge")
    0.5
    """
    if loss == "absolute":
        return float(np.median(y))
    mean = float(y.mean())
    if loss == "logistic":
        return float(2 * np.arctanh(mean))
    return float(np.sign(mean)) if loss == "hinge" else mean


class Point(NamedTuple):
    """The answer for one pair of weights."""

    w: np.ndarray
    b: float = 0.0


@dataclass(frozen=True, eq=False)
class PeerTask:
    """Minimise P(w) = mean phi(x_i'w; y_i) + (l2/2)||w||^2 + l1 ||w||_1, or of w and b with phi(x_i'w + b; y_i).

    Attributes
    ----------
    X : (n, d) csr_matrix or row-major array of float64
    y : (n,) array of float64; classes are -1 and +1
    loss : str
        A name of `LOSSES`; the squared losses carry a factor 1/2.
    l2, l1 : float
        The weights, >= 0; of a path l1 is an array (50,), falling.
    intercept : bool, default False
        Whether there is a b, which costs nothing.
    """

    X: Any
    y: np.ndarray
    loss: str
    l2: float
    l1: Any
    intercept: bool = field(default=False, kw_only=True)

    kind = Kind.WEIGHT

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The arguments of a peer's `fit` before its budget."""
        return self.X, self.y, self.loss, self.l2, self.l1, self.intercept

    @property
    def n(self) -> int:
        """Examples."""
        return int(self.X.shape[0])

    @property
    def d(self) -> int:
        """Features."""
        return int(self.X.shape[1])

    @property
    def penalty(self) -> str:
        """The weights that are not 0: "l2", "l1" or "l1+l2"."""
        return "+".join(name for name, weight in (("l1", self.l1), ("l2", self.l2)) if np.any(weight))

    def primal(self, w: np.ndarray, l1: float | None = None, b: float = 0.0) -> float:
        """P(w) = mean phi(x_i'w + b; y_i) + (l2/2)||w||^2 + l1 ||w||_1, with the task's l1 or another one.

        Examples
        --------
        >>> PeerTask(np.eye(2), np.array([1.0, -1.0]), "squared", 0.5, 0.25).primal(np.array([1.0, 0.0]))
        0.75
        """
        l1 = self.l1 if l1 is None else l1
        return float(np.mean(LOSSES[self.loss](self.X @ w + b, self.y)) + 0.5 * self.l2 * (w @ w) + l1 * abs(w).sum())

    def error(self, w: np.ndarray, best: float, l1: float | None = None, b: float = 0.0) -> float:
        """(P(w) - P*)/(P(0) - P*), where P* is `best`; infinity for what is no point of R^d.

        P(0) has the best b where there is one.
        """
        w = np.asarray(w, dtype=np.float64).ravel()
        if w.shape != (self.d,) or not (np.isfinite(w).all() and np.isfinite(b)):
            return float("inf")
        at_zero = self.at_zero
        return (self.primal(w, l1, b) - best) / max(at_zero - best, LEAST_SCALE * at_zero)

    @cached_property
    def at_zero(self) -> float:
        """P(0), with the best b where there is one."""
        return self.primal(np.zeros(self.d), 0.0, best_constant(self.y, self.loss) if self.intercept else 0.0)

    def suboptimality(self, answer: Any, best: Any) -> float:
        """The error of a peer's answer, a `Point`."""
        return self.error(answer.w, best, b=answer.b)


class PathTask(PeerTask):
    """Minimise P(w) = mean phi(x_i'w; y_i) + l1 ||w||_1 for each of several l1."""

    kind = Kind.PATH

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The arguments of a peer's `fit` before its budget."""
        return self.X, self.y, self.loss, self.l1

    def suboptimality(self, points: Any, best: Any) -> float:
        """The largest of the errors of the points (50, d), where P* is `best` (50,)."""
        if len(points) != len(self.l1):
            return float("inf")
        return max(self.error(w, low, l1) for l1, low, w in zip(self.l1, best, points, strict=True))


class ChosenPoint(NamedTuple):
    """The end of a cross-validation: the weight that it chose, and the point that it fitted to all examples."""

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
    def arguments(self) -> tuple[Any, ...]:
        """The arguments of a peer's `fit` before its budget."""
        return self.X, self.y, self.loss, self.l1, self.folds

    def suboptimality(self, choice: ChosenPoint, best: Sequence[Sequence[float]]) -> float:
        """The error of the fit; with the squared loss at least the share of the score to be won that its weight loses.

        Parameters
        ----------
        choice : ChosenPoint
            The answer.
        best : two sequences of 50 numbers
            P* of each weight, and the mean score of its certified solutions.
        """
        lows, scores = best
        k = int(np.abs(np.log(self.l1 / choice.l1)).argmin())
        error = self.error(choice.w, lows[k], float(self.l1[k]), choice.b)
        if not has_intercept(self.loss):
            return error
        most = max(scores)
        return max(error, (most - scores[k]) / max(most - scores[0], LEAST_SCALE * abs(most)))


def has_intercept(loss: str) -> bool:
    """True if a cross-validation with this loss has a free intercept."""
    return loss == "squared"


def path_task(X: Any, y: np.ndarray, loss: str) -> PathTask:
    """The task of a path of 50 weights, from the least l1 with w* = 0 down to its hundredth."""
    return PathTask(X, y, loss, 0.0, _falling(largest_l1(X, y, loss)))


def cross_validation_task(X: Any, y: np.ndarray, loss: str) -> CrossValidationTask:
    """The task of a cross-validation over such weights; its folds are the same for everybody."""
    splitter = KFold if has_intercept(loss) else StratifiedKFold
    folds = list(splitter(NUM_FOLDS, shuffle=True, random_state=0).split(X, y))
    intercept = float(y.mean()) if has_intercept(loss) else 0.0
    return CrossValidationTask(X, y, loss, 0.0, _falling(largest_l1(X, y, loss, intercept)), folds)


def _falling(largest: float) -> np.ndarray:
    return np.geomspace(largest, LAST_SHARE * largest, NUM_WEIGHTS)
